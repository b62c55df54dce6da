//! Small systems with known motion.

use stickslip::integrate::{EventDriven, EventDrivenOptions, MotionEvent, StepError};
use stickslip::system::{ContactSet, Energy, LawGroup, MechanicalSystem, State};

pub const GRAVITY: f64 = 9.81;

type Forces = Box<dyn Fn(&State, &mut [f64])>;
type Contacts = Box<dyn Fn(&State, &mut ContactSet)>;
type Potential = Box<dyn Fn(&State) -> f64>;

/// A system with u = q̇ and a constant diagonal mass matrix.
pub struct Toy {
    pub mass: Vec<f64>,
    pub blocks: [usize; 1],
    pub groups: Vec<LawGroup>,
    pub forces: Forces,
    pub contacts: Contacts,
    pub potential: Potential,
}

impl Toy {
    pub fn new(mass: &[f64], groups: Vec<LawGroup>) -> Self {
        Self {
            mass: mass.to_vec(),
            blocks: [mass.len()],
            groups,
            forces: Box::new(|_, _| {}),
            contacts: Box::new(|_, _| {}),
            potential: Box::new(|_| 0.0),
        }
    }

    /// Weight along the coordinate `axis`.
    pub fn with_weight(mut self, axis: usize) -> Self {
        let m = self.mass[axis];
        self.forces = Box::new(move |_, h| h[axis] -= m * GRAVITY);
        self.potential = Box::new(move |at| m * GRAVITY * at.q[axis]);
        self
    }
}

impl MechanicalSystem for Toy {
    fn coordinate_count(&self) -> usize {
        self.mass.len()
    }

    fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        let n = self.mass.len();
        mass.fill(0.0);
        (0..n).for_each(|i| mass[i * n + i] = self.mass[i]);
        forces.fill(0.0);
        (self.forces)(at, forces);
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        (self.contacts)(at, out);
    }

    fn law_groups(&self) -> &[LawGroup] {
        &self.groups
    }

    fn energy(&self, at: &State) -> Energy {
        let kinetic = self.mass.iter().zip(&at.u).map(|(m, u)| 0.5 * m * u * u).sum();
        Energy { kinetic, potential: (self.potential)(at) }
    }
}

pub fn state(q: &[f64], u: &[f64]) -> State {
    State { t: 0.0, q: q.to_vec(), u: u.to_vec(), memory: Vec::new() }
}

pub fn scheme() -> EventDriven {
    EventDriven::new(EventDrivenOptions::default()).unwrap()
}

/// Runs to the end and returns the events, or how the run ended.
pub fn run(
    system: &dyn MechanicalSystem,
    state: &mut State,
    t_end: f64,
) -> Result<Vec<MotionEvent>, StepError> {
    let mut integrator = scheme();
    integrator.run_until(system, state, t_end, &mut |_| {})?;
    Ok(integrator.events().to_vec())
}

/// What is left of E(end) − E(start) after all booked works.
pub fn closing_error(
    system: &dyn MechanicalSystem,
    start: &State,
    integrator: &EventDriven,
    end: &State,
) -> f64 {
    use stickslip::integrate::Integrator;
    let record = integrator.record();
    let works: f64 = record.works.iter().map(|w| w.work).sum();
    system.energy(end).total()
        - system.energy(start).total()
        - works
        - record.drive_work
        - record.projection_work
}

pub fn times(events: &[MotionEvent], name: &str) -> Vec<f64> {
    events.iter().filter(|e| e.name() == name).map(MotionEvent::t).collect()
}
