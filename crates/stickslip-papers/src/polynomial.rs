//! All roots of a complex polynomial at once, by the iteration of Durand and Kerner.

use std::ops::{Add, Mul, Sub};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// The number re + i im.
    pub const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    /// Magnitude.
    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Multiple by a real number.
    pub fn times(self, s: f64) -> Self {
        Self::new(s * self.re, s * self.im)
    }

    /// Exponential.
    pub fn exp(self) -> Self {
        let (sin, cos) = self.im.sin_cos();
        Self::new(cos, sin).times(self.re.exp())
    }

    /// Quotient, without overflow on the way; `other` is not zero.
    pub fn over(self, other: Self) -> Self {
        let size = other.abs();
        let unit = other.times(1.0 / size);
        Self::new(self.re * unit.re + self.im * unit.im, self.im * unit.re - self.re * unit.im)
            .times(1.0 / size)
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }
}

/// Value at x of the polynomial with these coefficients, highest power first.
pub fn evaluate(coefficients: &[Complex], x: Complex) -> Complex {
    coefficients.iter().fold(Complex::default(), |value, c| value * x + *c)
}

/// Sweeps of the iteration; it converges quadratically to simple roots, in some ten sweeps.
const SWEEPS: usize = 200;

/// All roots of the polynomial with these coefficients, highest power first, in no order.
///
/// `None` if the highest coefficient is zero, a coefficient is not finite, the size of the roots
/// cannot be represented, or the iteration does not come to rest.
pub fn roots(coefficients: &[Complex]) -> Option<Vec<Complex>> {
    let (first, rest) = coefficients.split_first()?;
    let degree = rest.len();
    // Size of the roots: after x = size·y all coefficients of the monic polynomial in y are at
    // most 1 and one of them is 1.
    let size = (rest.iter().zip(1..))
        .map(|(c, power)| (c.abs() / first.abs()).powf(1.0 / power as f64))
        .fold(0.0, f64::max);
    if size == 0.0 {
        return (first.abs() > 0.0).then(|| vec![Complex::default(); degree]);
    }
    let mut monic = vec![Complex::new(1.0, 0.0)];
    let mut factor = 1.0;
    for c in rest {
        factor /= size;
        monic.push(c.over(*first).times(factor));
    }
    if !monic.iter().all(|c| c.re.is_finite() && c.im.is_finite()) {
        return None;
    }
    // Start points on a circle, off every symmetry of the coefficients.
    let mut y: Vec<Complex> = (0..degree)
        .map(|k| Complex::new(0.0, 0.4 + std::f64::consts::TAU * k as f64 / degree as f64).exp())
        .collect();
    for _ in 0..SWEEPS {
        let mut largest = 0.0_f64;
        for i in 0..degree {
            let mut product = Complex::new(1.0, 0.0);
            for j in (0..degree).filter(|j| *j != i) {
                product = product * (y[i] - y[j]);
            }
            if product.abs() == 0.0 {
                product = Complex::new(f64::EPSILON, 0.0);
            }
            let change = evaluate(&monic, y[i]).over(product);
            y[i] = y[i] - change;
            largest = largest.max(change.abs());
        }
        // Multiple roots come to rest only to a root of the round-off.
        if largest <= 4.0 * f64::EPSILON {
            break;
        }
    }
    let at_rest = y.iter().all(|root| evaluate(&monic, *root).abs() <= 1e-12);
    at_rest.then(|| y.iter().map(|root| root.times(size)).collect())
}
