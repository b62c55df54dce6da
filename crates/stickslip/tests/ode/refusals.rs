//! What is refused, and what is said about it.

use crate::oracles::{
    BouncingMass, BouncingMassParameters, BouncingMassStart, FrictionMass, FrictionMassParameters,
    FrictionMassStart,
};
use stickslip::convex::Pressure;
use stickslip::integrate::{Integrator, Ode, StepError};
use stickslip::ode::{
    ContactElement, Element, FrictionElement, LuGre, Regularisation, RegularisationError,
    RegularisedFriction, SpeedFactor, Tolerances, UnilateralContact,
};
use stickslip::scene::Scene;
use stickslip::system::{ForceLaw, LawGroup};

const CONTACT: UnilateralContact =
    UnilateralContact { stiffness: 1e5, relaxation_time: 0.01, contact_time: 0.005 };
const FRICTION: RegularisedFriction = RegularisedFriction { stiffness: 1e5, relaxation_time: 0.01 };

#[test]
fn constants_that_are_not_positive_are_refused_by_name() {
    let keys =
        ["stiffness", "relaxation_time", "contact_time", "mass"].map(|k| ("bouncing-mass", k));
    for (scene, key) in keys.into_iter().chain([("friction-mass", "relaxation_time")]) {
        for bad in ["0", "-1", "nan", "inf"] {
            let text = stickslip::scene::built_in(scene).unwrap().text;
            let read = Scene::read(scene, scene, text, &[format!("parameters.{key}={bad}")]);
            let error = read.err().unwrap().to_string();
            assert!(error.contains(&format!("parameters.{key} is {bad}")), "{error}");
            let allowed = ["it must be finite and positive", "it must be from -1e30 to 1e30"];
            assert!(allowed.iter().any(|range| error.contains(range)), "{error}");
        }
    }
}

/// α > β is allowed, with a note on what it means, and indeed gains energy.
#[test]
fn a_contact_that_gains_energy_is_noted() {
    let parameters = BouncingMassParameters { contact_time: 0.012, ..Default::default() };
    let system = BouncingMass::new(parameters).unwrap();
    assert_eq!(system.restitution(), 1.0);
    let start = system.start(&BouncingMassStart::default());
    let mut integrator = Ode::rk4(system.regularisation().unwrap());
    let warnings = integrator.warnings(&system, &start, 1e-4).unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("puts energy in at every impact"), "{warnings:?}");
    let mut state = start;
    let mut highest = 0.0_f64;
    for _ in 0..20000 {
        integrator.step(&system, &mut state, 1e-4).unwrap();
        highest = highest.max(state.q[0]);
    }
    assert!(highest > 1.01, "{highest}");
}

#[test]
fn elements_must_fit_their_laws() {
    let groups = [LawGroup::new([
        ("normal", ForceLaw::signorini(0.0)),
        ("friction", ForceLaw::coulomb(0.3, 0.0)),
    ])];
    let contact = Element::Contact(ContactElement::Xiong(CONTACT));
    let friction = Element::friction(FRICTION);
    assert!(Regularisation::new(&groups, &[vec![contact, friction]]).is_ok());
    let refused = |elements: Vec<Element>| Regularisation::new(&groups, &[elements]).unwrap_err();
    assert!(matches!(refused(vec![contact]), RegularisationError::Count { .. }));
    assert!(matches!(refused(vec![contact, contact]), RegularisationError::Unsuitable { .. }));
    assert!(matches!(
        refused(vec![contact, Element::Function]),
        RegularisationError::Unsuitable { .. }
    ));
    let bristles = Element::Friction {
        element: FrictionElement::LuGre(LuGre::dahl(1e3)),
        speed_factor: SpeedFactor::Constant,
        length: 1.0,
    };
    let error = refused(vec![contact, bristles]).to_string();
    assert!(error.contains("law friction") && error.contains("constant strength"), "{error}");
    let soft = RegularisedFriction { stiffness: 0.0, ..FRICTION };
    let error = refused(vec![contact, Element::friction(soft)]).to_string();
    assert!(error.contains("stiffness is 0"), "{error}");
}

/// A length for the drilling moment needs a law that has one.
#[test]
fn lengths_serve_laws_with_a_drilling_moment() {
    let ball = ForceLaw::coulomb_contensou(0.3, 5e-4, Pressure::Hertz);
    let groups = [LawGroup::new([("normal", ForceLaw::signorini(0.0)), ("friction", ball)])];
    assert!(Regularisation::uniform(&groups, CONTACT, FRICTION, 1.5e-2).is_ok());
    assert!(Regularisation::uniform(&groups, CONTACT, FRICTION, 0.0).is_err());
}

#[test]
fn a_regularisation_of_another_system_is_an_error() {
    let system = FrictionMass::new(FrictionMassParameters::default()).unwrap();
    let empty = Regularisation::new(&[], &[]).unwrap();
    let mut state = system.start(&FrictionMassStart::default());
    let error = Ode::rk4(empty).step(&system, &mut state, 1e-3).unwrap_err();
    assert!(error.to_string().contains("another system"), "{error}");
}

/// Steps that are no steps, states that are not finite: an error, and the state is as it was.
#[test]
fn bad_steps_leave_the_state_alone() {
    let system = FrictionMass::new(FrictionMassParameters::default()).unwrap();
    let regularisation = || system.regularisation().unwrap();
    let tolerances = Tolerances::default();
    for mut integrator in [
        Ode::rk4(regularisation()),
        Ode::adaptive(regularisation(), tolerances),
        Ode::stiff(regularisation(), tolerances),
    ] {
        for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut state = system.start(&FrictionMassStart::default());
            let before = state.clone();
            assert!(matches!(integrator.step(&system, &mut state, dt), Err(StepError::Step(_))));
            assert_eq!(state, before);
        }
        let mut state = system.start(&FrictionMassStart { p: 0.0, v: 1.0 });
        state.u[0] = f64::NAN;
        assert!(integrator.step(&system, &mut state, 1e-3).is_err());
        assert!(state.memory.is_empty());
    }
}

/// Scene files: names of the laws, unknown keys.
#[test]
fn parameters_are_read_strictly() {
    let read = |name: &str, key: &str| {
        let text = stickslip::scene::built_in(name).unwrap().text;
        Scene::read(name, name, text, &[key.to_owned()]).map_err(|e| e.to_string())
    };
    assert!(read("rolling-sphere", "parameters.law=smooth").is_ok());
    for (key, said) in [
        ("parameters.law=lugre", "\"smooth\""),
        ("parameters.stifness=1.0", "stiffness"),
        ("parameters.restitution=1.5", "it must be from 0 to 1"),
        ("parameters.restitution=elastic", "parameters.restitution"),
    ] {
        let complaint = read("rolling-sphere", key).err().unwrap();
        assert!(complaint.contains(said), "{key}: {complaint}");
    }
    let restitution = |key: &str| {
        let scene = read("rolling-sphere", key).unwrap();
        let groups = scene.system.law_groups();
        groups.iter().map(|group| group.laws[0].law.restitution).fold(0.0, f64::max)
    };
    assert_eq!(restitution("parameters.restitution=0.5"), 0.5);
    assert!((restitution("parameters.restitution=effective") - 0.826).abs() < 1e-4);
    assert!(read("friction-mass", "parameters.law=lugre").is_ok());
    assert!(Tolerances { relative: 0.0, absolute: 1e-9 }.validate().is_err());
}
