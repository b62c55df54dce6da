//! A ball falls, bounces and comes to rest.

use stickslip::prelude::*;

/// The program.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = WorldDescription::space();
    let floor = world.add(Body::new("floor").half_space().fixed());
    let ball = world.add(Body::new("ball").mass(1.0).sphere(0.05).at([0.0, 0.0, 1.0]));
    world.rule(ContactRule::between(floor, ball).named("bounce").restitution(0.7).friction(0.3));

    let mut simulation = world.simulate(RunSettings::new(3.0, 1e-3, 1e-2))?;
    let mut trajectory = Trajectory::of(&simulation);
    let summary = simulation.run(&mut trajectory);

    let height = trajectory.column("ball.z").ok_or("no such column")?;
    for (t, z) in trajectory.times().iter().zip(height).step_by(25) {
        println!("{t:4.2} s  {z:.4} {}", trajectory.unit("ball.z"));
    }
    println!("{} impacts, {}", summary.impacts.len(), summary.status);
    println!("weight on the floor: {:.3} N", simulation.normal_force("bounce"));
    assert!((simulation.normal_force("bounce") - 9.81).abs() < 1e-6);
    Ok(())
}
