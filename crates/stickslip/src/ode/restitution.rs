//! Which restitution the constants of a contact amount to.
//!
//! While the element (24), (25) of Xiong 2013 touches, it is linear. For a mass M that hits it and
//! with time measured in √(M/K),
//!
//! ```text
//! ṗ = v,   v̇ = e − (b/c)(p + e),   ė = −(p + e)/c,      b = β √(K/M),   c = α √(K/M)
//! ```
//!
//! from p = 0, v = −1, e = 0 until the force is zero again. So the ratio of the speeds after and
//! before depends on b and c alone, and not on the speed; weight and other loads during the impact
//! are neglected.

use super::UnilateralContact;
use crate::range::{OutOfRange, not_negative, positive, require};

type Matrix = [[f64; 3]; 3];

/// Why there is no contact time for a restitution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum RestitutionError {
    #[error(transparent)]
    Constant(#[from] OutOfRange),
    #[error(
        "restitution {wanted} is below {least}, the least that relaxation_time {relaxation_time} s \
         allows with this stiffness and mass; a longer relaxation_time allows less"
    )]
    TooSmall { wanted: f64, least: f64, relaxation_time: f64 },
}

/// Ratio of the speeds after and before an impact of a mass `mass` (kg; for a system 1/G with the
/// diagonal entry G of the normal direction in the Delassus matrix) on the contact.
pub fn effective_restitution(contact: &UnilateralContact, mass: f64) -> Result<f64, OutOfRange> {
    contact.validate()?;
    positive("mass", mass)?;
    let unit = (contact.stiffness / mass).sqrt();
    Ok(Impact::new(contact.relaxation_time * unit, contact.contact_time * unit).restitution())
}

/// Deepest penetration, m, of an impact with `speed`, m/s.
pub fn maximal_penetration(
    contact: &UnilateralContact,
    mass: f64,
    speed: f64,
) -> Result<f64, OutOfRange> {
    contact.validate()?;
    positive("mass", mass)?;
    not_negative("speed", speed)?;
    let unit = (contact.stiffness / mass).sqrt();
    let impact = Impact::new(contact.relaxation_time * unit, contact.contact_time * unit);
    let (_, [p, _, _]) = impact.until(|[_, v, _]| -v);
    Ok(-p * speed / unit)
}

/// The contact time α that gives a wanted restitution, 0 to 1, with the given stiffness and
/// relaxation time. The restitution grows with α and is 1 at α = β.
pub fn contact_time_for_restitution(
    restitution: f64,
    stiffness: f64,
    relaxation_time: f64,
    mass: f64,
) -> Result<f64, RestitutionError> {
    positive("stiffness", stiffness)?;
    positive("relaxation_time", relaxation_time)?;
    positive("mass", mass)?;
    require((0.0..=1.0).contains(&restitution), "restitution", restitution, "0 to 1")?;
    if restitution == 1.0 {
        return Ok(relaxation_time);
    }
    let b = relaxation_time * (stiffness / mass).sqrt();
    let at = |logarithm: f64| Impact::new(b, b * logarithm.exp()).restitution();
    // In the logarithm of α/β.
    let (mut low, mut high) = (1e-8_f64.ln(), 0.0);
    let least = at(low);
    if restitution < least {
        let wanted = restitution;
        return Err(RestitutionError::TooSmall { wanted, least, relaxation_time });
    }
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if at(middle) < restitution {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(relaxation_time * (0.5 * (low + high)).exp())
}

/// The contact phase in units of √(M/K).
struct Impact {
    b: f64,
    c: f64,
}

/// Growth of the time per step of the search for the end, and when it is given up.
const GROWTH: f64 = 1.05;
const LONGEST: f64 = 1e4;

impl Impact {
    /// Beyond these bounds nothing changes any more, and numbers would overflow.
    fn new(b: f64, c: f64) -> Self {
        Self { b: b.clamp(1e-9, 1e9), c: c.clamp(1e-9, 1e9) }
    }

    /// (p, v, e) a time h later, by the exponential of the matrix.
    fn later(&self, x: [f64; 3], h: f64) -> [f64; 3] {
        let Self { b, c } = *self;
        let a = [[0.0, h, 0.0], [-b / c * h, 0.0, (1.0 - b / c) * h], [-h / c, 0.0, -h / c]];
        apply(&exponential(a), x)
    }

    /// Time and state at which `positive` falls to zero for the first time; it is positive before.
    /// Where it never does the state after a very long time.
    fn until(&self, positive: impl Fn([f64; 3]) -> f64) -> (f64, [f64; 3]) {
        let longest = LONGEST * (1.0 + self.b + self.c);
        // Much shorter than anything that happens.
        let mut t = 1e-3 * self.c.min(1.0 / (1.0 + self.b)).min((self.c / self.b).sqrt()).min(1.0);
        let mut x = self.later([0.0, -1.0, 0.0], t);
        while t < longest {
            let h = (GROWTH - 1.0) * t;
            let next = self.later(x, h);
            if next.iter().any(|v| !v.is_finite()) {
                break;
            }
            if positive(next) <= 0.0 {
                let (mut low, mut high) = (0.0, h);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if positive(self.later(x, middle)) > 0.0 {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                return (t + high, self.later(x, high));
            }
            (t, x) = (t + h, next);
        }
        (t, x)
    }

    fn restitution(&self) -> f64 {
        let ratio = self.b / self.c;
        let (_, [_, v, _]) = self.until(|[p, _, e]| e - ratio * (p + e));
        v.max(0.0)
    }
}

fn apply(m: &Matrix, x: [f64; 3]) -> [f64; 3] {
    m.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| [0, 1, 2].map(|j| row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j]))
}

/// Exponential by scaling, a Taylor sum and squaring.
fn exponential(mut a: Matrix) -> Matrix {
    let size = a.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    let halvings = if size > 0.1 { (size / 0.1).log2().ceil().min(200.0) as i32 } else { 0 };
    a.iter_mut().flatten().for_each(|v| *v *= 0.5_f64.powi(halvings));
    let mut sum = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut term = sum;
    for k in 1..12 {
        term = product(&term, &a).map(|row| row.map(|v| v / f64::from(k)));
        for i in 0..3 {
            for j in 0..3 {
                sum[i][j] += term[i][j];
            }
        }
    }
    for _ in 0..halvings {
        sum = product(&sum, &sum);
    }
    sum
}
