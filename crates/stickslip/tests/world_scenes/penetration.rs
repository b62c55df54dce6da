//! The deepest penetration from what was found half a step before, against a look at everything.

use stickslip::scene::Scene;
use stickslip::system::ContactSet;

#[test]
fn the_deepest_penetration_is_that_of_a_look_at_all_gaps() {
    for name in ["domino-row", "box-stack", "woodpecker-toy", "chain-over-edge", "sphere-pile"] {
        let overrides = ["simulation.integrator=moreau", "simulation.step=1e-3"];
        let scene = Scene::load(name, &overrides).expect("a scene");
        let mut simulation = scene.simulate().expect("a simulation");
        // Another world, which remembers nothing.
        let fresh = Scene::load(name, &overrides).expect("a scene");
        let mut set = ContactSet::default();
        for step in 0..60 {
            simulation.step(1).expect("a step");
            let at = simulation.present();
            set.clear();
            set.ask_for_gaps();
            fresh.system.contacts(at, &mut set);
            let expected = set.deepest(f64::NEG_INFINITY);
            let mut deepest = |known: f64| simulation.system().penetration(at, known, &mut set);
            let found = deepest(f64::NEG_INFINITY);
            let near = 1e-12 * expected.abs().max(1e-3);
            assert!(
                (found - expected).abs() <= near,
                "{name}, step {step}: {found:e}, {expected:e}"
            );
            // Less is not found again, more is.
            assert_eq!(deepest(expected + 1.0), expected + 1.0);
            assert!((deepest(expected - 1e-9) - expected).abs() <= near);
        }
    }
}
