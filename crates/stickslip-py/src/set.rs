//! A convex set of Python, given by the prox and the support function of C(1).

use crate::own::{Callback, array};
use stickslip::convex::ConvexSet;

/// An object with `dim`, `prox(x)` and `support(v)`.
pub struct PythonSet {
    pub(crate) callback: Callback,
}

/// Step of the differences by which the prox is derived, relative to the size of the point.
const STEP: f64 = 1e-6;
/// How far along a velocity the prox is taken for the force of sliding, in units of the set.
const PROX_DISTANCE: f64 = 1e8;
/// Halvings of the search for the gauge.
const HALVINGS: usize = 60;

fn norm(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |sum, v| sum.hypot(*v))
}

impl PythonSet {
    /// prox of C(1), into x.
    fn unit_prox(&self, x: &mut [f64]) {
        let point = x.to_vec();
        self.callback.fill("prox", x, |py, set| set.call_method1(py, "prox", (array(py, &point),)));
    }
}

impl ConvexSet for PythonSet {
    fn dim(&self) -> usize {
        self.callback.call(|py, set| set.getattr(py, "dim")?.extract(py)).unwrap_or(0)
    }

    fn validate(&self) -> Result<(), String> {
        Ok(())
    }

    /// C(s) = s C(1): prox(x) = s prox₁(x/s).
    fn prox(&self, scale: f64, x: &mut [f64]) {
        if scale == 0.0 {
            return x.fill(0.0);
        }
        x.iter_mut().for_each(|v| *v /= scale);
        self.unit_prox(x);
        x.iter_mut().for_each(|v| *v *= scale);
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        let dim = x.len();
        let step = STEP * norm(x).max(scale).max(f64::MIN_POSITIVE);
        for column in 0..dim {
            let (mut ahead, mut behind) = (x.to_vec(), x.to_vec());
            ahead[column] += step;
            behind[column] -= step;
            self.prox(scale, &mut ahead);
            self.prox(scale, &mut behind);
            for row in 0..dim {
                d_x[row * dim + column] = (ahead[row] - behind[row]) / (2.0 * step);
            }
        }
        // Of degree one in both: d_x·x + scale·d_scale = prox.
        let mut point = x.to_vec();
        self.prox(scale, &mut point);
        for row in 0..dim {
            let along: f64 = (0..dim).map(|k| d_x[row * dim + k] * x[k]).sum();
            d_scale[row] = if scale == 0.0 { 0.0 } else { (point[row] - along) / scale };
        }
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        let value = self.callback.call(|py, set| {
            set.call_method1(py, "support", (array(py, velocity),))?.extract::<f64>(py)
        });
        value.map_or(f64::NAN, |value| if scale == 0.0 { 0.0 } else { scale * value })
    }

    /// The nearest point to one far away along the velocity.
    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        let length = norm(velocity);
        if length == 0.0 || scale == 0.0 {
            return out.fill(0.0);
        }
        out.iter_mut().zip(velocity).for_each(|(out, v)| *out = PROX_DISTANCE * v / length);
        self.unit_prox(out);
        out.iter_mut().for_each(|v| *v *= scale);
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        let size = norm(x);
        if size == 0.0 {
            return 0.0;
        }
        let is_inside = |scale: f64| {
            let mut point = x.to_vec();
            self.prox(scale, &mut point);
            let distance = point.iter().zip(x).fold(0.0_f64, |sum, (a, b)| sum.hypot(a - b));
            distance <= 1e-12 * size
        };
        let mut high = size;
        for _ in 0..HALVINGS {
            if is_inside(high) {
                break;
            }
            high *= 4.0;
        }
        let mut low = 0.0;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if is_inside(middle) { high = middle } else { low = middle }
        }
        high
    }
}
