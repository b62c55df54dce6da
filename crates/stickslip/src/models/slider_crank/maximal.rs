//! The slider-crank mechanism of three planar bodies, in maximal coordinates.

use super::output::{COLUMNS, SliderCrankOutput};
use super::system::contact_name;
use super::{CORNERS, Drive, SliderCrankParameters, SliderCrankStart, drawing};
use crate::models::ParameterError;
use crate::multibody::{
    Clearance, ClearanceKind, ClearanceLaws, Joint, JointKind, Mount, PlanarBody, PlanarSystem,
    Pose,
};
use crate::system::{
    Column, ContactColumn, ContactPlace, ContactSet, Drawing, DrawnPose, Energy, LawGroup,
    MechanicalSystem, Observed, State, columns,
};

/// Indices of the bodies.
const CRANK: usize = 0;
const ROD: usize = 1;
const SLIDER: usize = 2;

/// The mechanism with q = (x, y, φ) of crank, rod and slider, their revolute joints as bilateral
/// constraints and the same four corners; otherwise as [`SliderCrank`](super::SliderCrank).
///
/// Its joints drift apart unless the integrator projects constraint violation.
#[derive(Clone, Debug, PartialEq)]
pub struct SliderCrankMultibody {
    parameters: SliderCrankParameters,
    bodies: PlanarSystem,
}

impl SliderCrankMultibody {
    /// The mechanism with these data, or what is wrong with them.
    pub fn new(parameters: SliderCrankParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        let p = &parameters;
        let (half_crank, half_rod) = (0.5 * p.crank_length, 0.5 * p.rod_length);
        let revolute =
            |name: &str, first, second| Joint::new(name, JointKind::Revolute, first, second);
        let ground = Mount::ground([0.0, 0.0]);
        let crank_foot = Mount::on(CRANK, [-half_crank, 0.0]);
        let mut joints = Vec::new();
        // First, so that its key is the one of the drive in minimal coordinates.
        if p.drive == Drive::ConstantSpeed {
            joints.push(Joint::new("drive", JointKind::Motor(p.crank_speed), ground, crank_foot));
        }
        joints.extend([
            revolute("ground-crank", ground, crank_foot),
            revolute(
                "crank-rod",
                Mount::on(CRANK, [half_crank, 0.0]),
                Mount::on(ROD, [-half_rod, 0.0]),
            ),
            revolute("rod-slider", Mount::on(ROD, [half_rod, 0.0]), Mount::on(SLIDER, [0.0, 0.0])),
        ]);
        let guide = Clearance {
            name: "guide".into(),
            kind: ClearanceKind::Translational {
                half_length: p.slider_half_length,
                half_width: p.slider_half_width,
                clearance: p.clearance,
            },
            laws: ClearanceLaws {
                restitution: p.restitution,
                tangential_restitution: p.tangential_restitution,
                friction_coefficient: p.friction_coefficient,
            },
            first: ground,
            second: Mount::on(SLIDER, [0.0, 0.0]),
        };
        let body = |mass, inertia| PlanarBody { mass, inertia };
        let bodies = vec![
            body(p.crank_mass, p.crank_inertia),
            body(p.rod_mass, p.rod_inertia),
            body(p.slider_mass, p.slider_inertia),
        ];
        let bodies = PlanarSystem::new(bodies, [0.0, -p.gravity], joints, vec![guide]);
        // The elements allow all that validated parameters can ask for.
        let bodies = bodies.map_err(|error| ParameterError {
            key: "slider-crank-multibody",
            value: f64::NAN,
            range: error.to_string(),
        })?;
        Ok(Self { parameters, bodies })
    }

    /// Its data.
    pub fn parameters(&self) -> &SliderCrankParameters {
        &self.parameters
    }

    /// The bodies with their joints.
    pub fn bodies(&self) -> &PlanarSystem {
        &self.bodies
    }

    /// State at the start, t = 0, or what is wrong with it.
    pub fn start(&self, start: &SliderCrankStart) -> Result<State, ParameterError> {
        let p = &self.parameters;
        start.validate(p)?;
        let (l1, l2) = (p.crank_length, p.rod_length);
        let ((s1, c1), (s2, c2)) = (start.theta1.sin_cos(), start.theta2.sin_cos());
        let pose = |crank: f64, rod: f64, angle: f64| Pose {
            x: crank * l1 * c1 + rod * l2 * c2,
            y: crank * l1 * s1 + rod * l2 * s2,
            angle,
        };
        let speed = |crank: f64, rod: f64, angle: f64| Pose {
            x: -crank * l1 * s1 * start.omega1 - rod * l2 * s2 * start.omega2,
            y: crank * l1 * c1 * start.omega1 + rod * l2 * c2 * start.omega2,
            angle,
        };
        let positions = [
            pose(0.5, 0.0, start.theta1),
            pose(1.0, 0.5, start.theta2),
            pose(1.0, 1.0, start.theta3),
        ];
        let velocities = [
            speed(0.5, 0.0, start.omega1),
            speed(1.0, 0.5, start.omega2),
            speed(1.0, 1.0, start.omega3),
        ];
        Ok(self.bodies.state(&positions, &velocities))
    }

    /// What is reported of a state.
    pub fn output(&self, at: &State) -> SliderCrankOutput {
        SliderCrankOutput::new(
            &self.parameters,
            [at.q[2], at.q[5], at.q[8]],
            [at.u[2], at.u[5], at.u[8]],
            [at.q[6], at.q[7]],
        )
    }
}

impl MechanicalSystem for SliderCrankMultibody {
    fn coordinate_count(&self) -> usize {
        self.bodies.coordinate_count()
    }

    fn blocks(&self) -> &[usize] {
        self.bodies.blocks()
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        self.bodies.mass_and_forces(at, mass, forces);
    }

    fn coordinate_rate(&self, at: &State, v: &[f64], q_dot: &mut [f64]) {
        self.bodies.coordinate_rate(at, v, q_dot);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        self.bodies.contacts(at, out);
    }

    fn law_groups(&self) -> &[LawGroup] {
        self.bodies.law_groups()
    }

    fn contact_name(&self, key: u64) -> String {
        if CORNERS.contains(&key) { contact_name(key) } else { self.bodies.contact_name(key) }
    }

    fn energy(&self, at: &State) -> Energy {
        self.bodies.energy(at)
    }
}

impl Observed for SliderCrankMultibody {
    fn columns(&self) -> Vec<Column> {
        columns(&COLUMNS)
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        self.output(at).append(out);
    }

    fn reported_contacts(&self) -> &[u64] {
        &CORNERS
    }

    fn contact_label(&self) -> &'static str {
        "corner"
    }

    fn has_slider_corners(&self) -> bool {
        true
    }

    fn contact_columns(&self) -> &[ContactColumn] {
        &[ContactColumn::Force]
    }

    fn drawing(&self) -> Drawing {
        drawing::drawing(&self.parameters)
    }

    fn poses(&self, at: &State, out: &mut Vec<DrawnPose>) {
        let q = |body: usize| [at.q[3 * body], at.q[3 * body + 1], at.q[3 * body + 2]];
        drawing::poses(q(CRANK), q(ROD), q(SLIDER), out);
    }

    fn contact_places(&self, at: &State, out: &mut Vec<ContactPlace>) {
        drawing::contact_places(&self.parameters, [at.q[6], at.q[7], at.q[8]], out);
    }
}
