//! The energy book with applied forces, motors and dampers closes whatever the report step.

use crate::worlds::Run;

/// A driven pendulum: a motor with an effort, a damper, a force that depends on time, and a spring.
fn driven(integrator: &str) -> String {
    format!(
        "[world]\ndimension = 2\n[[body]]\nname = \"arm\"\nmass = 2\ninertia = 0.3\n\
         position = [0.5, 0]\n[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\n\
         bodies = [\"ground\", \"arm\"]\nat = [0, 0]\nmotor = {{ effort = \"5*cos(7*t)\" }}\n\
         spring = {{ stiffness = 3, damping = 0.4 }}\n[[force]]\nkind = \"applied\"\nbody = \"arm\"\n\
         force = [0, \"12*sin(9*t)\"]\n[[force]]\nkind = \"spring-damper\"\n\
         bodies = [\"ground\", \"arm\"]\npoints = [[1, 1], [0, 0]]\nstiffness = 4\ndamping = 0.7\n\
         [simulation]\nduration = 2\nstep = 1e-3\noutput_step = 1e-3\nintegrator = \"{integrator}\""
    )
}

/// A ball with a damper that bounces while it is driven.
fn bouncing(integrator: &str) -> String {
    format!(
        "[world]\ndimension = 2\n[world.ground]\n[[body]]\nname = \"ball\"\nmass = 1\n\
         position = [0, 0.3]\nvelocity = [0.4, 0]\n[[body.shape]]\nkind = \"circle\"\nradius = 0.1\n\
         [[force]]\nkind = \"applied\"\nbody = \"ball\"\nforce = [\"3*cos(5*t)\", \"20*sin(11*t)\"]\n\
         [[force]]\nkind = \"spring-damper\"\nbodies = [\"ground\", \"ball\"]\n\
         points = [[0, 1], [0, 0]]\nstiffness = 4\ndamping = 0.7\n[default_contact]\nfriction = 0.3\n\
         restitution = 0.6\n[simulation]\nduration = 2\nstep = 1e-3\noutput_step = 1e-3\n\
         integrator = \"{integrator}\""
    )
}

fn steps(text: &str, step: &str) -> Run {
    let steps = [format!("simulation.step={step}"), format!("simulation.output_step={step}")];
    Run::done(text, &[&steps[0], &steps[1]])
}

#[test]
fn the_book_of_event_driven_runs_does_not_depend_on_the_report_step() {
    for text in [driven("event-driven"), bouncing("event-driven")] {
        let mut drives = Vec::new();
        for step in ["0.1", "1e-2", "1e-3"] {
            let run = steps(&text, step);
            let energy = &run.summary.energy;
            // The tolerance 1e-10 of each of some hundred steps, times energies of about 10 J.
            assert!(energy.closing_error.abs() < 1e-6, "{step}: {energy:?}");
            drives.push(energy.book.drive);
        }
        assert!(drives.iter().all(|d| (d - drives[0]).abs() < 1e-6), "{drives:?}");
        assert!(drives[0].abs() > 0.1, "{drives:?}");
    }
}

/// A motor with a prescribed speed does the work that its constraint force does.
#[test]
fn the_work_of_a_speed_motor_is_booked_by_event_driven_runs() {
    let text = driven("event-driven").replace("effort = \"5*cos(7*t)\"", "speed = \"sin(6*t)\"");
    let mut drives = Vec::new();
    for step in ["0.1", "1e-2"] {
        let run = steps(&text, step);
        let energy = &run.summary.energy;
        assert!(energy.closing_error.abs() < 1e-6, "{step}: {energy:?}");
        // The angle follows the motor.
        let angle = (1.0 - 12.0_f64.cos()) / 6.0;
        assert!((run.last("arm.angle") - angle).abs() < 1e-8, "{}", run.last("arm.angle"));
        drives.push(energy.book.drive);
    }
    assert!((drives[0] - drives[1]).abs() < 1e-6, "{drives:?}");
    assert!(drives[0].abs() > 0.1, "{drives:?}");
}

/// Without springs Moreau's rule has no other error than that of the book: the work is that of
/// the scheme itself, exact in discrete time for any step. The stages of the Runge-Kutta scheme have
/// velocities of their own, and take forces late by half of their step; what that leaves falls at
/// least with the step.
#[test]
fn the_book_of_moreau_is_exact_in_discrete_time() {
    let errors = |integrator: &str| {
        let text = bouncing(integrator).replace("stiffness = 4\n", "stiffness = 0\n");
        ["1e-2", "1e-3"].map(|step| {
            let run = steps(&text, step);
            let energy = &run.summary.energy;
            assert!(energy.book.drive.abs() > 0.1, "{energy:?}");
            energy.closing_error.abs()
        })
    };
    let exact = errors("moreau");
    assert!(exact.iter().all(|e| *e < 1e-9), "{exact:?}");
    let stages = errors("moreau-rk4");
    assert!(stages[0] < 1e-3 && stages[1] < 0.1 * stages[0], "{stages:?}");
}

/// The elements of the ODE route: a mass under dry friction and a time-dependent force.
#[test]
fn the_book_of_the_ode_route_does_not_depend_on_the_report_step() {
    let text = stickslip::scene::built_in("friction-mass").unwrap().text;
    let mut drives = Vec::new();
    for step in ["0.1", "1e-2", "1e-3"] {
        let steps = [format!("simulation.step={step}"), format!("simulation.output_step={step}")];
        let overrides = [
            "simulation.integrator=ode-adaptive",
            "simulation.tolerance=1e-9",
            "simulation.duration=1",
            &steps[0],
            &steps[1],
        ];
        let run = Run::done(text, &overrides);
        drives.push(run.summary.energy.book.drive);
    }
    let spread = (drives[0] - drives[2]).abs().max((drives[1] - drives[2]).abs());
    assert!(spread < 1e-6 * drives[2].abs(), "{drives:?}");
}
