//! The Tippe-Top in the Euler angles of the paper.

use super::{BODY, CONTACT_NAMES, STICK, TippeTopParameters, TippeTopStart, drawing};
use crate::kinematics::euler::EulerAngles;
use crate::kinematics::vector::{E_X, E_Y, E_Z};
use crate::models::{ContactLaws, ParameterError};
use crate::system::{
    Column, ContactPlace, ContactSet, Drawing, DrawnPose, Energy, LawGroup, MechanicalSystem,
    Observed, State,
};

/// The Tippe-Top with q = (x, y, z, θ, φ, ψ) and u = q̇ (Leine 2003, eq. 5.4–5.21).
///
/// The mass matrix is singular at θ = 0 and θ = π. The motion of the paper dips to θ ≈ 0.025,
/// where Runge-Kutta stepping with steps of 1e-4 s or more diverges; the top as a world, with
/// quaternions, does not.
#[derive(Clone, Debug, PartialEq)]
pub struct TippeTopEuler {
    parameters: TippeTopParameters,
    laws: ContactLaws,
    group: LawGroup,
}

/// Number of coordinates and of velocities.
const VELOCITIES: usize = 6;

impl TippeTopEuler {
    /// The top with these data, or what is wrong with them.
    pub fn new(parameters: TippeTopParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        let laws = parameters.contact_laws();
        Ok(Self { parameters, laws, group: laws.group() })
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
        State {
            t: 0.0,
            q: vec![start.x, start.y, start.z, start.theta, start.phi, start.psi],
            u: vec![
                start.x_dot,
                start.y_dot,
                start.z_dot,
                start.theta_dot,
                start.phi_dot,
                start.psi_dot,
            ],
            memory: Vec::new(),
        }
    }
}

fn angles(at: &State) -> EulerAngles {
    EulerAngles { theta: at.q[3], phi: at.q[4], psi: at.q[5] }
}

fn rates(u: &[f64]) -> EulerAngles {
    EulerAngles { theta: u[3], phi: u[4], psi: u[5] }
}

impl MechanicalSystem for TippeTopEuler {
    fn coordinate_count(&self) -> usize {
        VELOCITIES
    }

    fn blocks(&self) -> &[usize] {
        &[VELOCITIES]
    }

    /// Leine 2003, eq. 5.9.
    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        let p = self.parameters();
        let (i1, i3) = (p.inertia_transverse, p.inertia_axial);
        let (s, c) = at.q[3].sin_cos();
        mass.fill(0.0);
        for i in 0..3 {
            mass[i * VELOCITIES + i] = p.mass;
        }
        mass[3 * VELOCITIES + 3] = i1;
        mass[4 * VELOCITIES + 4] = i1 * s * s + i3 * c * c;
        mass[4 * VELOCITIES + 5] = i3 * c;
        mass[5 * VELOCITIES + 4] = i3 * c;
        mass[5 * VELOCITIES + 5] = i3;
        let EulerAngles { theta: theta_dot, phi: phi_dot, psi: psi_dot } = rates(&at.u);
        forces[0] = 0.0;
        forces[1] = 0.0;
        forces[2] = -p.mass * p.gravity;
        forces[3] = ((i1 - i3) * phi_dot * c - i3 * psi_dot) * phi_dot * s;
        forces[4] = (2.0 * (i3 - i1) * phi_dot * c + i3 * psi_dot) * theta_dot * s;
        forces[5] = i3 * phi_dot * theta_dot * s;
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    /// Leine 2003, eq. 5.13–5.21, the drilling component without the contact radius.
    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        let (s, c) = at.q[3].sin_cos();
        let (s_phi, c_phi) = at.q[4].sin_cos();
        let floor = self.parameters().floor_velocity;
        let dim = if self.laws.has_drilling() { 4 } else { 3 };
        for (key, (a, r)) in self.parameters().contact_geometry().into_iter().enumerate() {
            let gap = at.q[2] + a * c - r;
            if gap > out.margin {
                out.push_open(key as u64, 0, gap);
                continue;
            }
            let (rows, rheonomic) = out.push(key as u64, 0, gap, [0, 0], [VELOCITIES, 0], dim);
            let lever = a * c - r;
            let directions = [
                [0.0, 0.0, 1.0, -a * s, 0.0, 0.0],
                [1.0, 0.0, 0.0, lever * s_phi, a * s * c_phi, r * s * c_phi],
                [0.0, 1.0, 0.0, -lever * c_phi, a * s * s_phi, r * s * s_phi],
                [0.0, 0.0, 0.0, 0.0, 1.0, c],
            ];
            for (row, direction) in rows.chunks_exact_mut(VELOCITIES).zip(directions) {
                row.copy_from_slice(&direction);
            }
            rheonomic[1] = -floor[0];
            rheonomic[2] = -floor[1];
        }
    }

    /// Leine 2003, eq. 5.5 and 5.6.
    fn law_groups(&self) -> &[LawGroup] {
        std::slice::from_ref(&self.group)
    }

    fn contact_name(&self, key: u64) -> String {
        CONTACT_NAMES.get(key as usize).map_or_else(|| format!("contact-{key}"), |n| (*n).into())
    }

    fn energy(&self, at: &State) -> Energy {
        let p = self.parameters();
        let (s, c) = at.q[3].sin_cos();
        let EulerAngles { theta: theta_dot, phi: phi_dot, psi: psi_dot } = rates(&at.u);
        let v2 = at.u[0] * at.u[0] + at.u[1] * at.u[1] + at.u[2] * at.u[2];
        let across = phi_dot * s;
        let along = psi_dot + phi_dot * c;
        let kinetic = 0.5 * p.mass * v2
            + 0.5 * p.inertia_transverse * (across * across + theta_dot * theta_dot)
            + 0.5 * p.inertia_axial * along * along;
        Energy { kinetic, potential: p.mass * p.gravity * at.q[2] }
    }
}

impl Observed for TippeTopEuler {
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
        // ω·e_z = φ' + ψ' cosθ.
        let spin = at.u[4] + at.u[5] * at.q[3].cos();
        out.extend_from_slice(&at.q);
        out.push(spin);
    }

    fn reported_contacts(&self) -> &[u64] {
        &[BODY, STICK]
    }

    fn drawing(&self) -> Drawing {
        drawing::drawing(&self.parameters)
    }

    fn poses(&self, at: &State, out: &mut Vec<DrawnPose>) {
        let position = [at.q[0], at.q[1], at.q[2]];
        out.push(DrawnPose { position, rotation: angles(at).to_quaternion() });
    }

    fn contact_places(&self, at: &State, out: &mut Vec<ContactPlace>) {
        let (s, c) = at.q[3].sin_cos();
        let (s_phi, c_phi) = at.q[4].sin_cos();
        // The lowest points of body and tip, r_SC,i = a_i b − r_i e_z (eq. 5.11 and 5.12).
        for (key, (a, r)) in [BODY, STICK].into_iter().zip(self.parameters.contact_geometry()) {
            let arm = [a * s * s_phi, -a * s * c_phi, a * c - r];
            let point = [at.q[0] + arm[0], at.q[1] + arm[1], at.q[2] + arm[2]];
            out.push(ContactPlace { key, point, normal: E_Z, tangents: [E_X, E_Y] });
        }
    }
}
