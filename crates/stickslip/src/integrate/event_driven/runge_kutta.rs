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

/// Stages with the rate at the end and the three of the dense output.
const ALL: usize = STAGES + 4;
/// Nodes and rows of the stages of the dense output of order 7.
const DENSE_NODES: [f64; 3] = [0.1, 0.2, 0.7777777777777778];
const DENSE_ROWS: [&[f64]; 3] = [
    &[
        0.056167502283047954,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.25350021021662483,
        -0.2462390374708025,
        -0.12419142326381637,
        0.15329179827876568,
        0.00820105229563469,
        0.007567897660545699,
        -0.008298,
    ],
    &[
        0.03183464816350214,
        0.0,
        0.0,
        0.0,
        0.0,
        0.028300909672366776,
        0.053541988307438566,
        -0.05492374857139099,
        0.0,
        0.0,
        -0.00010834732869724932,
        0.0003825710908356584,
        -0.00034046500868740456,
        0.1413124436746325,
    ],
    &[
        -0.42889630158379194,
        0.0,
        0.0,
        0.0,
        0.0,
        -4.697621415361164,
        7.683421196062599,
        4.06898981839711,
        0.3567271874552811,
        0.0,
        0.0,
        0.0,
        -0.0013990241651590145,
        2.9475147891527724,
        -9.15095847217987,
    ],
];
/// Weights of the four highest terms of the dense output.
const DENSE_WEIGHTS: [[f64; ALL]; 4] = [
    [
        -8.428938276109013,
        0.0,
        0.0,
        0.0,
        0.0,
        0.5667149535193777,
        -3.0689499459498917,
        2.38466765651207,
        2.117034582445028,
        -0.871391583777973,
        2.2404374302607883,
        0.6315787787694688,
        -0.08899033645133331,
        18.148505520854727,
        -9.194632392478356,
        -4.436036387594894,
    ],
    [
        10.427508642579134,
        0.0,
        0.0,
        0.0,
        0.0,
        242.28349177525817,
        165.20045171727028,
        -374.5467547226902,
        -22.113666853125306,
        7.733432668472264,
        -30.674084731089398,
        -9.332130526430229,
        15.697238121770845,
        -31.139403219565178,
        -9.35292435884448,
        35.81684148639408,
    ],
    [
        19.985053242002433,
        0.0,
        0.0,
        0.0,
        0.0,
        -387.0373087493518,
        -189.17813819516758,
        527.8081592054236,
        -11.57390253995963,
        6.8812326946963,
        -1.0006050966910838,
        0.7777137798053443,
        -2.778205752353508,
        -60.19669523126412,
        84.32040550667716,
        11.99229113618279,
    ],
    [
        -25.69393346270375,
        0.0,
        0.0,
        0.0,
        0.0,
        -154.18974869023643,
        -231.5293791760455,
        357.6391179106141,
        93.40532418362432,
        -37.45832313645163,
        104.0996495089623,
        29.8402934266605,
        -43.53345659001114,
        96.32455395918828,
        -39.17726167561544,
        -149.72683625798564,
    ],
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
    /// Terms of the dense output.
    terms: Vec<f64>,
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
        self.stages.resize(ALL * n, 0.0);
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

    /// Prepares [`interpolate`](Self::interpolate) for the last step, with the rate at its end.
    pub(super) fn densify(
        &mut self,
        t: f64,
        y: &[f64],
        rate_e: &[f64],
        h: f64,
        rate: &mut Rate,
    ) -> Result<(), StepError> {
        let n = y.len();
        self.stages[STAGES * n..(STAGES + 1) * n].copy_from_slice(rate_e);
        for i in 0..3 {
            let (done, rest) = self.stages.split_at_mut((STAGES + 1 + i) * n);
            combine(y, h, DENSE_ROWS[i], done, &mut self.stage);
            rate(t + DENSE_NODES[i] * h, &self.stage, &mut rest[..n])?;
        }
        self.terms.clear();
        self.terms.resize(7 * n, 0.0);
        for k in 0..n {
            let rise = self.end[k] - y[k];
            let (first, last) = (h * self.stages[k], h * rate_e[k]);
            self.terms[k] = rise;
            self.terms[n + k] = first - rise;
            self.terms[2 * n + k] = 2.0 * rise - (first + last);
        }
        for (i, weights) in DENSE_WEIGHTS.iter().enumerate() {
            let out = &mut self.terms[(3 + i) * n..(4 + i) * n];
            for (j, weight) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
                for (o, k) in out.iter_mut().zip(&self.stages[j * n..(j + 1) * n]) {
                    *o += h * weight * k;
                }
            }
        }
        Ok(())
    }

    /// The prepared step at the share x of its length: y + x (T₀ + (1 − x) (T₁ + x (T₂ + ...))).
    pub(super) fn interpolate(&self, x: f64, y: &[f64], out: &mut [f64]) {
        let n = y.len();
        for k in 0..n {
            let mut sum = 0.0;
            for i in (0..7).rev() {
                sum = (sum + self.terms[i * n + k]) * if i % 2 == 0 { x } else { 1.0 - x };
            }
            out[k] = y[k] + sum;
        }
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
