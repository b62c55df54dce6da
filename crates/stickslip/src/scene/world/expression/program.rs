//! Expressions as lists of steps on a small stack: a value takes no memory.

/// Most values that wait for an operation.
pub const STACK: usize = 64;

/// One step on the stack.
#[derive(Clone, Copy)]
pub enum Step {
    /// A number.
    Number(f64),
    /// The value of a variable by its number.
    Variable(usize),
    /// A function of the last value.
    One(fn(f64) -> f64),
    /// A function of the last two values.
    Two(fn(f64, f64) -> f64),
    /// A function of the last three values.
    Three(fn(f64, f64, f64) -> f64),
}

/// Most values on the stack.
pub fn deepest(steps: &[Step]) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for step in steps {
        match step {
            Step::Number(_) | Step::Variable(_) => depth += 1,
            Step::One(_) => {}
            Step::Two(_) => depth = depth.saturating_sub(1),
            Step::Three(_) => depth = depth.saturating_sub(2),
        }
        most = most.max(depth);
    }
    most
}

/// The value of steps that need at most [`STACK`] places and whose variables have these values.
pub fn evaluate(steps: &[Step], variables: &[f64]) -> f64 {
    let mut stack = [0.0; STACK];
    let mut depth = 0;
    for step in steps {
        match *step {
            Step::Number(value) => (stack[depth], depth) = (value, depth + 1),
            Step::Variable(number) => (stack[depth], depth) = (variables[number], depth + 1),
            Step::One(function) => stack[depth - 1] = function(stack[depth - 1]),
            Step::Two(function) => {
                depth -= 1;
                stack[depth - 1] = function(stack[depth - 1], stack[depth]);
            }
            Step::Three(function) => {
                depth -= 2;
                stack[depth - 1] = function(stack[depth - 1], stack[depth], stack[depth + 1]);
            }
        }
    }
    stack[0]
}
