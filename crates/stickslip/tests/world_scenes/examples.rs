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

/// It takes arguments, so that it runs as a program, where it has been built: `./check.sh` builds all examples.
#[test]
fn pile() {
    let own = std::env::current_exe().expect("this program");
    let program = own.parent().and_then(|deps| deps.parent()).expect("a folder");
    let program = program.join("examples").join(format!("pile{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        eprintln!("left out: {} has not been built", program.display());
        return;
    }
    let ended = std::process::Command::new(program).args(["27", "0.02", "auto", "1"]).output();
    let ended = ended.expect("a program that runs");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    assert!(said.contains("27 spheres, 20 steps") && said.contains("(0 above 1e-4)"), "{said}");
}
