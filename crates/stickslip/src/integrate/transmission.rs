//! What contacts and joints transmit in a step, component by component and along the axes of the world.

/// Percussions of one contact or joint over a step, or its forces at the end of one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transmitted {
    /// Key of the candidate.
    pub key: u64,
    /// Its group of laws.
    pub group: usize,
    /// First of its components among [`Transmission::components`]; their number is that of its group.
    pub first: usize,
    /// Its first mass block.
    pub block: usize,
    /// What acts on the body of that block, along the axes of the world, N or N s; zero
    /// unless the system has [translations](crate::system::MechanicalSystem::translations).
    pub force: [f64; 3],
    /// The same without the first component: friction, where that one is the normal law.
    pub tangential: [f64; 3],
    /// Moment of the components that only turn, along the angular velocities of that block.
    pub moment: [f64; 3],
}

/// A list of what was transmitted. Several entries of one contact add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transmission {
    /// The contacts and joints in force.
    pub entries: Vec<Transmitted>,
    /// Their components, one contact after the other.
    pub components: Vec<f64>,
    /// Work of each component, J; empty where forces and not percussions are listed.
    pub works: Vec<f64>,
}

/// Directions of a contact, as a step has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Directions<'a> {
    /// The first block.
    pub block: usize,
    /// Row k is ∂γ_k/∂u over the velocities of the touched blocks.
    pub rows: &'a [f64],
    /// Length of a row.
    pub width: usize,
    /// Velocities of the first block, and how many of them are translations along the axes of the world.
    pub size: usize,
    pub translations: usize,
}

impl Transmission {
    /// Empties the list and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.components.clear();
        self.works.clear();
    }

    /// Takes over another list without new memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.entries.clone_from(&other.entries);
        self.components.clone_from(&other.components);
        self.works.clone_from(&other.works);
    }

    /// Notes that a contact takes part, and nothing of what it transmits.
    pub(crate) fn note(&mut self, key: u64) {
        self.entries.push(Transmitted { key, ..Transmitted::default() });
    }

    /// Adds the components of a contact: the force on the body of its first block is Σ λ_k w_k, of which
    /// the translations are along the axes of the world.
    pub(crate) fn push(
        &mut self,
        key: u64,
        group: usize,
        directions: Directions,
        components: impl Iterator<Item = f64>,
    ) {
        let Directions { block, rows, width, size, translations } = directions;
        let first = self.components.len();
        let mut entry = Transmitted { key, group, first, block, ..Transmitted::default() };
        for (k, (lambda, row)) in components.zip(rows.chunks_exact(width.max(1))).enumerate() {
            self.components.push(lambda);
            let (along, turning) = row[..size.min(row.len())].split_at(translations.min(3));
            if along.iter().any(|e| *e != 0.0) {
                for (j, e) in along.iter().enumerate() {
                    entry.force[j] += lambda * e;
                    if k > 0 {
                        entry.tangential[j] += lambda * e;
                    }
                }
            } else if translations > 0 {
                entry.moment.iter_mut().zip(turning).for_each(|(sum, e)| *sum += lambda * e);
            }
        }
        self.entries.push(entry);
    }

    /// The components of an entry, of which there are `dim`.
    pub fn components_of(&self, entry: &Transmitted, dim: usize) -> &[f64] {
        self.components.get(entry.first..entry.first + dim).unwrap_or(&[])
    }

    /// The works of the components of an entry.
    pub fn works_of(&self, entry: &Transmitted, dim: usize) -> &[f64] {
        self.works.get(entry.first..entry.first + dim).unwrap_or(&[])
    }
}

/// What happened at a contact at an instant that the integrator has located.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It began to carry a force over time.
    Close,
    /// It opened.
    Open,
    /// Its friction came to stick.
    Stick,
    /// Its friction began to slip, or slips the other way.
    Slip,
}

/// A normal force at an instant within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Number of the instant within the step: loads of one instant act together.
    pub instant: u32,
    /// Its time, s.
    pub t: f64,
    /// Key of the contact.
    pub key: u64,
    /// Normal force, N.
    pub force: f64,
}
