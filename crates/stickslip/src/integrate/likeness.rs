//! Which steps are like those before them.

use super::Integrator;
use crate::system::State;

/// Percussion of a contact over its largest of the last steps with which it is an impact.
const IMPACT: f64 = 3.0;
/// Change of the length of a step, relative, with which it is another one.
const OTHER_LENGTH: f64 = 1e-6;
/// What is left of that largest one from step to step, and the steps without it in which a contact is forgotten.
const FADES: f64 = 0.8;
const FORGOTTEN: usize = 8;
/// What the growth of the state may be missed by, over what it was missed by before, and what rounding of the state leaves.
const UNEVEN: f64 = 4.0;
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Of the hash of a pattern.
const FIRST: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether a step is one like those before it, which have shown what its derivative needs.
#[derive(Clone, Default)]
pub(super) struct Likeness {
    /// Contacts and joints of the last steps, the largest percussions of them there, and the steps since they were seen.
    known: Vec<(u64, f64, usize)>,
    now: Vec<(u64, f64)>,
    pattern: Vec<u64>,
    dt: f64,
    /// What coordinates and velocities grew by in the last steps of one kind, the newest first, and that kind.
    growths: [Vec<f64>; 3],
    seen: usize,
    kind: u64,
    /// By how much these were missed by a parabola through the three before, at most.
    miss: f64,
}

impl Likeness {
    /// Compares a step with those before, and returns its kind: none if it is not like them, for a contact is new or has
    /// an impact.
    pub(super) fn compare(&mut self, run: &dyn Integrator, dt: f64) -> Option<u64> {
        let list = &run.record().percussions;
        self.now.clear();
        for (index, entry) in list.entries.iter().enumerate() {
            let end = list.entries.get(index + 1).map_or(list.components.len(), |next| next.first);
            let components = list.components.get(entry.first..end).unwrap_or(&[]);
            let size: f64 = components.iter().map(|v| v.abs()).sum();
            match self.now.iter_mut().find(|(key, _)| *key == entry.key) {
                Some((_, sum)) => *sum += size,
                None => self.now.push((entry.key, size)),
            }
        }
        let last = std::mem::replace(&mut self.dt, dt);
        let mut is_like = (last - dt).abs() <= OTHER_LENGTH * dt;
        for (key, size) in &self.now {
            match self.known.iter_mut().find(|(known, ..)| known == key) {
                Some((_, largest, since)) => {
                    is_like &= *size <= IMPACT * *largest;
                    (*largest, *since) = (size.max(FADES * *largest), 0);
                }
                None => {
                    is_like = false;
                    self.known.push((*key, *size, 0));
                }
            }
        }
        self.known.iter_mut().for_each(|(_, _, since)| *since += 1);
        self.known.retain(|(_, _, since)| *since <= FORGOTTEN);
        is_like.then(|| {
            run.pattern(&mut self.pattern);
            self.pattern
                .iter()
                .fold(FIRST, |hash, word| (hash ^ word).wrapping_mul(FACTOR).rotate_left(29))
        })
    }

    /// The kind of a step again, if the run goes on in it as the steps before let expect: a force that changes abruptly
    /// is seen so.
    pub(super) fn goes_on(
        &mut self,
        kind: Option<u64>,
        [before, end]: [&State; 2],
        scale: [f64; 2],
    ) -> Option<u64> {
        if kind != Some(self.kind) {
            self.seen = 0;
        }
        self.kind = kind?;
        let n = before.q.len();
        let [a, b, c] = &mut self.growths;
        let mut all = [0.0_f64; 2];
        let mut largest = [0.0_f64; 2];
        if self.seen < 3 {
            c.resize(n + before.u.len(), 0.0);
        }
        let pairs = before.q.iter().zip(&end.q).chain(before.u.iter().zip(&end.u));
        for (place, (before, end)) in pairs.enumerate() {
            let of = usize::from(place >= n);
            let growth = end - before;
            if self.seen == 3 {
                let miss = growth - (3.0 * (a[place] - b[place]) + c[place]);
                all[of] = all[of].max(miss.abs());
                largest[of] = largest[of].max(end.abs());
            }
            // The oldest is not needed any more.
            c[place] = growth;
        }
        self.growths.rotate_right(1);
        if self.seen < 3 {
            self.seen += 1;
            self.miss = 0.0;
            return None;
        }
        let over = |of: [f64; 2]| (of[0] / scale[0]).max(of[1] / scale[1]);
        let (miss, last) = (over(all), self.miss);
        self.miss = miss.max(FADES * last);
        (miss <= UNEVEN * last + ROUNDING * over(largest)).then_some(self.kind)
    }
}
