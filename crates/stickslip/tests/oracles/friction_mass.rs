//! A mass on a rough plane under a prescribed force (Xiong 2013, eq. 10, 20 and Fig. 3).
//!
//! ```text
//! M p̈ = f_e(t) − f,      f ∈ F sgn(ṗ)
//! f_e = min(plateau, ramp·t) for t < t₁,   mean + amplitude cos(Ω t) from then on
//! ```
//!
//! The force first sets the mass in motion and then oscillates below the friction limit: the mass
//! must stay where it is.

use super::ParameterError;
use super::elements::{Constants, FrictionChoice, regularise};
use serde::{Deserialize, Serialize};
use stickslip::ode::{Elements, OdeNames, Regularisation, SpeedFactor};
use stickslip::system::{
    Column, ContactColumn, ContactSet, Energy, ForceLaw, LawGroup, MechanicalSystem, Observed,
    State, columns,
};

/// Data of the mass; the defaults are those of Xiong 2013, Fig. 3.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrictionMassParameters {
    /// Mass M, kg; positive; default 1.
    pub mass: f64,
    /// Friction force F, N; positive; default 0.5.
    pub friction_force: f64,
    /// Rate of the external force at the start, N/s; finite; default 0.8.
    pub force_ramp: f64,
    /// Largest external force of the first part, N; finite; default 0.52.
    pub force_plateau: f64,
    /// Time t₁ at which the second part begins, s; finite; default 2.
    pub switch_time: f64,
    /// Mean external force of the second part, N; finite; default 0.336.
    pub force_mean: f64,
    /// Amplitude of the external force in the second part, N; finite; default 0.144.
    pub force_amplitude: f64,
    /// Angular frequency Ω of the external force in the second part, rad/s; finite; default 100.
    pub force_frequency: f64,
    /// Element of the ODE route; default xiong.
    pub law: FrictionChoice,
    /// Stiffness K of the element, N/m; positive; default 5e3.
    pub stiffness: f64,
    /// Relaxation time β of the element, s; positive; default 2e-3.
    pub relaxation_time: f64,
    /// Smoothing speed of the laws smooth and tanh, m/s; positive; default 1e-3.
    pub smoothing_speed: f64,
}

impl Default for FrictionMassParameters {
    fn default() -> Self {
        Self {
            mass: 1.0,
            friction_force: 0.5,
            force_ramp: 0.8,
            force_plateau: 0.52,
            switch_time: 2.0,
            force_mean: 0.336,
            force_amplitude: 0.144,
            force_frequency: 100.0,
            law: FrictionChoice::Xiong,
            stiffness: 5e3,
            relaxation_time: 2e-3,
            smoothing_speed: 1e-3,
        }
    }
}

impl FrictionMassParameters {
    fn constants(&self) -> Constants {
        Constants {
            stiffness: self.stiffness,
            relaxation_time: self.relaxation_time,
            contact_time: self.relaxation_time,
            smoothing_speed: self.smoothing_speed,
        }
    }
}

/// Start state; default: at rest at the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrictionMassStart {
    /// Position, m; default 0.
    pub p: f64,
    /// Velocity, m/s; default 0.
    pub v: f64,
}

/// The mass, q = (p), u = (ṗ). Its one contact, key 0, is always closed.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionMass {
    parameters: FrictionMassParameters,
    group: LawGroup,
}

impl FrictionMass {
    /// Step of the paper, s.
    pub const STEP: f64 = 1e-3;
    /// Length of a run that shows everything, s.
    pub const DURATION: f64 = 4.0;

    /// The mass with these data, or what is wrong with them.
    pub fn new(parameters: FrictionMassParameters) -> Result<Self, ParameterError> {
        let law = ForceLaw::dry_friction(1, parameters.friction_force);
        Ok(Self { parameters, group: LawGroup::new([("friction", law)]) })
    }

    /// Its data.
    pub fn parameters(&self) -> &FrictionMassParameters {
        &self.parameters
    }

    /// State at the start, t = 0.
    pub fn start(&self, start: &FrictionMassStart) -> State {
        State { t: 0.0, q: vec![start.p], u: vec![start.v], memory: Vec::new() }
    }

    /// External force f_e, N (eq. 20).
    pub fn external_force(&self, t: f64) -> f64 {
        let p = &self.parameters;
        if t < p.switch_time {
            p.force_plateau.min(p.force_ramp * t)
        } else {
            p.force_mean + p.force_amplitude * (p.force_frequency * t).cos()
        }
    }

    /// The elements of the ODE route.
    pub fn regularisation(&self) -> Result<Regularisation, ParameterError> {
        let p = &self.parameters;
        let element = p.constants().friction_element(p.law, SpeedFactor::Constant);
        regularise(self.law_groups(), &[vec![element]])
    }

    /// The system for the ODE route, with the columns f and a.
    pub fn regularised(self) -> Result<(Self, Elements), ParameterError> {
        let regularisation = self.regularisation()?;
        let states = match self.parameters.law {
            FrictionChoice::Smooth | FrictionChoice::Tanh => vec![],
            _ => columns(&[("a", "m", "")]),
        };
        let names = OdeNames { forces: columns(&[("f", "N", "")]), states, ..OdeNames::default() };
        Ok((self, Elements { regularisation, names }))
    }
}

impl MechanicalSystem for FrictionMass {
    fn coordinate_count(&self) -> usize {
        1
    }

    fn blocks(&self) -> &[usize] {
        &[1]
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        mass[0] = self.parameters.mass;
        forces[0] = self.external_force(at.t);
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    fn contacts(&self, _at: &State, out: &mut ContactSet) {
        out.clear();
        let (w, _) = out.push(0, 0, f64::NEG_INFINITY, [0, 0], [1, 0], 1);
        w[0] = 1.0;
    }

    fn law_groups(&self) -> &[LawGroup] {
        std::slice::from_ref(&self.group)
    }

    fn contact_name(&self, _key: u64) -> String {
        "plane".into()
    }

    fn applied_forces(&self, at: &State, out: &mut [f64]) {
        out[0] = self.external_force(at.t);
    }

    fn energy(&self, at: &State) -> Energy {
        Energy { kinetic: 0.5 * self.parameters.mass * at.u[0] * at.u[0], potential: 0.0 }
    }
}

impl Observed for FrictionMass {
    fn columns(&self) -> Vec<Column> {
        columns(&[("p", "m", ""), ("v", "m/s", "p")])
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        out.extend([at.q[0], at.u[0]]);
    }

    /// The gap is always closed and the strength of friction is given: only its state is news.
    fn contact_columns(&self, _contact: usize) -> &[ContactColumn] {
        &[ContactColumn::State]
    }

    fn reported_contacts(&self) -> &[u64] {
        &[0]
    }
}
