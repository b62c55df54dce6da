//! Whether the numbers of a run can be believed: its energy book closes, contacts do not put energy
//! in, and no body has left the scene.

use super::{EnergyBook, EnergyGain};
use crate::integrate::StepRecord;
use crate::memory::Tape;
use crate::system::mass::MassInverse;
use crate::system::{Drawing, DrawnPart, DrawnPose, DrawnShape, Energy, Observed, State};

/// Share of the energy turned over from which the closing error is told.
const WARN: f64 = 0.01;
/// The same, from which the results are not to be trusted.
const REFUSE: f64 = 0.1;
/// A closing error of so many times the energy that was turned over when the results ceased to be
/// trustworthy: nothing that follows can mend that.
const BEYOND: f64 = 1e3;
/// Growth of the energy turned over after which an earlier share counts no longer.
const OUTGROWN: f64 = 100.0;
/// Distance from the scene, in its largest lengths at the start, at which nothing can be.
const FARTHEST: f64 = 1e9;
/// Energy turned over, relative to the energy itself, that is rounding.
const ROUNDING: f64 = 1e-10;
/// Energy that one step puts in, over all that was turned over before, which nothing can explain.
const OUT_OF_PROPORTION: f64 = 100.0;
/// Share of the energy turned over from which a gain at contacts is told.
const TELL_GAIN: f64 = 1e-3;
/// Steps between two looks at where the bodies are.
const LOOK: u64 = 16;

/// The largest closing error of a run relative to the energy that it turned over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClosingShare {
    /// |closing error| over energy turned over.
    pub share: f64,
    /// When, s.
    pub t: f64,
}

/// Watches the energy book and the places of the bodies while a run goes on.
#[derive(Clone, Debug)]
pub(crate) struct Trust {
    /// Largest length of the scene at the start, m; 0 if it is not known.
    length: f64,
    /// Kinetic energy that the smooth forces of the start give in one step, J: what a system that
    /// is held turns over again and again without moving.
    one_step: f64,
    /// Largest kinetic energy so far, J.
    kinetic: f64,
    /// Largest |T| + |V| so far, J: rounding is relative to it.
    level: f64,
    /// Closing error at the end of the last step, J.
    closing: f64,
    /// Energy turned over until the end of the last step, J.
    turned: Option<f64>,
    looks: u64,
    poses: Vec<DrawnPose>,
    pub(crate) worst: ClosingShare,
    /// Energy turned over then, J.
    worst_turned: f64,
    /// Energy turned over when the closing error first was too large, J.
    lost_at: Option<f64>,
    /// Least work of all laws so far, without the gains of impacts, J.
    least_work: f64,
    /// Largest rise above it: joints and contacts that last cannot put energy in.
    rise: ClosingShare,
}

impl Trust {
    /// Before the first step, of the given length.
    pub(crate) fn new(system: &dyn Observed, start: &State, step: f64) -> Self {
        let mut poses = Vec::new();
        system.poses(start, &mut poses);
        let energy = system.energy(start);
        let mut trust = Self {
            length: largest_length(&system.drawing(), &poses),
            one_step: one_step(system, start, step),
            kinetic: energy.kinetic,
            level: energy.kinetic.abs() + energy.potential.abs(),
            closing: 0.0,
            turned: None,
            looks: 0,
            poses,
            worst: ClosingShare::default(),
            worst_turned: 0.0,
            lost_at: None,
            least_work: 0.0,
            rise: ClosingShare::default(),
        };
        trust.turned = trust.turned_over(&EnergyBook::default());
        trust
    }

    /// Writes everything, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.section("trust");
        let Self { length, one_step, kinetic, level, closing, least_work, .. } = self;
        tape.reals([length, one_step, kinetic, level, closing, least_work]);
        tape.whole(&mut self.looks);
        tape.option(&mut self.turned, Tape::real);
        tape.option(&mut self.lost_at, Tape::real);
        let (worst, rise) = (&mut self.worst, &mut self.rise);
        tape.reals([&mut worst.share, &mut worst.t, &mut rise.share, &mut rise.t]);
        tape.real(&mut self.worst_turned);
    }

    /// Closing error at the end of the last step, J.
    pub(crate) fn closing(&self) -> f64 {
        self.closing
    }

    /// Whether the laws have put in far more energy within one step than all that was turned over so
    /// far: such a step is no solution, whatever its residual.
    pub(crate) fn is_out_of_proportion(
        &self,
        system: &dyn Observed,
        after: &State,
        record: &StepRecord,
    ) -> bool {
        let work: f64 = record.works.iter().map(|entry| entry.work).sum();
        if !work.is_finite() {
            return true;
        }
        let Some(turned) = self.turned else { return false };
        !record.stores_energy
            && work > OUT_OF_PROPORTION * turned
            && system.energy(after).kinetic > OUT_OF_PROPORTION * turned
    }

    /// Energy turned over so far, J: largest kinetic energy, all that was dissipated, and the work
    /// of the drive; nothing if all of it is rounding.
    fn turned_over(&self, book: &EnergyBook) -> Option<f64> {
        let dissipated: f64 = book.works.iter().map(|(_, work)| (-work).max(0.0)).sum();
        let turned = self.kinetic + dissipated + book.drive.abs();
        (turned > self.one_step.max(ROUNDING * self.level)).then_some(turned)
    }

    /// Looks at a step that is in the book.
    pub(crate) fn enter(
        &mut self,
        t: f64,
        energy: Energy,
        book: &mut EnergyBook,
        record: &StepRecord,
    ) {
        let closing = book.closing_error(energy.total());
        let step_error = (closing - self.closing).abs();
        self.closing = closing;
        // What the scheme itself leaves open in a step is no gain at a contact.
        let gain = record.energy_gained;
        if gain > step_error.max(ROUNDING * self.level)
            && let Some(turned) = self.turned.or_else(|| self.turned_over(book))
        {
            let contact = record.gaining_contact;
            book.gain(EnergyGain { t, contact, energy: gain, share: gain / turned });
        }
        self.kinetic = self.kinetic.max(energy.kinetic);
        self.level = self.level.max(energy.kinetic.abs() + energy.potential.abs());
        self.turned = self.turned_over(book);
        let laws = book.works.iter().map(|(_, work)| work).sum::<f64>() - book.gained;
        self.least_work = self.least_work.min(laws);
        if let Some(turned) = self.turned {
            let rise = (laws - self.least_work) / turned;
            if rise > self.rise.share && !record.stores_energy {
                self.rise = ClosingShare { share: rise, t };
            }
            let share = closing.abs() / turned;
            // The first steps of a system that is set in motion slowly say nothing of what follows.
            if share > self.worst.share || turned > OUTGROWN * self.worst_turned {
                self.worst = ClosingShare { share, t };
                self.worst_turned = turned;
            }
            if share > REFUSE && self.lost_at.is_none() {
                self.lost_at = Some(turned);
            }
        }
    }

    /// Why the run must end here, if it must.
    pub(crate) fn is_beyond(&mut self, system: &dyn Observed, at: &State) -> Option<String> {
        if let Some(turned) = self.lost_at
            && self.closing.abs() > BEYOND * turned
        {
            return self.why_not(system, at);
        }
        self.looks += 1;
        if self.looks.is_multiple_of(LOOK) { self.far_away(system, at) } else { None }
    }

    /// Why the results are not to be trusted, if they are not.
    pub(crate) fn why_not(&mut self, system: &dyn Observed, at: &State) -> Option<String> {
        if self.worst.share > REFUSE {
            let ClosingShare { share, t } = self.worst;
            return Some(format!(
                "the energy book does not close: at t = {} s the error is {} of the energy turned \
                 over, at most 10 % can be trusted; try a shorter simulation.step or another \
                 simulation.integrator",
                super::table::number(t),
                per_cent(share)
            ));
        }
        if self.rise.share > REFUSE {
            let ClosingShare { share, t } = self.rise;
            return Some(format!(
                "joints and contacts that last have put in {} of the energy turned over (until t = {} s), \
                 which only errors can do; try a shorter simulation.step or another \
                 simulation.integrator",
                per_cent(share),
                super::table::number(t)
            ));
        }
        self.far_away(system, at)
    }

    /// A body that is where nothing of the scene can be.
    fn far_away(&mut self, system: &dyn Observed, at: &State) -> Option<String> {
        if self.length <= 0.0 {
            return None;
        }
        self.poses.clear();
        system.poses(at, &mut self.poses);
        let distance = |pose: &DrawnPose| pose.position.iter().fold(0.0, |d: f64, x| d.hypot(*x));
        let body = self.poses.iter().position(|pose| distance(pose) > FARTHEST * self.length)?;
        let name = system.drawing().bodies.get(body).map_or("a body".into(), |b| b.name.clone());
        Some(format!(
            "at t = {} s {name} is {:.1e} m away, more than 1e9 times the largest length of the scene \
             at the start ({:.1e} m): the motion is unstable, or simulation.step too long",
            super::table::number(at.t),
            distance(&self.poses[body]),
            self.length
        ))
    }

    /// What a user should be told after the run.
    pub(crate) fn warnings(&self, system: &dyn Observed, book: &EnergyBook) -> Vec<String> {
        let mut warnings = Vec::new();
        let ClosingShare { share, t } = self.worst;
        if (WARN..=REFUSE).contains(&share) {
            warnings.push(format!(
                "the energy book closes to {} of the energy turned over (at t = {} s); a shorter \
                 simulation.step closes it better",
                per_cent(share),
                super::table::number(t)
            ));
        }
        let ClosingShare { share, t } = self.rise;
        if (WARN..=REFUSE).contains(&share) {
            warnings.push(format!(
                "joints and contacts that last have put in {} of the energy turned over (until t = {} s); \
                 a shorter simulation.step is more accurate",
                per_cent(share),
                super::table::number(t)
            ));
        }
        if let (Some(largest), Some(turned)) = (book.largest_gain, self.turned)
            && book.gained >= TELL_GAIN * turned.min(largest.energy / largest.share)
        {
            let total = match book.gains {
                1 => String::new(),
                gains => format!("; {:.3e} J in {gains} steps in all", book.gained),
            };
            warnings.push(format!(
                "contacts put energy in: {:.3e} J, {} of the energy, at {} at t = {} s{total}; Newton's \
                 law of impact with friction can do that (docs/user-guide.md)",
                largest.energy,
                per_cent(largest.share),
                system.contact_name(largest.contact),
                super::table::number(largest.t)
            ));
        }
        warnings
    }
}

/// 0.0123 as 1.2 %.
fn per_cent(share: f64) -> String {
    match 100.0 * share {
        value if value >= 1e4 => format!("{value:.1e} %"),
        value if value >= 10.0 => format!("{value:.0} %"),
        value => format!("{value:.1} %"),
    }
}

/// Kinetic energy that the smooth forces give a system at rest in one step, ½ Δt² hᵀ M⁻¹ h; 0 if it
/// cannot be evaluated.
fn one_step(system: &dyn Observed, start: &State, step: f64) -> f64 {
    let mut inverse = MassInverse::default();
    inverse.shape(system.blocks());
    let mut mass = vec![0.0; inverse.entries()];
    let mut forces = vec![0.0; inverse.dim()];
    let at = State { u: vec![0.0; start.u.len()], ..start.clone() };
    system.mass_and_forces(&at, &mut mass, &mut forces);
    if inverse.factor(&mass).is_err() {
        return 0.0;
    }
    let mut change = forces.clone();
    for block in 0..inverse.block_count() {
        let first = inverse.offset(block);
        inverse.apply(block, &mut change[first..first + inverse.size(block)]);
    }
    let product: f64 = forces.iter().zip(&change).map(|(h, a)| h * a).sum();
    if product.is_finite() { 0.5 * step * step * product } else { 0.0 }
}

/// Largest length of a drawing: the farthest point of a body or of the ground from the origin, or
/// the largest shape.
pub(crate) fn largest_length(drawing: &Drawing, poses: &[DrawnPose]) -> f64 {
    let size = |x: &[f64; 3]| x.iter().fold(0.0, |d: f64, x| d.hypot(*x));
    let part = |part: &DrawnPart| size(&part.pose.position) + shape_size(&part.shape);
    let ground = drawing.ground.iter().map(part);
    let bodies =
        drawing.bodies.iter().zip(poses).map(|(body, pose)| {
            size(&pose.position) + body.parts.iter().map(part).fold(0.0, f64::max)
        });
    ground.chain(bodies).filter(|length| length.is_finite()).fold(0.0, f64::max)
}

/// Largest distance of a point of a shape from its origin, m; 0 for a half space, which has no size.
pub(crate) fn shape_size(shape: &DrawnShape) -> f64 {
    let size = |x: &[f64; 3]| x.iter().fold(0.0, |d: f64, x| d.hypot(*x));
    match shape {
        DrawnShape::Sphere { radius } | DrawnShape::Disk { radius } => *radius,
        DrawnShape::Box { half_extents } => size(half_extents),
        DrawnShape::Cylinder { radius, half_length } => radius.hypot(*half_length),
        DrawnShape::Capsule { radius, half_length } => radius + half_length,
        DrawnShape::Ellipsoid { semi_axes } => semi_axes.iter().copied().fold(0.0, f64::max),
        DrawnShape::Mesh { vertices, .. } => vertices.iter().map(size).fold(0.0, f64::max),
        DrawnShape::Line { points, .. } => points.iter().map(size).fold(0.0, f64::max),
        DrawnShape::HalfSpace => 0.0,
    }
}
