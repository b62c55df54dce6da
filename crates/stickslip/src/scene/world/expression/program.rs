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
    /// A function of the last value, and its derivative.
    One(fn(f64) -> f64, fn(f64) -> f64),
    /// A function of the last two values, and its derivatives with respect to them.
    Two(fn(f64, f64) -> f64, fn(f64, f64) -> [f64; 2]),
    /// A function of the last three values that chooses one of the last two of them.
    Three(fn(f64, f64, f64) -> f64),
}

/// Most values on the stack.
pub fn deepest(steps: &[Step]) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for step in steps {
        match step {
            Step::Number(_) | Step::Variable(_) => depth += 1,
            Step::One(..) => {}
            Step::Two(..) => depth = depth.saturating_sub(1),
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
            Step::One(function, _) => stack[depth - 1] = function(stack[depth - 1]),
            Step::Two(function, _) => {
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

/// Value and rate in the variable `along` of steps as [`evaluate`] takes them, exactly: every value on the
/// stack carries its derivative, (f ∘ g)' = f'(g) g'. Where a function has a kink, the rate is one of those
/// on its sides.
pub fn evaluate_rate(steps: &[Step], variables: &[f64], along: usize) -> [f64; 2] {
    let mut stack = [[0.0; 2]; STACK];
    let mut depth = 0;
    // A factor that is not finite does not count where nothing changes: the root of a constant 0.
    let times = |slope: f64, rate: f64| if rate == 0.0 { 0.0 } else { slope * rate };
    for step in steps {
        match *step {
            Step::Number(value) => (stack[depth], depth) = ([value, 0.0], depth + 1),
            Step::Variable(number) => {
                let rate = if number == along { 1.0 } else { 0.0 };
                (stack[depth], depth) = ([variables[number], rate], depth + 1);
            }
            Step::One(function, slope) => {
                let [x, rate] = stack[depth - 1];
                stack[depth - 1] = [function(x), times(slope(x), rate)];
            }
            Step::Two(function, slopes) => {
                depth -= 1;
                let ([a, rate_a], [b, rate_b]) = (stack[depth - 1], stack[depth]);
                let [by_a, by_b] = slopes(a, b);
                let rate = times(by_a, rate_a) + times(by_b, rate_b);
                stack[depth - 1] = [function(a, b), rate];
            }
            Step::Three(choose) => {
                depth -= 2;
                let ([c, _], [a, rate_a], [b, rate_b]) =
                    (stack[depth - 1], stack[depth], stack[depth + 1]);
                stack[depth - 1] = [choose(c, a, b), choose(c, rate_a, rate_b)];
            }
        }
    }
    stack[0]
}
