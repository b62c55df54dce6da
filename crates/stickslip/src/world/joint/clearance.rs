//! A joint with play, with the place of its contacts in the lists.

use super::*;
use crate::system::State;
use crate::world::frames::{Frame, Frames};
use crate::world::mounts::Side;

#[derive(Clone, Debug)]
pub(in crate::world) struct Clearance {
    pub play: Arc<dyn Play>,
    pub sides: [Side; 2],
    /// Key of its first contact, counted from the first of all joints.
    pub key: u64,
    /// Its group of laws: normal and friction.
    pub group: usize,
    /// Gap up to which its contacts count as closed, m: rounding.
    pub closed_at: f64,
}

impl Clearance {
    /// Adds the candidates.
    pub fn list(
        &self,
        frames: &Frames,
        at: &State,
        places: &[Frame],
        first_key: u64,
        first_group: usize,
        out: &mut ContactSet,
    ) {
        let pair = Pair::among(frames, at, places, &self.sides);
        let (key, group) = (first_key + self.key, first_group + self.group);
        self.play.list(&pair, key, group, self.closed_at, out);
    }

    /// Appends the places of its contacts.
    pub fn places(&self, frames: &Frames, at: &State, first_key: u64, out: &mut Vec<ContactPlace>) {
        self.play.places(&Pair::new(frames, at, &self.sides), first_key + self.key, out);
    }
}
