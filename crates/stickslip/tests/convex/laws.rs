//! Force laws: units, reservoirs, viscosity, and the contact radius of Hertz.
#![allow(clippy::unwrap_used, clippy::panic)] // tests

use std::f64::consts::PI;
use stickslip::convex::{ConvexSet, Set};
use stickslip::problem::{BlockSparse, InclusionProblem, Reservoir};
use stickslip::system::{
    ForceLaw, ForceReservoir, effective_modulus, effective_radius, hertz_contact_radius,
    hertz_mean_radius,
};

#[test]
fn contact_radius_of_the_wooden_top_leine_2003_sec_5_4() {
    // Data of sec. 5.4: r₁ = 1.5 cm on a flat floor, λ_N = m g, E* = 5 GPa.
    let radius = effective_radius(1.5e-2, f64::INFINITY);
    assert_eq!(radius, 1.5e-2);
    let contact = hertz_contact_radius(6e-3 * 9.81, radius, 5e9);
    // "about 5e-5 m": one digit.
    assert!((contact - 5e-5).abs() < 0.5e-5, "{contact:e}");
    // (3.2) inverted gives the load back.
    let load = 4.0 * 5e9 * contact.powi(3) / (3.0 * radius);
    assert!((load - 6e-3 * 9.81).abs() < 1e-15, "{load}");
    assert_eq!(hertz_contact_radius(-1.0, radius, 5e9), 0.0);
}

#[test]
fn effective_modulus_leine_2003_eq_3_3() {
    // Equal bodies halve the plane-strain modulus; a rigid partner leaves it.
    let equal = effective_modulus((2e11, 0.3), (2e11, 0.3));
    assert!((equal / (1e11 / 0.91) - 1.0).abs() < 1e-15);
    let rigid = effective_modulus((2e11, 0.3), (f64::INFINITY, 0.0));
    assert!((rigid / (2e11 / 0.91) - 1.0).abs() < 1e-15);
}

/// Largest force of a law in the direction of one component.
fn largest(law: &ForceLaw, component: usize) -> f64 {
    let mut e = vec![0.0; law.dim()];
    e[component] = 1.0;
    law.set.support(1.0, &e)
}

#[test]
fn constructors_have_the_documented_sizes() {
    let radius = 5e-4;
    let drilling = 0.3 * 3.0 * PI / 16.0 * radius;
    // Law, dimension, reservoir, largest force (moment) per component at unit reservoir.
    let normal = ForceReservoir::Normal;
    let unbounded = ForceReservoir::Unbounded;
    let infinite = f64::INFINITY;
    let mean_radius = hertz_mean_radius(radius);
    let cases = [
        (ForceLaw::signorini(0.5), unbounded, vec![infinite]),
        (ForceLaw::coulomb_1d(0.3, 0.0), normal, vec![0.3]),
        (ForceLaw::coulomb(0.3, 0.2), normal, vec![0.3, 0.3]),
        (
            ForceLaw::orthotropic_coulomb([0.3, 0.1], [0.0, 2.0], 0.0).unwrap(),
            normal,
            vec![0.1, 0.3],
        ),
        (ForceLaw::contensou_ellipsoid(0.3, mean_radius), normal, vec![0.3, 0.3, drilling]),
        (ForceLaw::contensou_cylinder(0.3, mean_radius), normal, vec![0.3, 0.3, drilling]),
        (ForceLaw::contour_friction(3e-4), normal, vec![3e-4]),
        (ForceLaw::contour_friction_viscous(2.0), unbounded, vec![infinite]),
        (ForceLaw::rolling_friction(1e-3), normal, vec![1e-3, 1e-3]),
        (ForceLaw::rolling_friction_viscous(2.0), unbounded, vec![infinite; 2]),
        (ForceLaw::bilateral(3), unbounded, vec![infinite; 3]),
        (ForceLaw::dry_friction(2, 7.0), ForceReservoir::Force(7.0), vec![1.0, 1.0]),
    ];
    for (law, reservoir, limits) in cases {
        law.validate().unwrap();
        assert_eq!(law.reservoir, reservoir, "{law:?}");
        assert_eq!(law.dim(), limits.len(), "{law:?}");
        for (component, limit) in limits.iter().enumerate() {
            // One or two roundings of the products; ∞ = ∞.
            let found = largest(&law, component);
            assert!(found == *limit || (found / limit - 1.0).abs() < 1e-15, "{law:?}: {found}");
        }
        let text = serde_json::to_string(&law).unwrap();
        assert_eq!(serde_json::from_str::<ForceLaw>(&text).unwrap(), law, "{text}");
    }
    assert_eq!(ForceLaw::signorini(0.5).restitution, 0.5);
    assert_eq!(ForceLaw::coulomb(0.3, 0.2).restitution, 0.2);
}

#[test]
fn forces_become_percussions_at_assembly() {
    let dt = 1e-3;
    assert_eq!(ForceLaw::dry_friction(1, 7.0).reservoir(dt), Reservoir::Constant(7.0 * dt));
    assert_eq!(ForceLaw::coulomb(0.3, 0.0).reservoir(dt), Reservoir::Normal);
    assert_eq!(ForceLaw::bilateral(1).reservoir(dt), Reservoir::Unbounded);
    assert_eq!(ForceLaw::bilateral(1).compliance(dt), 0.0);
    assert_eq!(ForceLaw::contour_friction_viscous(4.0).compliance(dt), 250.0);
}

#[test]
fn viscous_law_is_an_implicit_damper() {
    // A mass m with velocity v against a damper c: m (v_E − v) = −c v_E Δt, so
    // v_E = v/(1 + cΔt/m) and Λ = −cΔt v_E.
    let (m, v, c, dt) = (2.0, 3.0, 5.0, 0.1);
    let law = ForceLaw::contour_friction_viscous(c);
    let mut problem = InclusionProblem::new();
    problem.push_contact([(law.set.clone(), law.reservoir(dt))]);
    let g = 1.0 / m + law.compliance(dt);
    problem.set_data(BlockSparse::dense(&[1], &[g]), vec![v]).unwrap();
    let v_e = v / (1.0 + c * dt / m);
    let percussion = -c * dt * v_e;
    assert!(problem.residual(&[percussion]).value < 1e-15);
    assert!((v + percussion / m - v_e).abs() < 1e-15);
}

#[test]
fn damper_in_series_with_friction_slips_at_the_limit() {
    // The same damper, but no stronger than 1 N: Λ = −FΔt, the mass loses FΔt/m.
    let (m, v, c, dt) = (2.0, 3.0, 5.0, 0.1);
    let law = ForceLaw { viscosity: Some(c), ..ForceLaw::dry_friction(1, 1.0) };
    law.validate().unwrap();
    let mut problem = InclusionProblem::new();
    problem.push_contact([(law.set.clone(), law.reservoir(dt))]);
    let g = 1.0 / m + law.compliance(dt);
    problem.set_data(BlockSparse::dense(&[1], &[g]), vec![v]).unwrap();
    assert!(problem.residual(&[-dt]).value < 1e-15);
    assert!(problem.residual(&[-0.9 * dt]).value > 1e-3);
}

#[test]
fn parameters_out_of_range_do_not_validate() {
    let invalid = [
        ForceLaw::signorini(1.5),
        ForceLaw::signorini(-0.1),
        ForceLaw::signorini(f64::NAN),
        ForceLaw::coulomb(-0.1, 0.0),
        ForceLaw::contensou_ellipsoid(0.3, -1.0),
        ForceLaw::contour_friction_viscous(0.0),
        ForceLaw::rolling_friction_viscous(f64::INFINITY),
        ForceLaw::dry_friction(1, -1.0),
        ForceLaw::dry_friction(0, 1.0),
    ];
    for law in invalid {
        assert!(law.validate().is_err(), "{law:?}");
    }
    assert!(ForceLaw::orthotropic_coulomb([0.1, 0.2], [0.0, 0.0], 0.0).is_err());
    assert!(matches!(ForceLaw::signorini(0.0).set, Set::HalfLine(_)));
}
