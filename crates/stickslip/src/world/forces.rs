//! Smooth forces of a world: gravity, turning, joints, springs, applied forces.

use super::frames::Frames;
use super::joints::Joints;
use super::world::World;
use crate::kinematics::vector::{apply, cross};
use crate::system::{Dimension, State};

impl World {
    /// Masses, and the forces of gravity and of the turning.
    pub(super) fn mass_and_weights(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        let n = self.frames.velocities();
        mass.fill(0.0);
        for (_, block, body) in self.moving() {
            let m = &mut mass[block * n * n..(block + 1) * n * n];
            let h = &mut forces[block * n..(block + 1) * n];
            match self.frames.dimension {
                Dimension::Two => {
                    (m[0], m[4], m[8]) = (body.mass, body.mass, body.inertia[2][2]);
                    h.copy_from_slice(&[
                        body.mass * self.gravity[0],
                        body.mass * self.gravity[1],
                        0.0,
                    ]);
                }
                Dimension::Three => {
                    for k in 0..3 {
                        m[k * n + k] = body.mass;
                        m[(3 + k) * n + 3..(4 + k) * n].copy_from_slice(&body.inertia[k]);
                        h[k] = body.mass * self.gravity[k];
                    }
                    // −Ω × Θ Ω (Le Saux 2005, eq. 2.38).
                    let u = &at.u[block * n..];
                    let omega = [u[3], u[4], u[5]];
                    h[3..6].copy_from_slice(&cross(&apply(&body.inertia, &omega), &omega));
                }
            }
        }
    }
}

impl Joints {
    /// Adds the smooth forces: springs, dampers, prescribed efforts, applied forces. The number of a
    /// function of the state that is not finite.
    pub fn add_forces(&self, frames: &Frames, at: &State, forces: &mut [f64]) -> Option<usize> {
        for joint in &self.ideal {
            joint.add_forces(frames, at, forces);
        }
        for spring in &self.springs {
            spring.add_forces(frames, at, forces);
        }
        for applied in &self.applied {
            applied.add_forces(frames, at, forces);
        }
        for bumper in &self.bumpers {
            bumper.add_forces(frames, &self.ideal, at, true, forces);
        }
        self.of_state.add_forces(frames, &self.ideal, at, true, forces)
    }

    /// Adds the smooth forces without a potential: dampers, prescribed efforts, applied forces. The number
    /// as of [`add_forces`](Self::add_forces).
    pub fn add_applied_forces(
        &self,
        frames: &Frames,
        at: &State,
        forces: &mut [f64],
    ) -> Option<usize> {
        for joint in &self.ideal {
            joint.add_applied_forces(frames, at, forces);
        }
        for spring in &self.springs {
            spring.add_damping(frames, at, forces);
        }
        for applied in &self.applied {
            applied.add_forces(frames, at, forces);
        }
        for bumper in &self.bumpers {
            bumper.add_forces(frames, &self.ideal, at, false, forces);
        }
        self.of_state.add_forces(frames, &self.ideal, at, false, forces)
    }

    /// Adds all forces, and those without a potential to `applied` too: each of them is computed once. The sums are those
    /// of [`add_forces`](Self::add_forces) and [`add_applied_forces`](Self::add_applied_forces), bit for bit.
    pub fn add_all_forces(
        &self,
        frames: &Frames,
        at: &State,
        forces: &mut [f64],
        applied: &mut [f64],
    ) -> Option<usize> {
        for joint in &self.ideal {
            joint.add_forces(frames, at, forces);
            joint.add_applied_forces(frames, at, applied);
        }
        for spring in &self.springs {
            spring.add_forces(frames, at, forces);
            spring.add_damping(frames, at, applied);
        }
        for own in &self.applied {
            own.add_to_both(frames, at, forces, applied);
        }
        for bumper in &self.bumpers {
            bumper.add_forces(frames, &self.ideal, at, true, forces);
            bumper.add_forces(frames, &self.ideal, at, false, applied);
        }
        self.of_state.add_to_both(frames, &self.ideal, at, forces, applied)
    }
}
