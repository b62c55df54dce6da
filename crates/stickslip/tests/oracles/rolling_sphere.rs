//! A homogeneous sphere that falls on a floor, bounces, slides and rolls (Xiong 2013, sec. 5.1).

use super::ParameterError;
use super::elements::{Constants, ContactFrictionChoice, RestitutionChoice, regularise};
use super::free_body::{self, BLOCKS, COORDINATES, FreeBody, VELOCITIES, orientation};
use serde::{Deserialize, Serialize};
use stickslip::kinematics::quaternion::rotation;
use stickslip::kinematics::vector::{E_X, E_Y, E_Z, apply, apply_transposed};
use stickslip::ode::{Elements, OdeNames, Regularisation, SpeedFactor};
use stickslip::system::{
    Column, ContactSet, Energy, ForceLaw, LawGroup, MechanicalSystem, Observed, State, columns,
};

/// Data of the sphere; the defaults are those of Xiong 2013, Fig. 6 and 7.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RollingSphereParameters {
    /// Mass M, kg; positive; default 1.
    pub mass: f64,
    /// Radius R, m; positive; default 0.5.
    pub radius: f64,
    /// Gravity, m/s²; not negative; default 9.8.
    pub gravity: f64,
    /// Coefficient of friction µ; not negative; default 0.1.
    pub friction_coefficient: f64,
    /// Restitution of the set-valued contact, 0 to 1, or "effective", that of the element; default
    /// effective.
    pub restitution: RestitutionChoice,
    /// Element for friction in the ODE route: xiong, smooth or tanh; default xiong.
    pub law: ContactFrictionChoice,
    /// Stiffness K₁ = K₂, N/m; positive; default 1e5.
    pub stiffness: f64,
    /// Relaxation time β₁ = β₂, s; positive; default 4e-3.
    pub relaxation_time: f64,
    /// Contact time α, s; positive, at most β for a contact that dissipates; default 2.8e-3.
    pub contact_time: f64,
    /// Smoothing speed of the laws smooth and tanh, m/s; positive; default 1e-2.
    pub smoothing_speed: f64,
}

impl Default for RollingSphereParameters {
    fn default() -> Self {
        Self {
            mass: 1.0,
            radius: 0.5,
            gravity: 9.8,
            friction_coefficient: 0.1,
            restitution: RestitutionChoice::default(),
            law: ContactFrictionChoice::Xiong,
            stiffness: 1e5,
            relaxation_time: 4e-3,
            contact_time: 2.8e-3,
            smoothing_speed: 1e-2,
        }
    }
}

impl RollingSphereParameters {
    fn constants(&self) -> Constants {
        Constants {
            stiffness: self.stiffness,
            relaxation_time: self.relaxation_time,
            contact_time: self.contact_time,
            smoothing_speed: self.smoothing_speed,
        }
    }
}

/// Start state; the default is that of Xiong 2013, Fig. 6. All values must be finite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RollingSphereStart {
    /// Position of the centre, m; default 0, 0, 1.
    pub position: [f64; 3],
    /// Velocity of the centre, m/s; default 5.5, 0, 0.
    pub velocity: [f64; 3],
    /// Angular velocity, inertial frame, rad/s; default 0, 0, 0.
    pub angular_velocity: [f64; 3],
}

impl Default for RollingSphereStart {
    fn default() -> Self {
        Self { position: [0.0, 0.0, 1.0], velocity: [5.5, 0.0, 0.0], angular_velocity: [0.0; 3] }
    }
}

/// The sphere with q = (x, y, z, e₀, e₁, e₂, e₃) and u = (v, Ω), Ω the body-fixed angular velocity.
/// The floor is z = 0 and contact 0; components: normal, along x, along y.
#[derive(Clone, Debug, PartialEq)]
pub struct RollingSphere {
    parameters: RollingSphereParameters,
    body: FreeBody,
    group: LawGroup,
}

impl RollingSphere {
    /// Step of the paper, s.
    pub const STEP: f64 = 1e-3;
    /// Length of the run of the paper, s.
    pub const DURATION: f64 = 3.0;

    /// The sphere with these data, or what is wrong with them.
    pub fn new(parameters: RollingSphereParameters) -> Result<Self, ParameterError> {
        let p = &parameters;
        let inertia = 0.4 * p.mass * p.radius * p.radius;
        let restitution = p.constants().restitution(p.restitution, p.mass)?;
        let group = LawGroup::new([
            ("normal", ForceLaw::signorini(restitution)),
            ("friction", ForceLaw::coulomb(p.friction_coefficient, 0.0)),
        ]);
        let body =
            FreeBody { mass: p.mass, transverse: inertia, axial: inertia, gravity: p.gravity };
        Ok(Self { parameters, body, group })
    }

    /// Its data.
    pub fn parameters(&self) -> &RollingSphereParameters {
        &self.parameters
    }

    /// Restitution of the set-valued contact.
    pub fn restitution(&self) -> f64 {
        self.group.laws[0].law.restitution
    }

    /// State at the start, t = 0.
    pub fn start(&self, start: &RollingSphereStart) -> State {
        let mut q = start.position.to_vec();
        q.extend([1.0, 0.0, 0.0, 0.0]);
        let mut u = start.velocity.to_vec();
        let r = rotation(&[1.0, 0.0, 0.0, 0.0]);
        u.extend(apply_transposed(&r, &start.angular_velocity));
        State { t: 0.0, q, u, memory: Vec::new() }
    }

    /// Angular velocity in the inertial frame, rad/s.
    pub fn angular_velocity(&self, at: &State) -> [f64; 3] {
        apply(&rotation(&orientation(at)), &free_body::angular_velocity(at))
    }

    /// Velocity of the lowest point of the sphere along x and y, m/s (eq. 34).
    pub fn slip(&self, at: &State) -> [f64; 2] {
        let omega = self.angular_velocity(at);
        let radius = self.parameters.radius;
        [at.u[0] - omega[1] * radius, at.u[1] + omega[0] * radius]
    }

    /// The elements of the ODE route.
    pub fn regularisation(&self) -> Result<Regularisation, ParameterError> {
        let p = &self.parameters;
        let constants = p.constants();
        let contact = constants.contact_element(super::ContactChoice::Xiong, 0.0, 0.0);
        let friction = constants.friction_element(p.law.into(), SpeedFactor::Constant);
        regularise(self.law_groups(), &[vec![contact, friction]])
    }

    /// The system for the ODE route, with the forces and e, a_x, a_y.
    pub fn regularised(self) -> Result<(Self, Elements), ParameterError> {
        let regularisation = self.regularisation()?;
        let states = if self.parameters.law == ContactFrictionChoice::Xiong {
            columns(&[("e", "m", ""), ("ax", "m", ""), ("ay", "m", "")])
        } else {
            columns(&[("e", "m", "")])
        };
        let names = OdeNames {
            forces: columns(&[("fz", "N", ""), ("fx", "N", ""), ("fy", "N", "")]),
            states,
            ..OdeNames::default()
        };
        Ok((self, Elements { regularisation, names }))
    }
}

impl MechanicalSystem for RollingSphere {
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
        let radius = self.parameters.radius;
        let gap = at.q[2] - radius;
        if gap > out.margin {
            out.push_open(0, 0, gap);
            return;
        }
        let (rows, _) = out.push(0, 0, gap, [0, 0], [VELOCITIES, 0], 3);
        let r = rotation(&orientation(at));
        for (row, e) in rows.chunks_exact_mut(VELOCITIES).zip([E_Z, E_X, E_Y]) {
            free_body::point_direction(&r, &[0.0, 0.0, -radius], &e, row);
        }
    }

    fn law_groups(&self) -> &[LawGroup] {
        std::slice::from_ref(&self.group)
    }

    fn contact_name(&self, _key: u64) -> String {
        "floor".into()
    }

    fn energy(&self, at: &State) -> Energy {
        self.body.energy(at)
    }
}

impl Observed for RollingSphere {
    fn columns(&self) -> Vec<Column> {
        columns(&[
            ("x", "m", ""),
            ("z", "m", ""),
            ("vx", "m/s", "x"),
            ("vz", "m/s", "z"),
            ("omega_y", "rad/s", ""),
            ("slip", "m/s", ""),
        ])
    }

    fn extra_columns(&self) -> Vec<Column> {
        vec![
            Column::new("y", "m").drawn_over("x"),
            Column::new("vy", "m/s").rate_of("y"),
            Column::new("omega_x", "rad/s"),
            Column::new("omega_z", "rad/s"),
        ]
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        let omega = self.angular_velocity(at);
        let [sx, sy] = self.slip(at);
        out.extend([at.q[0], at.q[2], at.u[0], at.u[2], omega[1], sx.hypot(sy)]);
        out.extend([at.q[1], at.u[1], omega[0], omega[2]]);
    }

    fn reported_contacts(&self) -> &[u64] {
        &[0]
    }
}
