//! An order of contacts that threads can share, with the same result for any number of them.
//!
//! Counted from one end of a pile, by the number of contacts on the way, bodies of equal distance are layers, and only
//! neighbouring ones touch each other. A contact belongs to the nearer of its bodies. Layers are joined to slabs: while
//! the contacts of all even slabs are swept, one by one in the order in which they are listed, those of the odd ones stay
//! as they are, and the other way round. Two even slabs share no body. So most of what a sweep one after the other carries
//! on through the pile is carried on here too, which is lost where contacts are coloured one by one.

use crate::threads;
use std::ops::Range;

/// Contacts from which they are swept by slabs: in another order, and so with another result within the tolerance, whether
/// there are threads or not.
pub(crate) const BY_SLABS: usize = 4000;
/// Number of slabs: even, and twice as many as threads are of use.
pub(crate) const SLABS: usize = 8;
/// Slabs of one parity.
pub(crate) const HALF: usize = SLABS / 2;
/// Bodies by the slabs that touch them: one alone, or it and the next.
pub(crate) const ZONES: usize = 2 * SLABS;
/// No distance yet.
const UNSEEN: u32 = u32::MAX;

/// Contacts in the order of their slabs, bodies in an order in which those of a slab are neighbours; and the memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlabOrder {
    /// Contacts in this order.
    pub(crate) order: Vec<u32>,
    /// Place of each body.
    pub(crate) places: Vec<u32>,
    /// First place of each slab, and the number of contacts; first body of each zone, and their number.
    starts: [usize; SLABS + 1],
    zones: [usize; ZONES + 1],
    /// Fewest contacts of a layer in the middle of the pile.
    narrowest: usize,
    layers: Layers,
    /// Of each body the first and the last slab that touches it.
    touching: Vec<[u32; 2]>,
    counts: Vec<u32>,
}

/// Distances of bodies from one end of the pile.
#[derive(Clone, Debug, Default)]
struct Layers {
    distances: Vec<u32>,
    queue: Vec<u32>,
    /// Contacts of each body: where they begin, and they.
    starts: Vec<u32>,
    contacts: Vec<u32>,
}

/// The bodies of a contact, which are given twice if there is only one.
fn bodies_of(both: &[usize; 2]) -> &[usize] {
    &both[..if both[0] == both[1] { 1 } else { 2 }]
}

impl Layers {
    /// Lists the contacts of each body.
    fn list(&mut self, count: usize, touched: &[[usize; 2]]) {
        let Self { starts, contacts, .. } = self;
        starts.clear();
        starts.resize(count + 2, 0);
        touched.iter().flat_map(bodies_of).for_each(|body| starts[body + 2] += 1);
        for body in 2..starts.len() {
            starts[body] += starts[body - 1];
        }
        contacts.clear();
        contacts.resize(starts[count + 1] as usize, 0);
        for (contact, both) in touched.iter().enumerate() {
            for body in bodies_of(both) {
                contacts[starts[body + 1] as usize] = contact as u32;
                starts[body + 1] += 1;
            }
        }
    }

    /// Distances of all bodies from one of them, or from any other of what it is not connected with.
    fn measure(&mut self, count: usize, touched: &[[usize; 2]], from: u32) {
        let Self { distances, queue, starts, contacts } = self;
        distances.clear();
        distances.resize(count, UNSEEN);
        queue.clear();
        let mut next = 0;
        for seed in std::iter::once(from).chain(0..count as u32) {
            if distances[seed as usize] != UNSEEN {
                continue;
            }
            distances[seed as usize] = 0;
            queue.push(seed);
            while next < queue.len() {
                let body = queue[next] as usize;
                next += 1;
                let distance = distances[body] + 1;
                for contact in &contacts[starts[body] as usize..starts[body + 1] as usize] {
                    for &other in bodies_of(&touched[*contact as usize]) {
                        if distances[other] == UNSEEN {
                            distances[other] = distance;
                            queue.push(other as u32);
                        }
                    }
                }
            }
        }
    }

    /// Of a contact: the distance of the nearer of its bodies.
    fn of(&self, [a, b]: [usize; 2]) -> usize {
        self.distances[a].min(self.distances[b]) as usize
    }
}

impl SlabOrder {
    /// Forgets all contacts.
    pub(crate) fn clear(&mut self) {
        self.order.clear();
    }

    /// Whether there is an order.
    pub(crate) fn is_ready(&self) -> bool {
        !self.order.is_empty()
    }

    /// Takes contacts that touch these bodies, twice the same if only one. False, and no order, if they have too few layers.
    pub(crate) fn arrange(&mut self, bodies: usize, touched: &[[usize; 2]]) -> bool {
        self.clear();
        if bodies == 0 || 2 * touched.len().max(bodies) >= UNSEEN as usize {
            return false;
        }
        self.layers.list(bodies, touched);
        // The last body that is reached from the first one is at an end of the pile.
        self.layers.measure(bodies, touched, 0);
        let end = self.layers.queue.last().copied().unwrap_or(0);
        self.layers.measure(bodies, touched, end);
        let layers = touched.iter().map(|both| self.layers.of(*both) + 1).max().unwrap_or(0);
        if layers < SLABS {
            return false;
        }
        self.divide(touched, layers);
        self.place_bodies(bodies, touched);
        true
    }

    /// Joins the layers to slabs of about as many contacts each, and puts the contacts in order.
    fn divide(&mut self, touched: &[[usize; 2]], layers: usize) {
        let Self { order, starts, counts, narrowest, layers: distances, .. } = self;
        let count = touched.len();
        counts.clear();
        counts.resize(layers, 0);
        for both in touched {
            counts[distances.of(*both)] += 1;
        }
        // Each slab has at least one layer, and leaves one for each of those behind it.
        let (mut slab, mut before) = (0, 0_usize);
        *narrowest = count;
        for layer in 0..layers {
            let size = counts[layer] as usize;
            if before + size > count / 4 && before < count - count / 4 {
                *narrowest = size.min(*narrowest);
            }
            let is_full = before + size / 2 >= (slab + 1) * count / SLABS;
            let must = layers - layer <= SLABS - 1 - slab;
            let is_empty = before == starts[slab];
            if slab + 1 < SLABS && !is_empty && (is_full || must) {
                slab += 1;
                starts[slab] = before;
            }
            counts[layer] = slab as u32;
            before += size;
        }
        starts[slab + 1..].fill(count);
        let mut next = *starts;
        order.resize(count, 0);
        for (contact, both) in touched.iter().enumerate() {
            let slab = counts[distances.of(*both)] as usize;
            order[next[slab]] = contact as u32;
            next[slab] += 1;
        }
    }

    /// Puts the bodies in the order of their zones.
    fn place_bodies(&mut self, bodies: usize, touched: &[[usize; 2]]) {
        let Self { order, starts, zones, places, touching, .. } = self;
        touching.clear();
        touching.resize(bodies, [SLABS as u32 - 1, 0]);
        for slab in 0..SLABS {
            for contact in &order[starts[slab]..starts[slab + 1]] {
                for &body in bodies_of(&touched[*contact as usize]) {
                    let [first, last] = &mut touching[body];
                    (*first, *last) = ((*first).min(slab as u32), (*last).max(slab as u32));
                }
            }
        }
        let zone = |[first, last]: [u32; 2]| 2 * first as usize + usize::from(last > first);
        zones.fill(0);
        touching.iter().for_each(|slabs| zones[zone(*slabs) + 1] += 1);
        for k in 0..ZONES {
            zones[k + 1] += zones[k];
        }
        let mut next = *zones;
        places.clear();
        places.extend(touching.iter().map(|slabs| {
            let place = &mut next[zone(*slabs)];
            *place += 1;
            (*place - 1) as u32
        }));
    }

    /// Fewest contacts of a layer in the middle of the pile: so many, about, part it.
    pub(crate) fn narrowest(&self) -> usize {
        self.narrowest
    }

    /// The places of the contacts of a slab.
    pub(crate) fn contacts(&self, slab: usize) -> Range<usize> {
        self.starts[slab]..self.starts[slab + 1]
    }

    /// The places of its bodies: those that the slab before touches too, its own, those that the next one touches too.
    pub(crate) fn bodies(&self, slab: usize) -> Range<usize> {
        self.zones[(2 * slab).saturating_sub(1)]..self.zones[2 * slab + 2]
    }

    /// The places of the bodies of a zone: those of slab k alone are in zone 2k, those that the next one touches too in
    /// zone 2k + 1.
    pub(crate) fn zone(&self, zone: usize) -> Range<usize> {
        self.zones[zone]..self.zones[zone + 1]
    }
}

/// Takes a range out of what is left of a list, which begins with number `first`.
pub(crate) fn take<'a, T>(
    rest: &mut &'a mut [T],
    first: &mut usize,
    range: Range<usize>,
) -> &'a mut [T] {
    let (_, behind) = std::mem::take(rest).split_at_mut(range.start - *first);
    let (own, behind) = behind.split_at_mut(range.len());
    (*rest, *first) = (behind, range.end);
    own
}

/// Does the work of all tasks, by threads if there are several.
pub(crate) fn share<T: Send>(tasks: &mut [T], work: &(dyn Fn(&mut T) + Sync)) {
    match tasks {
        [] => {}
        [task] => work(task),
        _ => {
            let (first, second) = tasks.split_at_mut(tasks.len() / 2);
            threads::join(|| share(first, work), || share(second, work));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_of_one_parity_share_no_body_and_all_is_there_once() {
        let mut random = fastrand::Rng::with_seed(3);
        // A heap of bodies beside and above each other, some contacts with a wall, some bodies without any.
        let bodies = 700;
        let touched: Vec<[usize; 2]> = (0..2000)
            .map(|k| {
                let a = random.usize(0..600);
                if k % 9 == 0 { [a, a] } else { [a, (a + random.usize(1..20)).min(620)] }
            })
            .collect();
        let mut slabs = SlabOrder::default();
        assert!(slabs.arrange(bodies, &touched));
        let mut order = slabs.order.clone();
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..2000));
        let mut places = slabs.places.clone();
        places.sort_unstable();
        assert!(places.iter().copied().eq(0..700));
        for slab in 0..SLABS {
            let own = slabs.bodies(slab);
            assert!(slab + 2 >= SLABS || own.end <= slabs.bodies(slab + 2).start);
            for contact in &slabs.order[slabs.contacts(slab)] {
                let both = touched[*contact as usize];
                assert!(both.iter().all(|body| own.contains(&(slabs.places[*body] as usize))));
            }
            assert!(slabs.contacts(slab).len() > 100, "about as many each");
        }
        // Bodies that all touch one another have no layers.
        let star: Vec<[usize; 2]> = (1..100).map(|k| [0, k]).collect();
        assert!(!slabs.arrange(100, &star) && !slabs.is_ready());
        assert!(!slabs.arrange(0, &[]));
    }
}
