//! A shipped scene with other values of a parameter, on two threads.

use stickslip::prelude::*;

/// Tilt of the Tippe-Top after the given time with a contact of this radius, m.
fn tilt(contact_radius: f64, seconds: f64) -> Result<f64, String> {
    let radius = format!("parameters.contact_radius={contact_radius}");
    let scene = Scene::load("tippe-top", &[&radius]).map_err(|e| e.to_string())?;
    let mut simulation = scene.simulate().map_err(|e| e.to_string())?;
    let mut trajectory = Trajectory::of(&simulation);
    simulation.observe_until(seconds, &mut trajectory).map_err(|e| e.to_string())?;
    let tilt = trajectory.column("theta").and_then(|theta| theta.last());
    tilt.copied().ok_or_else(|| "no such column".into())
}

/// The program.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let radii = [1e-4, 1e-3];
    let tilts = std::thread::scope(|scope| {
        let threads = radii.map(|radius| scope.spawn(move || tilt(radius, 0.5)));
        threads.map(|thread| thread.join().unwrap_or_else(|_| Err("a thread failed".into())))
    });
    let [small, large] = tilts;
    let (small, large) = (small?, large?);
    println!("theta(0.5 s): {small:.4} rad with 0.1 mm, {large:.4} rad with 1 mm");
    // A larger contact brakes the spin about the normal, but makes the top rise no less.
    assert!(small > 0.1 && (small - large).abs() > 1e-3);
    Ok(())
}
