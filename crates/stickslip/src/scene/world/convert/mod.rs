//! From the keys of a file to the description of a world: names become numbers, everything becomes
//! SI units, and what the schema cannot say is checked.

mod arrays;
mod bodies;
mod columns;
mod conditions;
mod contacts;
mod forces;
mod friction;
mod joint_elements;
mod joints;
mod motion;
mod pieces;
mod rotation;
mod shapes;
mod state;

use super::expression::ExpressionError;
use super::file::WorldFile;
use super::parameters::Parameters;
use super::quantity::{LARGEST, Measure, Measured, OneOrList, Quantity, Range, Signal, Vector};
use super::units::Unit;
use crate::scene::error::nearest;
use crate::scene::findings::Findings;
use crate::system::Dimension;
use crate::world::{
    AssemblyDescription, ColumnInputs, MotionDescription, TimeFunction, WorldDescription,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::path::Path;

/// What numbers may be, up to [`LARGEST`].
const ANY_NUMBER: &str = "from -1e30 to 1e30";
const NOT_NEGATIVE: &str = "not negative, at most 1e30";

/// Most bodies of a world, copies included.
pub const MOST_BODIES: usize = 100_000;

/// Most points of all convex hulls and polygons, copies included.
const MOST_POINTS: usize = 10_000_000;

/// The name of the ground in a file.
pub(crate) const GROUND: &str = "ground";

/// The name of every partner in a contact rule.
const ANY: &str = "any";

/// A description, and where its bodies stand in the file.
pub(crate) struct Converted {
    pub(crate) description: WorldDescription,
    /// For each body the number of its entry in the file; none for the ground.
    pub(crate) entries: Vec<Option<usize>>,
    /// What is odd but not wrong, each with its key.
    pub(crate) warnings: Vec<(String, String)>,
    /// Points read from mesh files: number of the body in the file, number of its shape.
    pub(crate) meshes: Vec<(usize, usize, Vec<[f64; 3]>)>,
}

/// Turns a file into a description and notes everything that is wrong.
pub(crate) fn convert(
    file: &WorldFile,
    parameters: &Parameters,
    folder: Option<&Path>,
    findings: &mut Findings,
) -> Converted {
    let dimension = match file.world.dimension {
        Some(2) => Dimension::Two,
        _ => Dimension::Three,
    };
    let mut context = Context {
        dimension,
        parameters,
        folder,
        findings,
        bodies: HashMap::new(),
        shapes: HashMap::new(),
        copied: HashMap::new(),
        split: HashSet::new(),
        materials: HashSet::new(),
        warnings: Vec::new(),
        meshes: Vec::new(),
        motions: Vec::new(),
        assembly: AssemblyDescription {
            off: !file.world.assemble.unwrap_or(true),
            ..AssemblyDescription::default()
        },
    };
    let gravity = match (&file.world.gravity, dimension) {
        (Some(given), _) => context.vector("world.gravity", Some(given)),
        (None, Dimension::Two) => [0.0, -9.81, 0.0],
        (None, Dimension::Three) => [0.0, 0.0, -9.81],
    };
    let exact_gaps = file.world.exact_gaps;
    let mut description =
        WorldDescription { dimension, gravity, exact_gaps, ..WorldDescription::default() };
    let mut entries = Vec::new();
    context.bodies(file, &mut description.bodies, &mut entries);
    description.default_contact = context.law("default_contact", &file.default_contact);
    let bodies = &description.bodies;
    let mut joints = file.joint.clone();
    context.chain_joints(&file.array, bodies, &mut joints);
    description.joints = context.joints(&joints, bodies, &description.default_contact);
    let inputs = ColumnInputs::of_state(&description);
    context.efforts(&joints, &inputs, &mut description.joints);
    description.forces = context.forces(&file.force, &description.bodies, &inputs);
    description.contacts = context.contacts(&file.contact);
    description.elements = file.elements.constants();
    description.columns = context.columns(&file.column, &description);
    description.conditions = context.conditions(&file.stop, &file.event, &description);
    description.table = context.chosen_columns(&file.table, &description);
    description.table.chosen = context.output_columns(&file.output, &description);
    context.assembled(&file.assembled);
    let Context { warnings, meshes, motions, assembly, .. } = context;
    (description.motions, description.assembly) = (motions, assembly);
    Converted { description, entries, warnings, meshes }
}

/// What the parts of a conversion share.
struct Context<'a> {
    dimension: Dimension,
    parameters: &'a Parameters,
    folder: Option<&'a Path>,
    findings: &'a mut Findings,
    /// Names of the bodies, copies included.
    bodies: HashMap<String, usize>,
    /// Shapes by `<body>.<shape>`: number of the body, number of the shape.
    shapes: HashMap<String, (usize, usize)>,
    /// Keys and names of the shapes that are divided into pieces.
    split: HashSet<String>,
    /// Names of the bodies that have copies, with the material of these.
    copied: HashMap<String, String>,
    materials: HashSet<String>,
    warnings: Vec<(String, String)>,
    meshes: Vec<(usize, usize, Vec<[f64; 3]>)>,
    motions: Vec<MotionDescription>,
    assembly: AssemblyDescription,
}

impl Context<'_> {
    fn is_plane(&self) -> bool {
        self.dimension == Dimension::Two
    }

    fn wrong(&mut self, key: &str, message: String) {
        self.findings.value(key, message);
    }

    /// Notes that a value is out of its range.
    fn out_of_range(&mut self, key: &str, value: impl Display, range: &str) {
        self.wrong(key, format!("{key} is {value}; it must be {range}"));
    }

    /// The components of a vector; zero if it is not given or wrong.
    fn vector<M: Measured, R: Range>(
        &mut self,
        key: &str,
        given: Option<&Vector<M, R>>,
    ) -> [f64; 3] {
        given.map_or([0.0; 3], |given| self.components(key, &given.0))
    }

    fn components<M: Measured, R: Range>(
        &mut self,
        key: &str,
        list: &[Quantity<M, R>],
    ) -> [f64; 3] {
        let (wanted, space) = if self.is_plane() { (2, "in the plane") } else { (3, "in space") };
        if list.len() != wanted {
            let message =
                format!("{key} has {} components; {space} it must have {wanted}", list.len());
            self.wrong(key, message);
            return [0.0; 3];
        }
        let mut out = [0.0; 3];
        for (component, given) in out.iter_mut().zip(list) {
            *component = given.value;
        }
        out
    }

    /// An angular velocity: about z in the plane, three components in space.
    fn spin<M: Measured>(&mut self, key: &str, given: Option<&OneOrList<M>>) -> [f64; 3] {
        match given {
            None => [0.0; 3],
            Some(OneOrList::One(value)) if self.is_plane() => [0.0, 0.0, value.value],
            Some(OneOrList::List(list)) if !self.is_plane() => self.components(key, list),
            Some(_) => {
                let allowed = if self.is_plane() {
                    "in the plane it must be one number"
                } else {
                    "in space it must be a list of three"
                };
                self.wrong(key, format!("{key} does not fit; {allowed}"));
                [0.0; 3]
            }
        }
    }

    /// A quantity whose unit depends on its surroundings; 0 if it is wrong.
    fn measure(&mut self, key: &str, given: &Measure, unit: &Unit, least: f64) -> f64 {
        let (shown, value) = match given {
            Measure::Plain(value) => (value.to_string(), Ok(*value)),
            Measure::Text(text) => match self.parameters.quantity(text, unit) {
                Ok(value) => (format!("{text:?}"), Ok(value)),
                Err(ExpressionError::Wrong(reason)) => (format!("{text:?}"), Err(reason)),
                Err(error) => {
                    self.tell(key, error);
                    return 0.0;
                }
            },
        };
        let allowed = if least > 0.0 {
            "positive, from 1e-30 to 1e30"
        } else if least == 0.0 {
            NOT_NEGATIVE
        } else {
            ANY_NUMBER
        };
        let value = value.and_then(|value| {
            let fits = value >= least && value <= LARGEST;
            if fits { Ok(value) } else { Err(format!("it must be {allowed}")) }
        });
        value.unwrap_or_else(|reason| {
            self.wrong(key, format!("{key} is {shown}; {reason}"));
            0.0
        })
    }

    /// A function of time; 0 if it is wrong.
    fn signal(&mut self, key: &str, given: &Signal, unit: &Unit) -> TimeFunction {
        let text = match given {
            Signal::Plain(value) if value.abs() <= LARGEST => {
                return TimeFunction::Constant(*value);
            }
            Signal::Plain(value) => {
                self.out_of_range(key, value, ANY_NUMBER);
                return TimeFunction::default();
            }
            Signal::Text(text) => text,
        };
        self.parameters.function(text, unit).unwrap_or_else(|error| {
            self.tell(key, error);
            TimeFunction::default()
        })
    }

    /// Notes what is wrong with an expression.
    fn tell(&mut self, key: &str, error: ExpressionError) {
        match error {
            ExpressionError::Wrong(reason) => self.wrong(key, format!("{key}: {reason}")),
            ExpressionError::Limit(reason) => {
                self.findings.limit(key, format!("{key}: {reason}"));
            }
            ExpressionError::Told => {}
        }
    }

    /// A hint at the name of a body or material, or at another word, that is near.
    fn name_hint(&self, name: &str, others: &[&str], with_materials: bool) -> String {
        // Comparing with very many names takes too long, and many would be near.
        if self.bodies.len() > 1000 {
            return String::new();
        }
        let materials = self.materials.iter().filter(|_| with_materials);
        let mut known: Vec<&str> =
            self.bodies.keys().chain(materials).map(String::as_str).collect();
        known.extend(others);
        known.sort_unstable();
        nearest(name, known).map_or(String::new(), |near| format!("; did you mean {near:?}?"))
    }
}

/// Whether a text can be a name: it stands in the headers of tables.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.len() <= 100 && name.chars().all(plain)
}
