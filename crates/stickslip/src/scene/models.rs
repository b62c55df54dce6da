//! The models that a scene can name. A new one is one more entry in [`MODELS`].

use super::elements::{ElementKeys, WithElements, build_own, wants_ode};
use super::error::{nearest, one_of};
use super::reader::Reader;
use super::sections::{IntegratorName, ProjectionName, Simulation};
use crate::models::tippe_top::Coordinates;
use crate::models::{
    BeltOscillator, BouncingMass, ConveyorMasses, DiskParameters, DiskStart, FrictionMass,
    ParameterError, RollingDisk, RollingSphere, SliderCrank, SliderCrankParameters,
    SliderCrankStart, TippeTop, TippeTopEuler, TippeTopParameters, TippeTopStart,
};
use crate::ode::Elements;
use crate::system::{Observed, State};
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Value;

/// A kind of system that scenes can describe.
pub struct Model {
    /// The value of the key `model`.
    pub name: &'static str,
    /// What it is.
    pub caption: &'static str,
    /// The defaults of `[simulation]`.
    pub(crate) simulation: fn() -> Simulation,
    /// Reads the model's own sections; nothing if something is wrong with them.
    pub(crate) build: fn(&mut Reader) -> Option<Built>,
}

/// A system and where it starts.
pub(crate) struct Built {
    pub(crate) system: Box<dyn Observed>,
    pub(crate) start: State,
    /// The elements of its laws if the scene asks for the ODE route.
    pub(crate) elements: Option<Elements>,
}

impl Built {
    /// A system with its set-valued laws.
    pub(crate) fn exact(system: impl Observed + 'static, start: State) -> Self {
        Self { system: Box::new(system), start, elements: None }
    }

    /// A system with elements in place of its laws.
    pub(crate) fn regularised(
        system: impl Observed + 'static,
        elements: Elements,
        start: State,
    ) -> Self {
        Self { system: Box::new(system), start, elements: Some(elements) }
    }
}

/// All models.
pub const MODELS: &[Model] = &[
    Model {
        name: "tippe-top",
        caption: "Tippe-Top: a spherical body with a stick (Leine 2003, sec. 5)",
        simulation: || Simulation {
            duration: 8.0,
            step: 1e-4,
            output_step: 1e-3,
            integrator: IntegratorName::MoreauRk4,
            ..Simulation::default()
        },
        build: tippe_top,
    },
    Model {
        name: "rolling-disk",
        caption: "thin disk that rolls on a table (Le Saux 2005, sec. 2)",
        simulation: || Simulation {
            duration: 15.0,
            step: 1e-4,
            output_step: 5e-3,
            projection: ProjectionName::Identity,
            ..Simulation::default()
        },
        build: rolling_disk,
    },
    Model {
        name: "slider-crank",
        caption: "slider-crank with clearance, minimal coordinates (Flores 2010, sec. 6)",
        simulation: slider_crank_defaults,
        build: slider_crank,
    },
    Model {
        name: "friction-mass",
        caption: "mass on a rough plane under a prescribed force (Xiong 2013, Fig. 3)",
        simulation: || ode_defaults(FrictionMass::DURATION, FrictionMass::STEP, 1e-3),
        build: build_own::<FrictionMass>,
    },
    Model {
        name: "bouncing-mass",
        caption: "mass that falls on a floor (Xiong 2013, Fig. 5)",
        simulation: || ode_defaults(BouncingMass::DURATION, BouncingMass::STEP, 1e-3),
        build: build_own::<BouncingMass>,
    },
    Model {
        name: "rolling-sphere",
        caption: "sphere that falls, bounces, slides and rolls (Xiong 2013, sec. 5.1)",
        simulation: || ode_defaults(RollingSphere::DURATION, RollingSphere::STEP, 1e-3),
        build: build_own::<RollingSphere>,
    },
    Model {
        name: "conveyor-masses",
        caption: "two masses between a wall and a conveyor (Xiong 2013, sec. 5.2)",
        simulation: || ode_defaults(ConveyorMasses::DURATION, ConveyorMasses::STEP, 1e-3),
        build: build_own::<ConveyorMasses>,
    },
    Model {
        name: "belt-oscillator",
        caption: "mass on a belt, friction that falls with the speed (Xiong 2013, sec. 5.3)",
        simulation: || ode_defaults(BeltOscillator::DURATION, BeltOscillator::STEP, 1e-2),
        build: build_own::<BeltOscillator>,
    },
];

/// About two turns of the crank, with the drift of the gaps projected.
fn slider_crank_defaults() -> Simulation {
    Simulation {
        duration: 0.12,
        step: 1e-5,
        output_step: 1e-4,
        projection: ProjectionName::Mass,
        ..Simulation::default()
    }
}

/// The ODE route with a step that is stable.
fn ode_defaults(duration: f64, step: f64, output_step: f64) -> Simulation {
    Simulation {
        duration,
        step,
        output_step,
        integrator: IntegratorName::OdeRk4,
        ..Simulation::default()
    }
}

/// The model that the document names.
pub(crate) fn find(reader: &mut Reader) -> Option<&'static Model> {
    const KEY: &str = "model";
    reader.know(KEY);
    let names = super::base::names();
    let message = match reader.value(KEY) {
        None => format!(
            "model is missing, and there is no [[body]] of a world either; model must be {}",
            one_of(&names)
        ),
        Some(Value::String(name)) => match MODELS.iter().find(|model| model.name == name) {
            Some(model) => return Some(model),
            None => {
                let allowed = match nearest(name, names.iter().copied()) {
                    Some(near) => {
                        format!("the name of a scene of the program; did you mean {near:?}?")
                    }
                    None => one_of(&names),
                };
                format!("model is {name:?}, it must be {allowed}")
            }
        },
        Some(other) => format!("model is {other}, it must be {}", one_of(&names)),
    };
    reader.complain(KEY, message);
    None
}

/// Elements of the Tippe-Top: critically damped for the 2.2 g that slide when the body turns about
/// its centre of mass; the step of the scene is stable.
const TOP_ELEMENTS: ElementKeys =
    ElementKeys { stiffness: 1e3, relaxation_time: 3e-3, contact_time: 1e-3 };
const DISK_ELEMENTS: ElementKeys =
    ElementKeys { stiffness: 1e5, relaxation_time: 1e-3, contact_time: 3e-4 };
const CRANK_ELEMENTS: ElementKeys =
    ElementKeys { stiffness: 1e6, relaxation_time: 1e-4, contact_time: 6e-5 };

/// The sections `[parameters]` with the constants of elements, and `[start]`, both in their ranges.
fn sections<P, S>(
    reader: &mut Reader,
    elements: ElementKeys,
    check: impl FnOnce(&P, &S) -> [Result<(), ParameterError>; 2],
) -> Option<(P, ElementKeys, S)>
where
    P: Default + Serialize + DeserializeOwned,
    S: Default + Serialize + DeserializeOwned,
{
    let defaults = WithElements { parameters: P::default(), elements };
    let parameters = reader.section("parameters", &defaults);
    let start = reader.section("start", &S::default());
    let (WithElements { parameters, elements }, start) = (parameters?, start?);
    let [parameters_checked, start_checked] = check(&parameters, &start);
    let checked = reader.check("parameters", parameters_checked.and(elements.validate()));
    reader.check("start", start_checked).and(checked)?;
    Some((parameters, elements, start))
}

fn tippe_top(reader: &mut Reader) -> Option<Built> {
    let (parameters, elements, start) =
        sections(reader, TOP_ELEMENTS, |p: &TippeTopParameters, s: &TippeTopStart| {
            [p.validate(), s.validate()]
        })?;
    let (ode, radius) = (wants_ode(reader, false), parameters.body_radius);
    match parameters.coordinates {
        Coordinates::Quaternion => {
            let system = TippeTop::new(parameters).ok()?;
            let start = system.start(&start);
            choose(reader, ode, elements, system, start, radius)
        }
        Coordinates::Euler => {
            let system = TippeTopEuler::new(parameters).ok()?;
            let start = system.start(&start);
            choose(reader, ode, elements, system, start, radius)
        }
    }
}

fn rolling_disk(reader: &mut Reader) -> Option<Built> {
    let (parameters, elements, start) =
        sections(reader, DISK_ELEMENTS, |p: &DiskParameters, s: &DiskStart| {
            [p.validate(), s.validate()]
        })?;
    let (ode, radius) = (wants_ode(reader, false), parameters.radius);
    let system = RollingDisk::new(parameters).ok()?;
    let start = system.start(&start);
    choose(reader, ode, elements, system, start, radius)
}

fn slider_crank(reader: &mut Reader) -> Option<Built> {
    let (parameters, elements, start) =
        sections(reader, CRANK_ELEMENTS, |p: &SliderCrankParameters, s: &SliderCrankStart| {
            [p.validate(), p.validate().and_then(|()| s.validate(p))]
        })?;
    let system = SliderCrank::new(parameters).ok()?;
    let start = system.start(&start).ok()?;
    // All laws are forces in a plane: there is no drilling moment that needs a length.
    choose(reader, wants_ode(reader, false), elements, system, start, 1.0)
}

/// The system with its laws or with elements.
fn choose<S: Observed + 'static>(
    reader: &mut Reader,
    ode: bool,
    elements: ElementKeys,
    system: S,
    start: State,
    length: f64,
) -> Option<Built> {
    if ode {
        elements.regularise(reader, system, start, length)
    } else {
        Some(Built::exact(system, start))
    }
}
