//! Piecewise Chebyshev polynomials.

/// Coefficients per piece and function.
const ORDER: usize = 16;
/// Values of a piece: three functions that are always needed together.
type Triple = [f64; 3];

/// Three functions on [0, 1] as Chebyshev polynomials on adjoining intervals.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    /// End points, from 0 to 1, one more than pieces.
    ends: Vec<f64>,
    coefficients: Vec<[Triple; ORDER]>,
}

/// Largest Chebyshev coefficient left out, relative to the largest value of each function:
/// the two force components at round-off of the quadrature, the slope (which steers the root
/// search and enters the derivative of the prox) coarser, since it is less smooth.
const TAIL: Triple = [4e-15, 4e-15, 1e-12];

/// Pieces are not made shorter than this. The singularities are of type d² log d in the force
/// components and d log d in the slope, d the distance to a jump of the pressure.
const SHORTEST: f64 = 1.0 / (1_u64 << 27) as f64;

impl Pieces {
    /// Bisects the intervals between `ends` (ascending from 0 to 1) until the functions are resolved.
    pub fn build(ends: &[f64], mut functions: impl FnMut(f64) -> Triple) -> Self {
        let mut pieces = Pieces { ends: vec![0.0], coefficients: Vec::new() };
        let mut waiting: Vec<(f64, f64)> =
            ends.windows(2).rev().filter(|p| p[0] < p[1]).map(|p| (p[0], p[1])).collect();
        while let Some((left, right)) = waiting.pop() {
            let coefficients = interpolate(left, right, &mut functions);
            if right - left <= SHORTEST || is_resolved(&coefficients) {
                pieces.ends.push(right);
                pieces.coefficients.push(coefficients);
            } else {
                let middle = 0.5 * (left + right);
                waiting.push((middle, right));
                waiting.push((left, middle));
            }
        }
        pieces
    }

    /// Values at x ∈ [0, 1].
    pub fn at(&self, x: f64) -> Triple {
        let inner = &self.ends[1..self.ends.len() - 1];
        let piece = inner.partition_point(|end| *end < x);
        let (left, right) = (self.ends[piece], self.ends[piece + 1]);
        let t = 2.0 * (((x - left) - (right - x)) / (right - left));
        // Clenshaw's recurrence, with t twice the position in [−1, 1].
        let coefficients = &self.coefficients[piece];
        let (mut b1, mut b2) = ([0.0; 3], [0.0; 3]);
        for row in coefficients[1..].iter().rev() {
            for i in 0..3 {
                (b1[i], b2[i]) = (t * b1[i] - b2[i] + row[i], b1[i]);
            }
        }
        let first = &coefficients[0];
        [0, 1, 2].map(|i| 0.5 * t * b1[i] - b2[i] + first[i])
    }
}

/// Chebyshev coefficients of the interpolant at the Chebyshev points of [left, right].
fn interpolate(
    left: f64,
    right: f64,
    functions: &mut impl FnMut(f64) -> Triple,
) -> [Triple; ORDER] {
    let angle = std::f64::consts::PI / (2 * ORDER) as f64;
    let mut values = [[0.0; 3]; ORDER];
    for (k, value) in values.iter_mut().enumerate() {
        let position = ((2 * k + 1) as f64 * angle).cos();
        let x = 0.5 * ((left + right) + (right - left) * position);
        *value = functions(x.clamp(left, right));
    }
    let mut coefficients = [[0.0; 3]; ORDER];
    for (n, row) in coefficients.iter_mut().enumerate() {
        for (k, value) in values.iter().enumerate() {
            let weight = (((2 * k + 1) * n) as f64 * angle).cos();
            for i in 0..3 {
                row[i] += weight * value[i];
            }
        }
        let factor = if n == 0 { 1.0 } else { 2.0 } / ORDER as f64;
        *row = row.map(|c| c * factor);
    }
    coefficients
}

fn is_resolved(coefficients: &[Triple; ORDER]) -> bool {
    (0..3).all(|i| {
        let size = coefficients.iter().map(|row| row[i].abs()).sum::<f64>();
        coefficients[ORDER - 3..].iter().all(|row| row[i].abs() <= TAIL[i] * size)
    })
}
