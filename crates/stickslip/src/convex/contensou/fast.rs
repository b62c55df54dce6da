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
//! That f decreases where it vanishes brackets the root: the signs of f at the ends of brackets are counted, by squares
//! in single precision, while the root is drawn that x is. A cubic through values and slopes at the ends of the bracket
//! is the guess, and the piece of the table is looked up meanwhile, by the secant. Pieces beside s = 0 and σ = 0 are
//! in powers of s and −σ, so that the smaller component keeps its digits too.
//!
//! What is unusual (extreme magnitudes, steps that have not settled) is left to
//! [`Plate::nearest`](super::boundary::Plate::nearest), which cannot fail; so this needs no safeguard of its own.

use super::boundary::{High, Low};

/// Coefficients of a piece, of P = b_T/s and Q = b_τ/σ; and those of K, which need not be as exact.
const ORDER: usize = 10;
const ORDER_OF_K: usize = 8;
/// Largest coefficient left out, relative to the largest value: rounding of the quadrature.
const TAIL: f64 = 1e-14;
/// The same of all coefficients of K that are left out: they are multiplied by a step, of at most 6e-5.
const TAIL_OF_K: f64 = 1e-12;
/// Pieces are not made shorter than this; functions have terms d² log d at a distance d from a jump of
/// the pressure.
const SHORTEST: f64 = 1.0 / (1_u64 << 28) as f64;
/// Tail that is taken for rounding of what is tabulated where halving a piece does not halve it.
const NOISE: f64 = 1e-12;
/// Pieces after which a boundary counts as too rough for a table.
const MOST_PIECES: usize = 8192;
/// [0, 1] in equal parts, for each of which the first piece is listed.
const PARTS: usize = 1024;
/// In a number so large the digits before the last ones, so many, count the parts below what was added to it.
const FINER: u32 = 8;
const LARGE: f64 = (1_u64 << (52 - FINER)) as f64;
/// Equal brackets of [0, 1] that the guess is chosen among.
const BRACKETS: usize = 40;
const BRACKET: f64 = 1.0 / BRACKETS as f64;
/// Parts of a bracket.
const PER_BRACKET: f64 = PARTS as f64 * BRACKET;
/// How far beyond its ends a piece is used, in parts of its length: the guess may be the neighbour's. And where the
/// boundary is not smooth: that much squared is rounding.
const BEYOND: f64 = 0.003;
const BEYOND_BREAK: f64 = 1e-9;
/// Steps after which the search is left to others.
const MOST_STEPS: usize = 6;
/// What is lost in rounding, of a root and of the boundary there.
const ROUNDING: f64 = 1e-17;

/// Two values, what is done to one of which is done to the other.
type Two = [f64; 2];

/// The boundary on a piece, in powers of t = s − centre.
#[derive(Clone, Debug)]
#[repr(align(128))]
struct Piece {
    /// P and Q.
    ratios: [Two; ORDER],
    /// K and its derivative by s.
    k: [Two; ORDER_OF_K],
    end: f64,
    centre: f64,
    /// The middle of all t that it is used for, and the largest |t − middle|.
    middle: f64,
    reach: f64,
}

/// What the guess needs at both ends of a bracket.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(128))]
struct Bracket {
    s: Two,
    /// What m and m a² are multiplied by in −f and f.
    force: Two,
    torque: Two,
    /// What they are multiplied by in f′, times the length of a bracket.
    force_slope: Two,
    torque_slope: Two,
    /// The first s in parts, and [`LARGE`].
    large: f64,
}

/// Aligned, so that four at a time are operands.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Limits([[f32; BRACKETS]; 3]);

/// Boundary of a plate over s ∈ [0, 1].
#[derive(Clone, Debug)]
pub(super) struct FastTable {
    pieces: Vec<Piece>,
    /// The piece in which each of the equal parts begins.
    first: [u32; 2 * PARTS],
    brackets: [Bracket; BRACKETS],
    /// x for which f vanishes at the last ends of the brackets: what a y, m and −m a² are multiplied by.
    limits: Limits,
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

impl Piece {
    /// P and Q, and K with its derivative, at the position t; with short chains of operations.
    #[inline(always)]
    fn values(&self, t: f64) -> [Two; 2] {
        let Self { ratios: c, k, .. } = self;
        let t2 = t * t;
        let t4 = t2 * t2;
        let quad =
            |c: &[Two], i: usize| line(line(c[i], c[i + 1], t), line(c[i + 2], c[i + 3], t), t2);
        let ratios = line(line(quad(c, 0), quad(c, 4), t4), line(c[8], c[9], t), t4 * t4);
        [ratios, line(quad(k, 0), quad(k, 4), t4)]
    }

    #[inline(always)]
    fn reaches(&self, t: f64) -> bool {
        (t - self.middle).abs() <= self.reach
    }

    /// The second derivative of K, to some digits.
    #[inline(always)]
    fn bend(&self, t: f64) -> f64 {
        let k = &self.k;
        (k[1][1] + 2.0 * k[2][1] * t) + 3.0 * k[3][1] * (t * t)
    }

    /// The size of the third one, over 12.
    #[inline(always)]
    fn twist(&self, t: f64) -> f64 {
        let k = &self.k;
        (k[2][1] + 3.0 * k[3][1] * t) * (1.0 / 6.0)
    }
}

impl FastTable {
    /// Tabulates a boundary that is not smooth at these u = ρ/R ∈ [0, 1]; none if it is too rough.
    pub(super) fn build(
        low: impl Fn(f64) -> Low,
        high: impl Fn(f64) -> High,
        breaks: &[f64],
    ) -> Option<Self> {
        let at_low = |s: f64| {
            let sigma = 1.0 - s;
            let at = low((s / sigma).min(1.0));
            [at.force_ratio / sigma, at.torque / sigma, at.slope / (sigma * sigma * sigma)]
        };
        let at_high = |s: f64| {
            let sigma = 1.0 - s;
            let at = high((sigma / s).min(1.0));
            [at.force / s, at.torque_ratio / s, at.slope / (s * s * s)]
        };
        let mut ends: Vec<f64> = breaks.iter().map(|u| u / (1.0 + u)).collect();
        ends.retain(|s| *s > 0.0 && *s < 0.5);
        ends.extend([0.0, 0.5, 1.0]);
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
            let (piece, tail) = if left < 0.5 {
                interpolate(left, right, &at_low)
            } else {
                interpolate(left, right, &at_high)
            };
            let resolved = tail <= TAIL || (tail <= NOISE && tail > 0.5 * before);
            let middle = 0.5 * (left + right);
            if resolved || right - left <= SHORTEST {
                let [back, ahead] = [left, right].map(|end| {
                    let beyond = BEYOND * (right - left);
                    if ends.contains(&end) { beyond.min(BEYOND_BREAK) } else { beyond }
                });
                let reach = 0.5 * ((right - left) + (back + ahead));
                let middle = (middle - piece.centre) + 0.5 * (ahead - back);
                pieces.push(Piece { middle, reach, ..piece });
            } else {
                waiting.push((middle, right, tail));
                waiting.push((left, middle, tail));
            }
        }
        let first = std::array::from_fn(|k| {
            let index = pieces.partition_point(|p| p.end <= k as f64 / PARTS as f64);
            index.min(pieces.len() - 1) as u32
        });
        let brackets = [Bracket::default(); BRACKETS];
        // No x is beyond the last end.
        let limits = Limits([[0.0; BRACKETS], [f32::INFINITY; BRACKETS], [0.0; BRACKETS]]);
        let mut table = FastTable { pieces, first, brackets, limits };
        for node in 0..=BRACKETS {
            let s = node as f64 * BRACKET;
            let sigma = (BRACKETS - node) as f64 * BRACKET;
            let piece = table.piece(s);
            let [[p, q], [curvature, _]] = piece.values(s - piece.centre);
            let force_slope = BRACKET * (s * p - curvature * sigma * sigma);
            let torque_slope = BRACKET * (sigma * q - curvature * s * s);
            // The last end of one bracket, and the first of the next.
            for (k, end) in [(node.wrapping_sub(1), 1), (node, 0)] {
                let Some(bracket) = table.brackets.get_mut(k) else { continue };
                bracket.s[end] = s;
                (bracket.force[end], bracket.torque[end]) = (sigma * s * p, sigma * s * q);
                (bracket.force_slope[end], bracket.torque_slope[end]) = (force_slope, torque_slope);
                bracket.large = bracket.s[0] * PARTS as f64 + LARGE;
            }
            if node > 0 && node < BRACKETS {
                let Limits([by_b, by_m, by_m_a2]) = &mut table.limits;
                by_b[node - 1] = (s / sigma) as f32;
                (by_m[node - 1], by_m_a2[node - 1]) = ((s * p) as f32, (s * q) as f32);
            }
        }
        Some(table)
    }

    #[inline(always)]
    fn piece(&self, s: f64) -> &Piece {
        // A number that is not in range becomes an index that is.
        self.piece_of(s, s * PARTS as f64 + LARGE)
    }

    /// The same, given the number whose digits are those of the part.
    #[inline(always)]
    fn piece_of(&self, s: f64, large: f64) -> &Piece {
        let part = large.to_bits() >> FINER;
        let index = self.first[part as usize & (2 * PARTS - 1)] as usize;
        let mut piece = &self.pieces[index];
        if s > piece.end {
            // Where pieces are shorter than parts; apart, so that the usual case is short.
            for next in &self.pieces[index + 1..] {
                piece = next;
                if s <= piece.end {
                    break;
                }
            }
        }
        piece
    }

    /// Where the point (x, y) ≥ 0 lies, given x² too. Only for moderate numbers.
    #[inline(always)]
    pub(super) fn find(&self, m: f64, a: f64, x2: f64, x: f64, y: f64) -> Found {
        let (b, m_a2) = (a * y, m * (a * a));
        let Some(foot) = self.root(m, m_a2, x2, x, b) else { return Found::Unusual };
        let Foot { s, sigma, force, torque, .. } = foot;
        if !(s > 0.0 && sigma > 0.0) {
            return Found::Unusual;
        }
        let (outside_x, outside_y) = (x > m * force, y > m * a * torque);
        if !outside_x && !outside_y {
            return Found::Inside;
        }
        if !(outside_x && outside_y) {
            return Found::Unusual;
        }
        Found::Outside(foot)
    }

    /// The root of f.
    #[inline(always)]
    fn root(&self, m: f64, m_a2: f64, x2: f64, x: f64, b: f64) -> Option<Foot> {
        // Ends of brackets with f > 0, i.e. with a limit below x; by squares, without waiting for the root that x is, and
        // in single precision, four at a time: a point beside an end may be taken for one of either bracket.
        let Limits([by_b, by_m, by_m_a2]) = &self.limits;
        let [single_b, single_m, single_m_a2, single_x2] = [b, m, m_a2, x2].map(|v| v as f32);
        let mut behind = 0;
        for k in 0..BRACKETS {
            let limit = single_b * by_b[k] + (single_m * by_m[k] - single_m_a2 * by_m_a2[k]);
            behind += u32::from(limit * limit.abs() < single_x2);
        }
        let bracket = &self.brackets[behind as usize];
        let Bracket { s, force, torque, force_slope, torque_slope, large } = bracket;
        let sum = x + b;
        let values: Two =
            std::array::from_fn(|i| (x - sum * s[i]) - (m * force[i] - m_a2 * torque[i]));
        let fall = values[0] - values[1];
        // Cubic Hermite interpolation of the inverse function.
        let per_slope: Two = std::array::from_fn(|i| {
            fall / (BRACKET * sum - (m * force_slope[i] + m_a2 * torque_slope[i])) - 1.0
        });
        let part = values[0] / fall;
        let way = BRACKET * part;
        let secant = s[0] + way;
        let bend = per_slope[0] * (1.0 - part) - per_slope[1] * part;
        // Looked up by the secant already, so as not to wait for the cubic.
        let mut piece = self.piece_of(secant, part * PER_BRACKET + large);
        let mut t = (secant - piece.centre) + (way * (1.0 - part)) * bend;
        for _ in 0..MOST_STEPS {
            if !piece.reaches(t) {
                let s = piece.centre + t;
                if !(0.0..=1.0).contains(&s) {
                    return None;
                }
                piece = self.piece(s);
                t = s - piece.centre;
            }
            let [[p, q], [k, k_1]] = piece.values(t);
            let k_2 = piece.bend(t);
            let (s, sigma) = (piece.centre + t, (1.0 - piece.centre) - t);
            let (m_sigma, m_a2_s) = (m * sigma, m_a2 * s);
            let (d, e) = (m_sigma - m_a2_s, m_sigma * sigma + m_a2_s * s);
            // −f and the derivatives of f, over 1, 2, 6.
            let f = ((m_sigma * s) * p - (m_a2_s * sigma) * q) - (sigma * x - s * b);
            let f_1 = ((m * s) * p + (m_a2 * sigma) * q) - (sum + k * e);
            let f_2 = 1.5 * k * d - 0.5 * k_1 * e;
            let f_3 = (5.0 / 6.0) * k_1 * d - 0.5 * k * (m + m_a2) - (1.0 / 6.0) * k_2 * e;
            let third = 2.0 * f_2 * f_2 - f_1 * f_3;
            // Newton's step n, and the two next terms of the series of the inverse function.
            let (n, per) = (f / f_1, 1.0 / f_1);
            let (n_2, second) = (n * n, f_2 * per);
            let step = (n - n_2 * second) + (n_2 * n) * (third * (per * per));
            // The first terms left out, of this series and of those of the boundary.
            let size = 1.0 + (second * second * second).abs() + piece.twist(t).abs();
            let left_out = (n_2 * n_2) * size;
            if left_out < ROUNDING && piece.reaches(t + step) {
                // Derivatives of b_T and b_τ, over 1, 2, 6.
                let first = [sigma * k, -s * k];
                let second = [0.5 * (sigma * k_1 - k), -0.5 * (s * k_1 + k)];
                let sixth = k_2 * (1.0 / 6.0);
                let third = [sigma * sixth - k_1 * (1.0 / 3.0), -(s * sixth + k_1 * (1.0 / 3.0))];
                let [force, torque] = line(
                    line([s * p, sigma * q], first, step),
                    line(second, third, step),
                    step * step,
                );
                let (s, sigma, curvature) = (s + step, sigma - step, k + step * k_1);
                return Some(Foot { s, sigma, force, torque, curvature });
            }
            t += step;
        }
        None
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
    let size: f64 = chebyshev[2].iter().map(|c| c.abs()).sum();
    let rest: f64 = chebyshev[2][ORDER_OF_K..].iter().map(|c| c.abs()).sum();
    tail = tail.max(TAIL / TAIL_OF_K * rest / size);
    chebyshev[2][ORDER_OF_K..].fill(0.0);
    // From the ends of [0, 1] themselves, near which s and σ shall keep their digits.
    let middle = 0.5 * (left + right);
    let centre = if left == 0.0 {
        0.0
    } else if right == 1.0 {
        1.0
    } else {
        middle
    };
    let by = 2.0 / (right - left);
    let [p, q, k] = chebyshev.map(|row| powers(&row, by, (centre - middle) * by));
    let piece = Piece {
        ratios: std::array::from_fn(|i| [p[i], q[i]]),
        k: std::array::from_fn(|i| [k[i], (i + 1) as f64 * k[i + 1]]),
        end: right,
        centre,
        middle: 0.0,
        reach: 0.0,
    };
    (piece, tail)
}

/// A sum of Chebyshev polynomials of `by` t + `from`, in powers of t.
fn powers(chebyshev: &[f64; ORDER], by: f64, from: f64) -> [f64; ORDER] {
    // T_{n+1} = 2 (by t + from) T_n − T_{n−1}.
    let (mut last, mut this) = ([0.0; ORDER], [0.0; ORDER]);
    this[0] = 1.0;
    let mut sum = [0.0; ORDER];
    for (n, c) in chebyshev.iter().enumerate() {
        for k in 0..ORDER {
            sum[k] += c * this[k];
        }
        let factor = if n == 0 { 1.0 } else { 2.0 };
        let next = std::array::from_fn(|k| {
            let shifted = if k > 0 { by * this[k - 1] } else { 0.0 };
            factor * (shifted + from * this[k]) - last[k]
        });
        (last, this) = (this, next);
    }
    sum
}
