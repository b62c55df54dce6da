//! Units through arithmetic: what is known of the unit of a part of an expression.
//!
//! A plain number is in SI units and fits anywhere, so that only operands that have units are checked.
//! Whole numbers are counts: they leave the unit of a product as it is, and `2*mass` stays a mass.

use crate::scene::world::units::{self, Unit};

/// Exponents of m, kg, s and rad; roots make them fractions.
pub type Powers = [f64; 4];

/// What is known of a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UnitKind {
    /// A number in SI units of whatever is wanted.
    Plain,
    /// A count or a ratio: without unit in a product, fits anywhere. `turns` if it may hold radians,
    /// as pi does.
    Count {
        /// Whether radians may be in it.
        turns: bool,
    },
    /// The time t and its powers: with units beside what has units, else a plain number.
    Weak(Powers),
    /// A quantity.
    Known {
        /// Its unit.
        powers: Powers,
        /// Whether radians count as 1, because an angle stood in a product: ω r is a velocity.
        loose: bool,
    },
}

use UnitKind::{Count, Known, Plain, Weak};

/// The unit of the time t.
pub const TIME: UnitKind = Weak([0.0, 0.0, 1.0, 0.0]);

/// A number without unit.
pub const COUNT: UnitKind = Count { turns: false };

/// A number that may be an angle.
pub const TURNS: UnitKind = Count { turns: true };

impl UnitKind {
    /// A quantity with these exponents.
    pub fn known(exponents: [i32; 4]) -> Self {
        Known { powers: exponents.map(f64::from), loose: false }
    }

    /// The sum, difference or comparison of two parts: they must measure the same.
    pub fn joined(self, other: Self) -> Result<Self, String> {
        match (self, other) {
            (Known { powers: a, loose: first }, Known { powers: b, loose: second }) => {
                if !same(&a, &b, first || second) {
                    return Err(differ(&a, &b));
                }
                Ok(if first { other } else { self })
            }
            (Known { powers: a, loose }, Weak(b)) | (Weak(b), Known { powers: a, loose }) => {
                if same(&a, &b, loose) {
                    Ok(Known { powers: a, loose })
                } else {
                    Err(differ(&a, &b))
                }
            }
            (known @ Known { .. }, _) | (_, known @ Known { .. }) => Ok(known),
            (Count { turns: a }, Count { turns: b }) => Ok(Count { turns: a || b }),
            (Weak(a), Weak(b)) if a == b => Ok(self),
            _ => Ok(Plain),
        }
    }

    /// The product, or with `sign` −1 the quotient.
    pub fn times(self, other: Self, sign: f64) -> Self {
        let sum = |a: &Powers, b: &Powers| [0, 1, 2, 3].map(|k| a[k] + sign * b[k]);
        match (self, other) {
            (Known { powers: a, loose: first }, Known { powers: b, loose: second }) => {
                // Where lengths or masses cancel, radians may be left: v/r and √(k/m) are angular
                // velocities.
                let cancels = sign < 0.0 && (a[0] * b[0] > 0.0 || a[1] * b[1] > 0.0);
                let loose = first || second || cancels || a[3] != 0.0 || b[3] != 0.0;
                Known { powers: sum(&a, &b), loose }
            }
            (Known { powers: a, loose }, Weak(b)) => {
                Known { powers: sum(&a, &b), loose: loose || a[3] != 0.0 }
            }
            (Weak(a), Known { powers: b, loose }) => {
                Known { powers: sum(&a, &b), loose: loose || b[3] != 0.0 }
            }
            (Known { powers, loose }, Count { turns }) => Known { powers, loose: loose || turns },
            (Count { turns }, Known { powers, loose }) => {
                Known { powers: powers.map(|p| sign * p), loose: loose || turns }
            }
            (Weak(a), Weak(b)) => Weak(sum(&a, &b)),
            (Count { turns: a }, Count { turns: b }) => Count { turns: a || b },
            _ => Plain,
        }
    }

    /// A power; the exponent is known if it is the same at all times.
    pub fn power(self, exponent: Self, value: Option<f64>) -> Result<Self, String> {
        if !exponent.is_number() {
            return Err(format!("an exponent has no unit, but it is {}", exponent.phrase()));
        }
        match (self, value) {
            (Known { powers, loose }, Some(p)) => {
                Ok(Known { powers: powers.map(|power| power * p), loose })
            }
            (Known { .. }, None) if !self.is_number() => {
                Err(format!("{} needs an exponent that is the same at all times", self.phrase()))
            }
            (Weak(powers), Some(p)) => Ok(Weak(powers.map(|power| power * p))),
            (Weak(_), None) => Ok(Plain),
            _ => Ok(self),
        }
    }

    /// Whether it may be a number without unit, or an angle.
    pub fn is_number(&self) -> bool {
        match self {
            Known { powers, .. } => same(powers, &[0.0; 4], true),
            _ => true,
        }
    }

    /// Whether it may stand where a unit is wanted; else a phrase that says why not.
    pub fn fits(&self, wanted: &Unit) -> Result<(), String> {
        match self {
            Known { powers, loose } if !same(powers, &wanted.powers(), *loose) => Err(format!(
                "it is {}, but must be {} ({})",
                self.phrase(),
                wanted.quantity,
                wanted.symbol
            )),
            _ => Ok(()),
        }
    }

    /// Whether it may have these exponents; else a phrase that says why not.
    pub fn fits_powers(&self, wanted: &Powers) -> Result<(), String> {
        match self {
            Known { powers, loose } if !same(powers, wanted, *loose) => Err(format!(
                "it is {}, but its unit is that of {}",
                self.phrase(),
                units::phrase(wanted)
            )),
            _ => Ok(()),
        }
    }

    /// What is measured.
    pub fn phrase(&self) -> String {
        match self {
            Known { powers, .. } | Weak(powers) => units::phrase(powers),
            Plain | Count { .. } => "a number".into(),
        }
    }

    /// The SI unit, empty if it is not known.
    pub fn symbol(&self) -> String {
        match self {
            Known { powers, .. } => units::symbol(powers),
            _ => String::new(),
        }
    }
}

fn same(a: &Powers, b: &Powers, without_angle: bool) -> bool {
    let count = if without_angle { 3 } else { 4 };
    // Roots of whole powers and back again round.
    a.iter().zip(b).take(count).all(|(a, b)| (a - b).abs() < 1e-9)
}

fn differ(a: &Powers, b: &Powers) -> String {
    format!("{} and {} do not go together", units::phrase(a), units::phrase(b))
}
