//! The rolling disk as a mechanical system.

use super::frame::{FLAT_COSINE, Frame};
use super::{CONTACT_NAMES, DiskMotion, DiskOutput, DiskParameters, DiskStart, FLAT, LEANING, RIM};
use crate::oracles::free_body::{self, BLOCKS, COORDINATES, FreeBody, VELOCITIES};
use crate::oracles::{Components, ContactLaws, ParameterError};
use std::f64::consts::FRAC_PI_2;
use stickslip::kinematics::euler::EulerAngles;
use stickslip::kinematics::quaternion::{from_axis_angle, product};
use stickslip::kinematics::vector::{E_X, E_Y, E_Z};
use stickslip::system::{
    Column, ContactSet, Energy, LawGroup, MechanicalSystem, Observed, State, columns,
};

/// Rolling without slip, in the angles of Le Saux 2005, sec. 5.1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RollingMotion {
    /// Direction α of the horizontal diameter, rad.
    pub alpha: f64,
    /// Inclination β, rad.
    pub beta: f64,
    /// Turn γ of the disk in its plane, rad.
    pub gamma: f64,
    /// Rate α̇, rad/s.
    pub alpha_dot: f64,
    /// Rate β̇, rad/s.
    pub beta_dot: f64,
    /// Rate γ̇, rad/s.
    pub gamma_dot: f64,
}

/// The rolling disk with q = (x, y, z, e₀, e₁, e₂, e₃) and u = (v, Ω), Ω in the body frame.
///
/// The memory holds the unit vector from the centre to C₁ in the body frame, two components.
#[derive(Clone, Debug, PartialEq)]
pub struct RollingDisk {
    parameters: DiskParameters,
    body: FreeBody,
    laws: [ContactLaws; 2],
    groups: [LawGroup; 2],
    components: [Components; 2],
}

impl RollingDisk {
    /// The disk with these data, or what is wrong with them.
    pub fn new(parameters: DiskParameters) -> Result<Self, ParameterError> {
        let laws = [parameters.contact_laws(LEANING), parameters.contact_laws(FLAT)];
        Ok(Self {
            parameters,
            body: FreeBody {
                mass: parameters.mass,
                transverse: parameters.inertia_transverse,
                axial: parameters.inertia_axial,
                gravity: parameters.gravity,
            },
            groups: [laws[0].group(), laws[1].group()],
            laws,
            components: [laws[0].components(), laws[1].components()],
        })
    }

    /// Its data.
    pub fn parameters(&self) -> &DiskParameters {
        &self.parameters
    }

    /// The laws of the two groups, [`LEANING`] and [`FLAT`].
    pub fn contact_laws(&self) -> &[ContactLaws; 2] {
        &self.laws
    }

    /// State at the start, t = 0.
    pub fn start(&self, start: &DiskStart) -> State {
        let p = &self.parameters;
        let mut state = match start.motion {
            DiskMotion::Rolling => {
                // Le Saux 2005, eq. 4.1 and 4.2; the heading turns all of it.
                let orientation = product(
                    &from_axis_angle(&E_Z, start.heading),
                    &from_axis_angle(&E_X, FRAC_PI_2),
                );
                let (s, c) = start.tilt.sin_cos();
                let omega = [start.angular_speed * s, 0.0, start.angular_speed * c];
                self.touching(orientation, omega)
            }
            DiskMotion::Stationary => {
                // A α̇² cosβ = m g r: (5.14) for any moment of inertia A.
                let (s, c) = start.beta.sin_cos();
                let alpha_dot = (p.mass * p.gravity * p.radius / (p.inertia_transverse * c)).sqrt();
                self.rolling(&RollingMotion {
                    alpha: start.heading,
                    beta: start.beta,
                    alpha_dot,
                    gamma_dot: -alpha_dot * s,
                    ..RollingMotion::default()
                })
            }
        };
        state.q[0] = start.x;
        state.q[1] = start.y;
        state
    }

    /// State of a disk that rolls without slip on the table, its centre above the origin.
    pub fn rolling(&self, motion: &RollingMotion) -> State {
        let angles =
            EulerAngles { theta: motion.beta - FRAC_PI_2, phi: motion.alpha, psi: motion.gamma };
        let rates =
            EulerAngles { theta: motion.beta_dot, phi: motion.alpha_dot, psi: motion.gamma_dot };
        self.touching(angles.to_quaternion(), angles.angular_velocity(rates))
    }

    /// The disk in this orientation on the table, its lowest point without slip.
    fn touching(&self, orientation: [f64; 4], omega_body: [f64; 3]) -> State {
        let [e0, e1, e2, e3] = orientation;
        let [o1, o2, o3] = omega_body;
        let mut state = State {
            t: 0.0,
            q: vec![0.0, 0.0, 0.0, e0, e1, e2, e3],
            u: vec![0.0, 0.0, 0.0, o1, o2, o3],
            memory: vec![0.0, -1.0],
        };
        self.remember(&mut state);
        let frame = Frame::new(&state);
        state.q[2] = self.parameters.radius * frame.cos_beta;
        let arm = frame.arm(0).map(|a| self.parameters.radius * a);
        let floor = self.parameters.floor_velocity;
        // v_S = v_floor − ω × r_SC: each direction of the point, applied to the rotation alone.
        let mut row = [0.0; VELOCITIES];
        for (k, (e, v)) in [(E_X, floor[0]), (E_Y, floor[1]), (E_Z, 0.0)].iter().enumerate() {
            free_body::point_direction(&frame.r, &arm, e, &mut row);
            state.u[k] = v - (row[3] * o1 + row[4] * o2 + row[5] * o3);
        }
        state
    }

    /// What is reported of a state.
    pub fn output(&self, at: &State) -> DiskOutput {
        let p = &self.parameters;
        Frame::new(at).output(at, p.radius, p.friction_coefficient, p.floor_velocity)
    }

    /// cosβ = √(1 − R₃₃²): how far the disk is from the flat position, where the gradient of the
    /// gap has no limit and a projection along it stops to converge (below about 1e-5).
    pub fn cos_beta(&self, at: &State) -> f64 {
        Frame::new(at).cos_beta
    }

    /// Lifts a disk that has sunk into the table, z = r √(1 − R₃₃²), and makes its quaternion a
    /// unit quaternion: the projection that also works near the flat position.
    pub fn restore_gap(&self, state: &mut State) {
        free_body::normalize(&mut state.q);
        state.q[2] = state.q[2].max(self.parameters.radius * Frame::new(state).cos_beta);
    }

    /// Angular momentum about the centre of mass, inertial frame, kg m²/s.
    pub fn angular_momentum(&self, at: &State) -> [f64; 3] {
        self.body.angular_momentum(at)
    }
}

impl MechanicalSystem for RollingDisk {
    fn coordinate_count(&self) -> usize {
        COORDINATES
    }

    fn blocks(&self) -> &[usize] {
        &BLOCKS
    }

    fn memory_count(&self) -> usize {
        2
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

    /// A disk that lies on the table as flat as can be told is put there exactly. Otherwise
    /// rounding and the tolerance of the solver decide which of its three points touch, and a disk
    /// at rest tips over one of them every few steps.
    fn normalize(&self, q: &mut [f64]) {
        free_body::normalize(q);
        let (upwards, downwards) = (q[3].hypot(q[6]), q[4].hypot(q[5]));
        // cosβ = 2 √((e₀² + e₃²)(e₁² + e₂²)).
        let cos_beta = 2.0 * upwards * downwards;
        if cos_beta < FLAT_COSINE && q[2].abs() < FLAT_COSINE * self.parameters.radius {
            q[2] = 0.0;
            let gone = if upwards < downwards { [3, 6] } else { [4, 5] };
            gone.into_iter().for_each(|k| q[k] = 0.0);
            free_body::normalize(q);
        }
    }

    /// Keeps the lowest point while it is defined: the continuity rule (2.24).
    fn remember(&self, state: &mut State) {
        let frame = Frame::new(state);
        state.memory.resize(2, 0.0);
        state.memory.copy_from_slice(&frame.lowest);
    }

    /// Le Saux 2005, eq. 2.25, the drilling component without the contact radius.
    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        let p = &self.parameters;
        let frame = Frame::new(at);
        let z = at.q[2];
        let gaps = [z - p.radius * frame.cos_beta, z + 0.5 * p.radius * frame.cos_beta];
        let flat = frame.frozen || gaps[1] <= 0.0;
        let group = if flat { FLAT } else { LEANING };
        let components = &self.components[group];
        for point in 0..3 {
            let gap = gaps[point.min(1)];
            if gap > out.margin {
                out.push_open(point as u64, group, gap);
                continue;
            }
            let (rows, rheonomic) =
                out.push(point as u64, group, gap, [0, 0], [VELOCITIES, 0], components.dim);
            let arm = frame.arm(point).map(|a| p.radius * a);
            for (row, e) in rows.chunks_exact_mut(VELOCITIES).zip([E_Z, E_X, E_Y]) {
                free_body::point_direction(&frame.r, &arm, &e, row);
            }
            if let Some(k) = components.drilling {
                free_body::turn_direction(&frame.r, 2, &mut rows[k * VELOCITIES..]);
            }
            for k in components.contour.clone() {
                let direction = frame.contour_direction().map(|d| p.radius * d);
                rows[k * VELOCITIES + 3..(k + 1) * VELOCITIES].copy_from_slice(&direction);
            }
            for (part, k) in components.rolling.clone().enumerate() {
                free_body::turn_direction(&frame.r, part % 2, &mut rows[k * VELOCITIES..]);
            }
            rheonomic[1] = -p.floor_velocity[0];
            rheonomic[2] = -p.floor_velocity[1];
        }
    }

    fn law_groups(&self) -> &[LawGroup] {
        &self.groups
    }

    fn contact_name(&self, key: u64) -> String {
        CONTACT_NAMES.get(key as usize).map_or_else(|| format!("contact-{key}"), |n| (*n).into())
    }

    fn restore_gaps(&self, state: &mut State) -> bool {
        self.restore_gap(state);
        true
    }

    fn energy(&self, at: &State) -> Energy {
        self.body.energy(at)
    }
}

impl Observed for RollingDisk {
    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("x", "m"),
            Column::new("y", "m").drawn_over("x"),
            Column::new("z", "m"),
            Column::new("beta", "rad"),
            Column::new("alpha_dot", "rad/s"),
            Column::new("psi_dot", "rad/s"),
        ]
    }

    fn extra_columns(&self) -> Vec<Column> {
        columns(&[("slip", "m/s", ""), ("chi", "", "")])
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        let o = self.output(at);
        out.extend([at.q[0], at.q[1], at.q[2], o.beta, o.alpha_dot, o.psi_dot, o.slip, o.chi]);
    }

    fn reported_contacts(&self) -> &[u64] {
        &[RIM]
    }
}
