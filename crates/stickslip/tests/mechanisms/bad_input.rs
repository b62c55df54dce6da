//! Data outside their range are refused by key, value and range.

use stickslip::models::slider_crank::Drive;
use stickslip::models::{SliderCrank, SliderCrankParameters, SliderCrankStart};

type Parameters = SliderCrankParameters;
type Field = fn(&mut Parameters) -> &mut f64;

#[test]
fn parameters_outside_their_range_are_named() {
    let cases: [(&str, Field, f64, &str); 12] = [
        ("clearance", |p| &mut p.clearance, -1e-3, "positive"),
        ("clearance", |p| &mut p.clearance, 0.0, "positive"),
        ("clearance", |p| &mut p.clearance, 0.1, "turn over"),
        ("restitution", |p| &mut p.restitution, 1.5, "between 0 and 1"),
        ("restitution", |p| &mut p.restitution, -0.1, "between 0 and 1"),
        ("tangential_restitution", |p| &mut p.tangential_restitution, 2.0, "between 0 and 1"),
        ("friction_coefficient", |p| &mut p.friction_coefficient, -0.01, "not negative"),
        ("crank_mass", |p| &mut p.crank_mass, 0.0, "positive"),
        ("slider_mass", |p| &mut p.slider_mass, f64::NAN, "positive"),
        ("slider_inertia", |p| &mut p.slider_inertia, f64::INFINITY, "finite"),
        ("crank_length", |p| &mut p.crank_length, -0.1, "positive"),
        ("crank_speed", |p| &mut p.crank_speed, f64::INFINITY, "finite"),
    ];
    for (key, field, value, range) in cases {
        let mut parameters = Parameters::default();
        *field(&mut parameters) = value;
        let error = SliderCrank::new(parameters).err().unwrap();
        assert_eq!(error.key, key);
        assert!(error.value == value || value.is_nan() && error.value.is_nan());
        assert!(error.to_string().contains(range), "{error}");
    }
    assert!(SliderCrank::new(Parameters::default()).is_ok());
}

#[test]
fn a_start_inside_the_wall_is_refused() {
    let system = SliderCrank::new(Parameters::default()).unwrap();
    let start = |theta2, theta3| SliderCrankStart { theta2, theta3, ..Default::default() };
    // The centre of the slider beyond the clearance: 0.306 sin 0.01 = 3.06 mm > 1 mm.
    let error = system.start(&start(0.01, 0.0)).err().unwrap();
    assert_eq!((error.key, error.value), ("theta2", 0.01));
    assert!(error.to_string().contains("between -0.001 and 0.001"), "{error}");
    // A tilt beyond the guide: a sinθ + b cosθ = b + c at θ = 0.0201 for a centred slider.
    let tilt = |theta3: f64| 0.05 * theta3.sin() + 0.025 * theta3.cos() - 0.026;
    let error = system.start(&start(0.0, 0.03)).err().unwrap();
    assert_eq!((error.key, error.value), ("theta3", 0.03));
    assert!(tilt(0.0201) < 0.0 && tilt(0.0202) > 0.0);
    assert!(error.to_string().contains("between -0.0201"), "{error}");
    assert!(system.start(&start(0.0, 0.0201)).is_ok());
    assert!(system.start(&start(0.0, -0.0202)).is_err());
    // Exactly on the wall is allowed.
    assert!(system.start(&start((1e-3_f64 / 0.306).asin(), 0.0)).is_ok());
    let error = system.start(&SliderCrankStart { omega3: f64::NAN, ..Default::default() });
    assert_eq!(error.err().unwrap().key, "omega3");
}

#[test]
fn files_with_unknown_keys_or_drives_are_refused() {
    let parse = serde_json::from_str::<Parameters>;
    assert_eq!(parse("{}").unwrap(), Parameters::default());
    let driven = parse(r#"{"drive": "constant-speed", "clearance": 5e-4}"#).unwrap();
    assert_eq!((driven.drive, driven.clearance), (Drive::ConstantSpeed, 5e-4));
    assert!(parse(r#"{"clearence": 1e-3}"#).err().unwrap().to_string().contains("clearence"));
    assert!(parse(r#"{"drive": "steam"}"#).err().unwrap().to_string().contains("constant-speed"));
    assert!(serde_json::from_str::<SliderCrankStart>(r#"{"theta4": 0}"#).is_err());
}
