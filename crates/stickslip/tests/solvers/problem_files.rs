//! Problems as JSON files: round trip to the last bit, and the contact-problem format.
#![allow(clippy::unwrap_used, clippy::panic)] // tests

use stickslip::convex::{
    Ball, ContensouBall, Cylinder, Ellipsoid, FreeSpace, HalfLine, Interval, LinearImage,
    OrthotropicEllipse, Pressure, RadialProfile, Set,
};
use stickslip::problem::{BlockSparse, InclusionProblem, ProblemError, Reservoir};

/// Numbers that a careless writer or reader loses.
const AWKWARD: [f64; 12] = [
    0.1 + 0.2,
    1.0 / 3.0,
    -2.225073858507201e-308,
    5e-324,
    f64::MIN_POSITIVE,
    f64::MAX,
    -f64::MAX,
    9007199254740993.0,
    -0.0,
    1e23,
    123456789.12345679,
    std::f64::consts::PI,
];

fn one_of_every_kind() -> Vec<Vec<(Set, Reservoir)>> {
    let normal = || (Set::HalfLine(HalfLine), Reservoir::Unbounded);
    let friction = |set| vec![normal(), (set, Reservoir::Normal)];
    let ball = |pressure| {
        Set::Contensou(ContensouBall { friction: 0.1 + 0.2, contact_radius: 5e-4, pressure })
    };
    let profile = RadialProfile::from_points(vec![[0.0, 1.0], [0.3, 0.7], [1.0, 1.0 / 3.0]]);
    let shear = LinearImage::new(&[1.0, 0.3, 0.0, 2.0], Set::Ball(Ball { dim: 2, radius: 0.7 }));
    vec![
        vec![normal()],
        friction(Set::Ball(Ball { dim: 1, radius: 0.3 })),
        friction(Set::Ball(Ball { dim: 2, radius: 1.0 / 3.0 })),
        friction(Set::Ellipsoid(Ellipsoid::new(&[0.1, 0.2, 0.3]).unwrap())),
        friction(Set::OrthotropicEllipse(
            OrthotropicEllipse::new([0.7, 0.2], [0.6, -0.8]).unwrap(),
        )),
        friction(Set::Cylinder(Cylinder { radius: 0.3, half_height: 0.01 })),
        friction(Set::LinearImage(shear.unwrap())),
        friction(ball(Pressure::Hertz)),
        friction(ball(Pressure::Uniform)),
        friction(ball(Pressure::Parabolic)),
        friction(ball(Pressure::Profile(profile.unwrap()))),
        vec![
            normal(),
            (Set::Ball(Ball { dim: 2, radius: 0.3 }), Reservoir::Normal),
            (Set::Ball(Ball { dim: 1, radius: 0.01 }), Reservoir::Normal),
        ],
        vec![(Set::FreeSpace(FreeSpace { dim: 5 }), Reservoir::Unbounded)],
        vec![(
            Set::Interval(Interval { lower: f64::NEG_INFINITY, upper: 0.1 }),
            Reservoir::Constant(1.0 / 7.0),
        )],
        vec![(
            Set::Interval(Interval { lower: -0.3, upper: f64::INFINITY }),
            Reservoir::Constant(0.0),
        )],
    ]
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn every_kind_of_law_reads_back_to_the_last_bit() {
    let mut problem = InclusionProblem::new();
    for laws in one_of_every_kind() {
        problem.push_contact(laws);
    }
    let dims: Vec<usize> = problem.contacts().iter().map(|k| k.dim).collect();
    let n = problem.dim();
    // Sparse: only neighbours are coupled.
    let mut delassus = BlockSparse::default();
    for row in 0..dims.len() {
        let columns = row.saturating_sub(1)..(row + 2).min(dims.len());
        delassus.push_row(dims[row], columns.map(|j| (j, dims[j])));
    }
    delassus.finish();
    let mut rng = fastrand::Rng::with_seed(1);
    for row in 0..dims.len() {
        for (column, block) in delassus.row_mut(row) {
            for entry in block.iter_mut() {
                *entry = (rng.f64() - 0.5) * 10_f64.powi(rng.i32(-300..300));
            }
            if column == row {
                for k in 0..dims[row] {
                    block[k * dims[row] + k] = rng.f64() + 1e-300;
                }
            }
        }
    }
    let c: Vec<f64> = (0..n).map(|i| AWKWARD[i % AWKWARD.len()]).collect();
    problem.set_data(delassus, c).unwrap();

    let text = problem.to_json("every kind, \"quoted\" \\ ü").unwrap();
    let named = InclusionProblem::from_json(&text).unwrap();
    assert_eq!(named.name, "every kind, \"quoted\" \\ ü");
    assert_eq!(named.problem, problem);
    assert_eq!(bits(named.problem.c()), bits(problem.c()));
    assert_eq!(bits(named.problem.delassus().data()), bits(problem.delassus().data()));
    // And the text itself is stable.
    assert_eq!(named.problem.to_json(&named.name).unwrap(), text);
}

#[test]
fn no_contacts_read_back() {
    let mut problem = InclusionProblem::new();
    problem.set_data(BlockSparse::default(), Vec::new()).unwrap();
    let text = problem.to_json("").unwrap();
    assert_eq!(InclusionProblem::from_json(&text).unwrap().problem.dim(), 0);
}

#[test]
fn a_profile_given_as_a_function_has_no_file() {
    let profile = RadialProfile::from_function(&[0.0, 1.0], |rho| 1.0 - rho).unwrap();
    let pressure = Pressure::Profile(profile);
    let mut problem = InclusionProblem::new();
    problem.push_contact([
        (Set::HalfLine(HalfLine), Reservoir::Unbounded),
        (
            Set::Contensou(ContensouBall { friction: 0.3, contact_radius: 0.1, pressure }),
            Reservoir::Normal,
        ),
    ]);
    let mut g = vec![0.0; 16];
    (0..4).for_each(|i| g[5 * i] = 1.0);
    problem.set_data(BlockSparse::dense(&[4], &g), vec![0.0; 4]).unwrap();
    assert!(problem.to_json("").is_err());
}

#[test]
fn contact_problem_format() {
    let text = r#"{"format": "stickslip/contact-problem", "version": 1, "name": "two",
        "source": "by hand", "dimension": 2, "friction": [0.5, 0], "c": [-1, 2, 0.1, -0.25],
        "delassus": {"indptr": [0, 2, 4, 5, 7], "indices": [0, 1, 0, 1, 2, 3, 3],
                     "data": [2.0, 0.5, 0.5, 3.0, 1.5, 1.0, 0.25]}}"#;
    let named = InclusionProblem::from_json(text).unwrap();
    assert_eq!(named.name, "two");
    // Entries given twice are added, blocks without entries are not stored.
    let g = [2.0, 0.5, 0.0, 0.0, 0.5, 3.0, 0.0, 0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0, 1.25];
    assert_eq!(named.problem.delassus().to_dense(), g);
    assert_eq!(named.problem.delassus().data().len(), 8);
    let same = InclusionProblem::coulomb(2, &[0.5, 0.0], &g, &[-1.0, 2.0, 0.1, -0.25]).unwrap();
    assert_eq!(named.problem.c(), same.c());
    assert_eq!(named.problem.laws(), same.laws());
    assert_eq!(named.problem.contacts(), same.contacts());
    // Written in the general format it is the same problem.
    let general = named.problem.to_json("two").unwrap();
    assert_eq!(InclusionProblem::from_json(&general).unwrap(), named);
}

#[test]
fn contact_problem_files_with_errors_are_refused() {
    let file = |dimension: &str, friction: &str, c: &str, indptr: &str, indices: &str| {
        format!(
            r#"{{"format": "stickslip/contact-problem", "version": 1, "dimension": {dimension},
            "friction": {friction}, "c": {c},
            "delassus": {{"indptr": {indptr}, "indices": {indices}, "data": [1, 1]}}}}"#
        )
    };
    assert!(
        InclusionProblem::from_json(&file("2", "[0]", "[0, 0]", "[0, 1, 2]", "[0, 1]")).is_ok()
    );
    let cases = [
        (file("1", "[0]", "[0]", "[0, 1]", "[0]"), "dimension is 1"),
        (file("0", "[0]", "[]", "[0]", "[]"), "dimension is 0"),
        (file("2", "[-1]", "[0, 0]", "[0, 1, 2]", "[0, 1]"), "contact 0"),
        (file("2", "[0]", "[0]", "[0, 1, 2]", "[0, 1]"), "c has 1"),
        (file("2", "[0]", "[0, 0]", "[0, 2]", "[0, 1]"), "indptr"),
        (file("2", "[0]", "[0, 0]", "[0, 2, 1]", "[0, 1]"), "indptr"),
        (file("2", "[0]", "[0, 0]", "[0, 1, 2]", "[0, 7]"), "column index 7"),
        (file("2", "[0]", "[0, 0]", "[0, 1, 2]", "[0, 0]"), "diagonal"),
        (file("2", "[0]", "[0, null]", "[0, 1, 2]", "[0, 1]"), "not valid JSON"),
    ];
    for (text, reason) in cases {
        let message = InclusionProblem::from_json(&text).unwrap_err().to_string();
        assert!(message.contains(reason), "{message:?} does not say {reason:?}: {text}");
    }
    let version = file("2", "[0]", "[0, 0]", "[0, 1, 2]", "[0, 1]").replace("1, \"dim", "2, \"dim");
    assert!(InclusionProblem::from_json(&version).is_err());
    assert!(matches!(
        InclusionProblem::coulomb(1, &[], &[], &[]),
        Err(ProblemError::SpaceDimension(1))
    ));
}
