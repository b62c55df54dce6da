//! Data outside their range are refused by key, value and range.

use stickslip::models::slider_crank::Drive;
use stickslip::models::{
    SliderCrank, SliderCrankMultibody, SliderCrankParameters, SliderCrankStart,
};
use stickslip::multibody::{
    Clearance, ClearanceKind, ClearanceLaws, Joint, JointKind, Mount, PlanarBody, PlanarError,
    PlanarSystem,
};

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
        for error in [
            SliderCrank::new(parameters).err().unwrap(),
            SliderCrankMultibody::new(parameters).err().unwrap(),
        ] {
            assert_eq!(error.key, key);
            assert!(error.value == value || value.is_nan() && error.value.is_nan());
            assert!(error.to_string().contains(range), "{error}");
        }
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

#[test]
fn planar_systems_refuse_bad_elements() {
    let body = PlanarBody { mass: 1.0, inertia: 1.0 };
    let (ground, on) = (Mount::ground([0.0; 2]), Mount::on(0, [0.0; 2]));
    let build = |bodies: &[PlanarBody], joint: Joint| {
        PlanarSystem::new(bodies.to_vec(), [0.0, -9.81], vec![joint], vec![]).err()
    };
    let joint = |kind, first, second| Joint::new("joint", kind, first, second);
    let revolute = joint(JointKind::Revolute, ground, on);
    assert_eq!(build(&[body], revolute.clone()), None);
    let massless = PlanarBody { mass: 0.0, ..body };
    let error = build(&[massless], revolute).unwrap().to_string();
    assert_eq!(error, "body 0: mass is 0, it must be finite and positive");
    let error = build(&[body], joint(JointKind::Distance(-1.0), ground, on)).unwrap();
    assert!(error.to_string().contains("length is -1"), "{error}");
    let error = build(&[body], joint(JointKind::Fixed, on, on)).unwrap();
    assert_eq!(error, PlanarError::SameBody { element: "joint".into() });
    let error = build(&[body], joint(JointKind::Fixed, ground, ground)).unwrap();
    assert_eq!(error, PlanarError::SameBody { element: "joint".into() });
    let far = Mount::on(7, [0.0; 2]);
    let error = build(&[body], joint(JointKind::Revolute, ground, far)).unwrap();
    assert_eq!(error, PlanarError::Body { element: "joint".into(), index: 7, count: 1 });
    let pin = |clearance, restitution| Clearance {
        name: "pin".into(),
        kind: ClearanceKind::Revolute { pin_radius: 0.01, clearance },
        laws: ClearanceLaws { restitution, ..ClearanceLaws::default() },
        first: ground,
        second: on,
    };
    let build = |c| PlanarSystem::new(vec![body], [0.0, 0.0], vec![], vec![c]).err();
    assert_eq!(build(pin(1e-3, 0.5)), None);
    assert!(build(pin(-1e-3, 0.5)).unwrap().to_string().contains("clearance is -0.001"));
    assert!(build(pin(1e-3, 1.5)).unwrap().to_string().contains("restitution is 1.5"));
}
