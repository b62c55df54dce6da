//! A mass on a belt with a friction force that falls with the sliding speed (Xiong 2013, sec. 5.3,
//! after Awrejcewicz et al. 2005).
//!
//! ```text
//! M p̈ = k₁ p − k₂ p³ + F/(V + |w|) sgn(w),      w = u − ṗ
//! ```
//!
//! For set-valued methods the friction is split into an exact dry part and a continuous rest, which
//! counts as a smooth force:
//!
//! ```text
//! F/(V + |w|) sgn(w) = (F/V) sgn(w) − F w/(V (V + |w|))
//! ```
//!
//! The ODE route takes it whole, as the paper does: the strength of the element depends on |w|.

use super::ParameterError;
use serde::{Deserialize, Serialize};
use stickslip::ode::{
    Element, Elements, FrictionElement, OdeNames, Regularisation, RegularisedFriction, SpeedFactor,
};
use stickslip::system::{
    Column, ContactColumn, ContactSet, Energy, ForceLaw, FrictionChoice, LawGroup,
    MechanicalSystem, Observed, State, columns,
};

/// Data of the oscillator; the defaults are those of Xiong 2013, Fig. 10 and 11, except F.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BeltOscillatorParameters {
    /// Mass M, kg; positive; default 1.
    pub mass: f64,
    /// Spring constants k₁, N/m, and k₂, N/m³, of the force k₂ p³ − k₁ p; finite; default 1 and 1.
    pub springs: [f64; 2],
    /// Strength F of the friction F/(V + |w|), N m/s; positive; default 0.5, which fits the start of
    /// the paper. The 0.2 that is printed never sticks.
    pub force: f64,
    /// Speed V at which the friction is half as large as at rest, m/s; positive; default 1.
    pub falling_speed: f64,
    /// Speed u of the belt, m/s; finite; default 1.
    pub belt_speed: f64,
    /// Element of the ODE route; default xiong.
    pub law: FrictionChoice,
    /// Stiffness K, N/m; positive; default 1e5.
    pub stiffness: f64,
    /// Relaxation time β, s; positive; default 0.5.
    pub relaxation_time: f64,
    /// Smoothing speed ε of the laws smooth (eq. 50) and tanh, m/s; positive; default 1e-5.
    pub smoothing_speed: f64,
}

impl Default for BeltOscillatorParameters {
    fn default() -> Self {
        Self {
            mass: 1.0,
            springs: [1.0, 1.0],
            force: 0.5,
            falling_speed: 1.0,
            belt_speed: 1.0,
            law: FrictionChoice::Xiong,
            stiffness: 1e5,
            relaxation_time: 0.5,
            smoothing_speed: 1e-5,
        }
    }
}

impl BeltOscillatorParameters {
    fn constants(&self) -> RegularisedFriction {
        let Self { stiffness, relaxation_time, .. } = *self;
        RegularisedFriction { stiffness, relaxation_time }
    }
}

/// Start state; the default is that of Xiong 2013, Fig. 10: at rest on the belt, at the end of
/// sticking for F = 0.5.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BeltOscillatorStart {
    /// Position, m; default 1.19149.
    pub p: f64,
    /// Velocity of the belt relative to the mass, w = u − ṗ, m/s; default 0.
    pub w: f64,
}

impl Default for BeltOscillatorStart {
    fn default() -> Self {
        Self { p: 1.19149, w: 0.0 }
    }
}

/// The mass, q = (p), u = (ṗ). Its one contact, key 0, is always closed; its relative velocity is w.
#[derive(Clone, Debug, PartialEq)]
pub struct BeltOscillator {
    parameters: BeltOscillatorParameters,
    group: LawGroup,
    /// Whether the continuous rest of the friction is a smooth force.
    split: bool,
}

impl BeltOscillator {
    /// A step with which Runge-Kutta is stable, s; that of the paper, 1e-3, is not.
    pub const STEP: f64 = 5e-5;
    /// Length of a run over some periods, s.
    pub const DURATION: f64 = 50.0;

    /// The oscillator for set-valued methods, or what is wrong with its data.
    pub fn new(parameters: BeltOscillatorParameters) -> Result<Self, ParameterError> {
        let law = ForceLaw::dry_friction(1, parameters.force / parameters.falling_speed);
        Ok(Self { parameters, group: LawGroup::new([("friction", law)]), split: true })
    }

    /// Its data.
    pub fn parameters(&self) -> &BeltOscillatorParameters {
        &self.parameters
    }

    /// State at the start, t = 0.
    pub fn start(&self, start: &BeltOscillatorStart) -> State {
        let u = vec![self.parameters.belt_speed - start.w];
        State { t: 0.0, q: vec![start.p], u, memory: Vec::new() }
    }

    /// The continuous part F w/(V (V + |w|)) that friction loses with the speed, N; 0 for the ODE
    /// route, whose element has it.
    fn continuous_part(&self, at: &State) -> f64 {
        if !self.split {
            return 0.0;
        }
        let p = &self.parameters;
        let (w, v) = (p.belt_speed - at.u[0], p.falling_speed);
        p.force * w / (v * (v + w.abs()))
    }

    /// The elements of the ODE route, for the [`regularised`](Self::regularised) system.
    pub fn regularisation(&self) -> Result<Regularisation, ParameterError> {
        let p = &self.parameters;
        let element = Element::Friction {
            element: FrictionElement::chosen(p.law, p.constants(), p.smoothing_speed),
            speed_factor: SpeedFactor::Falling { speed: p.falling_speed },
            length: 1.0,
        };
        Regularisation::new(self.law_groups(), &[vec![element]]).map_err(|error| ParameterError {
            key: "law",
            value: f64::NAN,
            range: format!("suitable: {error}"),
        })
    }

    /// The system for the ODE route, with the columns f and a: all friction is in the element.
    pub fn regularised(self) -> Result<(Self, Elements), ParameterError> {
        let regularisation = self.regularisation()?;
        let states = match self.parameters.law {
            FrictionChoice::Smooth | FrictionChoice::Tanh => vec![],
            _ => columns(&[("a", "m", "")]),
        };
        let whole = Self { split: false, ..self };
        let names = OdeNames { forces: columns(&[("f", "N", "")]), states, ..OdeNames::default() };
        Ok((whole, Elements { regularisation, names }))
    }
}

impl MechanicalSystem for BeltOscillator {
    fn coordinate_count(&self) -> usize {
        1
    }

    fn blocks(&self) -> &[usize] {
        &[1]
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        let p = &self.parameters;
        let x = at.q[0];
        mass[0] = p.mass;
        forces[0] = p.springs[0] * x - p.springs[1] * x * x * x;
        forces[0] -= self.continuous_part(at);
    }

    fn applied_forces(&self, at: &State, out: &mut [f64]) {
        out[0] = -self.continuous_part(at);
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    fn contacts(&self, _at: &State, out: &mut ContactSet) {
        out.clear();
        let (row, rheonomic) = out.push(0, 0, f64::NEG_INFINITY, [0, 0], [1, 0], 1);
        row[0] = -1.0;
        rheonomic[0] = self.parameters.belt_speed;
    }

    fn law_groups(&self) -> &[LawGroup] {
        std::slice::from_ref(&self.group)
    }

    fn contact_name(&self, _key: u64) -> String {
        "belt".into()
    }

    fn energy(&self, at: &State) -> Energy {
        let p = &self.parameters;
        let square = at.q[0] * at.q[0];
        Energy {
            kinetic: 0.5 * p.mass * at.u[0] * at.u[0],
            potential: -0.5 * p.springs[0] * square + 0.25 * p.springs[1] * square * square,
        }
    }
}

impl Observed for BeltOscillator {
    fn columns(&self) -> Vec<Column> {
        columns(&[("p", "m", ""), ("v", "m/s", "p"), ("w", "m/s", "")])
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        out.extend([at.q[0], at.u[0], self.parameters.belt_speed - at.u[0]]);
    }

    /// The gap is always closed and the strength of friction is given: only its state is news.
    fn contact_columns(&self, _contact: usize) -> &[ContactColumn] {
        &[ContactColumn::State]
    }

    fn reported_contacts(&self) -> &[u64] {
        &[0]
    }
}
