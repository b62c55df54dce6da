//! Rolling without slip: reduced equations, circular rolling, nutation, feasibility
//! (Le Saux 2005, sec. 5.1–5.4).

use crate::support::*;
use fastrand::Rng;
use stickslip_papers::disk_motion::*;
use stickslip_papers::power_law::{fit, fit_until};

/// g/r of the disk of sec. 4, 1/s².
const G: f64 = 9.81 / 0.0375;

#[test]
fn the_accelerations_solve_the_printed_equations() {
    // (5.5)–(5.7) with γ̈ in the inertia terms; round-off of terms up to 1e4.
    let mut rng = Rng::with_seed(31);
    for _ in 0..200 {
        let beta = 1.4 * signed(&mut rng);
        let v = Rates {
            alpha: 10.0 * signed(&mut rng),
            beta: 5.0 * signed(&mut rng),
            gamma: 20.0 * signed(&mut rng),
        };
        let a = rolling_accelerations(G, beta, v);
        let (s, c) = beta.sin_cos();
        let first = (5.0 * s * s + 1.0) * a.alpha
            + 6.0 * a.gamma * s
            + 10.0 * v.alpha * v.beta * s * c
            + 2.0 * v.beta * v.gamma * c;
        let second = 5.0 * a.beta
            - 5.0 * v.alpha * v.alpha * s * c
            - 6.0 * v.alpha * v.gamma * c
            - 4.0 * G * s;
        let third = 6.0 * a.alpha * s + 6.0 * a.gamma + 10.0 * v.alpha * v.beta * c;
        let size = a.alpha.abs() + a.beta.abs() + a.gamma.abs() + 1e3;
        [first, second, third].iter().for_each(|x| assert_close(*x, 0.0, 1e-14 * size));
    }
}

#[test]
fn circular_and_stationary_rolling_are_steady() {
    // (5.12), (5.14), (5.15).
    for beta in [0.1, 0.45, 1.0, 1.5] {
        for fraction in [0.1, 0.5, 1.0, 1.1] {
            let rho = fraction / f64::sin(beta);
            let rates = circular_rolling(G, beta, rho).unwrap();
            let a = rolling_accelerations(G, beta, rates);
            assert_eq!((a.alpha, a.gamma), (0.0, 0.0));
            assert_close(a.beta, 0.0, 1e-12 * (rates.alpha * rates.gamma).abs().max(G));
        }
        let rho = 1.0 / f64::sin(beta);
        let rates = stationary_rolling(G, beta).unwrap();
        let square = 4.0 * G * rho / (rho * rho - 1.0).sqrt();
        assert_close(rates.alpha.powi(2), square, 1e-12 * square);
        let turn = rates.alpha.powi(2) * beta.cos().powi(2);
        assert_close(turn, 4.0 * G * (1.0 - 1.0 / (rho * rho)).sqrt(), 1e-12 * square); // (5.15)
        let frequency = 0.8 * G * (4.0 * rho * rho - 1.0) / (rho * (rho * rho - 1.0).sqrt());
        assert_close(nutation_squared(G, beta, rates), frequency, 1e-12 * frequency);
        assert_close(feasibility(beta, rates.alpha, rates.gamma, 0.3), 0.0, 1e-13);
    }
    assert_eq!(circular_rolling(G, 0.5, 2.6), None); // beyond ρ sinβ = 6/5
    assert_eq!(circular_rolling(G, -0.5, 1.0), None);
    assert_eq!(circular_rolling(G, 0.0, 1.0), None);
    let slow = Rates { gamma: 9.0, ..Default::default() };
    assert_eq!(nutation_frequency(G, 0.0, slow), None); // falls: γ̇² < g̃/3 = 9.34²
}

/// Integrates β, α̇, β̇, γ̇ of pure rolling by RK4 and hands every state to `see`.
fn roll(mut x: [f64; 4], dt: f64, steps: usize, mut see: impl FnMut(f64, &[f64; 4])) {
    let f = |x: &[f64; 4]| {
        let a = rolling_accelerations(G, x[0], Rates { alpha: x[1], beta: x[2], gamma: x[3] });
        [x[2], a.alpha, a.beta, a.gamma]
    };
    let moved = |x: &[f64; 4], k: &[f64; 4], h: f64| [0, 1, 2, 3].map(|i| x[i] + h * k[i]);
    for step in 0..steps {
        see(step as f64 * dt, &x);
        let k1 = f(&x);
        let k2 = f(&moved(&x, &k1, 0.5 * dt));
        let k3 = f(&moved(&x, &k2, 0.5 * dt));
        let k4 = f(&moved(&x, &k3, dt));
        x = [0, 1, 2, 3].map(|i| x[i] + dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
}

/// Mean angular frequency between the first and the last upward crossing of `level`.
fn frequency(series: &[(f64, f64)], level: f64) -> f64 {
    let crossings: Vec<f64> = series
        .windows(2)
        .filter(|w| w[0].1 < level && w[1].1 >= level)
        .map(|w| w[0].0 + (level - w[0].1) / (w[1].1 - w[0].1) * (w[1].0 - w[0].0))
        .collect();
    let turns = (crossings.len() - 1) as f64;
    std::f64::consts::TAU * turns / (crossings[crossings.len() - 1] - crossings[0])
}

#[test]
fn small_nutations_have_the_predicted_frequency() {
    // (5.22) against integration of (5.5)–(5.7) with an amplitude of 1e-5 rad: the frequency
    // depends on the amplitude only to second order, crossings are interpolated to 1e-6.
    for (beta, rho) in [(0.2, 0.2), (0.45, 1.0), (1.0, 0.6), (1.2, 1.0729)] {
        let rates = circular_rolling(G, beta, rho).unwrap();
        let amplitude = 1e-5;
        // The companion amplitudes (5.20), (5.21) keep the mean motion circular.
        let a = -2.0 * amplitude * rates.gamma / f64::cos(beta);
        let c = -a * f64::sin(beta) - 5.0 / 3.0 * rates.alpha * amplitude * f64::cos(beta);
        let mut series = Vec::new();
        let start = [beta + amplitude, rates.alpha + a, 0.0, rates.gamma + c];
        roll(start, 1e-3, 20_000, |t, x| series.push((t, x[0])));
        let expected = nutation_frequency(G, beta, rates).unwrap();
        assert_close(frequency(&series, beta), expected, 1e-4 * expected);
    }
}

#[test]
fn simulation_one_nutates_as_in_the_reference_data() {
    // Pure rolling from the start of sec. 4 for 80 s: β = 0, α̇ = 0, β̇ = −ω sinδ, γ̇ = ω cosδ.
    // Reference: nutation 5.625 rad/s, mean of (5.22) 5.73 rad/s, last digits as printed. The
    // reference has the printed A and C, 0.004 % and 0.008 % above those of a uniform disk: about
    // upright rolling ω² = C(C + mr²)γ̇²/(A(A + mr²)) − mgr/(A + mr²), a small difference of large
    // terms, so that ω = 5.625 is 2.8e-4 higher than here.
    let (s, c) = 0.035_f64.sin_cos();
    let (mut series, mut sum, mut count) = (Vec::new(), 0.0, 0.0);
    roll([0.0, 0.0, -10.0 * s, 10.0 * c], 1e-3, 80_000, |t, x| {
        series.push((t, x[0]));
        let rates = Rates { alpha: x[1], beta: x[2], gamma: x[3] };
        sum += nutation_frequency(G, x[0], rates).unwrap();
        count += 1.0;
        assert!(feasibility(x[0], x[1], x[3], 0.3).abs() < 1.0); // sec. 6: never slides
    });
    let mean = series.iter().map(|x| x.1).sum::<f64>() / count;
    assert_close(frequency(&series, mean), 5.625 / (1.0 + 2.8e-4), 5e-4);
    assert_close(sum / count, 5.73, 5e-3);
}

#[test]
fn feasibility_and_nutation_match_the_reference_rows() {
    // Rows of the reference data of simulation 2 at Δt = 1e-4: β, ψ̇ = −γ̇, α̇, χ, frequency (5.22),
    // spin; six printed digits, of which cosβ costs up to two near the end.
    let rows = [
        [-0.033251743, -10.018098, 0.66458304, -0.0738928, 5.6149, 0.33152519],
        [-0.023817844, -9.9828095, 0.46861233, -0.0529287, 5.46467, 0.23086582],
        [0.0010736861, -9.7342061, -0.02400954, 0.00238597, 4.2581, -0.01355806],
        [-0.34940913, -11.868389, 6.4025643, -0.780231, 10.4681, 2.3395079],
        [-0.44585275, -13.301852, 8.0462741, -1.00311, 13.0898, 2.3101508],
        [-1.0975003, -38.553277, 41.379437, -0.950892, 34.7603, 7.0642945],
        [-1.3865137, -71.753721, 71.8885, -1.00341, 57.338, 1.3497162],
    ];
    for [beta, psi_dot, alpha_dot, chi, nutation, spin] in rows {
        let found = feasibility(beta, alpha_dot, -psi_dot, 0.3);
        assert_close(found, chi, 2e-5 * chi.abs());
        let rates = Rates { alpha: alpha_dot, beta: 0.0, gamma: -psi_dot };
        let frequency = nutation_frequency(G, beta, rates).unwrap();
        assert_close(frequency, nutation, 2e-5 * nutation);
        assert_close(alpha_dot - psi_dot * f64::sin(beta), spin, 2e-6 * alpha_dot.abs());
    }
    assert_eq!(feasibility(0.0, 0.0, 0.0, 0.3), 0.0);
    assert_eq!(feasibility(1.0, 0.0, 0.0, 0.3), 0.0);
}

#[test]
fn the_exponent_is_found_with_and_without_the_end_time() {
    // (6.1): α̇ = 40 (t_f − t)^(−1/n). Exact data give n to round-off with t_f, and to the accuracy
    // of a golden section in a minimum (1e-6) without; with 1 % of nutation to about that.
    let times: Vec<f64> = (0..400).map(|k| 50.0 + 0.04 * k as f64).collect();
    for n in [1.0, 2.75, 3.0, 4.0] {
        let exact: Vec<f64> = times.iter().map(|t| 40.0 * (66.0 - t).powf(-1.0 / n)).collect();
        let known = fit_until(&times, &exact, 66.0).unwrap();
        assert_close(known.exponent, n, 1e-11);
        assert_close(known.factor, 40.0, 1e-10);
        let found = fit(&times, &exact).unwrap();
        assert_close(found.exponent, n, 1e-5);
        assert_close(found.end_time, 66.0, 1e-5);
        assert!(found.deviation < 1e-6);
        let wavy: Vec<f64> = (times.iter().zip(&exact))
            .map(|(t, rate)| -rate * (1.0 + 0.01 * (30.0 * t).sin()))
            .collect();
        assert_close(fit(&times, &wavy).unwrap().exponent, n, 0.03 * n);
    }
    let constant = vec![1.0; times.len()];
    assert_eq!(fit(&times, &constant), None);
    assert_eq!(fit(&[], &[]), None);
    assert_eq!(fit_until(&[1.0], &[1.0], 2.0), None);
    assert_eq!(fit(&[f64::NAN, 1.0], &[1.0, f64::NAN]), None);
}
