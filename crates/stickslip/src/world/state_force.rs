//! Forces, moments and efforts that are functions of the state.
//!
//! Each is one number f(t, q, u) along one generalized direction W: it adds W f to the forces h, and
//! W ∂f/∂u to their derivative, as far as f depends on the velocities of the bodies on which it acts.

use super::columns::{ColumnInputs, PLANE, SPACE, Source, body_values};
use super::description::{Part, TimeFunction, WorldDescription, WorldError};
use super::frames::Frames;
use super::joint::IdealJoint;
use super::joint_columns::JointColumn;
use super::mounts::{MOST, Pair, Side};
use crate::kinematics::Vector3;
use crate::kinematics::vector::{E_X, E_Y, E_Z};
use crate::system::{Dimension, State};
use std::fmt;
use std::sync::Arc;

/// Most different quantities of which one expression is made.
pub const MOST_INPUTS: usize = 32;

/// A function of the values of its inputs: its value, and its derivative by the input with this number.
pub type ForceFunction = dyn Fn(&[f64], usize) -> [f64; 2] + Send + Sync;

/// A function of the state.
#[derive(Clone)]
pub struct StateExpression {
    /// As it was written.
    pub text: String,
    /// Of what it is made: `t`, columns of moving bodies such as `ball.vx`, coordinates and speeds of
    /// joints such as `hinge.speed`; at most [`MOST_INPUTS`].
    pub inputs: Vec<String>,
    /// The function, in SI units.
    pub function: Arc<ForceFunction>,
}

impl fmt::Debug for StateExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text)
    }
}

/// A force, moment or effort: a function of time, or of the state.
#[derive(Clone)]
pub enum ForceValue {
    /// Of the time alone.
    Time(TimeFunction),
    /// Of the state.
    State(StateExpression),
}

impl fmt::Debug for ForceValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ForceValue::Time(function) => function.fmt(f),
            ForceValue::State(expression) => expression.fmt(f),
        }
    }
}

impl ForceValue {
    /// The part that is a function of time alone.
    pub(super) fn of_time(&self) -> TimeFunction {
        match self {
            ForceValue::Time(function) => function.clone(),
            ForceValue::State(_) => TimeFunction::default(),
        }
    }
}

impl Default for ForceValue {
    fn default() -> Self {
        TimeFunction::default().into()
    }
}

impl From<TimeFunction> for ForceValue {
    fn from(function: TimeFunction) -> Self {
        ForceValue::Time(function)
    }
}

/// Where the value of an input comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Input {
    Time,
    /// A body, and the number of its column.
    Body(usize, usize),
    /// The free coordinate of an ideal joint by its number, or its rate.
    Joint(usize, JointColumn),
}

/// A function of the state whose inputs are known.
#[derive(Clone, Debug)]
pub(super) struct StateFunction {
    expression: StateExpression,
    inputs: Vec<Input>,
}

impl StateFunction {
    /// Finds the inputs, or says which is not there.
    pub(super) fn new(
        expression: &StateExpression,
        world: &WorldDescription,
        known: &ColumnInputs,
    ) -> Result<Self, String> {
        let count = expression.inputs.len();
        if count > MOST_INPUTS {
            return Err(format!("it is made of {count} quantities, at most {MOST_INPUTS} may be"));
        }
        let moving: Vec<usize> =
            (0..world.bodies.len()).filter(|body| !world.bodies[*body].fixed).collect();
        let columns = if world.dimension == Dimension::Two { PLANE.len() } else { SPACE.len() };
        let find = |name: &String| match known.source(name) {
            Some(Source::Time) => Ok(Input::Time),
            Some(Source::Body(number)) => {
                Ok(Input::Body(moving[number / columns], number % columns))
            }
            Some(Source::Joint(
                number,
                column @ (JointColumn::Coordinate | JointColumn::Speed),
            )) => Ok(Input::Joint(number, column)),
            _ => Err(format!(
                "there is no {name}; a force is made of the time, coordinates and velocities of bodies that \
                 move, and coordinates and speeds of joints"
            )),
        };
        let inputs = expression.inputs.iter().map(find).collect::<Result<_, String>>()?;
        Ok(Self { expression: expression.clone(), inputs })
    }

    /// Its value, and its derivative by the input with the number `along`.
    fn evaluate(
        &self,
        frames: &Frames,
        joints: &[IdealJoint],
        at: &State,
        along: usize,
    ) -> [f64; 2] {
        let mut values = [0.0; MOST_INPUTS];
        // Most of them are of one body.
        let mut last = None;
        for (value, input) in values.iter_mut().zip(&self.inputs) {
            *value = match *input {
                Input::Time => at.t,
                Input::Body(body, column) => {
                    let known = last.take().filter(|(own, _)| *own == body);
                    let (_, columns) = last
                        .insert(known.unwrap_or_else(|| (body, body_values(frames, at, body).0)));
                    columns[column]
                }
                Input::Joint(number, JointColumn::Speed) => joints[number].rate(frames, at),
                Input::Joint(number, _) => joints[number].value(frames, at),
            };
        }
        (self.expression.function)(&values[..self.inputs.len()], along)
    }

    /// Its value.
    pub(super) fn value(&self, frames: &Frames, joints: &[IdealJoint], at: &State) -> f64 {
        self.evaluate(frames, joints, at, usize::MAX)[0]
    }

    /// Minus its derivative by each coordinate of a body along which it changes: the forces of a
    /// potential.
    fn gradient(expression: &StateExpression, input: usize) -> StateExpression {
        let function = expression.function.clone();
        let falling = move |values: &[f64], _| [-function(values, input)[1], 0.0];
        StateExpression { function: Arc::new(falling), ..expression.clone() }
    }
}

/// What a number is the size of.
#[derive(Clone, Copy, Debug)]
enum Direction {
    /// The free coordinate of an ideal joint by its number.
    Joint(usize),
    /// A component of the force at a point of a body (0 to 2), or of the moment (3 to 5).
    Body {
        side: Side,
        component: usize,
        /// Whether it turns with the body.
        follows: bool,
    },
}

/// One generalized force.
#[derive(Clone, Debug)]
pub(super) struct StateForce {
    direction: Direction,
    function: StateFunction,
    /// Whether it has a potential.
    is_conservative: bool,
    /// What it is in words, and where it stands, for errors.
    name: String,
    key: (Part, &'static str),
}

/// All forces of a world that are functions of the state.
#[derive(Clone, Debug, Default)]
pub(super) struct StateForces {
    forces: Vec<StateForce>,
    potentials: Vec<StateFunction>,
    pub(super) errors: Vec<WorldError>,
}

impl StateForces {
    /// Adds one along the free coordinate of an ideal joint.
    pub(super) fn add_effort(
        &mut self,
        number: usize,
        effort: &StateExpression,
        part: Part,
        name: &str,
        (world, known): (&WorldDescription, &ColumnInputs),
    ) {
        let name = format!("effort of joint '{name}'");
        let function = StateFunction::new(effort, world, known);
        self.add(Direction::Joint(number), function, (part, "motor"), name, false);
    }

    /// Adds the components of a force and of a moment at a point of a body that are functions of the
    /// state.
    pub(super) fn add_components(
        &mut self,
        side: Side,
        follows: bool,
        components: [&[ForceValue; 3]; 2],
        part: Part,
        name: &str,
        (world, known): (&WorldDescription, &ColumnInputs),
    ) {
        let all = components.into_iter().flatten().enumerate();
        for (component, value) in all {
            let ForceValue::State(expression) = value else { continue };
            let key = if component < 3 { "force" } else { "moment" };
            let name = format!("{key}[{}] of force '{name}'", component % 3);
            let function = StateFunction::new(expression, world, known);
            let direction = Direction::Body { side, component, follows };
            self.add(direction, function, (part, key), name, false);
        }
    }

    /// Adds the force and the moment of a potential of the coordinates of a body.
    pub(super) fn add_potential(
        &mut self,
        side: Side,
        potential: &StateExpression,
        part: Part,
        name: &str,
        (world, known): (&WorldDescription, &ColumnInputs),
    ) {
        let key = (part, "potential");
        let name = format!("potential of force '{name}'");
        let function = StateFunction::new(potential, world, known);
        for (number, input) in function.iter().flat_map(|f| f.inputs.iter().enumerate()) {
            let component = match (*input, world.dimension) {
                (Input::Time, _) => continue,
                (Input::Body(body, column @ (0 | 1)), _) if Some(body) == side.body() => column,
                (Input::Body(body, 2), Dimension::Two) if Some(body) == side.body() => 5,
                (Input::Body(body, 2), Dimension::Three) if Some(body) == side.body() => 2,
                _ => {
                    let what = format!(
                        "{name} depends on {}; it may depend on the place of its body alone",
                        potential.inputs[number]
                    );
                    self.errors.push(WorldError { part, key: key.1, message: what });
                    continue;
                }
            };
            let slope = StateFunction::gradient(potential, number);
            let slope = StateFunction::new(&slope, world, known);
            let direction = Direction::Body { side, component, follows: false };
            self.add(direction, slope, key, format!("slope of the {name}"), true);
        }
        match function {
            Ok(function) => self.potentials.push(function),
            Err(reason) => self.refuse(key, &name, &reason),
        }
    }

    fn add(
        &mut self,
        direction: Direction,
        function: Result<StateFunction, String>,
        key: (Part, &'static str),
        name: String,
        is_conservative: bool,
    ) {
        match function {
            Ok(function) => {
                self.forces.push(StateForce { direction, function, is_conservative, name, key });
            }
            Err(reason) => self.refuse(key, &name, &reason),
        }
    }

    /// An error of the force with this number.
    pub(super) fn error(&self, number: usize, message: String) -> WorldError {
        let (part, key) = self.forces.get(number).map_or((Part::World, ""), |force| force.key);
        WorldError { part, key, message }
    }

    fn refuse(&mut self, (part, key): (Part, &'static str), name: &str, reason: &str) {
        self.errors.push(WorldError { part, key, message: format!("{name}: {reason}") });
    }

    /// Adds all, or those without a potential. The number of one that is not finite.
    pub(super) fn add_forces(
        &self,
        frames: &Frames,
        joints: &[IdealJoint],
        at: &State,
        all: bool,
        forces: &mut [f64],
    ) -> Option<usize> {
        let mut wrong = None;
        for (number, force) in self.forces.iter().enumerate() {
            if force.is_conservative && !all {
                continue;
            }
            let value = force.function.value(frames, joints, at);
            if !value.is_finite() {
                wrong = Some(number);
            }
            force.direction.visit(frames, joints, at, |first, row| {
                add(&mut forces[first..], row, value);
            });
        }
        wrong
    }

    /// Adds all, and those without a potential to `applied` too. The number of one that is not finite.
    pub(super) fn add_to_both(
        &self,
        frames: &Frames,
        joints: &[IdealJoint],
        at: &State,
        forces: &mut [f64],
        applied: &mut [f64],
    ) -> Option<usize> {
        let mut wrong = None;
        for (number, force) in self.forces.iter().enumerate() {
            let value = force.function.value(frames, joints, at);
            if !value.is_finite() {
                wrong = Some(number);
            }
            force.direction.visit(frames, joints, at, |first, row| {
                add(&mut forces[first..], row, value);
                if !force.is_conservative {
                    add(&mut applied[first..], row, value);
                }
            });
        }
        wrong
    }

    /// Adds W (∂f/∂γ) γ' to the blocks of ∂h/∂u for every velocity γ of which a force f is made.
    pub(super) fn add_jacobian(
        &self,
        frames: &Frames,
        joints: &[IdealJoint],
        at: &State,
        jacobian: &mut [f64],
    ) {
        let size = frames.velocities();
        for StateForce { direction, function, .. } in &self.forces {
            for (number, input) in function.inputs.iter().enumerate() {
                let Some(velocity) = Direction::of(*input, frames) else { continue };
                let [_, slope] = function.evaluate(frames, joints, at, number);
                if !slope.is_finite() {
                    continue;
                }
                direction.visit(frames, joints, at, |first, row| {
                    let out = &mut jacobian[first * size..(first + size) * size];
                    velocity.visit(frames, joints, at, |other, column| {
                        if other != first {
                            return;
                        }
                        for (out, w) in out.chunks_exact_mut(size).zip(row) {
                            out.iter_mut().zip(column).for_each(|(o, v)| *o += w * slope * v);
                        }
                    });
                });
            }
        }
    }

    /// Sum of the potentials, J.
    pub(super) fn energy(&self, frames: &Frames, joints: &[IdealJoint], at: &State) -> f64 {
        self.potentials.iter().map(|function| function.value(frames, joints, at)).sum()
    }

    /// The effort along the free coordinate of an ideal joint, if it is a function of the state.
    pub(super) fn effort(
        &self,
        frames: &Frames,
        joints: &[IdealJoint],
        at: &State,
        number: usize,
    ) -> Option<f64> {
        let own =
            |force: &&StateForce| matches!(force.direction, Direction::Joint(n) if n == number);
        let force = self.forces.iter().find(own)?;
        Some(force.function.value(frames, joints, at))
    }

    /// What a force is that is not finite, with its value.
    pub(super) fn blame(
        &self,
        number: usize,
        frames: &Frames,
        joints: &[IdealJoint],
        at: &State,
    ) -> String {
        let Some(force) = self.forces.get(number) else { return String::new() };
        let value = force.function.value(frames, joints, at);
        let text = &force.function.expression.text;
        format!("{} ({text:?}) is {value}, it must be finite", force.name)
    }
}

/// Adds a force along a direction.
fn add(out: &mut [f64], row: &[f64], value: f64) {
    out.iter_mut().zip(row).for_each(|(out, w)| *out += w * value);
}

impl Direction {
    /// That of a velocity of which a force is made; nothing for what is no velocity.
    fn of(input: Input, frames: &Frames) -> Option<Self> {
        let (body, column) = match input {
            Input::Time => return None,
            Input::Joint(number, column) => {
                return (column == JointColumn::Speed).then_some(Direction::Joint(number));
            }
            Input::Body(body, column) => (body, column),
        };
        let component = match frames.dimension {
            Dimension::Two => [0, 1, 5].get(column.checked_sub(3)?).copied()?,
            Dimension::Three => column.checked_sub(7)?,
        };
        let side = Side::origin(body, frames);
        Some(Direction::Body { side, component, follows: false })
    }

    /// Calls `use_part` with the first velocity and the row of each body that moves.
    fn visit(
        &self,
        frames: &Frames,
        joints: &[IdealJoint],
        at: &State,
        mut use_part: impl FnMut(usize, &[f64]),
    ) {
        let size = frames.velocities();
        let mut row = [0.0; MOST];
        match self {
            Direction::Joint(number) => {
                let pair = Pair::new(frames, at, &joints[*number].sides);
                let row = &mut row[..pair.width()];
                joints[*number].coordinate(&pair, row);
                let (blocks, sizes) = pair.blocks();
                use_part(blocks[0] * size, &row[..size]);
                if sizes[1] > 0 {
                    use_part(blocks[1] * size, &row[size..]);
                }
            }
            Direction::Body { side, component, follows } => {
                let Some(block) = side.block() else { return };
                let placed = side.place(frames, at);
                let mut e: Vector3 = [E_X, E_Y, E_Z][component % 3];
                if *follows {
                    e = placed.frame.direction(&e);
                }
                let row = &mut row[..size];
                if *component < 3 {
                    frames.add_point_row(&placed.frame, &placed.arm, &e, 1.0, row);
                } else {
                    frames.add_turn_row(&placed.frame, &e, 1.0, row);
                }
                use_part(block * size, row);
            }
        }
    }
}
