//! A set of a program that uses this library.

use super::{ConvexSet, product};
use crate::range::not_negative;
use std::fmt;
use std::sync::Arc;

/// Any [`ConvexSet`] as a member of [`Set`](super::Set): problems, laws and solvers take it like their own ones.
/// Only files cannot name it. Clones share the set, and are equal; others are not.
#[derive(Clone)]
pub struct OwnSet {
    set: Arc<dyn ConvexSet + Send + Sync>,
    /// Factor on the set.
    size: f64,
}

impl OwnSet {
    /// The set.
    pub fn new(set: impl ConvexSet + Send + Sync + 'static) -> Self {
        Self { set: Arc::new(set), size: 1.0 }
    }

    /// The set times a factor.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self { size: product(self.size, factor), ..self.clone() }
    }
}

impl fmt::Debug for OwnSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address tells sets apart where laws are compared by their text.
        write!(f, "OwnSet({:p}, {})", Arc::as_ptr(&self.set), self.size)
    }
}

impl PartialEq for OwnSet {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.set), Arc::as_ptr(&other.set))
            && self.size == other.size
    }
}

impl ConvexSet for OwnSet {
    fn dim(&self) -> usize {
        self.set.dim()
    }

    fn validate(&self) -> Result<(), String> {
        not_negative("size", self.size)?;
        self.set.validate()
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        self.set.prox(product(self.size, scale), x);
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        self.set.prox_derivative(product(self.size, scale), x, d_x, d_scale);
        d_scale.iter_mut().for_each(|d| *d = product(*d, self.size));
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        self.set.support(product(self.size, scale), velocity)
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        self.set.support_point(product(self.size, scale), velocity, out);
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        let gauge = self.set.gauge(x);
        if gauge == 0.0 { 0.0 } else { gauge / self.size }
    }
}
