//! The Tippe-Top in quaternion coordinates.

use crate::oracles::free_body::{self, BLOCKS, COORDINATES, FreeBody, VELOCITIES, orientation};
use stickslip::kinematics::euler::EulerAngles;
use stickslip::kinematics::quaternion::{normalized, rotation};
use stickslip::kinematics::vector::{E_X, E_Y, E_Z, dot};
use stickslip::models::tippe_top::{BODY, CONTACT_NAMES, STICK};
use stickslip::models::{ContactLaws, ParameterError};
use stickslip::models::{TippeTopParameters, TippeTopStart};
use stickslip::system::{Column, ContactSet, Energy, LawGroup, MechanicalSystem, Observed, State};

/// What is reported of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TippeTopOutput {
    /// Nutation θ, rad: 0 upright, π on the stick.
    pub theta: f64,
    /// Precession φ, rad.
    pub phi: f64,
    /// Spin angle ψ, rad.
    pub psi: f64,
    /// Spin ω·e_z about the vertical, rad/s.
    pub spin: f64,
    /// Jellett's J = H·(r₁ e_z − a₁ b), N m² s, with the angular momentum H about the centre of
    /// mass. Coulomb friction at the body conserves it; a drilling torque τ_N there gives
    /// dJ/dt = τ_N (r₁ − a₁ cosθ).
    pub jellett: f64,
    /// Gap between body and floor, m.
    pub body_gap: f64,
    /// Gap between stick and floor, m.
    pub stick_gap: f64,
}

/// The Tippe-Top with q = (x, y, z, e₀, e₁, e₂, e₃), the centre of mass and a unit quaternion, and
/// u = (v, Ω), the inertial velocity of the centre of mass and the body-fixed angular velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct TippeTop {
    parameters: TippeTopParameters,
    body: FreeBody,
    laws: ContactLaws,
    group: LawGroup,
    drilling: bool,
}

impl TippeTop {
    /// The top with these data, or what is wrong with them.
    pub fn new(parameters: TippeTopParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        let laws = parameters.contact_laws();
        Ok(Self {
            parameters,
            body: FreeBody {
                mass: parameters.mass,
                transverse: parameters.inertia_transverse,
                axial: parameters.inertia_axial,
                gravity: parameters.gravity,
            },
            laws,
            group: laws.group(),
            drilling: laws.has_drilling(),
        })
    }

    /// Its data.
    pub fn parameters(&self) -> &TippeTopParameters {
        &self.parameters
    }

    /// The laws of both contacts, which are the one group of laws.
    pub fn contact_laws(&self) -> &ContactLaws {
        &self.laws
    }

    /// State at the start, t = 0.
    pub fn start(&self, start: &TippeTopStart) -> State {
        let angles = EulerAngles { theta: start.theta, phi: start.phi, psi: start.psi };
        let (theta, phi, psi) = (start.theta_dot, start.phi_dot, start.psi_dot);
        let [e0, e1, e2, e3] = angles.to_quaternion();
        let [o1, o2, o3] = angles.angular_velocity(EulerAngles { theta, phi, psi });
        State {
            t: 0.0,
            q: vec![start.x, start.y, start.z, e0, e1, e2, e3],
            u: vec![start.x_dot, start.y_dot, start.z_dot, o1, o2, o3],
            memory: Vec::new(),
        }
    }

    /// What is reported of a state; φ and ψ lie in [−π, π].
    pub fn output(&self, at: &State) -> TippeTopOutput {
        let p = orientation(at);
        let r = rotation(&p);
        let angles = EulerAngles::from_quaternion(&p);
        let [(a1, r1), (a2, r2)] = geometry(&self.parameters);
        let axis = [r[0][2], r[1][2], r[2][2]];
        let lever = [-a1 * axis[0], -a1 * axis[1], r1 - a1 * axis[2]];
        TippeTopOutput {
            theta: angles.theta,
            phi: angles.phi,
            psi: angles.psi,
            spin: dot(&r[2], &free_body::angular_velocity(at)),
            jellett: dot(&self.body.angular_momentum(at), &lever),
            body_gap: at.q[2] + a1 * r[2][2] - r1,
            stick_gap: at.q[2] + a2 * r[2][2] - r2,
        }
    }

    /// Angular momentum about the centre of mass, inertial frame, kg m²/s.
    pub fn angular_momentum(&self, at: &State) -> [f64; 3] {
        self.body.angular_momentum(at)
    }
}

/// Offset a_i and radius r_i of the body (key 0) and of the stick (key 1).
fn geometry(p: &TippeTopParameters) -> [(f64, f64); 2] {
    [(p.body_offset, p.body_radius), (p.stick_offset, p.stick_radius)]
}

impl MechanicalSystem for TippeTop {
    fn coordinate_count(&self) -> usize {
        COORDINATES
    }

    fn blocks(&self) -> &[usize] {
        &BLOCKS
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        self.body.mass_and_forces(at, mass, forces);
    }

    fn coordinate_rate(&self, at: &State, v: &[f64], q_dot: &mut [f64]) {
        free_body::coordinate_rate(at, v, q_dot);
    }

    fn coordinate_gradient(&self, at: &State, w: &[f64], out: &mut [f64]) {
        free_body::coordinate_gradient(at, w, out);
    }

    fn normalize(&self, q: &mut [f64]) {
        free_body::normalize(q);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        let r = rotation(&orientation(at));
        let dim = if self.drilling { 4 } else { 3 };
        for (key, (offset, radius)) in geometry(&self.parameters).into_iter().enumerate() {
            let gap = at.q[2] + offset * r[2][2] - radius;
            if gap > out.margin {
                out.push_open(key as u64, 0, gap);
                continue;
            }
            let (rows, rheonomic) = out.push(key as u64, 0, gap, [0, 0], [VELOCITIES, 0], dim);
            let arm = [offset * r[0][2], offset * r[1][2], offset * r[2][2] - radius];
            for (row, e) in rows.chunks_exact_mut(VELOCITIES).zip([E_Z, E_X, E_Y]) {
                free_body::point_direction(&r, &arm, &e, row);
            }
            if self.drilling {
                free_body::turn_direction(&r, 2, &mut rows[3 * VELOCITIES..]);
            }
            rheonomic[1] = -self.parameters.floor_velocity[0];
            rheonomic[2] = -self.parameters.floor_velocity[1];
        }
    }

    fn law_groups(&self) -> &[LawGroup] {
        std::slice::from_ref(&self.group)
    }

    fn contact_name(&self, key: u64) -> String {
        CONTACT_NAMES.get(key as usize).map_or_else(|| format!("contact-{key}"), |n| (*n).into())
    }

    fn energy(&self, at: &State) -> Energy {
        self.body.energy(at)
    }
}

impl Observed for TippeTop {
    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("x", "m"),
            Column::new("y", "m").drawn_over("x"),
            Column::new("z", "m"),
            Column::new("theta", "rad"),
            Column::new("phi", "rad"),
            Column::new("psi", "rad"),
            Column::new("spin", "rad/s").drawn_over("theta"),
        ]
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        let o = self.output(at);
        out.extend([at.q[0], at.q[1], at.q[2], o.theta, o.phi, o.psi, o.spin]);
    }

    fn reported_contacts(&self) -> &[u64] {
        &[BODY, STICK]
    }
}

/// The same physical state in the coordinates of [`TippeTop`].
pub fn to_quaternion(at: &State) -> State {
    let [e0, e1, e2, e3] = angles_of(at).to_quaternion();
    let [o1, o2, o3] = angles_of(at).angular_velocity(rates_of(&at.u));
    State {
        t: at.t,
        q: vec![at.q[0], at.q[1], at.q[2], e0, e1, e2, e3],
        u: vec![at.u[0], at.u[1], at.u[2], o1, o2, o3],
        memory: Vec::new(),
    }
}

/// The same physical state from the coordinates of [`TippeTop`]; see
/// [`EulerAngles::rates`] for what it means at the singular positions.
pub fn from_quaternion(at: &State) -> State {
    let p = normalized(&[at.q[3], at.q[4], at.q[5], at.q[6]]);
    let angles = EulerAngles::from_quaternion(&p);
    let rates = angles.rates(&[at.u[3], at.u[4], at.u[5]]);
    State {
        t: at.t,
        q: vec![at.q[0], at.q[1], at.q[2], angles.theta, angles.phi, angles.psi],
        u: vec![at.u[0], at.u[1], at.u[2], rates.theta, rates.phi, rates.psi],
        memory: Vec::new(),
    }
}

fn angles_of(at: &State) -> EulerAngles {
    EulerAngles { theta: at.q[3], phi: at.q[4], psi: at.q[5] }
}

fn rates_of(u: &[f64]) -> EulerAngles {
    EulerAngles { theta: u[3], phi: u[4], psi: u[5] }
}
