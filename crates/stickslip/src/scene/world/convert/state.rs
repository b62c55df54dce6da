//! Forces, moments and efforts as expressions of the state.

use super::Context;
use super::columns::ColumnNames;
use crate::scene::error::nearest;
use crate::scene::world::expression::{Compiled, ExpressionError, Hint, Meaning, Names, UnitKind};
use crate::scene::world::file_joint::Joint;
use crate::scene::world::parameters::Parameters;
use crate::scene::world::quantity::Signal;
use crate::scene::world::units::{self, Unit};
use crate::world::{
    ColumnInputs, ForceValue, JointDescription, MOST_INPUTS, Motor, StateExpression,
};
use std::sync::Arc;

impl Context<'_> {
    /// A force, moment or effort; `own` is the name of its body or joint, whose quantities need no name
    /// before them.
    pub(super) fn force_value(
        &mut self,
        key: &str,
        given: &Signal,
        unit: &Unit,
        (inputs, own): (&ColumnInputs, &str),
    ) -> ForceValue {
        if let Signal::Text(text) = given
            && !units::is_quantity(text)
        {
            match self.state_expression(key, text, unit, (inputs, own)) {
                None => return ForceValue::default(),
                Some(expression) if expression.inputs.len() > 1 => {
                    return ForceValue::State(expression);
                }
                Some(_) => {}
            }
        }
        self.signal(key, given, unit).into()
    }

    /// An expression of the state; nothing if it is wrong. Its first input is the time.
    pub(super) fn state_expression(
        &mut self,
        key: &str,
        text: &str,
        unit: &Unit,
        (inputs, own): (&ColumnInputs, &str),
    ) -> Option<StateExpression> {
        let columns = ColumnNames::new(self.parameters, inputs, &[]);
        let names = StateNames { parameters: self.parameters, columns, inputs, own };
        let found = Compiled::new(text, &names).and_then(|compiled| {
            compiled.kind.fits(unit).map_err(ExpressionError::Wrong)?;
            Ok(compiled)
        });
        let inputs = names.columns.used.into_inner();
        match found {
            Err(error) => self.tell(key, error),
            Ok(_) if inputs.len() > MOST_INPUTS => {
                let count = inputs.len();
                let reason =
                    format!("it is made of {count} quantities, at most {MOST_INPUTS} may be");
                self.tell(key, ExpressionError::Limit(reason));
            }
            Ok(compiled) => {
                let function = move |values: &[f64], along: usize| match values.get(along) {
                    None => [compiled.value(values), 0.0],
                    Some(_) => compiled.value_and_slope(values, along),
                };
                let function = Arc::new(function);
                return Some(StateExpression { text: text.to_owned(), inputs, function });
            }
        }
        None
    }

    /// The efforts of motors, now that all joints are known.
    pub(super) fn efforts(
        &mut self,
        given: &[Joint],
        inputs: &ColumnInputs,
        joints: &mut [JointDescription],
    ) {
        for (number, keys) in given.iter().enumerate() {
            let effort = keys.motor.as_ref().and_then(|motor| motor.effort.as_ref());
            let default = format!("joint-{number}");
            let name = keys.name.as_deref().unwrap_or(&default);
            let joint = joints.iter_mut().find(|joint| joint.name == name);
            let (Some(effort), Some(joint)) = (effort, joint) else { continue };
            if !matches!(joint.motor, Some(Motor::Effort(_))) {
                continue;
            }
            let is_angle = joint.kind.free_is_angle(self.dimension) == Some(true);
            let unit = if is_angle { &units::MOMENT } else { &units::FORCE };
            let key = format!("joint.{number}.motor.effort");
            joint.motor = Some(Motor::Effort(self.force_value(&key, effort, unit, (inputs, name))));
        }
    }
}

/// What an expression of the state may hold: columns, and those of its own body or joint without its name.
struct StateNames<'a> {
    parameters: &'a Parameters,
    columns: ColumnNames<'a>,
    inputs: &'a ColumnInputs,
    own: &'a str,
}

impl StateNames<'_> {
    /// The column for which a name stands that may be one of its own.
    fn full(&self, name: &str) -> Option<String> {
        let own = format!("{}.{name}", self.own);
        self.inputs.unit(&own).is_some().then_some(own)
    }
}

impl Names for StateNames<'_> {
    fn find(&self, name: &str, index: Option<usize>) -> Option<Result<Meaning, ExpressionError>> {
        let found = match self.full(name) {
            Some(own) if self.parameters.knows(name) => {
                return Some(Err(ExpressionError::Wrong(format!(
                    "{name} may be {own} or the parameter {name}; write {own}, or give the parameter \
                     another name"
                ))));
            }
            Some(own) => self.columns.find(&own, index),
            None => self.columns.find(name, index),
        };
        // As with the time, numbers beside a coordinate may have any unit: -100*x is a force.
        Some(found?.map(|meaning| match meaning {
            Meaning::Variable(number, UnitKind::Known { powers, .. }) => {
                Meaning::Variable(number, UnitKind::Weak(powers))
            }
            other => other,
        }))
    }

    fn word(&self, name: &str) -> Option<&str> {
        self.columns.word(name)
    }

    fn knows(&self, name: &str) -> bool {
        self.full(name).is_some() || self.columns.knows(name)
    }

    fn hint(&self, name: &str) -> Hint {
        let prefix = format!("{}.", self.own);
        let own = self.inputs.names().filter_map(|column| column.strip_prefix(&prefix));
        match Hint::near_or(nearest(name, own), || self.columns.hint(name)) {
            Hint::Known(phrase) => Hint::Known(format!(
                "a force is made of t, coordinates and velocities of bodies that move (x, ball.vx), \
                 coordinates and speeds of joints (hinge.speed) and parameters; {phrase}"
            )),
            near => near,
        }
    }

    fn has_time(&self) -> bool {
        true
    }
}
