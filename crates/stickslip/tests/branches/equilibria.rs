//! Branches of equilibria against closed forms.

use crate::{asked, range, scene, shipped};
use stickslip::study::{continue_equilibrium, continue_orbit, ends_at_rest};

/// A mass on a guide, with a force and friction along it.
const MASS: &str = r#"
format = 1
[parameters]
push = 0
linear = -1
cubic = 1
damping = 0.5
friction = 0
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "rail"
fixed = true
[[body]]
name = "mass"
mass = 1
free = ["x"]
position = ["start.begin", 0]
[[body.shape]]
kind = "box"
half_extents = [0.05, 0.05]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["rail", "mass"]
at = ["start.begin", 0]
axis = [1, 0]
friction = "friction"
[[force]]
name = "spring"
kind = "applied"
body = "mass"
force = ["push - linear*mass.x - cubic*mass.x^3 - damping*mass.vx", 0]
[start]
begin = -1.2
[simulation]
integrator = "event-driven"
duration = 80
"#;

#[test]
fn an_equilibrium_is_followed_through_both_folds_of_a_cubic() {
    // p + x - x³ = 0 folds at x = ∓1/√3, p = ±2/(3√3).
    let vary = range("parameters.push=-0.6:0.6");
    let branch = continue_equilibrium(&scene(MASS), &asked(&[], None), &vary, &mut |_| {})
        .expect("a branch");
    let exact = 2.0 / 27.0_f64.sqrt();
    let folds: Vec<f64> = branch.bifurcations.iter().map(|b| b.value).collect();
    assert!(branch.bifurcations.iter().all(|b| b.kind == "fold"), "{:?}", branch.bifurcations);
    let [up, down] = folds[..] else { panic!("{folds:?}") };
    assert!((up - exact).abs() < 1e-6 && (down + exact).abs() < 1e-6, "{folds:?}");
    for point in &branch.points {
        let x = point.state.q[0];
        assert!((point.value + x - x * x * x).abs() < 1e-9, "{x} {}", point.value);
        assert_eq!(point.stable, 3.0 * x * x > 1.0, "{x}");
        // λ² + c λ + 3x² - 1 = 0.
        let product = point.eigenvalues.iter().fold([1.0, 0.0], |p: [f64; 2], e| {
            [p[0] * e[0] - p[1] * e[1], p[0] * e[1] + p[1] * e[0]]
        });
        assert!((product[0] - (3.0 * x * x - 1.0)).abs() < 1e-7, "{x} {:?}", point.eigenvalues);
    }
    assert!(branch.ended.is_none() && branch.points.last().is_some_and(|p| p.value == 0.6));
}

#[test]
fn equilibria_with_dry_friction_are_an_interval() {
    // |p - 2x| <= F.
    let set = ["parameters.linear=2", "parameters.cubic=0", "parameters.push=0.3"];
    let vary = range("parameters.friction=0.4:1.4");
    let file = scene(MASS);
    assert!(ends_at_rest(&file, &asked(&set, None), &vary).expect("a run"));
    assert!(continue_orbit(&file, &asked(&set, None), &vary, 0, &mut |_| {}).is_err());
    let branch =
        continue_equilibrium(&file, &asked(&set, None), &vary, &mut |_| {}).expect("a branch");
    assert!(branch.bifurcations.is_empty() && branch.ended.is_none(), "{branch:?}");
    for point in &branch.points {
        let [a, b] = point.interval.as_ref().expect("an interval");
        let (low, high) = (a[0].min(b[0]), a[0].max(b[0]));
        assert!((low - (0.3 - point.value) / 2.0).abs() < 1e-9, "{low} {}", point.value);
        assert!((high - (0.3 + point.value) / 2.0).abs() < 1e-9, "{high} {}", point.value);
        assert!(point.stable && point.mode.ends_with("stick"), "{point:?}");
    }
}

#[test]
fn a_brake_begins_to_squeal_where_falling_friction_outweighs_the_damper() {
    // 500 N · 0.3/0.5 exp(-v/0.5) = 50 N s/m at v = 0.5 ln 6.
    let vary = range("parameters.disk_speed=1.2:0.6");
    let branch =
        continue_equilibrium(&shipped("brake-squeal"), &asked(&[], None), &vary, &mut |_| {})
            .expect("a branch");
    let exact = 0.5 * 6.0_f64.ln();
    let [hopf] = &branch.bifurcations[..] else { panic!("{:?}", branch.bifurcations) };
    assert_eq!(hopf.kind, "hopf");
    assert!((hopf.value - exact).abs() < 1e-9, "{} {exact}", hopf.value);
}

#[test]
fn steady_drilling_loses_stability_at_the_critical_speed() {
    let vary = range("parameters.table_speed=7:4");
    let branch =
        continue_equilibrium(&shipped("drill-string"), &asked(&[], None), &vary, &mut |_| {})
            .expect("a branch");
    let [hopf] = &branch.bifurcations[..] else { panic!("{:?}", branch.bifurcations) };
    // From the characteristic equation of the two linear equations in the header of the scene.
    assert!(hopf.kind == "hopf" && (hopf.value - critical_speed()).abs() < 1e-6, "{hopf:?}");
}

/// Where the last root of the linear equations of drilling passes the imaginary axis, by Hurwitz' criterion.
fn critical_speed() -> f64 {
    let (j1, j2, c1, c2, k1, k2) = (2122.0, 374.0, 500.0, 5.0, 1500.0, 473.0);
    let hurwitz = |speed: f64| {
        let d = -1500.0 / 2.0 * (-speed / 2.0_f64).exp();
        // (J1 s² + (c1 + c2) s + k1 + k2)(J2 s² + (c2 + d) s + k2) - (c2 s + k2)².
        let (a2, a1, a0) = (j1, c1 + c2, k1 + k2);
        let (b2, b1, b0) = (j2, c2 + d, k2);
        let p4: f64 = a2 * b2;
        let p3 = a2 * b1 + a1 * b2;
        let p2 = a2 * b0 + a1 * b1 + a0 * b2 - c2 * c2;
        let p1 = a1 * b0 + a0 * b1 - 2.0 * c2 * k2;
        let p0 = a0 * b0 - k2 * k2;
        p1 * (p3 * p2 - p4 * p1) - p3 * p3 * p0
    };
    let (mut low, mut high) = (4.0, 7.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if hurwitz(middle) < 0.0 { low = middle } else { high = middle }
    }
    assert!((low - 5.2877_f64).abs() < 1e-4, "{low}");
    low
}

#[test]
fn what_depends_on_time_has_no_equilibria() {
    let vary = range("parameters.shaking=0.4:1");
    let refused =
        continue_equilibrium(&shipped("vibrating-table"), &asked(&[], None), &vary, &mut |_| {});
    assert!(refused.expect_err("refused").to_string().contains("depends on time"));
}
