//! One step of the Runge-Kutta method of order 8 of Dormand and Prince, with embedded methods of
//! order 5 and 3 for the estimate of the error (Hairer, Nørsett & Wanner, Solving Ordinary
//! Differential Equations I, sec. II.10; the coefficients are those of DOP853).

use crate::integrate::StepError;

const STAGES: usize = 12;

/// Nodes c_i.
const NODES: [f64; STAGES] = [
    0.0,
    0.05260015195876773,
    0.0789002279381516,
    0.1183503419072274,
    0.2816496580927726,
    0.3333333333333333,
    0.25,
    0.3076923076923077,
    0.6512820512820513,
    0.6,
    0.8571428571428571,
    1.0,
];
/// Rows a_ij, j < i, one after the other; most entries of the first columns are zero.
const ROWS: [&[f64]; STAGES] = [
    &[],
    &[0.05260015195876773],
    &[0.0197250569845379, 0.0591751709536137],
    &[0.02958758547680685, 0.0, 0.08876275643042054],
    &[0.2413651341592667, 0.0, -0.8845494793282861, 0.924834003261792],
    &[0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242],
    &[0.037109375, 0.0, 0.0, 0.17025221101954405, 0.06021653898045596, -0.017578125],
    &[
        0.03709200011850479,
        0.0,
        0.0,
        0.17038392571223998,
        0.10726203044637328,
        -0.015319437748624402,
        0.008273789163814023,
    ],
    &[
        0.6241109587160757,
        0.0,
        0.0,
        -3.3608926294469414,
        -0.868219346841726,
        27.59209969944671,
        20.154067550477894,
        -43.48988418106996,
    ],
    &[
        0.47766253643826434,
        0.0,
        0.0,
        -2.4881146199716677,
        -0.590290826836843,
        21.230051448181193,
        15.279233632882423,
        -33.28821096898486,
        -0.020331201708508627,
    ],
    &[
        -0.9371424300859873,
        0.0,
        0.0,
        5.186372428844064,
        1.0914373489967295,
        -8.149787010746927,
        -18.52006565999696,
        22.739487099350505,
        2.4936055526796523,
        -3.0467644718982196,
    ],
    &[
        2.273310147516538,
        0.0,
        0.0,
        -10.53449546673725,
        -2.0008720582248625,
        -17.9589318631188,
        27.94888452941996,
        -2.8589982771350235,
        -8.87285693353063,
        12.360567175794303,
        0.6433927460157636,
    ],
];
/// Weights b_i of the solution of order 8.
const WEIGHTS: [f64; STAGES] = [
    0.054293734116568765,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    0.3111643669578199,
    -0.1521609496625161,
    0.20136540080403034,
    0.04471061572777259,
];
/// Differences to the embedded solutions of order 5 and 3.
const ERROR_5: [f64; STAGES] = [
    0.01312004499419488,
    0.0,
    0.0,
    0.0,
    0.0,
    -1.2251564463762044,
    -0.4957589496572502,
    1.6643771824549864,
    -0.35032884874997366,
    0.3341791187130175,
    0.08192320648511571,
    -0.022355307863886294,
];
const ERROR_3: [f64; STAGES] = [
    -0.18980075407240762,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    -0.4226823213237919,
    -0.1521609496625161,
    0.20136540080403034,
    0.02265179219836082,
];

/// Largest and smallest change of the step from one to the next, and the safety factor.
const GROWTH: f64 = 6.0;
const SHRINK: f64 = 0.2;
const SAFETY: f64 = 0.9;

/// Right-hand side: writes the rate at (t, y).
pub(super) type Rate<'a> = dyn FnMut(f64, &[f64], &mut [f64]) -> Result<(), StepError> + 'a;

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(super) struct RungeKutta {
    stages: Vec<f64>,
    stage: Vec<f64>,
    /// The end of the last tried step.
    pub(super) end: Vec<f64>,
}

impl RungeKutta {
    /// Tries a step of length h from (t, y), where the rate is `rate_a`; the result is in
    /// [`end`](Self::end).
    pub(super) fn advance(
        &mut self,
        t: f64,
        y: &[f64],
        rate_a: &[f64],
        h: f64,
        rate: &mut Rate,
    ) -> Result<(), StepError> {
        let n = y.len();
        self.stages.resize(STAGES * n, 0.0);
        self.stage.resize(n, 0.0);
        self.end.resize(n, 0.0);
        self.stages[..n].copy_from_slice(rate_a);
        for i in 1..STAGES {
            let (done, rest) = self.stages.split_at_mut(i * n);
            combine(y, h, ROWS[i], done, &mut self.stage);
            rate(t + NODES[i] * h, &self.stage, &mut rest[..n])?;
        }
        combine(y, h, &WEIGHTS, &self.stages, &mut self.end);
        Ok(())
    }

    /// Estimated error of the last step relative to `scales`, over as many components as there
    /// are scales; at most 1 is good.
    pub(super) fn error(&self, h: f64, scales: &[f64]) -> f64 {
        let n = self.stage.len();
        let (mut sum_5, mut sum_3) = (0.0, 0.0);
        for (k, scale) in scales.iter().enumerate() {
            let (mut e_5, mut e_3) = (0.0, 0.0);
            for i in 0..STAGES {
                e_5 += ERROR_5[i] * self.stages[i * n + k];
                e_3 += ERROR_3[i] * self.stages[i * n + k];
            }
            sum_5 += (e_5 / scale) * (e_5 / scale);
            sum_3 += (e_3 / scale) * (e_3 / scale);
        }
        if sum_5 == 0.0 {
            return 0.0;
        }
        h * sum_5 / ((sum_5 + 0.01 * sum_3) * scales.len() as f64).sqrt()
    }
}

/// Factor for the next step after one with this error.
pub(super) fn step_factor(error: f64) -> f64 {
    // Written so that a NaN shrinks the step.
    if error > 1e-12 || error.is_nan() {
        let factor = SAFETY * error.powf(-1.0 / 8.0);
        if factor.is_nan() { SHRINK } else { factor.clamp(SHRINK, GROWTH) }
    } else {
        GROWTH
    }
}

/// out = y + h Σ weights_j stage_j.
fn combine(y: &[f64], h: f64, weights: &[f64], stages: &[f64], out: &mut [f64]) {
    let n = y.len();
    out.fill(0.0);
    for (j, weight) in weights.iter().enumerate() {
        if *weight == 0.0 {
            continue;
        }
        for (o, k) in out.iter_mut().zip(&stages[j * n..(j + 1) * n]) {
            *o += weight * k;
        }
    }
    for (o, y) in out.iter_mut().zip(y) {
        *o = y + h * *o;
    }
}

/// Cubic interpolation between (y_a, rate_a) and (y_e, rate_e) at the share `x` of a step h.
pub(super) fn interpolate(
    x: f64,
    h: f64,
    (y_a, rate_a): (&[f64], &[f64]),
    (y_e, rate_e): (&[f64], &[f64]),
    out: &mut [f64],
) {
    let z = 1.0 - x;
    // Hermite's basis, written with the difference of the ends so that nothing cancels near x = 0.
    let (rise, slope_a, slope_e) = (x * x * (3.0 - 2.0 * x), h * x * z * z, -h * x * x * z);
    for k in 0..out.len() {
        out[k] = y_a[k] + rise * (y_e[k] - y_a[k]) + slope_a * rate_a[k] + slope_e * rate_e[k];
    }
}
