//! The nearest point of a plate for ordinary points: a table of the boundary, a good guess and mostly one
//! step of fourth order instead of a bracketed search. Sweeps over contacts wait for it, so what counts is how many
//! operations wait for each other, and that no branch depends on the point.
//!
//! With s = u/(1 + u) and σ = 1 − s the point (x, y) is on the normal of the plate m (b_T, a b_τ) at s where
//!
//! ```text
//! f(s) = σ (x − m b_T) − s (a y − m a² b_τ) = 0,      b_T = s P,      b_τ = σ Q
//! ```
//!
//! P and Q are smooth and bounded, and b_T′ = σ K, b_τ′ = −s K with one function K: all derivatives of f are made of it.
//! Seen from the other end, from σ, the equation has the same form with x and a y, b_T and a² b_τ exchanged; so both
//! halves are tabulated over z = s or σ ∈ [0, 1/2], where a small z keeps its digits. With `own` = b_T or b_τ, which
//! vanishes with z, and `other`, that is
//!
//! ```text
//! g(z) = (1 − z) (A − α own) − z (B − β other) = 0,      own′ = (1 − z) K,      other′ = −z K
//! ```
//!
//! What is unusual (extreme magnitudes, steps that have not settled) is left to
//! [`Plate::nearest`](super::boundary::Plate::nearest), which cannot fail; so this needs no safeguard of its own.

use super::boundary::{High, Low};

/// Coefficients of a piece, of own/z and other/(1 − z); and those of K, which need not be as exact.
const ORDER: usize = 8;
const ORDER_OF_K: usize = 6;
/// Largest coefficient left out, relative to the largest value: rounding of the quadrature.
const TAIL: f64 = 1e-14;
/// Pieces are not made shorter than this; functions have terms d² log d at a distance d from a jump of
/// the pressure.
const SHORTEST: f64 = 1.0 / (1_u64 << 28) as f64;
/// Tail that is taken for rounding of what is tabulated where halving a piece does not halve it.
const NOISE: f64 = 1e-12;
/// Pieces after which a boundary counts as too rough for a table.
const MOST_PIECES: usize = 8192;
/// [0, 1/2] in equal parts, for each of which the first piece is listed.
const PARTS: usize = 512;
/// 2⁵²: numbers between it and twice of it are whole.
const INTEGER: f64 = (1_u64 << 52) as f64;
/// Equal brackets of [0, 1/2] that the guess is chosen among, and their ends.
const BRACKETS: usize = 16;
const BRACKET: f64 = 0.5 / BRACKETS as f64;
const NODES: usize = BRACKETS + 1;
const ENDS: [f64; NODES] = {
    let mut ends = [0.0; NODES];
    let mut k = 0;
    while k < NODES {
        ends[k] = k as f64 * BRACKET;
        k += 1;
    }
    ends
};
/// Steps after which the search is left to others.
const MOST_STEPS: usize = 6;
/// What is lost in rounding, of a root and of the boundary there.
const ROUNDING: f64 = 1e-17;

/// Two values, what is done to one of which is done to the other.
type Two = [f64; 2];

/// The boundary on a piece, in powers of the position in it from −1 to 1.
#[derive(Clone, Debug)]
#[repr(align(256))]
struct Piece {
    /// own/z and other/(1 − z).
    ratios: [Two; ORDER],
    /// K and its derivative by z.
    k: [Two; ORDER_OF_K],
    end: f64,
    centre: f64,
    /// One over half the length.
    by: f64,
}

/// One half of the boundary.
#[derive(Clone, Debug)]
struct Half {
    pieces: Vec<Piece>,
    /// The piece in which each of the equal parts begins.
    first: Vec<u32>,
    /// What α and −β are multiplied by in −g at the ends of the brackets.
    own: [f64; NODES],
    other: [f64; NODES],
    /// What α and β are multiplied by in g′ there, times the length of a bracket.
    slopes: [Two; NODES],
}

/// Boundary of a plate over both halves of s ∈ [0, 1].
#[derive(Clone, Debug)]
pub(super) struct FastTable {
    /// That of small s, and that of small σ.
    halves: [Half; 2],
}

/// The nearest point of a plate: a place on its boundary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub s: f64,
    pub sigma: f64,
    /// b_T and b_τ.
    pub force: f64,
    pub torque: f64,
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

/// x + y t.
#[inline(always)]
fn line(x: Two, y: Two, t: f64) -> Two {
    [x[0] + y[0] * t, x[1] + y[1] * t]
}

/// The first of two numbers if the mask is of ones, the second if it is of zeros: no branch to be guessed.
#[inline(always)]
fn choose(mask: u64, first: f64, second: f64) -> f64 {
    f64::from_bits((first.to_bits() & mask) | (second.to_bits() & !mask))
}

impl Piece {
    /// own/z and other/(1 − z), and K with its derivative, at the position t; with short chains of operations.
    #[inline(always)]
    fn values(&self, t: f64) -> [Two; 2] {
        let Self { ratios: c, k, .. } = self;
        let t2 = t * t;
        let t4 = t2 * t2;
        let quad =
            |c: &[Two], i: usize| line(line(c[i], c[i + 1], t), line(c[i + 2], c[i + 3], t), t2);
        let ratios = line(quad(c, 0), quad(c, 4), t4);
        [ratios, line(quad(k, 0), line(k[4], k[5], t), t4)]
    }

    /// The second derivative of K by z, to some digits.
    #[inline(always)]
    fn bend(&self, t: f64) -> f64 {
        let k = &self.k;
        ((k[1][1] + 2.0 * k[2][1] * t) + 3.0 * k[3][1] * (t * t)) * self.by
    }

    /// The size of the third one, over 12.
    #[inline(always)]
    fn twist(&self, t: f64) -> f64 {
        let k = &self.k;
        (k[2][1] + 3.0 * k[3][1] * t) * (self.by * self.by * (1.0 / 6.0))
    }
}

impl Half {
    /// Tabulates z ↦ (own/z, other/(1 − z), K), which is not smooth at the break points; none if that takes too many
    /// pieces.
    fn build(breaks: &[f64], at: impl Fn(f64) -> [f64; 3]) -> Option<Self> {
        let mut ends: Vec<f64> = breaks.iter().copied().filter(|z| *z > 0.0 && *z < 0.5).collect();
        ends.extend([0.0, 0.5]);
        ends.sort_by(f64::total_cmp);
        // With the tail of the piece that was halved.
        let mut waiting: Vec<(f64, f64, f64)> = Vec::new();
        for pair in ends.windows(2).rev().filter(|pair| pair[0] < pair[1]) {
            waiting.push((pair[0], pair[1], f64::INFINITY));
        }
        let mut pieces: Vec<Piece> = Vec::new();
        while let Some((left, right, before)) = waiting.pop() {
            if pieces.len() + waiting.len() > MOST_PIECES {
                return None;
            }
            let (piece, tail) = interpolate(left, right, &at);
            let resolved = tail <= TAIL || (tail <= NOISE && tail > 0.5 * before);
            let middle = 0.5 * (left + right);
            if resolved || right - left <= SHORTEST {
                pieces.push(piece);
            } else {
                waiting.push((middle, right, tail));
                waiting.push((left, middle, tail));
            }
        }
        let begin = |k: usize| (k as f64 - 0.5) * 0.5 / PARTS as f64;
        let first = (0..2 * PARTS)
            .map(|k| pieces.partition_point(|p| p.end < begin(k)))
            .map(|piece| piece.min(pieces.len() - 1) as u32)
            .collect();
        let (own, other) = ([0.0; NODES], [0.0; NODES]);
        let mut half = Half { pieces, first, own, other, slopes: [[0.0; 2]; NODES] };
        for (k, z) in ENDS.into_iter().enumerate() {
            let piece = half.piece(z);
            let [[own, other], [curvature, _]] = piece.values((z - piece.centre) * piece.by);
            let rest = 1.0 - z;
            let (own, other) = (z * own, rest * other);
            let slopes = [own - curvature * rest * rest, other - curvature * z * z];
            half.slopes[k] = slopes.map(|slope| BRACKET * slope);
            (half.own[k], half.other[k]) = (rest * own, z * other);
        }
        Some(half)
    }

    #[inline(always)]
    fn piece(&self, z: f64) -> &Piece {
        // The last digits of a number so large are those of the index, rounded; a number that is not in range becomes
        // an index that is.
        let digits = (z * (2 * PARTS) as f64 + INTEGER).to_bits();
        let mut index = self.first[digits as usize & (2 * PARTS - 1)] as usize;
        while index + 1 < self.pieces.len() && z > self.pieces[index].end {
            index += 1;
        }
        &self.pieces[index]
    }

    /// The root of g.
    #[inline(always)]
    fn root(&self, a: f64, b: f64, alpha: f64, beta: f64) -> Option<Root> {
        let sum = a + b;
        // g at the ends of the brackets: none waits for another, and their signs are counted, two at a time.
        let g = |k: usize| (a - sum * ENDS[k]) - (alpha * self.own[k] - beta * self.other[k]);
        let mut negative = [0; 2];
        for k in 0..BRACKETS / 2 {
            negative[0] += g(2 * k).to_bits() >> 63;
            negative[1] += g(2 * k + 1).to_bits() >> 63;
        }
        let bracket = (BRACKETS - 1) - ((negative[0] + negative[1]) as usize & (BRACKETS - 1));
        let slope =
            |k: usize| BRACKET * sum - (alpha * self.slopes[k][0] + beta * self.slopes[k][1]);
        // Cubic Hermite interpolation of the inverse function.
        let (left, fall) = (g(bracket), g(bracket) - g(bracket + 1));
        let (first, last) = (fall / slope(bracket) - 1.0, fall / slope(bracket + 1) - 1.0);
        let part = left / fall;
        let way = BRACKET * part;
        let bend = first * (1.0 - part) - last * part;
        let mut z = (ENDS[bracket] + way) + (way * (1.0 - part)) * bend;
        for _ in 0..MOST_STEPS {
            if !(0.0..=0.5).contains(&z) {
                return None;
            }
            let piece = self.piece(z);
            let t = (z - piece.centre) * piece.by;
            let [[own, other], [k, k_1]] = piece.values(t);
            let k_2 = piece.bend(t);
            let rest = 1.0 - z;
            let (own, other) = (z * own, rest * other);
            let (excess_a, excess_b) = (a - alpha * own, b - beta * other);
            let (alpha_rest, beta_z) = (alpha * rest, beta * z);
            let (d, e) = (alpha_rest - beta_z, alpha_rest * rest + beta_z * z);
            // −g and the derivatives of g, over 1, 2, 6.
            let g = z * excess_b - rest * excess_a;
            let g_1 = -(excess_a + excess_b) - k * e;
            let g_2 = 1.5 * k * d - 0.5 * k_1 * e;
            let g_3 = (5.0 / 6.0) * k_1 * d - 0.5 * k * (alpha + beta) - (1.0 / 6.0) * k_2 * e;
            let third = 2.0 * g_2 * g_2 - g_1 * g_3;
            // Newton's step n, and the two next terms of the series of the inverse function.
            let per = 1.0 / g_1;
            let n = g * per;
            let ratio = n * per;
            let step = n - (n * ratio) * (g_2 - ratio * third);
            // The first terms left out, of this series and of those of the boundary.
            let h = n.abs().max((ratio * g_2).abs());
            let left_out = (n.abs() * h) * (h * h) + (n * n) * (n * n) * piece.twist(t).abs();
            if left_out < ROUNDING {
                // Derivatives of own and other, over 1, 2, 6.
                let first = [rest * k, -z * k];
                let second = [0.5 * (rest * k_1 - k), -0.5 * (z * k_1 + k)];
                let sixth = k_2 * (1.0 / 6.0);
                let third = [rest * sixth - k_1 * (1.0 / 3.0), -(z * sixth + k_1 * (1.0 / 3.0))];
                let [own, other] =
                    line(line([own, other], first, step), line(second, third, step), step * step);
                return Some(Root { z: z + step, own, other, curvature: k + step * k_1 });
            }
            z += step;
        }
        None
    }
}

/// A root, and the boundary there.
struct Root {
    z: f64,
    own: f64,
    other: f64,
    curvature: f64,
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
            [at.force_ratio / sigma, at.torque / sigma, at.slope / (sigma * sigma * sigma)]
        });
        let high = Half::build(&[], |sigma| {
            let s = 1.0 - sigma;
            let at = high((sigma / s).min(1.0));
            [at.torque_ratio / s, at.force / s, at.slope / (s * s * s)]
        });
        Some(FastTable { halves: [low?, high?] })
    }

    /// Where the point (x, y) ≥ 0 lies, given x² too. Only for moderate numbers.
    #[inline(always)]
    pub(super) fn find(&self, m: f64, a: f64, x2: f64, x: f64, y: f64) -> Found {
        let (b, m_a2) = (a * y, m * (a * a));
        // Twice f in the middle.
        let [low, _] = &self.halves;
        // x < `limit` by squares, without waiting for the root that x is.
        let limit = b + 2.0 * (m * low.own[BRACKETS] - m_a2 * low.other[BRACKETS]);
        let is_low = ((x2 - limit * limit).to_bits() & !limit.to_bits()) >> 63;
        let mask = is_low.wrapping_neg();
        let either = |first: f64, second: f64| choose(mask, first, second);
        let half = &self.halves[1 - is_low as usize];
        let root = half.root(either(x, b), either(b, x), either(m, m_a2), either(m_a2, m));
        let Some(Root { z, own, other, curvature }) = root else { return Found::Unusual };
        if !(z > 0.0 && z < 1.0) {
            return Found::Unusual;
        }
        let (force, torque) = (either(own, other), either(other, own));
        let (outside_x, outside_y) = (x > m * force, y > m * a * torque);
        if !outside_x && !outside_y {
            return Found::Inside;
        }
        if !(outside_x && outside_y) {
            return Found::Unusual;
        }
        let (s, sigma) = (either(z, 1.0 - z), either(1.0 - z, z));
        Found::Outside(Foot { s, sigma, force, torque, curvature })
    }
}

/// The piece between left and right, and the largest of the last coefficients of its ratios relative to the values.
fn interpolate(left: f64, right: f64, at: &impl Fn(f64) -> [f64; 3]) -> (Piece, f64) {
    let angle = std::f64::consts::PI / (2 * ORDER) as f64;
    let mut chebyshev = [[0.0; ORDER]; 3];
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
    for row in &chebyshev[..2] {
        let size: f64 = row.iter().map(|c| c.abs()).sum();
        tail = row[ORDER - 2..].iter().fold(tail, |m, c| m.max(c.abs() / size));
    }
    chebyshev[2][ORDER_OF_K..].fill(0.0);
    let [own, other, k] = chebyshev.map(|row| powers(&row));
    let by = 2.0 / (right - left);
    let piece = Piece {
        ratios: std::array::from_fn(|i| [own[i], other[i]]),
        k: std::array::from_fn(|i| [k[i], (i + 1) as f64 * k[i + 1] * by]),
        end: right,
        centre: 0.5 * (left + right),
        by,
    };
    (piece, tail)
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
