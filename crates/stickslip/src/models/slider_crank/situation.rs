//! The contact situations of a slider in its guide (Flores 2010, Fig. 8).

/// Which corners touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Situation {
    /// No contact: free flight.
    Free,
    /// One corner.
    OneCorner,
    /// Two adjacent corners: a face lies on a wall.
    AdjacentCorners,
    /// Two opposite corners: the slider is tilted between both walls.
    OppositeCorners,
    /// Any other set; rigid walls allow none, a time step may.
    Other,
}

impl Situation {
    /// The situation with these corners closed: bit k stands for the corner with key k.
    pub fn of(closed: u64) -> Self {
        match closed & 0b1111 {
            0b0000 => Situation::Free,
            0b0001 | 0b0010 | 0b0100 | 0b1000 => Situation::OneCorner,
            0b0011 | 0b1100 => Situation::AdjacentCorners,
            0b0110 | 0b1001 => Situation::OppositeCorners,
            _ => Situation::Other,
        }
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Situation::Free => "no-contact",
            Situation::OneCorner => "one-corner",
            Situation::AdjacentCorners => "two-adjacent-corners",
            Situation::OppositeCorners => "two-opposite-corners",
            Situation::Other => "other",
        }
    }

    /// Fractions of time of all situations in the order free, one corner, adjacent, opposite,
    /// other, from the times of the sets of closed contacts.
    pub fn fractions(times: &[(u64, f64)]) -> [(Situation, f64); 5] {
        let total: f64 = times.iter().map(|(_, time)| time).sum();
        [
            Situation::Free,
            Situation::OneCorner,
            Situation::AdjacentCorners,
            Situation::OppositeCorners,
            Situation::Other,
        ]
        .map(|situation| {
            let matching = times.iter().filter(|(closed, _)| Self::of(*closed) == situation);
            // An empty sum is −0; a share is 0.
            let time = matching.fold(0.0, |sum, (_, time)| sum + time);
            (situation, if total > 0.0 { time / total } else { 0.0 })
        })
    }
}
