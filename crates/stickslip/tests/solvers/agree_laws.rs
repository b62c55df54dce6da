//! All solvers on random problems with the general laws: friction balls, ellipsoids, cylinders,
//! third laws at a contact, brakes, joints.
#![allow(clippy::unwrap_used, clippy::panic)] // tests

use crate::problems::{
    Case, Laws, Shape, Tally, assemble, distance, proven_unique, set_dense, size, symmetric,
    velocities,
};
use fastrand::Rng;
use stickslip::convex::{
    Ball, ContensouBall, ConvexSet, Cylinder, Ellipsoid, FreeSpace, HalfLine, Interval,
    LinearImage, OrthotropicEllipse, Polygon, Pressure, Set,
};
use stickslip::problem::{InclusionProblem, Reservoir};
use stickslip::solve::{
    Coordinates, Jacobi, JacobiOptions, Limits, SOLVER_NAMES, Solver, Status, StepRule, by_name,
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
    match rng.u8(..15) {
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
        14 => {
            let mut size = || mu * (0.1 + rng.f64());
            let vertices = [[size(), 0.0], [0.0, size()], [-size(), 0.0], [0.0, -size()]];
            contact(vec![Set::Polygon(Polygon::new(&vertices).unwrap())])
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
    for number in 0..440 {
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
            let unit = crate::problems::norm(lambda).max(1e-3);
            assert!(apart <= AGREE * unit, "problem {number}, form {index}: {apart:e}");
        }
        compared += 1;
    }
    println!("fixed points of six forms of the iteration compared on {compared} problems");
    assert!(compared >= 100);
}

/// A law that gives no percussion in some of its components, and what is left of it without them:
/// the components that stay (of those behind the normal one), and their set.
fn law_with_zero(rng: &mut Rng, mu: f64) -> (Vec<Set>, Option<(Vec<usize>, Set)>) {
    let ball = |dim: usize, radius: f64| Set::Ball(Ball { dim, radius });
    let ellipsoid = |axes: [f64; 3]| Set::Ellipsoid(Ellipsoid::new(&axes).unwrap());
    let orthotropic = |friction: [f64; 2]| {
        Set::OrthotropicEllipse(OrthotropicEllipse::new(friction, [1.0, 0.0]).unwrap())
    };
    let contensou = |friction: f64, contact_radius: f64, pressure: Pressure| {
        Set::Contensou(ContensouBall { friction, contact_radius, pressure })
    };
    let cylinder = |radius: f64, half_height: f64| Set::Cylinder(Cylinder { radius, half_height });
    let plane = || Some((vec![0, 1], ball(2, mu)));
    match rng.u8(..17) {
        0 => (vec![ball(1, 0.0)], None),
        1 => (vec![ball(2, 0.0)], None),
        2 => (vec![ellipsoid([0.0; 3])], None),
        3 => (vec![orthotropic([0.0, 0.0])], None),
        4 => (vec![contensou(0.0, 0.01, Pressure::Hertz)], None),
        5 => (vec![contensou(0.0, 0.01, Pressure::Uniform)], None),
        6 => (vec![contensou(0.0, 0.0, Pressure::Parabolic)], None),
        7 => (vec![cylinder(0.0, 0.0)], None),
        8 => (vec![ball(2, 0.0), ball(1, 0.0)], None),
        9 => {
            let map = [1.0, 0.3, 0.0, 0.7];
            (vec![Set::LinearImage(LinearImage::new(&map, ball(2, 0.0)).unwrap())], None)
        }
        // Contour friction 0 beside Coulomb friction, and the other way round.
        10 => (vec![ball(2, mu), ball(1, 0.0)], plane()),
        11 => (vec![ball(2, 0.0), ball(1, mu)], Some((vec![2], ball(1, mu)))),
        12 => (vec![ellipsoid([mu, mu, 0.0])], plane()),
        13 => (vec![orthotropic([mu, 0.0])], Some((vec![0], ball(1, mu)))),
        14 => (vec![orthotropic([0.0, mu])], Some((vec![1], ball(1, mu)))),
        15 => (vec![contensou(mu, 0.0, Pressure::Hertz)], plane()),
        _ => (vec![cylinder(mu, 0.0)], plane()),
    }
}

/// Laws of radius or reservoir 0 are laws that are not there. A frictionless contact that opened
/// had residual 1: its polar cone is the half space z_N ≤ 0, whose points with z_T = 0 were taken
/// for points of the cone.
#[test]
fn friction_zero_is_no_friction() {
    let mut rng = Rng::with_seed(12);
    let mut solvers = solvers();
    let (mut compared, mut slow) = (0, 0);
    for number in 0..300 {
        let contacts = 1 + rng.usize(..5);
        let shape = Shape {
            body: 6,
            contacts,
            bodies: 1 + rng.usize(..contacts),
            decades: 0.5,
            skew: false,
            any_velocity: false,
        };
        let (mut laws, mut reduced_laws, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        let all_smooth = rng.bool();
        let mut offset = 0;
        while laws.len() < contacts {
            let (sets, left) = law_with_zero(&mut rng, 0.3);
            if all_smooth && left.is_some() {
                continue;
            }
            let normal = (Set::HalfLine(HalfLine), Reservoir::Unbounded);
            let (mut full, mut reduced) = (vec![normal.clone()], vec![normal]);
            kept.push(offset);
            if let Some((components, set)) = left {
                kept.extend(components.iter().map(|k| offset + 1 + k));
                reduced.push((set, Reservoir::Normal));
            }
            offset += 1 + sets.iter().map(ConvexSet::dim).sum::<usize>();
            full.extend(sets.into_iter().map(|set| (set, Reservoir::Normal)));
            laws.push(full);
            reduced_laws.push(reduced);
        }
        // Brakes without force, in both of their forms.
        for (radius, reservoir) in [(1.0, 0.0), (0.0, 1.0)] {
            laws.push(vec![(Set::Ball(Ball { dim: 1, radius }), Reservoir::Constant(reservoir))]);
        }
        let problem = assemble(&mut rng, &shape, laws).problem;
        // The problem without those components.
        let (n, m) = (problem.dim(), kept.len());
        let dense = problem.delassus().to_dense();
        let mut reduced = InclusionProblem::new();
        for contact in reduced_laws {
            reduced.push_contact(contact);
        }
        let g: Vec<f64> = (0..m * m).map(|k| dense[kept[k / m] * n + kept[k % m]]).collect();
        set_dense(&mut reduced, &g, kept.iter().map(|k| problem.c()[*k]).collect());
        let limits = Limits { tolerance: TOLERANCE, ..Limits::default() };
        let mut expected = vec![0.0; m];
        let report =
            by_name("newton", limits).unwrap().unwrap().solve(&reduced, &mut expected).unwrap();
        assert_eq!(report.status, Status::Solved, "problem {number}");
        let mut lambda = vec![0.0; n];
        for (k, value) in kept.iter().zip(&expected) {
            lambda[*k] = *value;
        }
        let residual = problem.residual(&lambda);
        assert!(residual.value <= 2.0 * TOLERANCE, "problem {number}: {residual:?}");
        let unique = proven_unique(&reduced);
        let velocity = velocities(&problem, &lambda);
        for (name, solver) in &mut solvers {
            let sets: Vec<_> = problem.laws().iter().map(|l| &l.set).collect();
            let what = format!("problem {number}, {name}, {sets:?}");
            let mut found = vec![0.0; n];
            let report = solver.solve(&problem, &mut found).unwrap();
            if report.status != Status::Solved {
                // The prox iterations may need more than 20 000 steps to 1e-13.
                let simultaneous = name.starts_with("jacobi") || name == "augmented-lagrangian";
                assert!(simultaneous, "{what}: {} at {:e}", report.status, report.residual.value);
                slow += 1;
                continue;
            }
            for k in (0..n).filter(|k| !kept.contains(k)) {
                assert!(
                    found[k].abs() <= 1e-12 * crate::problems::norm(&found),
                    "{what}: {found:?}"
                );
            }
            if unique {
                let xi = velocities(&problem, &found);
                let apart = distance(&velocity, &xi) / size(&problem, &found, &xi);
                assert!(apart <= AGREE, "{what}: velocities differ by {apart:e}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 1000 && slow <= 60, "{compared} compared, {slow} not solved");
}

/// The planar solvers by linear complementarity on frictionless contacts: all solvers of the list.
#[test]
fn a_frictionless_contact_that_opens_has_residual_zero() {
    let mut rng = Rng::with_seed(13);
    let limits = Limits { tolerance: TOLERANCE, ..Limits::default() };
    for number in 0..200 {
        // At most four contacts: enumeration takes twelve pairs.
        let contacts = 1 + rng.usize(..4);
        let shape = Shape {
            body: 3,
            contacts,
            bodies: 1 + rng.usize(..contacts),
            decades: 0.5,
            skew: false,
            any_velocity: false,
        };
        let laws = (0..contacts)
            .map(|_| {
                let smooth = Set::Ball(Ball { dim: 1, radius: 0.0 });
                vec![(Set::HalfLine(HalfLine), Reservoir::Unbounded), (smooth, Reservoir::Normal)]
            })
            .collect();
        let problem = assemble(&mut rng, &shape, laws).problem;
        let mut reference: Option<Vec<f64>> = None;
        for name in SOLVER_NAMES {
            let mut solver = by_name(name, limits).unwrap().unwrap();
            let mut lambda = vec![0.0; problem.dim()];
            let report = solver.solve(&problem, &mut lambda).unwrap();
            assert_eq!(report.status, Status::Solved, "problem {number}, {name}");
            let xi = velocities(&problem, &lambda);
            let other = reference.get_or_insert_with(|| xi.clone());
            let apart = distance(other, &xi) / size(&problem, &lambda, &xi);
            assert!(apart <= AGREE, "problem {number}, {name}: velocities differ by {apart:e}");
        }
    }
    // The smallest case: it opens, and nothing slides.
    for tangents in [1, 2] {
        let mut problem = InclusionProblem::new();
        problem.push_coulomb_contact(0.0, tangents);
        let n = tangents + 1;
        let identity: Vec<f64> =
            (0..n * n).map(|k| f64::from(u8::from(k % (n + 1) == 0))).collect();
        let mut c = vec![0.0; n];
        c[0] = 1.0;
        set_dense(&mut problem, &identity, c);
        assert_eq!(problem.residual(&vec![0.0; n]).value, 0.0);
    }
}
