//! Joints with clearance: unilateral contacts with friction.

use super::planar_body::{Mount, Sides, add, ahead, dot, subtract, turn};
use crate::system::{ContactSet, ForceLaw, LawGroup, State};

/// Which clearance joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClearanceKind {
    /// A rectangular slider (second mount) in a straight guide along the x axis of the first
    /// mount: four corners against two walls (Flores 2010, sec. 6.3). The corners have the order
    /// (−a, b), (a, b), (−a, −b), (a, −b).
    Translational {
        /// Half the length of the slider, a, m; positive.
        half_length: f64,
        /// Half the width of the slider, b, m; positive.
        half_width: f64,
        /// Clearance on either side, c, m: the guide is 2b + 2c wide. Positive.
        clearance: f64,
    },
    /// A round pin about the second origin in a round hole about the first.
    Revolute {
        /// Radius of the pin, m; positive.
        pin_radius: f64,
        /// Radius of the hole less radius of the pin, m; positive.
        clearance: f64,
    },
}

/// Contact parameters of a clearance joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClearanceLaws {
    /// Normal coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// Tangential coefficient of restitution, 0 to 1.
    pub tangential_restitution: f64,
    /// Coefficient of friction, not negative.
    pub friction_coefficient: f64,
}

impl ClearanceLaws {
    /// The laws of a contact: normal and friction.
    pub fn group(&self) -> LawGroup {
        let friction = ForceLaw::coulomb_1d(self.friction_coefficient, self.tangential_restitution);
        LawGroup::new([("normal", ForceLaw::signorini(self.restitution)), ("friction", friction)])
    }
}

/// A joint with clearance between two bodies, or a body and the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearance {
    /// Its name in reports.
    pub name: String,
    /// Which joint it is.
    pub kind: ClearanceKind,
    /// Its laws.
    pub laws: ClearanceLaws,
    /// The guide or the hole.
    pub first: Mount,
    /// The slider or the pin.
    pub second: Mount,
}

impl Clearance {
    /// Number of contact candidates.
    pub fn contacts(&self) -> usize {
        match self.kind {
            ClearanceKind::Translational { .. } => 4,
            ClearanceKind::Revolute { .. } => 1,
        }
    }

    /// Name of one of its contacts.
    pub(crate) fn contact_name(&self, contact: usize) -> String {
        match self.kind {
            ClearanceKind::Translational { .. } => format!("{}.corner{}", self.name, contact + 1),
            ClearanceKind::Revolute { .. } => self.name.clone(),
        }
    }

    /// Adds the candidates, with keys from `key` on.
    pub(crate) fn list(&self, at: &State, key: u64, group: usize, out: &mut ContactSet) {
        match self.kind {
            ClearanceKind::Translational { half_length, half_width, clearance } => {
                let half_guide = half_width + clearance;
                self.list_corners(at, key, group, [half_length, half_width], half_guide, out);
            }
            ClearanceKind::Revolute { pin_radius, clearance } => {
                self.list_pin(at, key, group, pin_radius, clearance, out);
            }
        }
    }

    fn list_corners(
        &self,
        at: &State,
        key: u64,
        group: usize,
        [a, b]: [f64; 2],
        half_guide: f64,
        out: &mut ContactSet,
    ) {
        let sides = Sides::new(&self.first, &self.second);
        let (blocks, sizes) = sides.blocks();
        let width = sizes[0] + sizes[1];
        let (guide, slider) = (self.first.place(at), self.second.place(at));
        let (sin, cos) = guide.angle.sin_cos();
        let (tangent, up) = ([cos, sin], [-sin, cos]);
        let (sin, cos) = slider.angle.sin_cos();
        for (index, corner) in [[-a, b], [a, b], [-a, -b], [a, -b]].into_iter().enumerate() {
            let point = add(slider.origin(), turn([cos, sin], corner));
            let height = dot(up, subtract(point, guide.origin()));
            let side = if corner[1] > 0.0 { -1.0 } else { 1.0 };
            let gap = half_guide + side * height;
            let key = key + index as u64;
            if gap > out.margin {
                out.push_open(key, group, gap);
                continue;
            }
            let (rows, _) = out.push(key, group, gap, blocks, sizes, 2);
            // The wall turns with its body: its velocity is taken where the corner is.
            let arms = [guide.arm_to(point), slider.arm_to(point)];
            sides.along([side * up[0], side * up[1]], arms, &mut rows[..width]);
            sides.along(tangent, arms, &mut rows[width..]);
        }
    }

    fn list_pin(
        &self,
        at: &State,
        key: u64,
        group: usize,
        pin_radius: f64,
        clearance: f64,
        out: &mut ContactSet,
    ) {
        let sides = Sides::new(&self.first, &self.second);
        let (blocks, sizes) = sides.blocks();
        let width = sizes[0] + sizes[1];
        let (hole, pin) = (self.first.place(at), self.second.place(at));
        let between = subtract(pin.origin(), hole.origin());
        let eccentricity = between[0].hypot(between[1]);
        let gap = clearance - eccentricity;
        if gap > out.margin {
            out.push_open(key, group, gap);
            return;
        }
        let outward = if eccentricity > 0.0 {
            [between[0] / eccentricity, between[1] / eccentricity]
        } else {
            [1.0, 0.0]
        };
        let (rows, _) = out.push(key, group, gap, blocks, sizes, 2);
        let surface =
            |radius: f64, arm: [f64; 2]| add(arm, [radius * outward[0], radius * outward[1]]);
        let arms = [surface(pin_radius + clearance, hole.arm), surface(pin_radius, pin.arm)];
        sides.along([-outward[0], -outward[1]], arms, &mut rows[..width]);
        sides.along(ahead(outward), arms, &mut rows[width..]);
    }
}
