//! Lyapunov exponents: how fast small changes of a motion grow or die out.
//!
//! Small changes are carried along the event-driven run, over impacts, stick and slip by saltation matrices, and are
//! made perpendicular again after each piece of time (Benettin, Galgani, Giorgilli and Strelcyn 1980):
//!
//! ```text
//! M_k Q_{k−1} = Q_k R_k,      λ_i = Σ_k ln (R_k)_ii / Σ_k τ_k
//! ```
//!
//! Stick takes directions out of all changes at once, and for ever: such a direction has no logarithm, its exponent is
//! −∞. From then on it is left out.

use super::family::{Family, Member};
use super::{OrbitQuestion, StudyError};
use crate::integrate::{EventDriven, Manifold, StepError, Tangent, Variation};
use crate::scene::SceneFile;
use crate::system::State;

/// Pieces of time after which changes are made perpendicular, if there is no drive; with one they are whole periods of
/// it, about as many or fewer.
const PIECES: f64 = 400.0;
/// Fewest pieces that say something of an error.
const FEWEST: usize = 20;
/// Groups of pieces whose spread tells the error, and the factors of the standard error for 95 % (Student).
const GROUPS: [(usize, f64); 3] = [(5, 2.78), (10, 2.26), (20, 2.09)];
/// Growth in proportion to the time, ln t/t, times this is the largest that counts as none.
const NO_GROWTH: f64 = 1.5;
/// What is left of a direction, relative to the change that it was part of, where stick has taken it out: more than the
/// error of the derivatives.
const LOST: f64 = 1e-8;
/// Parts into which a piece is divided that seems to lose a direction: fast decay takes time, stick does not.
const PARTS: usize = 64;
/// Error, relative to the largest exponent, below which the estimate has settled; for exponents of zero over the time.
const SETTLED: f64 = 0.05;
const SETTLED_ZERO: f64 = 10.0;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct LyapunovQuestion {
    /// `KEY=VALUE` of the scene.
    pub overrides: Vec<String>,
    /// All exponents, not only the largest.
    pub all: bool,
    /// Time that is discarded, s; that of the scene if none is given.
    pub transient: Option<f64>,
    /// Time over which the growth is taken, s; that of the scene if none is given.
    pub duration: Option<f64>,
}

/// An estimate on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct RunningEstimate {
    /// Time since the transient, s.
    pub t: f64,
    /// The exponents so far, 1/s.
    pub exponents: Vec<f64>,
}

/// Lyapunov exponents of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Lyapunov {
    /// The exponents, 1/s, the largest first; −∞ of directions that stick takes out.
    pub exponents: Vec<f64>,
    /// How far each may be wrong, 1/s: 95 % from the spread over the time, or by how much it changed in the second half.
    pub errors: Vec<f64>,
    /// Time that was discarded, s.
    pub transient: f64,
    /// Time over which the growth was taken, s.
    pub duration: f64,
    /// Whether all errors are small against the largest exponent, or, where that is zero, as small as the time allows.
    pub settled: bool,
    /// How many instants were passed by a short step without a derivative.
    pub blind: usize,
    /// The estimates on the way.
    pub running: Vec<RunningEstimate>,
    /// Why it ended before the duration was over; a sentence.
    pub ended: Option<String>,
}

/// Small changes on their way, and how much they have grown.
struct Growth {
    integrator: EventDriven,
    state: State,
    variation: Variation,
    manifold: Manifold,
    begun: bool,
    /// Logarithm of the growth of every direction that is left, for every piece.
    pieces: Vec<Vec<f64>>,
    blind: usize,
}

/// The exponents of the motion of a scene after its transient. `tell` sees how far it is, from 0 to 1.
pub fn lyapunov(
    file: &SceneFile,
    question: &LyapunovQuestion,
    tell: &mut dyn FnMut(f64),
) -> Result<Lyapunov, StudyError> {
    let asked = OrbitQuestion { overrides: question.overrides.clone(), section: None };
    let family = Family::new(file, &asked, None);
    let member = family.plain_member()?;
    let own = member.scene.simulation.duration;
    let transient = positive("transient", question.transient.unwrap_or(own), true)?;
    let duration = positive("duration", question.duration.unwrap_or(own), false)?;
    let failed = |error: &StepError| {
        StudyError::NotFound(format!("{}: the run failed: {error}", file.source))
    };
    let mut state = member.scene.start.clone();
    if transient > 0.0 {
        let (mut integrator, t) = (member.integrator()?, state.t + transient);
        integrator
            .run_until(member.system.as_ref(), &mut state, t, &mut |_| {})
            .map_err(|error| failed(&error))?;
    }
    let manifold = member
        .integrator()?
        .manifold(member.system.as_ref(), &mut state)
        .map_err(|error| failed(&error))?;
    let columns = match question.all {
        true => manifold.basis.clone(),
        false => one_of_all(&manifold.basis),
    };
    let mut growth = Growth {
        integrator: member.integrator()?,
        state,
        variation: Variation::new(columns),
        manifold,
        begun: false,
        pieces: Vec::new(),
        blind: 0,
    };
    let (piece, count) = pieces(duration, member.drive.map(|(period, _)| period));
    let begin = growth.state.t;
    let mut ended = None;
    for k in 0..count {
        if growth.variation.columns.is_empty() {
            break;
        }
        let t = begin + piece * (k + 1) as f64;
        if let Err(error) = growth.piece(&member, t) {
            if growth.pieces.len() < FEWEST {
                return Err(failed(&error));
            }
            ended = Some(error.to_string());
            break;
        }
        tell((k + 1) as f64 / count as f64);
    }
    if growth.variation.columns.is_empty() && !question.all {
        // The fastest direction was taken out, and all that is left of the others in one change is rounding.
        let all = LyapunovQuestion { all: true, ..question.clone() };
        let mut found = lyapunov(file, &all, tell)?;
        found.exponents.truncate(1);
        found.errors.truncate(1);
        found.running.iter_mut().for_each(|estimate| estimate.exponents.truncate(1));
        return Ok(found);
    }
    let wanted = if question.all { growth.manifold.freedom } else { 1 };
    Ok(growth.told(wanted, piece, [transient, duration], ended))
}

fn positive(name: &str, value: f64, zero: bool) -> Result<f64, StudyError> {
    if value.is_finite() && (value > 0.0 || (zero && value == 0.0)) {
        return Ok(value);
    }
    let range = if zero { "finite and not negative" } else { "finite and positive" };
    Err(StudyError::wrong(format!("the {name} is {value} s, it must be {range}")))
}

/// Length and number of the pieces of a duration.
fn pieces(duration: f64, period: Option<f64>) -> (f64, usize) {
    if let Some(period) = period {
        let periods = (duration / (PIECES * period)).floor().max(1.0);
        let count = (duration / (periods * period) * (1.0 + 1e-12)).floor() as usize;
        if count >= FEWEST {
            return (periods * period, count);
        }
    }
    (duration / PIECES, PIECES as usize)
}

/// A change that has a share of all directions.
fn one_of_all(basis: &[Tangent]) -> Vec<Tangent> {
    let Some(first) = basis.first() else { return Vec::new() };
    let mut sum = Tangent { parameter: 0.0, ..first.clone() };
    for (k, direction) in basis.iter().enumerate().skip(1) {
        // No two shares are alike, so that they cancel in no symmetric system.
        let share = 1.0 + 0.5 * (1.0 + k as f64).sqrt().fract();
        sum.q.iter_mut().zip(&direction.q).for_each(|(s, d)| *s += share * d);
        sum.u.iter_mut().zip(&direction.u).for_each(|(s, d)| *s += share * d);
    }
    vec![sum]
}

impl Growth {
    /// One piece of time, in parts where a direction seems to be lost in it.
    fn piece(&mut self, member: &Member, t: f64) -> Result<(), StepError> {
        let (begin, columns) = (self.state.t, self.variation.columns.clone());
        let before = (self.state.clone(), self.integrator.clone(), self.blind);
        self.run(member, t)?;
        let (growth, lost) = self.orthonormal(member);
        if !lost {
            self.pieces.push(growth);
            return Ok(());
        }
        (self.state, self.integrator, self.blind) = before;
        self.variation.columns = columns;
        let mut sums = vec![0.0; self.variation.columns.len()];
        for part in 1..=PARTS {
            let t = match part {
                PARTS => t,
                part => begin + (t - begin) * part as f64 / PARTS as f64,
            };
            self.run(member, t)?;
            let (growth, _) = self.orthonormal(member);
            // Those that are lost leave their place.
            let left: Vec<usize> = (0..growth.len()).filter(|k| growth[*k].is_finite()).collect();
            sums = left.iter().map(|k| sums[*k] + growth[*k]).collect();
            for old in &mut self.pieces {
                *old = left.iter().map(|k| old[*k]).collect();
            }
            let columns = std::mem::take(&mut self.variation.columns);
            let kept = columns.into_iter().enumerate().filter(|(k, _)| left.contains(k));
            self.variation.columns = kept.map(|(_, column)| column).collect();
            if sums.is_empty() {
                break;
            }
        }
        self.pieces.push(sums);
        Ok(())
    }

    fn run(&mut self, member: &Member, t: f64) -> Result<(), StepError> {
        let Self { integrator, state, variation, begun, .. } = self;
        let system = member.system.as_ref();
        if *begun {
            integrator.go_on_with_variation(system, state, t, variation, &mut |_| {})?;
        } else {
            integrator.run_with_variation(system, state, t, variation, &mut |_| {})?;
            *begun = true;
        }
        variation.phases.clear();
        variation.near_misses.clear();
        self.blind += std::mem::take(&mut variation.blind);
        Ok(())
    }

    /// Makes the changes perpendicular and of length 1. Returns the logarithms of their growth, and whether one of
    /// them is lost; its logarithm is −∞.
    fn orthonormal(&mut self, member: &Member) -> (Vec<f64>, bool) {
        let (system, at) = (member.system.as_ref(), &self.state);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (mut done, mut growth, mut any) = (Vec::<Vec<f64>>::new(), Vec::new(), false);
        for column in &mut self.variation.columns {
            let mut flat = self.manifold.flat(system, at, column);
            let whole = dot(&flat, &flat).sqrt().max(1.0);
            // Twice is enough.
            for _ in 0..2 {
                for other in &done {
                    let along = dot(&flat, other);
                    flat.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
                }
            }
            let length = dot(&flat, &flat).sqrt();
            if !(length > LOST * whole) {
                any = true;
                growth.push(f64::NEG_INFINITY);
                continue;
            }
            growth.push(length.ln());
            flat.iter_mut().for_each(|a| *a /= length);
            *column = self.manifold.tangent(system, at, &flat);
            done.push(flat);
        }
        (growth, any)
    }

    /// What is told of the growth.
    fn told(
        self,
        wanted: usize,
        piece: f64,
        [transient, asked]: [f64; 2],
        ended: Option<String>,
    ) -> Lyapunov {
        let (count, left) = (self.pieces.len(), self.variation.columns.len());
        let mean = |k: usize, from: usize, to: usize| {
            let sum: f64 = self.pieces[from..to].iter().map(|growth| growth[k]).sum();
            sum / (piece * (to - from) as f64)
        };
        let mut order: Vec<usize> = (0..left).collect();
        order.sort_by(|a, b| mean(*b, 0, count).total_cmp(&mean(*a, 0, count)));
        let mut exponents: Vec<f64> = order.iter().map(|k| mean(*k, 0, count)).collect();
        let mut errors: Vec<f64> = order
            .iter()
            .map(|k| {
                let all = mean(*k, 0, count);
                // Swings of a short time say less than their spread: of all groups the one counts that says most.
                let spread =
                    GROUPS.iter().filter(|(groups, _)| *groups <= count).map(|(groups, t)| {
                        let size = count / groups;
                        let squares =
                            (0..*groups).map(|g| mean(*k, g * size, (g + 1) * size) - all);
                        let sum: f64 = squares.map(|d| d * d).sum();
                        t * (sum / (groups * (groups - 1)) as f64).sqrt()
                    });
                let spread = spread.reduce(f64::min).unwrap_or(all.abs());
                let late = (count / 2).max(1)..=count;
                let swing = late.map(|to| (mean(*k, 0, to) - all).abs()).fold(0.0, f64::max);
                let error = spread.max(swing);
                // What grows in proportion to the time cannot be told from what grows slowly.
                let slow = NO_GROWTH * (count as f64).ln() / (piece * count as f64);
                if all.abs() <= slow { error.max(all.abs()) } else { error }
            })
            .collect();
        let running = (1..=count)
            .map(|k| RunningEstimate {
                t: piece * k as f64,
                exponents: order.iter().map(|place| mean(*place, 0, k)).collect(),
            })
            .collect();
        let duration = piece * count as f64;
        let duration = if (duration / asked - 1.0).abs() < 1e-9 { asked } else { duration };
        let largest = exponents.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let settled = exponents.iter().zip(&errors).all(|(own, error)| {
            let zero = own.abs() <= *error && *error <= SETTLED_ZERO / duration;
            *error <= SETTLED * largest || zero
        });
        exponents.resize(wanted.max(left), f64::NEG_INFINITY);
        errors.resize(exponents.len(), 0.0);
        let Self { blind, .. } = self;
        Lyapunov { exponents, errors, transient, duration, settled, blind, running, ended }
    }
}
