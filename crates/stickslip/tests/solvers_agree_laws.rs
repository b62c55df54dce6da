//! All solvers on random problems with the general laws: friction balls, ellipsoids, cylinders,
//! third laws at a contact, brakes, joints.
#![allow(clippy::unwrap_used, clippy::panic)] // tests

#[path = "common/problems.rs"]
mod problems;

use fastrand::Rng;
use problems::{
    Case, Laws, Shape, Tally, assemble, distance, proven_unique, size, symmetric, velocities,
};
use stickslip::convex::{
    Ball, ContensouBall, Cylinder, Ellipsoid, FreeSpace, HalfLine, Interval, LinearImage,
    OrthotropicEllipse, Pressure, Set,
};
use stickslip::problem::Reservoir;
use stickslip::solve::{
    Coordinates, Jacobi, JacobiOptions, Limits, Solver, Status, StepRule, by_name,
};

/// As in the problems with Coulomb friction; the prox of the friction ball is exact to 1e-14.
const TOLERANCE: f64 = 1e-13;
const AGREE: f64 = 1e-9;

fn friction_ball(rng: &mut Rng, friction: f64) -> Set {
    let pressure = match rng.u8(..3) {
        0 => Pressure::Hertz,
        1 => Pressure::Uniform,
        _ => Pressure::Parabolic,
    };
    let contact_radius = 10_f64.powf(-3.0 * rng.f64());
    Set::Contensou(ContensouBall { friction, contact_radius, pressure })
}

/// The laws of one random contact or joint.
fn random_laws(rng: &mut Rng, most_friction: f64) -> Laws {
    let mu = most_friction * rng.f64();
    let normal = (Set::HalfLine(HalfLine), Reservoir::Unbounded);
    let ball = |dim: usize, radius: f64| Set::Ball(Ball { dim, radius });
    let contact = |sets: Vec<Set>| {
        let mut laws = vec![normal.clone()];
        laws.extend(sets.into_iter().map(|set| (set, Reservoir::Normal)));
        laws
    };
    match rng.u8(..14) {
        0 => contact(vec![]),
        1 => contact(vec![ball(2, mu)]),
        2 | 3 => contact(vec![friction_ball(rng, mu)]),
        4 => contact(vec![Set::Ellipsoid(Ellipsoid::spheroid(mu, mu * rng.f64()))]),
        5 => contact(vec![Set::Ellipsoid(
            Ellipsoid::new(&[mu, mu * (0.1 + rng.f64()), mu * (0.01 + rng.f64())]).unwrap(),
        )]),
        6 => {
            let axis = [0.1 + rng.f64(), symmetric(rng)];
            let set = OrthotropicEllipse::new([mu, mu * rng.f64()], axis).unwrap();
            contact(vec![Set::OrthotropicEllipse(set)])
        }
        7 => {
            let set = Cylinder { radius: mu, half_height: mu * rng.f64() };
            contact(vec![Set::Cylinder(set)])
        }
        // Coulomb friction and contour friction (Le Saux 2005, eq. 2.33): a third law.
        8 => contact(vec![ball(2, mu), ball(1, 0.3 * mu)]),
        // Friction ball and rolling friction.
        9 => contact(vec![friction_ball(rng, mu), ball(2, 0.1 * mu)]),
        10 => {
            let map = [1.0, symmetric(rng), 0.0, 0.5 + rng.f64()];
            contact(vec![Set::LinearImage(LinearImage::new(&map, ball(2, mu)).unwrap())])
        }
        // A brake; a drive with a limit in one direction.
        11 => vec![(ball(1 + rng.usize(..3), 1.0), Reservoir::Constant(rng.f64()))],
        12 => {
            let set = Interval { lower: -rng.f64(), upper: f64::INFINITY };
            vec![(Set::Interval(set), Reservoir::Constant(rng.f64()))]
        }
        _ => vec![(Set::FreeSpace(FreeSpace { dim: 1 + rng.usize(..6) }), Reservoir::Unbounded)],
    }
}

fn general_case(rng: &mut Rng) -> Case {
    let contacts = 1 + rng.usize(..6);
    let most_friction = [0.3, 1.0, 2.0][rng.usize(..3)];
    let shape = Shape {
        body: 6,
        contacts,
        bodies: 1 + rng.usize(..contacts),
        decades: [0.0, 0.5, 1.0][rng.usize(..3)],
        skew: rng.u8(..4) == 0,
        any_velocity: rng.u8(..4) == 0,
    };
    let laws = (0..contacts).map(|_| random_laws(rng, most_friction)).collect();
    assemble(rng, &shape, laws)
}

/// All applicable solvers; the prox iterations in all their forms.
fn solvers() -> Vec<(String, Box<dyn Solver>)> {
    let limits = |max_iterations| Limits { tolerance: TOLERANCE, max_iterations, max_time: None };
    let mut all = Vec::new();
    for (name, iterations) in [
        ("auto", 20_000),
        ("newton", 3_000),
        ("gauss-seidel", 20_000),
        ("augmented-lagrangian", 20_000),
    ] {
        all.push((name.to_string(), by_name(name, limits(iterations)).unwrap().unwrap()));
    }
    for rule in [StepRule::Uniform, StepRule::Scaled] {
        for coordinates in
            [Coordinates::Original, Coordinates::Transformed, Coordinates::Equilibrated]
        {
            let options =
                JacobiOptions { limits: limits(20_000), rule, coordinates, ..Default::default() };
            let solver: Box<dyn Solver> = Box::new(Jacobi::new(options).unwrap());
            all.push((format!("jacobi {rule:?} {coordinates:?}"), solver));
        }
    }
    all
}

/// Shares of solved problems, measured and rounded down; auto and newton solve all.
const FLOORS: &[(&str, f64)] = &[
    ("auto", 1.0),
    ("newton", 1.0),
    ("gauss-seidel", 0.99),
    ("augmented-lagrangian", 0.96),
    ("jacobi Uniform Original", 0.96),
    ("jacobi Uniform Transformed", 0.96),
    ("jacobi Uniform Equilibrated", 0.96),
    ("jacobi Scaled Original", 0.96),
    ("jacobi Scaled Transformed", 0.96),
    ("jacobi Scaled Equilibrated", 0.96),
];

#[test]
fn general_laws() {
    let mut tally = Tally::default();
    let mut rng = Rng::with_seed(5);
    let mut solvers = solvers();
    for number in 0..400 {
        let case = general_case(&mut rng);
        let problem = &case.problem;
        let unique = case.solvable && proven_unique(problem);
        let mut reference: Option<Vec<f64>> = None;
        let (mut agreed, mut unsolved) = (true, Vec::new());
        for (name, solver) in &mut solvers {
            let sets: Vec<_> = problem.laws().iter().map(|l| &l.set).collect();
            let what = format!("problem {number}, {name}, {}, {sets:?}", case.label);
            let mut lambda = vec![0.0; problem.dim()];
            let report = solver.solve(problem, &mut lambda).unwrap();
            assert_eq!(report.residual, problem.residual(&lambda), "{what}");
            let solved = report.status == Status::Solved;
            if case.solvable || solved {
                tally.count(name, solved);
            }
            if !solved {
                let must = case.solvable && matches!(name.as_str(), "auto" | "newton");
                assert!(!must, "{what}: {} at {:e}", report.status, report.residual.value);
                unsolved.push(name.clone());
                continue;
            }
            assert!(report.residual.value <= TOLERANCE, "{what}: {:e}", report.residual.value);
            let before = lambda.clone();
            let again = solver.solve(problem, &mut lambda).unwrap();
            assert_eq!((again.status, again.iterations), (Status::Solved, 0), "{what}");
            assert_eq!(lambda, before, "{what}");
            let xi = velocities(problem, &lambda);
            let Some(other) = &reference else {
                reference = Some(xi);
                continue;
            };
            let apart = distance(other, &xi) / size(problem, &lambda, &xi);
            agreed &= apart <= AGREE;
            assert!(apart <= AGREE || !unique, "{what}: velocities differ by {apart:e}");
        }
        // What one solver solves has a solution.
        if reference.is_some() {
            let failed = unsolved.iter().find(|n| matches!(n.as_str(), "auto" | "newton"));
            assert_eq!(failed, None, "problem {number}, {}", case.label);
        }
        let kind = match (unique, case.solvable) {
            (true, _) => "proven unique",
            (_, true) => "solvable",
            _ if reference.is_some() => "solved, nothing known before",
            _ => "nothing known",
        };
        tally.problem(kind, agreed);
    }
    tally.print("general laws");
    tally.check(FLOORS);
    assert!(tally.problems("proven unique") >= 80);
    assert_eq!(tally.apart("proven unique"), 0);
    // Where uniqueness is not proven a difference is no error, and rare.
    assert!(tally.apart("solvable") <= tally.problems("solvable") / 50);
}

/// Möller 2009, sec. 4 and 5: the prox equations in original and transformed coordinates, with one
/// prox parameter per law (37), (43) or with the scaled step (46), are different equations with the
/// same solutions. The fixed point of one is a fixed point of all others.
#[test]
fn moeller_fixed_points_are_the_same_percussions() {
    let mut rng = Rng::with_seed(6);
    let mut compared = 0;
    for number in 0..200 {
        // Ellipsoids on one body each contact has for itself: G is regular and Λ unique.
        let contacts = 1 + rng.usize(..3);
        let laws = (0..contacts)
            .map(|_| {
                let mu = 0.1 + 0.3 * rng.f64();
                let set = Ellipsoid::new(&[mu, mu * (0.1 + rng.f64()), mu * 0.05]).unwrap();
                vec![
                    (Set::HalfLine(HalfLine), Reservoir::Unbounded),
                    (Set::Ellipsoid(set), Reservoir::Normal),
                ]
            })
            .collect();
        let shape = Shape {
            body: 6,
            contacts,
            bodies: 3 * contacts,
            decades: 0.5,
            skew: false,
            any_velocity: false,
        };
        let case = assemble(&mut rng, &shape, laws);
        if !proven_unique(&case.problem) {
            continue;
        }
        let mut fixed_points: Vec<Vec<f64>> = Vec::new();
        for (name, mut solver) in solvers() {
            if name.starts_with("jacobi") {
                let mut lambda = vec![0.0; case.problem.dim()];
                let report = solver.solve(&case.problem, &mut lambda).unwrap();
                assert_eq!(report.status, Status::Solved, "problem {number}, {name}");
                fixed_points.push(lambda);
            }
        }
        for (index, lambda) in fixed_points.iter().enumerate() {
            // Regular G: the percussions agree, not only the velocities. Residual 1e-13 times
            // the condition of G, at most 1e4 here.
            let apart = distance(lambda, &fixed_points[0]);
            let unit = problems::norm(lambda).max(1e-3);
            assert!(apart <= AGREE * unit, "problem {number}, form {index}: {apart:e}");
        }
        compared += 1;
    }
    println!("fixed points of six forms of the iteration compared on {compared} problems");
    assert!(compared >= 100);
}
