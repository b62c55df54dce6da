//! The command `stickslip`.

fn main() {}
