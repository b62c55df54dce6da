//! What a scene says, in words: every law with its units and what it means, and what to beware of.

use super::WorldScene;
use super::explain_elements::elements;
use crate::analysis::eccentric::{newton_energy_gain, paradox_friction};
use crate::kinematics::vector::{add, apply, norm, sub};
use crate::kinematics::{Vector3, quaternion};
use crate::system::ImpactLaw;
use crate::system::{Dimension, MechanicalSystem, State};
use crate::world::{
    BodyDescription, ContactLaw, MassDescription, Partner, ShapeDescription, WorldDescription,
};

/// Mass and inertia of a body, as far as an explanation needs them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the body frame, m.
    pub center: Vector3,
    /// Inertia about it in the axes of the body frame: xx, yy, zz, xy, xz, yz, kg m².
    pub inertia: [f64; 6],
}

impl Inertia {
    /// What a description gives; none for a body whose mass follows from its shapes.
    pub fn given(body: &BodyDescription) -> Option<Self> {
        match body.mass {
            MassDescription::Given { mass, center, inertia } if !body.fixed => {
                Some(Self { mass, center, inertia })
            }
            _ => None,
        }
    }

    /// What the mass matrix of a built world says of its moving bodies, in their order; the centre
    /// of mass from the coordinates at the start.
    pub fn of_system(
        description: &WorldDescription,
        system: &dyn MechanicalSystem,
        start: &State,
    ) -> Vec<Option<Self>> {
        let blocks = system.blocks();
        let mut mass = vec![0.0; blocks.iter().map(|n| n * n).sum()];
        let mut forces = vec![0.0; blocks.iter().sum()];
        system.mass_and_forces(start, &mut mass, &mut forces);
        let (size, coordinates) = match description.dimension {
            Dimension::Two => (3, 3),
            Dimension::Three => (6, 7),
        };
        let mut block = 0;
        let inertia = description.bodies.iter().enumerate().map(|(number, body)| {
            if body.fixed {
                return None;
            }
            let m = mass.get(block * size * size..(block + 1) * size * size)?;
            let q = start.q.get(block * coordinates..(block + 1) * coordinates)?;
            block += 1;
            let at = |i: usize, j: usize| m[i * size + j];
            let (inertia, place) = match description.dimension {
                Dimension::Two => ([at(2, 2); 6], [q[0], q[1], 0.0]),
                Dimension::Three => (
                    [at(3, 3), at(4, 4), at(5, 5), at(3, 4), at(3, 5), at(4, 5)],
                    [q[0], q[1], q[2]],
                ),
            };
            let placed = description.assembly.placed.iter().find(|placed| placed.body == number);
            let (origin, [w, x, y, z]) = placed.map_or((body.position, body.rotation), |placed| {
                (placed.position, placed.rotation)
            });
            let turn = quaternion::rotation(&[w, -x, -y, -z]);
            let center = apply(&turn, &sub(&place, &origin));
            Some(Self { mass: at(0, 0), center, inertia })
        });
        inertia.collect()
    }

    /// κ = ρ²/a² for a point of the body: the smallest moment of inertia about an axis across the
    /// arm counts.
    fn kappa(&self, point: &Vector3, plane: bool) -> Option<f64> {
        let arm = sub(point, &self.center);
        let length = norm(&arm);
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        let least = if plane {
            zz
        } else {
            let axis = arm.map(|x| x / length);
            let helper = if axis[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
            let first = crate::kinematics::vector::cross(&axis, &helper);
            let first = first.map(|x| x / norm(&first));
            let second = crate::kinematics::vector::cross(&axis, &first);
            let times = |a: &Vector3, b: &Vector3| {
                a[0] * (xx * b[0] + xy * b[1] + xz * b[2])
                    + a[1] * (xy * b[0] + yy * b[1] + yz * b[2])
                    + a[2] * (xz * b[0] + yz * b[1] + zz * b[2])
            };
            let (a, b, c) =
                (times(&first, &first), times(&first, &second), times(&second, &second));
            0.5 * (a + c) - (0.5 * (a - c)).hypot(b)
        };
        Some(least / (self.mass * length * length))
            .filter(|kappa| kappa.is_finite() && *kappa > 0.0)
    }
}

/// The scene in words. `inertias` are those of the bodies where they are known.
pub fn explain(scene: &WorldScene, inertias: &[Option<Inertia>]) -> Vec<String> {
    let world = &scene.description;
    let mut lines = Vec::new();
    let (space, [x, y, z]) = match world.dimension {
        Dimension::Two => ("the plane (x to the right, y up)", world.gravity),
        Dimension::Three => ("space (z up)", world.gravity),
    };
    let moving = world.bodies.iter().filter(|body| !body.fixed).count();
    lines.push(format!(
        "{moving} moving and {} fixed bodies, {} joints and {} forces in {space}; gravity ({x}, {y}, {z}) \
         m/s²",
        world.bodies.len() - moving,
        world.joints.len(),
        world.forces.len()
    ));
    lines.extend(scene.parameters.iter().cloned());
    lines.extend(elements(world));
    for (number, contact) in world.contacts.iter().enumerate() {
        let partner = |side: usize| match &contact.between[side] {
            Partner::Any => "any body".to_owned(),
            Partner::Body(body) => format!("body {}", world.bodies[*body].name),
            Partner::Shape(body, number) => {
                format!("shape {number} of body {}", world.bodies[*body].name)
            }
            Partner::Material(name) => format!("material {name}"),
        };
        let name = contact.name.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        lines.push(format!("contact rule {number}{name}: {} with {}", partner(0), partner(1)));
        if contact.enabled {
            lines.extend(law(&contact.law));
        } else {
            lines.push("  they do not touch: contacts between them are ignored".into());
        }
    }
    lines.extend(scene.inherited.iter().cloned());
    lines.push("all other pairs of bodies (default_contact):".into());
    lines.extend(law(&world.default_contact));
    lines.push(
        "Of several rules for a pair the one that names more bodies counts, then more shapes, then more \
         materials, then the last one; nothing is averaged between materials."
            .into(),
    );
    lines
        .extend(warnings(scene, inertias).into_iter().map(|warning| format!("warning: {warning}")));
    lines
}

/// A number with four digits behind the point, or less.
fn short(value: f64) -> f64 {
    (1e4 * value).round() / 1e4
}

/// A law in words, one line for each part.
fn law(law: &ContactLaw) -> Vec<String> {
    let mut lines = Vec::new();
    let ContactLaw { restitution, tangential_restitution, friction, .. } = law;
    lines.push(match *restitution {
        0.0 => "  restitution 0: after an impact the bodies stay together".into(),
        e => format!(
            "  restitution {e}: they part with {} % of the speed of approach (Newton's law)",
            short(100.0 * e)
        ),
    });
    if let Some(curve) = &law.restitution_curve {
        lines.push(format!("  this at most: with the speed of approach v it is {curve:?}"));
    }
    match law.impact {
        ImpactLaw::Newton => {}
        ImpactLaw::Poisson => lines.push(
            "  impact poisson: of several contacts each gives back this share of its own percussion of \
             compression"
                .into(),
        ),
        ImpactLaw::Moreau => lines.push(
            "  impact moreau: also the sliding speed comes back with this share where friction allows it"
                .into(),
        ),
    }
    if law.adhesion > 0.0 {
        lines.push(format!(
            "  adhesion {} N: a point of contact opens only when it is pulled by more, and its friction counts \
             the normal force from there",
            law.adhesion
        ));
    }
    if law.cohesion > 0.0 {
        lines.push(format!(
            "  cohesion {} N: so much friction at each point of contact without any normal force",
            law.cohesion
        ));
    }
    let [_, most] = law.form.extent(*friction);
    if most == 0.0 {
        lines.push("  friction 0: smooth, no tangential force".into());
    } else {
        // A block slides the way that it is held least.
        let [least, _] = law.form.extent(*friction);
        let angle = short(least.atan().to_degrees());
        lines.push(format!(
            "  friction {most}: the tangential force is at most {most} of the normal force, a \
             block rests on inclines up to {angle} deg"
        ));
        if let Some(curve) = &law.friction_curve {
            lines.push(format!(
                "  this at rest; with the speed of sliding v it is {curve:?}: where it falls, stick and \
                 slip may both be solutions of a step, which then goes on as the one before"
            ));
        }
        if *tangential_restitution > 0.0 {
            lines.push(format!(
                "  tangential restitution {tangential_restitution}: in an impact that sticks the sliding \
                 speed comes back with this share (superballs)"
            ));
        }
    }
    lines.extend(law.form.in_words(*friction).map(|text| format!("  {text}")));
    for (value, text) in [
        (
            law.rolling_arm,
            "m, rolling arm: rolling is resisted by at most this times the normal force",
        ),
        (law.rolling_viscosity, "N m s, rolling viscosity: moment against the rolling speed"),
        (
            law.contour_friction,
            "contour friction: dry resistance to the motion of the point of contact",
        ),
        (law.contour_viscosity, "N s/m, contour viscosity: the same, in proportion to the speed"),
    ] {
        if value > 0.0 {
            lines.push(format!("  {value} {text}"));
        }
    }
    lines
}

/// Most warnings of one kind: copies of a body say the same.
const MOST_WARNINGS: usize = 5;

/// Where friction may jam and where impacts may gain energy.
fn warnings(scene: &WorldScene, inertias: &[Option<Inertia>]) -> Vec<String> {
    let world = &scene.description;
    let plane = world.dimension == Dimension::Two;
    let laws = || {
        let rules = world.contacts.iter().filter(|contact| contact.enabled);
        rules.map(|contact| &contact.law).chain([&world.default_contact])
    };
    let mut jams = Vec::new();
    let mut gains = Vec::new();
    let mut seen: Vec<u64> = Vec::new();
    for (body, inertia) in world.bodies.iter().zip(inertias) {
        let Some(inertia) = inertia else { continue };
        let corners = body.shapes.iter().flat_map(corners);
        let kappa =
            corners.filter_map(|corner| inertia.kappa(&corner, plane)).min_by(f64::total_cmp);
        let Some(kappa) = kappa else { continue };
        // Copies have the same shape.
        if seen.contains(&kappa.to_bits()) {
            continue;
        }
        seen.push(kappa.to_bits());
        let least = paradox_friction(kappa);
        let name = &body.name;
        let friction = laws().map(|law| law.form.extent(law.friction)[1]).fold(0.0, f64::max);
        if friction >= least && jams.len() < MOST_WARNINGS {
            jams.push(format!(
                "body {name}: friction {friction} is above {least:.4}, from which on friction can jam a \
                 corner of it (paradox of Painlevé, G_NN <= mu |G_NT|): forces may be not unique or \
                 jump without an impact"
            ));
        }
        let gain = laws()
            .filter(|law| law.form.extent(law.friction)[1] > 0.0 && law.impact == ImpactLaw::Newton)
            .map(|law| {
                let (e_n, e_t) = (law.restitution, law.slip_restitution());
                newton_energy_gain(kappa, law.form.extent(law.friction)[1], e_n, e_t)
            })
            .fold(0.0, f64::max);
        if gain > 0.0 && gains.len() < MOST_WARNINGS {
            gains.push(format!(
                "body {name}: an impact at a corner may gain up to {:.2} % of energy, because Newton's \
                 law with friction bounds velocities and not work; equal restitution and tangential \
                 restitution never gain, and the energy book of a run shows what happened",
                100.0 * gain
            ));
        }
    }
    jams.extend(gains);
    jams
}

/// Points of a shape where it can touch far from its centre, in the body frame.
fn corners(shape: &ShapeDescription) -> Vec<Vector3> {
    let turn = quaternion::rotation(&shape.rotation);
    let own = shape.kind.far_points();
    own.iter().map(|point| add(&shape.offset, &apply(&turn, point))).collect()
}
