//! A mass that falls on a rigid floor (Xiong 2013, eq. 13, 27 and Fig. 5).

use super::ParameterError;
use super::elements::{Constants, ContactChoice, RestitutionChoice, regularise};
use serde::{Deserialize, Serialize};
use stickslip::ode::{Elements, OdeNames, Regularisation};
use stickslip::system::{
    Column, ContactSet, Energy, ForceLaw, LawGroup, MechanicalSystem, Observed, State, columns,
};

/// Data of the mass; the defaults are those of Xiong 2013, Fig. 5 (one of four contact times).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BouncingMassParameters {
    /// Mass M, kg; positive; default 1.
    pub mass: f64,
    /// Gravity, m/s²; not negative; default 9.8.
    pub gravity: f64,
    /// Restitution of the set-valued contact, 0 to 1, or "effective", that of the element; default
    /// effective.
    pub restitution: RestitutionChoice,
    /// Element of the ODE route; default xiong.
    pub law: ContactChoice,
    /// Stiffness K, N/m (N/m^1.5 for hunt-crossley); positive; default 1e5.
    pub stiffness: f64,
    /// Relaxation time β, s; positive; default 0.01.
    pub relaxation_time: f64,
    /// Contact time α, s; positive, at most β for a contact that dissipates; default 0.005. The
    /// figure also shows 0.01, 0.007 and 0.001.
    pub contact_time: f64,
    /// Viscosity B of the laws viscoelastic and viscoelastic-push, N s/m; not negative; default 50.
    pub viscosity: f64,
    /// Damping c of the law hunt-crossley, s/m; not negative; default 0.1.
    pub damping: f64,
}

impl Default for BouncingMassParameters {
    fn default() -> Self {
        Self {
            mass: 1.0,
            gravity: 9.8,
            restitution: RestitutionChoice::default(),
            law: ContactChoice::Xiong,
            stiffness: 1e5,
            relaxation_time: 0.01,
            contact_time: 0.005,
            viscosity: 50.0,
            damping: 0.1,
        }
    }
}

impl BouncingMassParameters {
    fn constants(&self) -> Constants {
        Constants {
            stiffness: self.stiffness,
            relaxation_time: self.relaxation_time,
            contact_time: self.contact_time,
            smoothing_speed: 1.0,
        }
    }
}

/// Start state; the default is that of Xiong 2013, Fig. 5: at rest 1 m above the floor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BouncingMassStart {
    /// Height, m; default 1.
    pub p: f64,
    /// Velocity, m/s; default 0.
    pub v: f64,
}

impl Default for BouncingMassStart {
    fn default() -> Self {
        Self { p: 1.0, v: 0.0 }
    }
}

/// The mass, q = (p), u = (ṗ), with the floor at p = 0 as contact 0.
#[derive(Clone, Debug, PartialEq)]
pub struct BouncingMass {
    parameters: BouncingMassParameters,
    group: LawGroup,
}

impl BouncingMass {
    /// Step of the paper, s.
    pub const STEP: f64 = 1e-3;
    /// Length of a run that shows everything, s.
    pub const DURATION: f64 = 3.0;

    /// The mass with these data, or what is wrong with them.
    pub fn new(parameters: BouncingMassParameters) -> Result<Self, ParameterError> {
        let restitution =
            parameters.constants().restitution(parameters.restitution, parameters.mass)?;
        let group = LawGroup::new([("normal", ForceLaw::signorini(restitution))]);
        Ok(Self { parameters, group })
    }

    /// Its data.
    pub fn parameters(&self) -> &BouncingMassParameters {
        &self.parameters
    }

    /// Restitution of the set-valued contact.
    pub fn restitution(&self) -> f64 {
        self.group.laws[0].law.restitution
    }

    /// State at the start, t = 0.
    pub fn start(&self, start: &BouncingMassStart) -> State {
        State { t: 0.0, q: vec![start.p], u: vec![start.v], memory: Vec::new() }
    }

    /// The elements of the ODE route.
    pub fn regularisation(&self) -> Result<Regularisation, ParameterError> {
        let p = &self.parameters;
        let element = p.constants().contact_element(p.law, p.viscosity, p.damping);
        regularise(self.law_groups(), &[vec![element]])
    }

    /// The system for the ODE route, with the columns f and e.
    pub fn regularised(self) -> Result<(Self, Elements), ParameterError> {
        let regularisation = self.regularisation()?;
        let states = if self.parameters.law == ContactChoice::Xiong {
            columns(&[("e", "m", "")])
        } else {
            vec![]
        };
        let names = OdeNames { forces: columns(&[("f", "N", "")]), states, ..OdeNames::default() };
        Ok((self, Elements { regularisation, names }))
    }
}

impl MechanicalSystem for BouncingMass {
    fn coordinate_count(&self) -> usize {
        1
    }

    fn blocks(&self) -> &[usize] {
        &[1]
    }

    fn mass_and_forces(&self, _at: &State, mass: &mut [f64], forces: &mut [f64]) {
        mass[0] = self.parameters.mass;
        forces[0] = -self.parameters.mass * self.parameters.gravity;
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        if at.q[0] > out.margin {
            out.push_open(0, 0, at.q[0]);
        } else {
            let (w, _) = out.push(0, 0, at.q[0], [0, 0], [1, 0], 1);
            w[0] = 1.0;
        }
    }

    fn law_groups(&self) -> &[LawGroup] {
        std::slice::from_ref(&self.group)
    }

    fn contact_name(&self, _key: u64) -> String {
        "floor".into()
    }

    fn energy(&self, at: &State) -> Energy {
        let p = &self.parameters;
        Energy {
            kinetic: 0.5 * p.mass * at.u[0] * at.u[0],
            potential: p.mass * p.gravity * at.q[0],
        }
    }
}

impl Observed for BouncingMass {
    fn columns(&self) -> Vec<Column> {
        columns(&[("p", "m", ""), ("v", "m/s", "p")])
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        out.extend([at.q[0], at.u[0]]);
    }

    fn reported_contacts(&self) -> &[u64] {
        &[0]
    }
}
