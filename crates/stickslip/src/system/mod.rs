//! What moves: states, systems, contacts and force laws.

mod hertz;
mod law;

pub use hertz::{effective_modulus, effective_radius, hertz_contact_radius, hertz_mean_radius};
pub use law::{ForceLaw, ForceReservoir};
