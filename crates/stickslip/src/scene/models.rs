//! The models that a scene can name. A new one is one more entry in [`MODELS`].

use super::error::{nearest, one_of};
use super::reader::Reader;
use super::sections::{IntegratorName, ProjectionName, Simulation};
use crate::models::tippe_top::Coordinates;
use crate::models::{
    DiskParameters, DiskStart, RollingDisk, TippeTop, TippeTopEuler, TippeTopParameters,
    TippeTopStart,
};
use crate::system::{Observed, State};
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
            stage_ratio: 0.25,
            projection: ProjectionName::None,
            allow_inexact: false,
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
            integrator: IntegratorName::Moreau,
            stage_ratio: 0.25,
            projection: ProjectionName::Identity,
            allow_inexact: false,
        },
        build: rolling_disk,
    },
];

/// The model that the document names.
pub(crate) fn find(reader: &mut Reader) -> Option<&'static Model> {
    const KEY: &str = "model";
    reader.know(KEY);
    let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
    let message = match reader.value(KEY) {
        None => format!("model is missing; it must be {}", one_of(&names)),
        Some(Value::String(name)) => match MODELS.iter().find(|model| model.name == name) {
            Some(model) => return Some(model),
            None => {
                let hint = nearest(name, names.iter().copied());
                let hint = hint.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
                format!("model is {name:?}, it must be {}{hint}", one_of(&names))
            }
        },
        Some(other) => format!("model is {other}, it must be {}", one_of(&names)),
    };
    reader.complain(KEY, message);
    None
}

fn tippe_top(reader: &mut Reader) -> Option<Built> {
    let parameters = reader.section("parameters", &TippeTopParameters::default());
    let start = reader.section("start", &TippeTopStart::default());
    let (parameters, start) = (parameters?, start?);
    let checked = reader.check("parameters", parameters.validate());
    reader.check("start", start.validate()).and(checked)?;
    Some(match parameters.coordinates {
        Coordinates::Quaternion => {
            let system = TippeTop::new(parameters).ok()?;
            Built { start: system.start(&start), system: Box::new(system) }
        }
        Coordinates::Euler => {
            let system = TippeTopEuler::new(parameters).ok()?;
            Built { start: system.start(&start), system: Box::new(system) }
        }
    })
}

fn rolling_disk(reader: &mut Reader) -> Option<Built> {
    let parameters = reader.section("parameters", &DiskParameters::default());
    let start = reader.section("start", &DiskStart::default());
    let (parameters, start) = (parameters?, start?);
    let checked = reader.check("parameters", parameters.validate());
    reader.check("start", start.validate()).and(checked)?;
    let system = RollingDisk::new(parameters).ok()?;
    Some(Built { start: system.start(&start), system: Box::new(system) })
}
