//! What moves: states, systems, contacts and force laws.
