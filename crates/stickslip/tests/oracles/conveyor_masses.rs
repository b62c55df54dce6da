//! Two masses between a wall and a conveyor (Xiong 2013, sec. 5.2).
//!
//! M₁ moves freely along x between the wall and M₂ and hangs on a spring along y; M₂ stands on the
//! conveyor, which carries it towards M₁. The masses do not turn. Positions are counted from where
//! everything touches and the spring carries M₁.

use super::ParameterError;
use super::elements::{Constants, ContactFrictionChoice, RestitutionChoice, regularise};
use serde::{Deserialize, Serialize};
use stickslip::ode::{Elements, OdeNames, Regularisation, SpeedFactor};
use stickslip::system::{
    Column, ContactSet, Energy, ForceLaw, LawGroup, MechanicalSystem, Observed, State, columns,
};

/// Data of the masses; the defaults are those of Xiong 2013, Fig. 8 and 9.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConveyorMassesParameters {
    /// Masses M₁ and M₂, kg; positive; default 0.5 and 1.
    pub masses: [f64; 2],
    /// Stiffness K_s of the spring of M₁, N/m; not negative; default 100.
    pub spring_stiffness: f64,
    /// Gravity, m/s²; not negative; default 9.8.
    pub gravity: f64,
    /// Speed of the conveyor towards −x, m/s; finite; default 1.
    pub conveyor_speed: f64,
    /// Coefficients of friction wall–M₁, M₁–M₂, M₂–conveyor; not negative; default 0.5 each.
    pub friction_coefficients: [f64; 3],
    /// Restitution of all set-valued contacts, 0 to 1, or "effective", each that of its element;
    /// default effective.
    pub restitution: RestitutionChoice,
    /// Element for friction in the ODE route: xiong, smooth or tanh; default xiong.
    pub law: ContactFrictionChoice,
    /// Stiffness of all elements, N/m; positive; default 5e5.
    pub stiffness: f64,
    /// Relaxation time of all elements, s; positive; default 2e-3.
    pub relaxation_time: f64,
    /// Contact time of all contacts, s; positive, at most the relaxation time for contacts that
    /// dissipate; default 1.6e-3.
    pub contact_time: f64,
    /// Smoothing speed of the laws smooth and tanh, m/s; positive; default 1e-2.
    pub smoothing_speed: f64,
}

impl Default for ConveyorMassesParameters {
    fn default() -> Self {
        Self {
            masses: [0.5, 1.0],
            spring_stiffness: 100.0,
            gravity: 9.8,
            conveyor_speed: 1.0,
            friction_coefficients: [0.5; 3],
            restitution: RestitutionChoice::default(),
            law: ContactFrictionChoice::Xiong,
            stiffness: 5e5,
            relaxation_time: 2e-3,
            contact_time: 1.6e-3,
            smoothing_speed: 1e-2,
        }
    }
}

impl ConveyorMassesParameters {
    fn constants(&self) -> Constants {
        Constants {
            stiffness: self.stiffness,
            relaxation_time: self.relaxation_time,
            contact_time: self.contact_time,
            smoothing_speed: self.smoothing_speed,
        }
    }
}

/// Start state; the default is that of Xiong 2013, Fig. 8. All values must be finite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConveyorMassesStart {
    /// Positions p_1x, p_1y, p_2x, p_2y, m; default 0, 0.25, 0.05, 0.
    pub positions: [f64; 4],
    /// Their velocities, m/s; default 0.
    pub velocities: [f64; 4],
}

impl Default for ConveyorMassesStart {
    fn default() -> Self {
        Self { positions: [0.0, 0.25, 0.05, 0.0], velocities: [0.0; 4] }
    }
}

/// Names of the contacts, by key.
const CONTACT_NAMES: [&str; 3] = ["wall", "pair", "conveyor"];

/// The masses with q = (p_1x, p_1y, p_2x, p_2y) and u = q̇. Contacts: 0 wall–M₁, 1 M₁–M₂,
/// 2 M₂–conveyor, each with a group of laws of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct ConveyorMasses {
    parameters: ConveyorMassesParameters,
    groups: [LawGroup; 3],
}

impl ConveyorMasses {
    /// A step with which Runge-Kutta is stable, s; that of the paper, 1e-3, is not.
    pub const STEP: f64 = 5e-4;
    /// Length of a run until everything has come to rest, s.
    pub const DURATION: f64 = 3.0;

    /// The masses with these data, or what is wrong with them.
    pub fn new(parameters: ConveyorMassesParameters) -> Result<Self, ParameterError> {
        let [m1, m2] = parameters.masses;
        // The mass behind each normal direction.
        let behind = [m1, 1.0 / (1.0 / m1 + 1.0 / m2), m2];
        let mut groups: [LawGroup; 3] = Default::default();
        for (k, group) in groups.iter_mut().enumerate() {
            let restitution =
                parameters.constants().restitution(parameters.restitution, behind[k])?;
            *group = LawGroup::new([
                ("normal", ForceLaw::signorini(restitution)),
                ("friction", ForceLaw::coulomb_1d(parameters.friction_coefficients[k], 0.0)),
            ]);
        }
        Ok(Self { parameters, groups })
    }

    /// Their data.
    pub fn parameters(&self) -> &ConveyorMassesParameters {
        &self.parameters
    }

    /// State at the start, t = 0.
    pub fn start(&self, start: &ConveyorMassesStart) -> State {
        State {
            t: 0.0,
            q: start.positions.to_vec(),
            u: start.velocities.to_vec(),
            memory: Vec::new(),
        }
    }

    /// The elements of the ODE route.
    pub fn regularisation(&self) -> Result<Regularisation, ParameterError> {
        let p = &self.parameters;
        let constants = p.constants();
        let contact = constants.contact_element(super::ContactChoice::Xiong, 0.0, 0.0);
        let friction = constants.friction_element(p.law.into(), SpeedFactor::Constant);
        let group = vec![contact, friction];
        regularise(self.law_groups(), &[group.clone(), group.clone(), group])
    }

    /// The system for the ODE route, with normal forces n, friction forces f and states e, a.
    pub fn regularised(self) -> Result<(Self, Elements), ParameterError> {
        let regularisation = self.regularisation()?;
        let states = if self.parameters.law == ContactFrictionChoice::Xiong {
            ["e1", "a1", "e2", "a2", "e3", "a3"].map(|name| Column::new(name, "m")).to_vec()
        } else {
            ["e1", "e2", "e3"].map(|name| Column::new(name, "m")).to_vec()
        };
        let forces =
            ["n1", "f1", "n2", "f2", "n3", "f3"].map(|name| Column::new(name, "N")).to_vec();
        let names = OdeNames { forces, states, ..OdeNames::default() };
        Ok((self, Elements { regularisation, names }))
    }
}

impl MechanicalSystem for ConveyorMasses {
    fn coordinate_count(&self) -> usize {
        4
    }

    fn blocks(&self) -> &[usize] {
        &[2, 2]
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        let p = &self.parameters;
        let [m1, m2] = p.masses;
        mass.copy_from_slice(&[m1, 0.0, 0.0, m1, m2, 0.0, 0.0, m2]);
        forces.copy_from_slice(&[0.0, -p.spring_stiffness * at.q[1], 0.0, -m2 * p.gravity]);
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        let gaps = [at.q[0], at.q[2] - at.q[0], at.q[3]];
        let blocks = [[0, 0], [0, 1], [1, 1]];
        let sizes = [[2, 0], [2, 2], [2, 0]];
        for (k, gap) in gaps.into_iter().enumerate() {
            if gap > out.margin {
                out.push_open(k as u64, k, gap);
                continue;
            }
            let (rows, rheonomic) = out.push(k as u64, k, gap, blocks[k], sizes[k], 2);
            match k {
                // ṗ_1x; ṗ_1y
                0 => rows.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]),
                // ṗ_2x − ṗ_1x; ṗ_1y − ṗ_2y
                1 => rows.copy_from_slice(&[-1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, -1.0]),
                // ṗ_2y; ṗ_2x + u
                _ => {
                    rows.copy_from_slice(&[0.0, 1.0, 1.0, 0.0]);
                    rheonomic[1] = self.parameters.conveyor_speed;
                }
            }
        }
    }

    fn law_groups(&self) -> &[LawGroup] {
        &self.groups
    }

    fn contact_name(&self, key: u64) -> String {
        CONTACT_NAMES.get(key as usize).map_or_else(|| format!("contact-{key}"), |n| (*n).into())
    }

    fn energy(&self, at: &State) -> Energy {
        let p = &self.parameters;
        let [m1, m2] = p.masses;
        let square = |k: usize| at.u[k] * at.u[k];
        Energy {
            kinetic: 0.5 * m1 * (square(0) + square(1)) + 0.5 * m2 * (square(2) + square(3)),
            potential: 0.5 * p.spring_stiffness * at.q[1] * at.q[1] + m2 * p.gravity * at.q[3],
        }
    }
}

impl Observed for ConveyorMasses {
    fn columns(&self) -> Vec<Column> {
        columns(&[
            ("p1x", "m", ""),
            ("p1y", "m", ""),
            ("p2x", "m", ""),
            ("p2y", "m", ""),
            ("v1x", "m/s", "p1x"),
            ("v1y", "m/s", "p1y"),
            ("v2x", "m/s", "p2x"),
            ("v2y", "m/s", "p2y"),
        ])
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        out.extend_from_slice(&at.q);
        out.extend_from_slice(&at.u);
    }

    fn reported_contacts(&self) -> &[u64] {
        &[0, 1, 2]
    }
}
