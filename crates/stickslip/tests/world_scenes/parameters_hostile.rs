//! Parameters that no one should write.

use crate::support::{complaint, contains, read_in};
use std::fmt::Write;
use std::time::Instant;

fn scene(parameters: &str, radius: &str) -> String {
    format!(
        "[parameters]\n{parameters}\n[[body]]\nname = \"ball\"\nmass = 1\n[[body.shape]]\nkind = \
         \"sphere\"\nradius = {radius:?}\n"
    )
}

#[test]
fn parameters_that_depend_on_themselves_are_told_once() {
    let text = complaint(&scene("a = \"2*b\"\nb = \"c + 1\"\nc = \"a\"", "a"));
    contains(
        &text,
        &[
            "parameters.a depends on itself: parameters.a -> parameters.b -> parameters.c -> parameters.a",
        ],
    );
    assert_eq!(text.matches("depends on itself").count(), 1, "{text}");
    contains(&complaint(&scene("a = \"a\"", "a")), &["parameters.a depends on itself"]);
    contains(&complaint(&scene("a = [\"a[0]\"]", "a[0]")), &["parameters.a depends on itself"]);
}

#[test]
fn values_that_are_not_finite_are_refused() {
    for (parameters, radius, part) in [
        ("a = 0", "1/a", "it is inf, it must be finite"),
        ("a = 0", "a/a", "it is NaN, it must be finite"),
        ("a = 0", "mod(1, a)", "must be finite"),
        ("a = \"1/0\"", "a", "parameters.a is \"1/0\"; it is inf"),
        ("a = nan", "a", "parameters.a is nan; it must be from -1e30 to 1e30"),
        ("a = inf", "a", "parameters.a is inf; it must be from -1e30 to 1e30"),
        ("a = 1e200", "a", "parameters.a is 1"),
        ("a = 1e29", "a*a", "it must be positive, from 1e-30 to 1e30"),
        ("a = -1", "sqrt(a)", "it is NaN"),
        ("a = -1", "a", "it must be positive"),
        ("a = -1", "if(a, 1/0, 2)", "it is inf"),
    ] {
        contains(&complaint(&scene(parameters, radius)), &[part]);
    }
    // What is not chosen does no harm.
    assert!(read_in(None, &scene("a = 0", "if(a == 0, 1, 1/a)"), &[]).is_ok());
}

#[test]
fn nesting_and_length_are_limited() {
    let nested = format!("{}a{}", "(".repeat(60), ")".repeat(60));
    contains(&complaint(&scene("a = 1", &nested)), &["nested more than 50 deep"]);
    let nested = format!("{}a{}", "max(a,".repeat(60), ")".repeat(60));
    contains(&complaint(&scene("a = 1", &nested)), &["nested more than 50 deep"]);
    contains(&complaint(&scene("a = 1", &"a+".repeat(600))), &["longer than 1000 characters"]);
    contains(
        &complaint(&scene("a = 1", &format!("a{}", "^a".repeat(400)))),
        &["more than 64 values"],
    );
    contains(&complaint(&scene("a = 1", &"not ".repeat(200))), &["ends too early"]);
    let choices = format!("{}'b'{}", "if(1, 'a', ".repeat(80), ")".repeat(80));
    let law = format!("[default_contact]\nlaw = \"{choices}\"\n");
    contains(
        &complaint(&law.replace("[default", "[world]\n[default")),
        &["nested more than 50 deep"],
    );
    for text in [
        "'",
        "''",
        "a == '",
        "if(",
        "if(a",
        "a[",
        "a[0",
        "a[-1]",
        "a[99999999999999999999]",
        "a < 1 < 2",
        "a = 1",
        "not",
        "and",
        "a and",
        "1 °°",
        "a&&a",
        "!a",
        "µ",
        "a-",
        "a.b-c",
    ] {
        // Refused, with the place.
        contains(&complaint(&scene("a = 1", text)), &["body.0.shape.0.radius"]);
    }
}

/// Long rows of references, given the wrong way round.
#[test]
fn long_rows_of_references_end() {
    let row = |count: usize| {
        let mut text = String::new();
        for k in 0..count {
            let _ = writeln!(text, "p{k} = \"p{} + 1\"", k + 1);
        }
        text + &format!("p{count} = 1")
    };
    assert!(read_in(None, &scene(&row(90), "p0"), &[]).is_ok());
    contains(
        &complaint(&scene(&row(20_000), "p0")),
        &["more than 100 parameters refer to one another"],
    );
}

#[test]
fn huge_lists_are_read_in_time() {
    let list: Vec<String> = (0..200_000).map(|k| format!("{k}")).collect();
    let mut text = format!("[parameters]\nall = [{}]\n", list.join(","));
    for k in 0..2_000 {
        let _ = write!(
            text,
            "[[body]]\nname = \"b{k}\"\nmass = \"all[1]\"\nposition = [\"all[{k}]\", 0, 0]\n\
             [[body.shape]]\nkind = \"sphere\"\nradius = \"all[2]/10\"\n"
        );
    }
    let begin = Instant::now();
    let scene = read_in(None, &text, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.description.bodies[1999].position[0], 1999.0);
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}
