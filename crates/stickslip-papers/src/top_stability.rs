//! Stability of a top that spins upright on a spherical foot (Leine 2003, sec. 5.5; Magnus 1971).
//!
//! With Coulomb-Contensou friction a spinning contact resists a small slip like a viscous damper,
//! λ_T = −ε γ_T. The upright motion at the spin ω₀ then has the characteristic equation
//!
//! ```text
//! m λ [I₁ λ² − i I₃ ω₀ λ + a m g] + ε [(I₁ + m h²) λ² − i (I₃ + m h r) ω₀ λ + a m g] = 0   (5.31)
//! ε = µ m g · s/(|ω₀| R),   h = r − a
//! ```
//!
//! s is the slope of the friction at zero slip: 3π/8 for the pressure of Hertz. (Printed is
//! 3/(8π), which makes ε ten times too small; the critical speeds do not depend on it.)

use crate::polynomial::{Complex, roots};
use std::f64::consts::PI;
use stickslip::models::{FrictionLaw, TippeTopParameters};

/// A top of revolution on one spherical foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinningTop {
    /// Mass m, kg.
    pub mass: f64,
    /// Moment of inertia I₁ across the axis, kg m².
    pub inertia_transverse: f64,
    /// Moment of inertia I₃ about the axis, kg m².
    pub inertia_axial: f64,
    /// Gravity g, m/s².
    pub gravity: f64,
    /// Distance a of the centre of mass below the centre of the foot, m; negative above it.
    pub offset: f64,
    /// Radius r of the foot, m.
    pub radius: f64,
    /// Coefficient of friction µ.
    pub friction_coefficient: f64,
    /// Radius R of the contact area, m.
    pub contact_radius: f64,
    /// Law of friction.
    pub friction: FrictionLaw,
}

/// The four regions of the stability diagram (Leine 2003, Fig. 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StabilityRegion {
    /// I: 1 < h/r < I₁/I₃, never stable.
    NeverStable,
    /// II: 1 < h/r and I₁/I₃ < h/r, stable above the critical speed: a Tippe-Top on its stick.
    StableAbove,
    /// III: I₁/I₃ < h/r < 1, always stable.
    AlwaysStable,
    /// IV: h/r < 1 and h/r < I₁/I₃, stable below the critical speed: a Tippe-Top on its body.
    StableBelow,
}

impl StabilityRegion {
    /// The region of h/r and I₃/I₁; a boundary belongs to the region with h/r below it.
    pub fn of(height_ratio: f64, inertia_ratio: f64) -> Self {
        match (height_ratio > 1.0, height_ratio * inertia_ratio > 1.0) {
            (true, false) => Self::NeverStable,
            (true, true) => Self::StableAbove,
            (false, true) => Self::AlwaysStable,
            (false, false) => Self::StableBelow,
        }
    }
}

/// Slope s of the friction force at zero slip, λ_T = −µ λ_N s γ_T/(|ω| R): for the pressure σ of
/// unit resultant it is ½ R ∫ 2π σ dρ; for the ellipsoid the reciprocal of its semi-axis (Möller
/// 2009, eq. 50). `None` for Coulomb friction, which jumps at zero slip.
pub fn slip_slope(friction: FrictionLaw) -> Option<f64> {
    match friction {
        FrictionLaw::Coulomb => None,
        FrictionLaw::ContensouHertz => Some(3.0 * PI / 8.0),
        FrictionLaw::ContensouUniform => Some(1.0),
        FrictionLaw::ContensouParabolic => Some(4.0 / 3.0),
        FrictionLaw::Ellipsoid => Some(16.0 / (3.0 * PI)),
    }
}

impl SpinningTop {
    /// The Tippe-Top upright on its body (θ = 0).
    pub fn on_body(p: &TippeTopParameters) -> Self {
        Self {
            mass: p.mass,
            inertia_transverse: p.inertia_transverse,
            inertia_axial: p.inertia_axial,
            gravity: p.gravity,
            offset: p.body_offset,
            radius: p.body_radius,
            friction_coefficient: p.friction_coefficient,
            contact_radius: p.contact_radius,
            friction: p.friction,
        }
    }

    /// The Tippe-Top inverted on its stick (θ = π).
    pub fn on_stick(p: &TippeTopParameters) -> Self {
        Self { offset: -p.stick_offset, radius: p.stick_radius, ..Self::on_body(p) }
    }

    /// Height h = r − a of the centre of mass, m.
    pub fn height(&self) -> f64 {
        self.radius - self.offset
    }

    /// Region of the stability diagram.
    pub fn region(&self) -> StabilityRegion {
        StabilityRegion::of(
            self.height() / self.radius,
            self.inertia_axial / self.inertia_transverse,
        )
    }

    /// The factor of ω₀² in (5.34), kg m².
    fn spin_factor(&self) -> f64 {
        let ratio = self.radius / self.height();
        ratio * (self.inertia_axial - ratio * self.inertia_transverse)
    }

    /// Critical speed ω_k, rad/s (5.35); `None` in the regions that have none.
    pub fn critical_speed(&self) -> Option<f64> {
        let square = -self.offset * self.mass * self.gravity / self.spin_factor();
        (square > 0.0 && square.is_finite()).then(|| square.sqrt())
    }

    /// Whether the upright motion at the spin ω₀ is locally stable (5.34).
    pub fn is_stable(&self, spin: f64) -> bool {
        self.spin_factor() * spin * spin > -self.offset * self.mass * self.gravity
    }

    /// Viscous coefficient ε of small slip, N s/m (5.25 with 3π/8); `None` for Coulomb friction,
    /// a vanishing contact radius or no spin, where it is infinite.
    pub fn slip_viscosity(&self, spin: f64) -> Option<f64> {
        let weight = self.friction_coefficient * self.mass * self.gravity;
        let viscosity = weight * slip_slope(self.friction)? / (spin.abs() * self.contact_radius);
        viscosity.is_finite().then_some(viscosity)
    }

    /// Coefficients of (5.31), highest power first; of (5.36), pure rolling, if ε is infinite.
    pub fn characteristic_polynomial(&self, spin: f64) -> Vec<Complex> {
        let (m, i1, i3) = (self.mass, self.inertia_transverse, self.inertia_axial);
        let (h, r) = (self.height(), self.radius);
        let spring = self.offset * m * self.gravity;
        let rolling = [
            Complex::new(i1 + m * h * h, 0.0),
            Complex::new(0.0, -(i3 + m * h * r) * spin),
            Complex::new(spring, 0.0),
        ];
        let Some(viscosity) = self.slip_viscosity(spin) else { return rolling.to_vec() };
        let [a2, a1, a0] = rolling.map(|c| c.times(viscosity));
        vec![
            Complex::new(m * i1, 0.0),
            Complex::new(0.0, -m * i3 * spin) + a2,
            Complex::new(m * spring, 0.0) + a1,
            a0,
        ]
    }

    /// Eigenvalues λ of the upright motion at the spin ω₀, 1/s, the largest real part first:
    /// three, or the two of pure rolling (5.37) if ε is infinite. `None` if the data are so
    /// extreme that they cannot be computed.
    pub fn eigenvalues(&self, spin: f64) -> Option<Vec<Complex>> {
        let mut values = roots(&self.characteristic_polynomial(spin))?;
        values.sort_by(|x, y| y.re.total_cmp(&x.re));
        Some(values)
    }
}
