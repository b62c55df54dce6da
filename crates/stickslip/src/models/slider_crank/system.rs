//! The slider-crank mechanism in minimal coordinates.

use super::output::{COLUMNS, SliderCrankOutput};
use super::{
    CORNER_NAMES, CORNERS, DRIVE, Drive, SliderCrankParameters, SliderCrankStart, drawing,
};
use crate::models::ParameterError;
use crate::system::{
    Column, ContactColumn, ContactPlace, ContactSet, Drawing, DrawnPose, Energy, ForceLaw,
    LawGroup, MechanicalSystem, Observed, State, columns,
};

/// The mechanism with q = (θ₁, θ₂, θ₃) and u = q̇ (Flores 2010, eqs. 87–114).
///
/// The laws of the corners are the first group. With [`Drive::ConstantSpeed`] a second group holds
/// the motor: a permanent bilateral candidate with key [`DRIVE`] and w̃ = −crank_speed, so that its
/// work is booked as the work of prescribed motion.
#[derive(Clone, Debug, PartialEq)]
pub struct SliderCrank {
    parameters: SliderCrankParameters,
    groups: [LawGroup; 2],
    /// M₁₁, the factor of M₁₂, M₂₂, and the factors of gravity in h₁ and h₂: eqs. (90)–(96).
    m11: f64,
    m12: f64,
    m22: f64,
    weight1: f64,
    weight2: f64,
}

impl SliderCrank {
    /// The mechanism with these data, or what is wrong with them.
    pub fn new(parameters: SliderCrankParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        let p = &parameters;
        let (l1, l2) = (p.crank_length, p.rod_length);
        let (m1, m2, m3) = (p.crank_mass, p.rod_mass, p.slider_mass);
        Ok(Self {
            groups: [
                LawGroup::new([
                    ("normal", ForceLaw::signorini(p.restitution)),
                    (
                        "friction",
                        ForceLaw::coulomb_1d(p.friction_coefficient, p.tangential_restitution),
                    ),
                ]),
                LawGroup::new([("drive", ForceLaw::bilateral(1))]),
            ],
            m11: p.crank_inertia + (0.25 * m1 + m2 + m3) * l1 * l1,
            m12: (0.5 * m2 + m3) * l1 * l2,
            m22: p.rod_inertia + (0.25 * m2 + m3) * l2 * l2,
            weight1: (0.5 * m1 + m2 + m3) * p.gravity * l1,
            weight2: (0.5 * m2 + m3) * p.gravity * l2,
            parameters,
        })
    }

    /// Its data.
    pub fn parameters(&self) -> &SliderCrankParameters {
        &self.parameters
    }

    /// State at the start, t = 0, or what is wrong with it.
    pub fn start(&self, start: &SliderCrankStart) -> Result<State, ParameterError> {
        start.validate(&self.parameters)?;
        Ok(State {
            t: 0.0,
            q: vec![start.theta1, start.theta2, start.theta3],
            u: vec![start.omega1, start.omega2, start.omega3],
            memory: Vec::new(),
        })
    }

    /// What is reported of a state.
    pub fn output(&self, at: &State) -> SliderCrankOutput {
        let (l1, l2) = (self.parameters.crank_length, self.parameters.rod_length);
        let ((s1, c1), (s2, c2)) = (at.q[0].sin_cos(), at.q[1].sin_cos());
        SliderCrankOutput::new(
            &self.parameters,
            [at.q[0], at.q[1], at.q[2]],
            [at.u[0], at.u[1], at.u[2]],
            [l1 * c1 + l2 * c2, l1 * s1 + l2 * s2],
        )
    }

    /// Centre and angle of the slider.
    fn slider(&self, at: &State) -> [f64; 3] {
        let [x, y] = self.output(at).slider;
        [x, y, at.q[2]]
    }
}

impl MechanicalSystem for SliderCrank {
    fn coordinate_count(&self) -> usize {
        3
    }

    fn blocks(&self) -> &[usize] {
        &[3]
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        let ((s1, c1), (s2, c2)) = (at.q[0].sin_cos(), at.q[1].sin_cos());
        // cos and sin of θ₂ − θ₁.
        let (c21, s21) = (c1 * c2 + s1 * s2, s2 * c1 - c2 * s1);
        let m12 = self.m12 * c21;
        mass.copy_from_slice(&[
            self.m11,
            m12,
            0.0,
            m12,
            self.m22,
            0.0,
            0.0,
            0.0,
            self.parameters.slider_inertia,
        ]);
        forces[0] = self.m12 * s21 * at.u[1] * at.u[1] - self.weight1 * c1;
        forces[1] = -self.m12 * s21 * at.u[0] * at.u[0] - self.weight2 * c2;
        forces[2] = 0.0;
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        let p = &self.parameters;
        let (l1, l2) = (p.crank_length, p.rod_length);
        let ((s1, c1), (s2, c2), (s3, c3)) =
            (at.q[0].sin_cos(), at.q[1].sin_cos(), at.q[2].sin_cos());
        let height = l1 * s1 + l2 * s2;
        for (key, [x, y]) in CORNERS.into_iter().zip(p.corners()) {
            // A corner turns about the centre of the slider: eqs. (98)–(113).
            let (dx, dy) = (x * c3 - y * s3, x * s3 + y * c3);
            let side = if y > 0.0 { -1.0 } else { 1.0 };
            let gap = p.half_guide() + side * (height + dy);
            if gap > out.margin {
                out.push_open(key, 0, gap);
                continue;
            }
            let (rows, _) = out.push(key, 0, gap, [0, 0], [3, 0], 2);
            rows.copy_from_slice(&[
                side * l1 * c1,
                side * l2 * c2,
                side * dx,
                -l1 * s1,
                -l2 * s2,
                -dy,
            ]);
        }
        if p.drive == Drive::ConstantSpeed {
            let (row, rheonomic) = out.push(DRIVE, 1, f64::NEG_INFINITY, [0, 0], [3, 0], 1);
            row[0] = 1.0;
            rheonomic[0] = -p.crank_speed;
        }
    }

    fn law_groups(&self) -> &[LawGroup] {
        match self.parameters.drive {
            Drive::Free => &self.groups[..1],
            Drive::ConstantSpeed => &self.groups,
        }
    }

    fn contact_name(&self, key: u64) -> String {
        contact_name(key)
    }

    fn energy(&self, at: &State) -> Energy {
        let ((s1, c1), (s2, c2)) = (at.q[0].sin_cos(), at.q[1].sin_cos());
        let (u1, u2, u3) = (at.u[0], at.u[1], at.u[2]);
        let coupling = self.m12 * (c1 * c2 + s1 * s2);
        Energy {
            kinetic: 0.5 * (self.m11 * u1 * u1 + self.m22 * u2 * u2)
                + coupling * u1 * u2
                + 0.5 * self.parameters.slider_inertia * u3 * u3,
            potential: self.weight1 * s1 + self.weight2 * s2,
        }
    }
}

/// Name of a candidate.
fn contact_name(key: u64) -> String {
    match CORNER_NAMES.get(key as usize) {
        Some(name) => (*name).into(),
        None if key == DRIVE => "drive".into(),
        None => format!("contact-{key}"),
    }
}

impl Observed for SliderCrank {
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

    fn contact_columns(&self, _contact: usize) -> &[ContactColumn] {
        &[ContactColumn::Force]
    }

    fn drawing(&self) -> Drawing {
        drawing::drawing(&self.parameters)
    }

    fn poses(&self, at: &State, out: &mut Vec<DrawnPose>) {
        let (l1, l2) = (self.parameters.crank_length, self.parameters.rod_length);
        let ((s1, c1), (s2, c2)) = (at.q[0].sin_cos(), at.q[1].sin_cos());
        let crank = [0.5 * l1 * c1, 0.5 * l1 * s1, at.q[0]];
        let rod = [l1 * c1 + 0.5 * l2 * c2, l1 * s1 + 0.5 * l2 * s2, at.q[1]];
        drawing::poses(crank, rod, self.slider(at), out);
    }

    fn contact_places(&self, at: &State, out: &mut Vec<ContactPlace>) {
        drawing::contact_places(&self.parameters, self.slider(at), out);
    }
}
