//! How scenes choose between the set-valued laws and the ODE route.

use super::models::Built;
use super::reader::Reader;
use crate::models::{self, ParameterError};
use crate::ode::{Elements, OdeNames, Regularisation, RegularisedFriction, UnilateralContact};
use crate::system::{Observed, State};
use serde::{Deserialize, Serialize};
use toml::Value;

/// Constants of the elements that stand for the laws of a system under the `ode-*` integrators: more
/// keys of the section `[parameters]`. The same for all contacts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ElementKeys {
    /// Stiffness K, N/m; positive.
    pub(crate) stiffness: f64,
    /// Relaxation time β, s; positive.
    pub(crate) relaxation_time: f64,
    /// Contact time α, s; positive, at most β for a contact that dissipates.
    pub(crate) contact_time: f64,
}

/// Parameters of a model and the constants of its elements, in one section.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WithElements<P> {
    #[serde(flatten)]
    pub(crate) parameters: P,
    #[serde(flatten)]
    pub(crate) elements: ElementKeys,
}

impl ElementKeys {
    /// Whether every value lies in its range.
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        self.contact().validate()?;
        Ok(())
    }

    fn contact(&self) -> UnilateralContact {
        let Self { stiffness, relaxation_time, contact_time } = *self;
        UnilateralContact { stiffness, relaxation_time, contact_time }
    }

    /// The system with an element for each of its laws. `length` is the arm at which a drilling
    /// moment counts as a force, m.
    pub(crate) fn regularise<S: Observed + 'static>(
        &self,
        reader: &mut Reader,
        system: S,
        start: State,
        length: f64,
    ) -> Option<Built> {
        let Self { stiffness, relaxation_time, .. } = *self;
        let friction = RegularisedFriction { stiffness, relaxation_time };
        match Regularisation::uniform(system.law_groups(), self.contact(), friction, length) {
            Ok(regularisation) => {
                let names = OdeNames::of_contacts(&system, &regularisation, &start, |_| true);
                Some(Built::regularised(system, Elements { regularisation, names }, start))
            }
            Err(error) => {
                let message = format!("simulation.integrator: no ODE route: {error}");
                reader.complain("simulation.integrator", message);
                None
            }
        }
    }
}

/// Whether the document asks for an `ode-*` integrator; `default` is what the model does.
pub(crate) fn wants_ode(reader: &Reader, default: bool) -> bool {
    let simulation = match reader.value("simulation") {
        Some(Value::Table(table)) => table.get("integrator"),
        _ => None,
    };
    match simulation {
        Some(Value::String(name)) => name.starts_with("ode-"),
        _ => default,
    }
}

/// A model of Xiong 2013: it has elements of its own, chosen in `[parameters]`.
pub(crate) trait OwnElements: Observed + Sized + 'static {
    type Parameters: Serialize + serde::de::DeserializeOwned + Default;
    type Start: Serialize + serde::de::DeserializeOwned + Default;
    fn check(parameters: &Self::Parameters, start: &Self::Start)
    -> [Result<(), ParameterError>; 2];
    fn create(parameters: Self::Parameters) -> Result<Self, ParameterError>;
    fn at_start(&self, start: &Self::Start) -> State;
    fn with_elements(self) -> Result<(Self, Elements), ParameterError>;
}

macro_rules! own_elements {
    ($($model:ident, $parameters:ident, $start:ident;)*) => {$(
        impl OwnElements for models::$model {
            type Parameters = models::$parameters;
            type Start = models::$start;
            fn check(
                parameters: &Self::Parameters,
                start: &Self::Start,
            ) -> [Result<(), ParameterError>; 2] {
                [parameters.validate(), start.validate()]
            }
            fn create(parameters: Self::Parameters) -> Result<Self, ParameterError> {
                Self::new(parameters)
            }
            fn at_start(&self, start: &Self::Start) -> State {
                self.start(start)
            }
            fn with_elements(self) -> Result<(Self, Elements), ParameterError> {
                self.regularised()
            }
        }
    )*};
}

own_elements! {
    FrictionMass, FrictionMassParameters, FrictionMassStart;
    BouncingMass, BouncingMassParameters, BouncingMassStart;
    RollingSphere, RollingSphereParameters, RollingSphereStart;
    ConveyorMasses, ConveyorMassesParameters, ConveyorMassesStart;
    BeltOscillator, BeltOscillatorParameters, BeltOscillatorStart;
}

/// Builds a model of Xiong 2013.
pub(crate) fn build_own<M: OwnElements>(reader: &mut Reader) -> Option<Built> {
    let parameters = reader.section("parameters", &M::Parameters::default());
    let start = reader.section("start", &M::Start::default());
    let (parameters, start) = (parameters?, start?);
    let [parameters_checked, start_checked] = M::check(&parameters, &start);
    let checked = reader.check("parameters", parameters_checked);
    reader.check("start", start_checked).and(checked)?;
    let built = M::create(parameters).and_then(|system| {
        let start = system.at_start(&start);
        Ok(if wants_ode(reader, true) {
            let (system, elements) = system.with_elements()?;
            Built::regularised(system, elements, start)
        } else {
            Built::exact(system, start)
        })
    });
    match built {
        Ok(built) => Some(built),
        Err(error) => {
            reader.check("parameters", Err(error));
            None
        }
    }
}
