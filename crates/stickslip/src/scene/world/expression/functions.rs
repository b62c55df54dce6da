//! The functions of expressions: what they compute, and which units they take and give.

use super::program::Step;
use super::unit_kind::{COUNT, TURNS, UnitKind};
use crate::ode::{UnilateralContact, effective_restitution};
use std::f64::consts::LOG10_E;

/// A function.
pub struct Function {
    pub name: &'static str,
    /// What it computes of its arguments.
    pub step: Step,
    pub units: Units,
}

/// Which units a function takes and gives.
#[derive(Clone, Copy, PartialEq)]
pub enum Units {
    /// Of one argument with any unit; the value has the same.
    Keep,
    /// Of one argument with any unit; the value has none.
    Drop,
    /// The square root.
    Root,
    /// Of a number or an angle.
    Number,
    /// Of a number; the value is an angle.
    Angle,
    /// Of two or more arguments of one unit; the value has it too.
    Same,
    /// Of two arguments of one unit; the value has it too.
    SameTwo,
    /// Of two arguments of one unit; the value is an angle.
    Direction,
    /// Of two numbers.
    Numbers,
    /// Of a condition and two arguments of one unit.
    Choice,
}

macro_rules! functions {
    ($($name:literal $units:ident $arity:ident $($value:expr),+;)*) => {
        /// All functions.
        pub const FUNCTIONS: &[Function] = &[
            $(Function { name: $name, step: Step::$arity($($value),+), units: Units::$units },)*
        ];
    };
}

functions! {
    "abs" Keep One f64::abs, sign;
    "sign" Drop One sign, |_| 0.0;
    "sqrt" Root One f64::sqrt, |x| 0.5 / x.sqrt();
    "exp" Number One f64::exp, f64::exp;
    "ln" Number One f64::ln, f64::recip;
    "log10" Number One f64::log10, |x| LOG10_E / x;
    "sin" Number One f64::sin, f64::cos;
    "cos" Number One f64::cos, |x| -x.sin();
    "tan" Number One f64::tan, |x| 1.0 + x.tan().powi(2);
    "asin" Angle One f64::asin, |x| 1.0 / (1.0 - x * x).sqrt();
    "acos" Angle One f64::acos, |x| -1.0 / (1.0 - x * x).sqrt();
    "atan" Angle One f64::atan, |x| 1.0 / (1.0 + x * x);
    "sinh" Number One f64::sinh, f64::cosh;
    "cosh" Number One f64::cosh, f64::sinh;
    "tanh" Number One f64::tanh, |x| x.cosh().powi(-2);
    "floor" Keep One f64::floor, |_| 0.0;
    "min" Same Two least, |a, b| if a < b { [1.0, 0.0] } else { [0.0, 1.0] };
    "max" Same Two |a, b| -least(-a, -b), |a, b| if a > b { [1.0, 0.0] } else { [0.0, 1.0] };
    "hypot" SameTwo Two f64::hypot, |a, b| [a / a.hypot(b), b / a.hypot(b)];
    "mod" SameTwo Two |a, b| a - b * (a / b).floor(), |a, b| [1.0, -(a / b).floor()];
    "atan2" Direction Two f64::atan2, |a, b| {
        let square = a * a + b * b;
        [b / square, -a / square]
    };
    "element_restitution" Numbers Two element_restitution, |_, _| [f64::NAN; 2];
    "if" Choice Three |condition, a, b| if condition != 0.0 { a } else { b };
}

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// The smaller one; unlike `f64::min` it does not hide what is not a number.
fn least(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

/// Restitution to which a contact element amounts (Xiong 2013, eq. 24, 25), at most 1, from
/// β √(K/m) and α/β; not a number where it has none.
fn element_restitution(damping: f64, ratio: f64) -> f64 {
    let contact = UnilateralContact {
        stiffness: 1.0,
        relaxation_time: damping,
        contact_time: ratio * damping,
    };
    effective_restitution(&contact, 1.0).map_or(f64::NAN, |value| value.min(1.0))
}

impl Function {
    /// The function of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// Fewest and most arguments.
    pub fn arguments(&self) -> (usize, usize) {
        match self.units {
            Units::Same => (2, usize::MAX),
            Units::SameTwo | Units::Direction | Units::Numbers => (2, 2),
            Units::Choice => (3, 3),
            _ => (1, 1),
        }
    }

    /// The unit of its value.
    pub fn unit(&self, arguments: &[UnitKind]) -> Result<UnitKind, String> {
        let first = arguments.first().copied().unwrap_or(UnitKind::Plain);
        let number = |value: UnitKind| {
            if first.is_number() {
                return Ok(value);
            }
            Err(format!("{} needs a number or an angle, not {}", self.name, first.phrase()))
        };
        let joined = |parts: &[UnitKind]| {
            let sum = parts.iter().skip(1).try_fold(parts[0], |sum, part| sum.joined(*part));
            sum.map_err(|reason| format!("in {}: {reason}", self.name))
        };
        match self.units {
            Units::Keep => Ok(first),
            Units::Drop => Ok(COUNT),
            Units::Root => first.power(COUNT, Some(0.5)),
            Units::Number => number(COUNT),
            Units::Numbers => match arguments.iter().find(|own| !own.is_number()) {
                Some(own) => Err(format!("{} needs numbers, not {}", self.name, own.phrase())),
                None => Ok(COUNT),
            },
            Units::Angle => number(TURNS),
            Units::Same | Units::SameTwo => joined(arguments),
            Units::Direction => joined(arguments).map(|_| TURNS),
            Units::Choice => joined(&arguments[1..]),
        }
    }
}
