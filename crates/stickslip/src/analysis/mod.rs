//! Steady motions and what follows from them without simulation.
//!
//! | file | what | paper |
//! |---|---|---|
//! | [`top_stability`] | stability of the spinning Tippe-Top | Leine 2003, sec. 5.5 |
//! | [`disk_motion`] | rolling without slip, circular rolling, nutation | Le Saux 2005, sec. 5.1–5.4 |
//! | [`disk_decay`] | loss of energy of a disk that settles | Le Saux 2005, sec. 5.5 |
//! | [`eccentric`] | friction that jams, impacts that gain energy | |
//! | [`power_law`] | exponent of a finite-time singularity in a time series | Le Saux 2005, (6.1) |
//! | [`polynomial`] | roots of complex polynomials | |
//! | [`spin`] | energy that explicit gyroscopic forces put into spinning bodies | |
//! | [`start`] | whether any system can start: masses, overlaps, joints | |
//! | [`stiffness`] | rates of springs and dampers, for the length of a step | |

pub mod disk_decay;
pub mod disk_motion;
pub mod eccentric;
pub mod polynomial;
pub mod power_law;
pub mod spin;
pub mod start;
pub mod stiffness;
pub mod top_stability;
