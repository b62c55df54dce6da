//! Masses, materials and contact laws.

use crate::support::{BALL, complaint, contains, read, with_ball};
use stickslip::world::{FrictionForm, MassDescription, Partner};

#[test]
fn rules_name_bodies_materials_and_copies() {
    let text = "\
[world.ground]
material = \"floor\"
[[body]]
name = \"ball\"
mass = 1
material = \"steel\"
[[body.shape]]
kind = \"sphere\"
radius = 1
[[body]]
name = \"grain\"
mass = 1
[[body.shape]]
kind = \"sphere\"
radius = 1
[[array]]
body = \"grain\"
kind = \"grid\"
counts = [2, 1, 1]
spacing = [3, 3, 3]
[[contact]]
between = [\"ball\", \"ground\"]
[[contact]]
between = [\"steel\", \"any\"]
enabled = false
[[contact]]
between = [\"grain\", \"grain-1\"]
";
    let world = read(text).description;
    assert_eq!(world.contacts[0].between, [Partner::Body(0), Partner::Body(3)]);
    assert_eq!(world.contacts[1].between, [Partner::Material("steel".into()), Partner::Any]);
    assert!(!world.contacts[1].enabled);
    assert_eq!(world.contacts[2].between, [Partner::Material("grain".into()), Partner::Body(2)]);
    assert_eq!(world.bodies[1].material, "grain");
    let wrong = |from: &str, to: &str, part: &str| {
        contains(&complaint(&text.replace(from, to)), &[part]);
    };
    wrong("\"steel\", \"any\"", "\"stel\", \"any\"", "did you mean \"steel\"?");
    wrong("[world.ground]\nmaterial = \"floor\"\n", "", "there is no [world.ground]");
    wrong("material = \"steel\"", "material = \"ball\"", "is a body and a material");
    wrong(
        "name = \"grain\"\n",
        "name = \"grain\"\nmaterial = \"sand\"\n",
        "name their material \"sand\"",
    );
}

#[test]
fn every_form_of_friction_has_its_keys() {
    let law = |keys: &str| with_ball(&format!("[default_contact]\nfriction = 0.5\n{keys}"));
    let form = |keys: &str| read(&law(keys)).description.default_contact.form;
    assert_eq!(form(""), FrictionForm::Coulomb);
    assert_eq!(
        form("law = \"contensou-hertz\"\ncontact_radius = \"5 mm\""),
        FrictionForm::ContensouHertz { contact_radius: 5e-3 }
    );
    assert_eq!(
        form("law = \"contensou-uniform\"\ncontact_radius = 1"),
        FrictionForm::ContensouUniform { contact_radius: 1.0 }
    );
    assert_eq!(
        form("law = \"contensou-parabolic\"\ncontact_radius = 1"),
        FrictionForm::ContensouParabolic { contact_radius: 1.0 }
    );
    assert_eq!(
        form("law = \"ellipsoid\"\nmean_radius = 2"),
        FrictionForm::Ellipsoid { mean_radius: 2.0 }
    );
    assert_eq!(
        form(
            "law = \"orthotropic\"\nfriction_across = 0.2\naxis = [0, 2, 0]\naxis_body = \"ball\""
        ),
        FrictionForm::Orthotropic {
            across: 0.2,
            backward: [None; 2],
            axis: [0.0, 1.0, 0.0],
            body: 0,
        }
    );
    let polygon = "law = \"polygon\"\naxis = [1, 0, 0]\naxis_body = \"ball\"\n";
    let vertices = vec![[0.5, 0.0], [0.0, 0.2], [-0.5, -0.1]];
    assert_eq!(
        form(&format!("{polygon}vertices = [[0.5, 0], [0, 0.2], [-0.5, -0.1]]")),
        FrictionForm::Polygon { vertices, axis: [1.0, 0.0, 0.0], body: 0 }
    );
    for (given, parts) in [
        ("", &["default_contact.vertices is missing"][..]),
        ("vertices = [[0.5, 0], [-0.5, -0.1], [0, 0.2]]", &["vertices.1 is", "counter-clockwise"]),
        ("vertices = [[0.5, 0], [0.6, 0.1], [0.4, 0.3]]", &["vertices.2 is", "origin"]),
        ("vertices = [[0.5, 0, 0], [0, 1, 0]]", &["vertices.0", "a list of 2"]),
        (
            "polar = [[0, 1], [\"45 deg\", 0.2], [1.57, 1], [\"180 deg\", 1], [\"270 deg\", 1]]",
            &["polar.1 (at 45.0000 deg)", "convex"],
        ),
        (
            "polar = [[0, 1], [\"90 deg\", 1], [\"80 deg\", 1]]",
            &["polar.2.0 is 80.0000 deg", "ascend"],
        ),
        ("polar = [[0, 1], [\"180 deg\", 1], [\"360 deg\", 1]]", &["polar.2.0 is 360.0000 deg"]),
        ("polar = [[0, -1], [\"180 deg\", 1]]", &["polar.0.1 is -1", "not negative"]),
        ("vertices = [[0, 0]]\npolar = [[0, 1], [3, 1]]", &["without \"polar\" only"]),
    ] {
        contains(&complaint(&law(&format!("{polygon}{given}"))), parts);
    }
    for (keys, part) in [
        ("law = \"contensou-hertz\"", "contact_radius is missing"),
        ("contact_radius = 1", "for the contensou laws only"),
        ("law = \"ellipsoid\"", "mean_radius is missing"),
        ("law = \"orthotropic\"", "axis_body is missing"),
        ("law = \"contensou-herz\"", "did you mean \"contensou-hertz\"?"),
        ("restitution = 1.1", "default_contact.restitution is 1.1; it must be from 0 to 1"),
        ("restitution = \"0.5\"", "a number without quotes"),
        ("rolling_arm = \"1 kg\"", "it is a mass, but must be a length"),
    ] {
        contains(&complaint(&law(keys)), &[part]);
    }
    contains(
        &complaint("[world]\ndimension = 2\n[default_contact]\nrolling_arm = 1"),
        &["in the plane it must be 0"],
    );
}

#[test]
fn equal_coefficients_are_one() {
    let keys = "friction = 0.4\nstatic_friction = 0.4";
    let law = read(&with_ball(&format!("[default_contact]\n{keys}"))).description.default_contact;
    assert_eq!((law.friction, law.friction_curve), (0.4, None));
}

#[test]
fn masses_are_given_or_follow_from_shapes() {
    let body = |keys: &str| BALL.replace("mass = 2\n", &format!("{keys}\n"));
    let mass = |keys: &str| read(&body(keys)).description.bodies[0].mass.clone();
    assert_eq!(mass("density = \"2 kg/m^3\""), MassDescription::Density(2.0));
    assert_eq!(
        mass("mass = 1\ninertia = [1, 2, 3]\ncenter = [0, 0, 1]"),
        MassDescription::Given {
            mass: 1.0,
            center: [0.0, 0.0, 1.0],
            inertia: [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]
        }
    );
    for (keys, part) in [
        ("", "the body \"ball\" has no mass"),
        ("mass = 1\ndensity = 1", "has mass and density; give one"),
        ("inertia = [1, 1, 1]", "needs mass (kg)"),
        ("mass = 0", "it must be positive"),
        ("mass = 1\ninertia = [1, 1]", "xx, yy, zz"),
        ("mass = 1\ninertia = [1, 1, 1, 2, 0, 0]", "no body has such an inertia"),
        ("mass = 1\ninertia = [1, 1, 0]", "no body has such an inertia"),
        ("mass = 1\ninertia = [1, 1, 3]", "above the sum of the two others"),
        ("mass = 1\ncenter = [0, 0, 1]", "needs mass and inertia"),
        ("density = \"1 kg\"", "it is a mass, but must be a density"),
    ] {
        contains(&complaint(&body(keys)), &[part]);
    }
    contains(&complaint("[[body]]\nname = \"p\"\nmass = 1"), &["give inertia"]);
    contains(
        &complaint("[[body]]\nname = \"p\"\nmass = 1\n[[body.shape]]\nkind = \"half-space\""),
        &["has a half-space and moves"],
    );
}

#[test]
fn a_printed_inertia_that_is_rounded_is_a_warning() {
    let body =
        |inertia: &str| BALL.replace("mass = 2\n", &format!("mass = 2\ninertia = {inertia}\n"));
    assert!(read(&body("[1, 1, 2]")).warnings.is_empty());
    let scene = read(&body("[1, 1, 2.02]"));
    contains(&scene.warnings[0], &["body.0.inertia", "0.99 % above the sum"]);
}
