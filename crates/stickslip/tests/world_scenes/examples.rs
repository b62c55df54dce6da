//! The programs in `examples/` run, and what they claim holds.

macro_rules! example {
    ($name:ident, $path:literal) => {
        #[path = $path]
        mod $name;

        #[test]
        fn $name() {
            $name::main().unwrap_or_else(|e| panic!("{e}"));
        }
    };
}

example!(ball, "../../examples/ball.rs");
example!(own_system, "../../examples/own_system.rs");
example!(own_set, "../../examples/own_set.rs");
example!(own_solver, "../../examples/own_solver.rs");
example!(change_parameter, "../../examples/change_parameter.rs");
