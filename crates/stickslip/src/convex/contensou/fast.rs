//! The nearest point of a plate for ordinary points: a table of the boundary, a good guess and one or two
//! steps of third order instead of a bracketed search.
//!
//! With s = u/(1 + u) and σ = 1 − s, b_T = s P and b_τ = σ Q, the point (x, y) is on the normal of the plate
//! m (b_T, a b_τ) at s where
//!
//! ```text
//! f(s) = σ x − s a y − m s σ (P − a² Q) = 0
//! ```
//!
//! P and Q are smooth and bounded. Seen from the other end, from σ, the equation has the same form with x and
//! a y, P and a² Q exchanged; so both halves are tabulated over z = s or σ ∈ [0, 1/2], and a small z keeps its digits:
//!
//! ```text
//! g(z) = (1 − z) A − z B − m z (1 − z) R(z) = 0
//! ```
//!
//! What is unusual (extreme magnitudes, steps that have not settled) is left to
//! [`Plate::nearest`](super::boundary::Plate::nearest), which cannot fail; so this needs no safeguard of its own.

use super::boundary::{High, Low};

/// Coefficients of a piece, of P and of Q.
const ORDER: usize = 8;
/// Largest coefficient left out, relative to the largest value: rounding of the quadrature.
const TAIL: f64 = 1e-14;
/// Pieces are not made shorter than this; functions have terms d² log d at a distance d from a jump of
/// the pressure.
const SHORTEST: f64 = 1.0 / (1_u64 << 28) as f64;
/// Tail that is taken for rounding of what is tabulated where halving a piece does not halve it.
const NOISE: f64 = 1e-12;
/// Pieces after which a boundary counts as too rough for a table.
const MOST_PIECES: usize = 8192;
/// Entries of the table of first pieces: [0, 1/2] in equal parts.
const PARTS: usize = 512;
/// Equal brackets of [0, 1/2] that the guess is chosen among: four times four.
const BRACKETS: usize = 16;
const BRACKET: f64 = 0.5 / BRACKETS as f64;
/// Steps after which the search is left to others.
const MOST_STEPS: usize = 6;
/// Size of a step below which that of the next one is lost in rounding: they fall with the third power.
const LAST_STEP: f64 = 5e-6;

/// P and Q on a piece, in powers of the position in it from −1 to 1.
#[derive(Clone, Debug)]
struct Piece {
    end: f64,
    centre: f64,
    /// One over half the length.
    by: f64,
    p: [f64; ORDER],
    q: [f64; ORDER],
}

/// z (1 − z) P, z (1 − z) Q and their derivatives.
type Node = [f64; 4];

/// One half of the boundary.
#[derive(Clone, Debug)]
struct Half {
    pieces: Vec<Piece>,
    /// The piece in which each of the equal parts begins.
    first: Vec<u32>,
    nodes: [Node; BRACKETS + 1],
}

/// Boundary of a plate over both halves of s ∈ [0, 1].
#[derive(Clone, Debug)]
pub(super) struct FastTable {
    low: Half,
    high: Half,
}

/// The nearest point of a plate: a place on its boundary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub s: f64,
    pub sigma: f64,
    pub p: f64,
    pub q: f64,
    /// K with b_T′(s) = σ K and b_τ′(s) = −s K.
    pub curvature: f64,
}

/// Where a point lies.
pub(super) enum Found {
    Inside,
    Outside(Foot),
    /// Not decided here.
    Unusual,
}

/// Sum of c_k t^k, with short chains of operations.
#[inline(always)]
fn power_sum(c: &[f64; ORDER], t: f64, t2: f64, t4: f64) -> f64 {
    let quad = |k: usize| (c[k] + c[k + 1] * t) + (c[k + 2] + c[k + 3] * t) * t2;
    quad(0) + quad(4) * t4
}

impl Half {
    /// Tabulates z ↦ (P, Q), which is not smooth at the break points; none if that takes too many pieces.
    fn build(breaks: &[f64], at: impl Fn(f64) -> [f64; 2]) -> Option<Self> {
        let mut ends: Vec<f64> = breaks.iter().copied().filter(|z| *z > 0.0 && *z < 0.5).collect();
        ends.extend([0.0, 0.5]);
        ends.sort_by(f64::total_cmp);
        // With the tail of the piece that was halved.
        let mut waiting: Vec<(f64, f64, f64)> = Vec::new();
        for pair in ends.windows(2).rev().filter(|pair| pair[0] < pair[1]) {
            waiting.push((pair[0], pair[1], f64::INFINITY));
        }
        let mut pieces = Vec::new();
        while let Some((left, right, before)) = waiting.pop() {
            if pieces.len() + waiting.len() > MOST_PIECES {
                return None;
            }
            let (p, q, tail) = interpolate(left, right, &at);
            let resolved = tail <= TAIL || (tail <= NOISE && tail > 0.5 * before);
            let middle = 0.5 * (left + right);
            if resolved || right - left <= SHORTEST {
                pieces.push(Piece { end: right, centre: middle, by: 2.0 / (right - left), p, q });
            } else {
                waiting.push((middle, right, tail));
                waiting.push((left, middle, tail));
            }
        }
        let first = (0..=PARTS)
            .map(|k| pieces.partition_point(|p: &Piece| p.end < k as f64 * 0.5 / PARTS as f64))
            .map(|piece| piece.min(pieces.len() - 1) as u32)
            .collect();
        let mut half = Half { pieces, first, nodes: [[0.0; 4]; BRACKETS + 1] };
        for k in 0..=BRACKETS {
            let z = k as f64 * BRACKET;
            let piece = half.piece(z);
            let t = (z - piece.centre) * piece.by;
            let values = |c: &[f64; ORDER]| {
                let (value, slope, _) = with_derivatives(c, t);
                (z * (1.0 - z) * value, (1.0 - 2.0 * z) * value + z * (1.0 - z) * slope * piece.by)
            };
            let ((w, dw), (v, dv)) = (values(&piece.p), values(&piece.q));
            half.nodes[k] = [w, v, dw, dv];
        }
        Some(half)
    }

    #[inline(always)]
    fn piece(&self, z: f64) -> &Piece {
        // A number that is not in range becomes an index that is.
        let mut index = self.first[((z * (2 * PARTS) as f64) as usize).min(PARTS)] as usize;
        while index + 1 < self.pieces.len() && z > self.pieces[index].end {
            index += 1;
        }
        &self.pieces[index]
    }

    /// The root of g for R = `of_p` P + `of_q` Q, with P, Q and their derivatives there.
    #[inline(always)]
    fn root(&self, a: f64, b: f64, m: f64, of_p: f64, of_q: f64) -> Option<Root<'_>> {
        let sum = a + b;
        // g and its derivative at the ends of the brackets.
        let g = |k: usize| {
            let [w, v, ..] = self.nodes[k];
            a - sum * (k as f64 * BRACKET) - m * (of_p * w + of_q * v)
        };
        let positive = |k: usize| usize::from(g(k) > 0.0);
        let quarter = 4 * (positive(4) + positive(8) + positive(12));
        let bracket =
            quarter + positive(quarter + 1) + positive(quarter + 2) + positive(quarter + 3);
        let slope = |k: usize| -sum - m * (of_p * self.nodes[k][2] + of_q * self.nodes[k][3]);
        // Cubic Hermite interpolation of the inverse function.
        let (left, fall) = (g(bracket), g(bracket) - g(bracket + 1));
        let part = left / fall;
        let secant = -fall / BRACKET;
        let (first, last) = (secant / slope(bracket) - 1.0, secant / slope(bracket + 1) - 1.0);
        let bend = first * (1.0 - part) - last * part;
        let mut z = BRACKET * (bracket as f64 + part + part * (1.0 - part) * bend);
        for _ in 0..MOST_STEPS {
            if !(0.0..=0.5).contains(&z) {
                return None;
            }
            let piece = self.piece(z);
            let t = (z - piece.centre) * piece.by;
            let r: [f64; ORDER] = std::array::from_fn(|k| of_p * piece.p[k] + of_q * piece.q[k]);
            let (r, slope, bend) = with_derivatives(&r, t);
            let (slope, bend) = (slope * piece.by, bend * piece.by * piece.by);
            let product = z * (1.0 - z);
            let tilt = 1.0 - 2.0 * z;
            let value = a - sum * z - m * product * r;
            let d1 = -sum - m * (tilt * r + product * slope);
            let d2 = -m * (product * bend + 2.0 * (tilt * slope - r));
            // Newton's step n, and the two next terms of the series of the inverse function.
            let by = 1.0 / d1;
            let newton = -value * by;
            let half = -0.5 * newton * d2 * by;
            z += newton + newton * half * (1.0 + 2.0 * half);
            if newton.abs() < LAST_STEP && half.abs() < LAST_STEP {
                return Some(Root { z, piece_at: piece });
            }
        }
        None
    }
}

/// A root and the piece in which it was found.
struct Root<'a> {
    z: f64,
    piece_at: &'a Piece,
}

/// A polynomial with its first derivative and, to some digits, its second, which only speeds up the search.
#[inline(always)]
fn with_derivatives(c: &[f64; ORDER], t: f64) -> (f64, f64, f64) {
    let t2 = t * t;
    let t4 = t2 * t2;
    let value = power_sum(c, t, t2, t4);
    let d1: [f64; ORDER] =
        std::array::from_fn(|k| if k + 1 < ORDER { (k + 1) as f64 * c[k + 1] } else { 0.0 });
    let d2 = (d1[1] + 2.0 * d1[2] * t) + (3.0 * d1[3] + 4.0 * d1[4] * t) * t2 + 5.0 * d1[5] * t4;
    (value, power_sum(&d1, t, t2, t4), d2)
}

impl FastTable {
    /// Tabulates a boundary that is not smooth at these u = ρ/R ∈ [0, 1]; none if it is too rough.
    pub(super) fn build(
        low: impl Fn(f64) -> Low,
        high: impl Fn(f64) -> High,
        breaks: &[f64],
    ) -> Option<Self> {
        let breaks: Vec<f64> = breaks.iter().map(|u| u / (1.0 + u)).collect();
        let low = Half::build(&breaks, |s| {
            let sigma = 1.0 - s;
            let at = low((s / sigma).min(1.0));
            [at.force_ratio / sigma, at.torque / sigma]
        });
        let high = Half::build(&[], |sigma| {
            let s = 1.0 - sigma;
            let at = high((sigma / s).min(1.0));
            [at.force / s, at.torque_ratio / s]
        });
        Some(FastTable { low: low?, high: high? })
    }

    /// Where the point (x, y) ≥ 0 lies. Only for moderate numbers.
    #[inline(always)]
    pub(super) fn find(&self, m: f64, a: f64, x: f64, y: f64) -> Found {
        let (b, a2) = (a * y, a * a);
        // Four times f in the middle.
        let [w, v, ..] = self.low.nodes[BRACKETS];
        let is_low = x - b <= 2.0 * m * (w - a2 * v);
        let root = if is_low {
            self.low.root(x, b, m, 1.0, -a2)
        } else {
            self.high.root(b, x, m, -1.0, a2)
        };
        let Some(Root { z, piece_at }) = root else { return Found::Unusual };
        if !(z > 0.0 && z < 1.0) {
            return Found::Unusual;
        }
        let t = (z - piece_at.centre) * piece_at.by;
        let t2 = t * t;
        let t4 = t2 * t2;
        let p = power_sum(&piece_at.p, t, t2, t4);
        let q = power_sum(&piece_at.q, t, t2, t4);
        let (s, sigma) = if is_low { (z, 1.0 - z) } else { (1.0 - z, z) };
        let (outside_x, outside_y) = (x > m * s * p, y > m * a * sigma * q);
        if !outside_x && !outside_y {
            return Found::Inside;
        }
        if !(outside_x && outside_y) {
            return Found::Unusual;
        }
        // Of b_T′ = P + s P′ = σ K for small s, of b_τ′ = −Q + σ Q′ = −s K for small σ, where by symmetry
        // both are the derivative of z (P or Q) by z over 1 − z.
        let own = if is_low { &piece_at.p } else { &piece_at.q };
        let value = if is_low { p } else { q };
        let curvature = (value + z * with_derivatives(own, t).1 * piece_at.by) / (1.0 - z);
        Found::Outside(Foot { s, sigma, p, q, curvature })
    }
}

/// Coefficients of P and Q in powers of the position between left and right, and the largest of the last
/// coefficients relative to the values.
fn interpolate(
    left: f64,
    right: f64,
    at: &impl Fn(f64) -> [f64; 2],
) -> ([f64; ORDER], [f64; ORDER], f64) {
    let angle = std::f64::consts::PI / (2 * ORDER) as f64;
    let mut chebyshev = [[0.0; ORDER]; 2];
    for k in 0..ORDER {
        let position = ((2 * k + 1) as f64 * angle).cos();
        let values = at((0.5 * ((left + right) + (right - left) * position)).clamp(left, right));
        for n in 0..ORDER {
            let weight = (((2 * k + 1) * n) as f64 * angle).cos() * if n == 0 { 1.0 } else { 2.0 };
            for (row, value) in chebyshev.iter_mut().zip(values) {
                row[n] += weight * value / ORDER as f64;
            }
        }
    }
    let mut tail = 0.0_f64;
    for row in &chebyshev {
        let size: f64 = row.iter().map(|c| c.abs()).sum();
        tail = row[ORDER - 2..].iter().fold(tail, |m, c| m.max(c.abs() / size));
    }
    let [p, q] = chebyshev.map(|row| powers(&row));
    (p, q, tail)
}

/// A sum of Chebyshev polynomials in powers.
fn powers(chebyshev: &[f64; ORDER]) -> [f64; ORDER] {
    // T_{n+1} = 2 t T_n − T_{n−1}.
    let (mut last, mut this) = ([0.0; ORDER], [0.0; ORDER]);
    this[0] = 1.0;
    let mut sum = [0.0; ORDER];
    for (n, c) in chebyshev.iter().enumerate() {
        for k in 0..ORDER {
            sum[k] += c * this[k];
        }
        let factor = if n == 0 { 1.0 } else { 2.0 };
        let next =
            std::array::from_fn(|k| if k > 0 { factor * this[k - 1] } else { 0.0 } - last[k]);
        (last, this) = (this, next);
    }
    sum
}
