//! Sets as JSON: names, round trip, and what is refused.
#![allow(clippy::unwrap_used, clippy::panic)] // tests

use stickslip::convex::{
    Ball, ConvexSet, Cylinder, Ellipsoid, FreeSpace, HalfLine, Interval, LinearImage,
    OrthotropicEllipse, Polygon, Set,
};

#[test]
fn sets_read_back_equal_under_their_names() {
    let ball = Set::Ball(Ball { dim: 2, radius: 0.1 });
    let cylinder = Set::Cylinder(Cylinder { radius: 0.3, half_height: 0.1 });
    let sets = [
        ("half-line", Set::HalfLine(HalfLine)),
        ("free-space", Set::FreeSpace(FreeSpace { dim: 3 })),
        ("interval", Set::Interval(Interval { lower: -0.5, upper: f64::INFINITY })),
        ("interval", Set::Interval(Interval { lower: f64::NEG_INFINITY, upper: 1.0 / 3.0 })),
        ("ball", ball.clone()),
        ("ellipsoid", Set::Ellipsoid(Ellipsoid::new(&[0.3, 0.3, 0.1]).unwrap())),
        (
            "orthotropic-ellipse",
            Set::OrthotropicEllipse(OrthotropicEllipse::new([0.6, 0.2], [1.0, 3.0]).unwrap()),
        ),
        ("polygon", Set::Polygon(Polygon::new(&[[0.1, 0.0], [0.0, 0.3], [-0.2, -0.1]]).unwrap())),
        ("cylinder", cylinder),
        ("linear-image", Set::LinearImage(LinearImage::new(&[1.0, 0.5, 0.0, 2.0], ball).unwrap())),
    ];
    for (kind, set) in sets {
        let text = serde_json::to_string(&set).unwrap();
        assert!(text.contains(&format!("\"kind\":\"{kind}\"")), "{text}");
        assert_eq!(serde_json::from_str::<Set>(&text).unwrap(), set, "{text}");
        set.validate().unwrap();
        // Unknown fields are an error: a misspelt name must not be ignored.
        let misspelt = text.replacen('{', "{\"colour\":1,", 1);
        assert!(serde_json::from_str::<Set>(&misspelt).is_err(), "{misspelt}");
    }
}

#[test]
fn files_that_make_no_sense_are_refused_with_a_reason() {
    let cases = [
        (r#"{"kind":"ellipsoid","semi_axes":[]}"#, "1 to 4"),
        (r#"{"kind":"ellipsoid","semi_axes":[1,1,1,1,1]}"#, "1 to 4"),
        (r#"{"kind":"ellipsoid","semi_axes":[1,-1]}"#, "semi_axes[1] is -1"),
        (r#"{"kind":"ellipsoid","semi_axes":[1,1e-200]}"#, "semi_axes[1] is"),
        (r#"{"kind":"orthotropic-ellipse","friction":[1,1],"axis":[0,0]}"#, "axis is"),
        (r#"{"kind":"orthotropic-ellipse","friction":[-1,1],"axis":[1,0]}"#, "friction[0] is -1"),
        (
            r#"{"kind":"linear-image","map":[[1,0],[0]],"set":{"kind":"ball","dim":2,"radius":1}}"#,
            "map[1]",
        ),
        (
            r#"{"kind":"linear-image","map":[[1,1],[1,1]],"set":{"kind":"ball","dim":2,"radius":1}}"#,
            "regular",
        ),
        (
            r#"{"kind":"linear-image","map":[[1]],"set":{"kind":"ball","dim":2,"radius":1}}"#,
            "map has 1",
        ),
        (r#"{"kind":"polygon","vertices":[[1,0],[0,-1],[-1,0]]}"#, "vertices[1] is"),
        (r#"{"kind":"sphere","radius":1}"#, "sphere"),
    ];
    for (text, reason) in cases {
        let message = serde_json::from_str::<Set>(text).unwrap_err().to_string();
        assert!(message.contains(reason), "{text}: {message}");
    }
}

#[test]
fn parameters_out_of_range_do_not_validate() {
    let invalid = [
        Set::Interval(Interval { lower: 0.5, upper: 1.0 }),
        Set::Interval(Interval { lower: -1.0, upper: f64::NAN }),
        Set::Ball(Ball { dim: 0, radius: 1.0 }),
        Set::Ball(Ball { dim: 2, radius: -1.0 }),
        Set::Cylinder(Cylinder { radius: 1.0, half_height: f64::INFINITY }),
        Set::Ellipsoid(Ellipsoid::spheroid(f64::NAN, 1.0)),
        Set::FreeSpace(FreeSpace { dim: 0 }),
    ];
    for set in invalid {
        assert!(set.validate().is_err(), "{set:?}");
    }
}
