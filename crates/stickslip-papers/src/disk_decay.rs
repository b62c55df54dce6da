//! How a disk that settles loses its energy (Le Saux 2005, sec. 5.5).
//!
//! Near the flat position a disk rolls about a centre of mass almost at rest, and its energy and
//! the rate of its contact point are tied together,
//!
//! ```text
//! E = 3/2 m g r cosβ,      α̇² = γ̇² = 6 g̃² m r²/E,      g̃ = g/r                (5.33), (5.36)
//! ```
//!
//! so that every kind of friction gives a law Ė = −a E^p.

/// Mass, radius and gravity of a uniform thin disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disk {
    /// Mass m, kg.
    pub mass: f64,
    /// Radius r, m.
    pub radius: f64,
    /// Gravity g, m/s².
    pub gravity: f64,
}

impl Disk {
    /// Energy of stationary rolling at the inclination β near π/2, J (5.33).
    pub fn energy(&self, beta: f64) -> f64 {
        1.5 * self.mass * self.gravity * self.radius * beta.cos()
    }

    /// Rate |α̇| = |γ̇| of stationary rolling with this small energy, rad/s (5.36).
    pub fn rate(&self, energy: f64) -> f64 {
        self.gravity * (6.0 * self.mass / energy).sqrt()
    }
}

/// The friction that dissipates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dissipation {
    /// Dry contour friction µ_R, dimensionless (5.34).
    DryContour(f64),
    /// Viscous contour friction c, N s/m (5.39).
    ViscousContour(f64),
    /// Dry classical rolling friction µ_R, m (5.44).
    DryRolling(f64),
    /// Viscous classical rolling friction c, N m s (5.48).
    ViscousRolling(f64),
    /// Drilling torque of Coulomb-Contensou friction with the pressure of Hertz, slip neglected
    /// (5.52): only a rough description of what a simulation shows.
    Contensou {
        /// Coefficient of friction µ_F.
        friction: f64,
        /// Radius of the contact area, m.
        contact_radius: f64,
    },
}

/// The law Ė = −a E^p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecayLaw {
    /// Constant a > 0, in J^(1−p)/s.
    pub constant: f64,
    /// Power p.
    pub power: f64,
}

impl DecayLaw {
    /// The law of a disk with this friction.
    ///
    /// ```text
    /// dry contour        a = √6 µ m^(3/2) g̃² r³        p = −1/2     (5.37), printed r²
    /// viscous contour    a = 6 c g̃² m r⁴               p = −1       (5.40), printed g̃ m r³
    /// dry rolling        a = 2√6/3 µ g̃ √m              p = 1/2      (5.46)
    /// viscous rolling    a = 8 c/(3 m r²)              p = 1        (5.49)
    /// drilling           a = π√6/12 µ R/(r² √m)        p = 3/2      (5.53)
    /// ```
    pub fn new(disk: &Disk, dissipation: Dissipation) -> Self {
        let Disk { mass: m, radius: r, gravity } = *disk;
        let g = gravity / r;
        let (constant, power) = match dissipation {
            Dissipation::DryContour(mu) => {
                (6.0_f64.sqrt() * mu * m.powf(1.5) * g.powi(2) * r.powi(3), -0.5)
            }
            Dissipation::ViscousContour(c) => (6.0 * c * g.powi(2) * m * r.powi(4), -1.0),
            Dissipation::DryRolling(mu) => (2.0 * 6.0_f64.sqrt() / 3.0 * mu * g * m.sqrt(), 0.5),
            Dissipation::ViscousRolling(c) => (8.0 * c / (3.0 * m * r.powi(2)), 1.0),
            Dissipation::Contensou { friction, contact_radius } => (
                std::f64::consts::PI * 6.0_f64.sqrt() / 12.0 * friction * contact_radius
                    / (r.powi(2) * m.sqrt()),
                1.5,
            ),
        };
        Self { constant, power }
    }

    /// Rate of energy Ė, W.
    pub fn rate(&self, energy: f64) -> f64 {
        -self.constant * energy.powf(self.power)
    }

    /// Energy after the time t from the energy E₀, J: (5.38), (5.41), (5.47), (5.50), (5.54). Zero
    /// once the disk has come to rest.
    pub fn energy(&self, initial: f64, t: f64) -> f64 {
        let q = 1.0 - self.power;
        if q == 0.0 {
            return initial * (-self.constant * t).exp();
        }
        let base = initial.powf(q) - q * self.constant * t;
        if base > 0.0 { base.powf(1.0 / q) } else { 0.0 }
    }

    /// Time until the disk comes to rest from the energy E₀, s; `None` if it never does.
    pub fn time_to_rest(&self, initial: f64) -> Option<f64> {
        let q = 1.0 - self.power;
        (q > 0.0).then(|| initial.powf(q) / (q * self.constant))
    }

    /// Exponent n of α̇ ∝ (t_f − t)^(−1/n) (6.1), (6.2): 3, 4 and 1 for dry contour, viscous contour
    /// and dry rolling friction; `None` if the disk never comes to rest.
    pub fn exponent(&self) -> Option<f64> {
        let q = 1.0 - self.power;
        (q > 0.0).then_some(2.0 * q)
    }
}
