//! A scene in words, with its warnings.

use crate::support::{contains, read};
use stickslip::scene::world::{Inertia, explain};

/// A rod of length 1 m and mass 1 kg in the plane: I = 1/12, corners at 1/2, κ = 1/3.
const ROD: &str = "\
[world]
dimension = 2
[[body]]
name = \"rod\"
mass = 1
inertia = 0.08333333333333333
[[body.shape]]
kind = \"segment\"
ends = [[-0.5, 0], [0.5, 0]]
[default_contact]
";

fn told(text: &str) -> String {
    let scene = read(text);
    let inertias: Vec<Option<Inertia>> =
        scene.description.bodies.iter().map(Inertia::given).collect();
    explain(&scene, &inertias).join("\n")
}

#[test]
fn a_rod_with_much_friction_is_warned_of() {
    contains(
        &told(&format!("{ROD}friction = 1.4")),
        &["warning: body rod: friction 1.4 is above 1.3333"],
    );
    assert!(!told(&format!("{ROD}friction = 1.3")).contains("warning"));
    let text = told(&format!("{ROD}friction = 0.5\nrestitution = 0.9"));
    contains(&text, &["warning: body rod: an impact at a corner may gain up to"]);
    let equal = format!("{ROD}friction = 0.5\nrestitution = 0.9\ntangential_restitution = 0.9");
    assert!(!told(&equal).contains("warning"));
}

#[test]
fn joints_and_forces_are_told_with_units() {
    contains(
        &told(include_str!("full.toml")),
        &[
            "joint hinge between ground and arm: a hinge",
            "spring 2 N m/rad without force at 0.17453292519943295 rad, damper 1 N m s/rad",
            "hard stops at -1.5707963267948966 and 1.5 rad, restitution 0.5",
            "motor that gives \"0.336 + 0.144*cos(100*t)\" N m",
            "dry friction: holds up to 1 N m",
            "a massless rod of 2 m",
            "spring 10 N/m without force at 1 m, damper 1 N s/m",
            "force push on ball: force [\"sin(3*t)\", 0, 2] N",
        ],
    );
}

/// A ball touches at the foot of its centre: nothing to warn of.
#[test]
fn a_ball_is_never_warned_of() {
    let text = ROD.replace(
        "kind = \"segment\"\nends = [[-0.5, 0], [0.5, 0]]",
        "kind = \"circle\"\nradius = 0.5",
    );
    assert!(!told(&format!("{text}friction = 5\nrestitution = 0.9")).contains("warning"));
}

/// A slender capsule in space: the moment about its own axis is small and does not count.
#[test]
fn only_axes_across_the_arm_count_in_space() {
    let text = "\
[[body]]
name = \"rod\"
mass = 1
inertia = [0.08333333333333333, 0.08333333333333333, 1e-6]
[[body.shape]]
kind = \"capsule\"
radius = 1e-9
half_length = 0.5
[default_contact]
friction = 1.4
";
    contains(&told(text), &["friction 1.4 is above 1.3333"]);
    assert!(!told(&text.replace("1.4", "1.3")).contains("warning"));
}

#[test]
fn laws_are_told_with_units() {
    let text = told(&format!(
        "{ROD}friction = 1\nrestitution = 0.25\n[[contact]]\nbetween = [\"rod\", \"any\"]\nenabled = false"
    ));
    contains(
        &text,
        &[
            "1 moving and 0 fixed bodies",
            "(0, -9.81, 0) m/s²",
            "contact rule 0: body rod with any body",
            "they do not touch",
            "25 % of the speed of approach",
            "inclines up to 45 deg",
            "nothing is averaged",
        ],
    );
}
