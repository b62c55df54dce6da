//! The systems in Rust that a scene can name. A new one is one more entry in [`MODELS`].

use super::error::{nearest, one_of};
use super::reader::Reader;
use super::sections::{IntegratorName, ProjectionName, Simulation};
use crate::models::{
    ParameterError, SliderCrank, SliderCrankParameters, SliderCrankStart, TippeTopEuler,
    TippeTopParameters, TippeTopStart,
};
use crate::ode::{Elements, OdeNames, Regularisation, RegularisedFriction, UnilateralContact};
use crate::system::{Observed, State};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
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

/// All models.
pub const MODELS: &[Model] = &[
    Model {
        name: "tippe-top",
        caption: "Tippe-Top in Euler angles (Leine 2003, sec. 5)",
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
        name: "slider-crank",
        caption: "slider-crank with clearance, minimal coordinates (Flores 2010, sec. 6)",
        simulation: slider_crank_defaults,
        build: slider_crank,
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
const CRANK_ELEMENTS: ElementKeys =
    ElementKeys { stiffness: 1e6, relaxation_time: 1e-4, contact_time: 6e-5 };

/// The sections `[parameters]` and `[start]`, both in their ranges.
fn sections<P, S>(
    reader: &mut Reader,
    defaults: &P,
    check: impl FnOnce(&P, &S) -> [Result<(), ParameterError>; 2],
) -> Option<(P, S)>
where
    P: Serialize + DeserializeOwned,
    S: Default + Serialize + DeserializeOwned,
{
    let parameters = reader.section("parameters", defaults);
    let start = reader.section("start", &S::default());
    reader.check_sizes()?;
    let (parameters, start) = (parameters?, start?);
    let [parameters_checked, start_checked] = check(&parameters, &start);
    let checked = reader.check("parameters", parameters_checked);
    reader.check("start", start_checked).and(checked)?;
    Some((parameters, start))
}

fn tippe_top(reader: &mut Reader) -> Option<Built> {
    let defaults =
        WithElements { parameters: TippeTopParameters::default(), elements: TOP_ELEMENTS };
    let (WithElements { parameters, elements }, start) =
        sections(reader, &defaults, |p: &WithElements<TippeTopParameters>, s: &TippeTopStart| {
            [p.parameters.validate().and(p.elements.validate()), s.validate()]
        })?;
    let system = TippeTopEuler::new(parameters).ok()?;
    let start = system.start(&start);
    elements.build(reader, system, start, parameters.body_radius)
}

fn slider_crank(reader: &mut Reader) -> Option<Built> {
    let defaults =
        WithElements { parameters: SliderCrankParameters::default(), elements: CRANK_ELEMENTS };
    type Keys = WithElements<SliderCrankParameters>;
    let (WithElements { parameters, elements }, start) =
        sections(reader, &defaults, |p: &Keys, s: &SliderCrankStart| {
            let own = p.parameters.validate();
            let start = own.clone().and_then(|()| s.validate(&p.parameters));
            [own.and(p.elements.validate()), start]
        })?;
    let system = SliderCrank::new(parameters).ok()?;
    let start = system.start(&start).ok()?;
    // All laws are forces in a plane: there is no drilling moment that needs a length.
    elements.build(reader, system, start, 1.0)
}

/// Constants of the elements that stand for the laws of a system under the `ode-*` integrators: more
/// keys of the section `[parameters]`. The same for all contacts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct ElementKeys {
    /// Stiffness K, N/m; positive.
    stiffness: f64,
    /// Relaxation time β, s; positive.
    relaxation_time: f64,
    /// Contact time α, s; positive, at most β for a contact that dissipates.
    contact_time: f64,
}

/// Parameters of a model and the constants of its elements, in one section.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WithElements<P> {
    #[serde(flatten)]
    parameters: P,
    #[serde(flatten)]
    elements: ElementKeys,
}

impl ElementKeys {
    /// Whether every value lies in its range.
    fn validate(&self) -> Result<(), ParameterError> {
        self.contact().validate()?;
        Ok(())
    }

    fn contact(&self) -> UnilateralContact {
        let Self { stiffness, relaxation_time, contact_time } = *self;
        UnilateralContact { stiffness, relaxation_time, contact_time }
    }

    /// The system, with an element for each of its laws if the scene asks for the ODE route. `length` is the arm
    /// at which a drilling moment counts as a force, m.
    fn build<S: Observed + 'static>(
        &self,
        reader: &mut Reader,
        system: S,
        start: State,
        length: f64,
    ) -> Option<Built> {
        let mut elements = None;
        if wants_ode(reader) {
            let Self { stiffness, relaxation_time, .. } = *self;
            let friction = RegularisedFriction { stiffness, relaxation_time };
            let groups = system.law_groups();
            match Regularisation::uniform(groups, self.contact(), friction, length) {
                Ok(regularisation) => {
                    let own = |_: &str| Default::default();
                    let names =
                        OdeNames::of_contacts(&system, &regularisation, &start, |_| true, own);
                    elements = Some(Elements { regularisation, names });
                }
                Err(error) => {
                    let message = format!("simulation.integrator: no ODE route: {error}");
                    reader.complain("simulation.integrator", message);
                    return None;
                }
            }
        }
        Some(Built { system: Box::new(system), start, elements })
    }
}

/// Whether the document asks for an `ode-*` integrator.
fn wants_ode(reader: &Reader) -> bool {
    let Some(Value::Table(simulation)) = reader.value("simulation") else { return false };
    let name = simulation.get("integrator").and_then(|name| name.clone().try_into().ok());
    name.and_then(IntegratorName::ode_name).is_some()
}
