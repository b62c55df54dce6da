//! The same scene written as a mirror image, in a turned frame, with its bodies in another order or
//! in other units gives the same results.

use super::runs::Run;
use stickslip::kinematics::quaternion::{from_axis_angle, product, rotation};
use stickslip::kinematics::vector::apply;

type Vector = [f64; 3];

/// The contact problems are solved to 1e-12; collisions multiply what is left of it.
const TOLERANCE: f64 = 1e-7;

/// How the scene is written.
struct Writing {
    mirrored: bool,
    turn: [f64; 4],
    order: [usize; 7],
    units: bool,
}

const PLAIN: Writing = Writing {
    mirrored: false,
    turn: [1.0, 0.0, 0.0, 0.0],
    order: [0, 1, 2, 3, 4, 5, 6],
    units: false,
};

impl Writing {
    /// A vector, mirrored by y → −y and turned.
    fn polar(&self, [x, y, z]: Vector) -> Vector {
        apply(&rotation(&self.turn), &[x, if self.mirrored { -y } else { y }, z])
    }

    /// An angular velocity or an axis.
    fn axial(&self, [x, y, z]: Vector) -> Vector {
        let v = if self.mirrored { [-x, y, -z] } else { [x, y, z] };
        apply(&rotation(&self.turn), &v)
    }

    fn turned(&self, [w, x, y, z]: [f64; 4]) -> [f64; 4] {
        product(&self.turn, &if self.mirrored { [w, -x, y, -z] } else { [w, x, y, z] })
    }

    /// A value as a plain number or with a unit that is `factor` times smaller than that of SI.
    fn value(&self, x: f64, factor: f64, unit: &str) -> String {
        if self.units { format!("\"{:e} {unit}\"", x * factor) } else { format!("{x:e}") }
    }

    fn list(&self, v: Vector, factor: f64, unit: &str) -> String {
        format!("[{}]", v.map(|x| self.value(x, factor, unit)).join(", "))
    }

    fn length(&self, v: Vector) -> String {
        self.list(self.polar(v), 1e3, "mm")
    }

    fn body(&self, name: &str, shape: &str, start: [Vector; 3], turn: [f64; 4]) -> String {
        let [position, velocity, spin] = start;
        let [w, x, y, z] = self.turned(turn);
        format!(
            "[[body]]\nname = \"{name}\"\ndensity = {}\nposition = {}\nvelocity = {}\n\
             angular_velocity = {}\nrotation = {{ quaternion = [{w:e}, {x:e}, {y:e}, {z:e}] }}\n\
             [[body.shape]]\n{shape}\n",
            self.value(1000.0, 1e-6, "g/mm^3"),
            self.length(position),
            self.list(self.polar(velocity), 1e2, "cm/s"),
            self.list(self.axial(spin), 180.0 / std::f64::consts::PI, "deg/s"),
        )
    }

    /// Balls and a rod that fall into a corner and on each other; one ball on a hinge and a spring. No
    /// ball comes to the wall at the end of a step, where rounding would decide which step sees it.
    fn text(&self) -> String {
        let none = [1.0, 0.0, 0.0, 0.0];
        let sphere =
            |radius: f64| format!("kind = \"sphere\"\nradius = {}", self.value(radius, 1e3, "mm"));
        let mut bodies: Vec<String> = (0..5)
            .map(|k| {
                let x = k as f64;
                let position =
                    [0.21 * (k % 2) as f64 - 0.1, 0.05 * x - 0.1, 0.12 + 0.19 * (k / 2) as f64];
                let velocity = [-1.0 + 0.1 * x, 0.2, 0.0];
                let start = [position, velocity, [3.0, -2.0 * x, 1.0]];
                self.body(&format!("ball{k}"), &sphere(0.08 + 0.005 * x), start, none)
            })
            .collect();
        let rod = format!(
            "kind = \"capsule\"\nradius = {}\nhalf_length = {}",
            self.value(0.05, 1e3, "mm"),
            self.value(0.1, 1e3, "mm")
        );
        let start = [[0.05, 0.3, 0.2], [0.0, -0.5, 0.0], [0.0; 3]];
        bodies.push(self.body("rod", &rod, start, from_axis_angle(&[0.6, 0.0, 0.8], 1.0)));
        bodies.push(self.body("bob", &sphere(0.06), [[0.5, -0.2, 0.5], [0.0; 3], [0.0; 3]], none));
        let [w, x, y, z] = self.turned(none);
        let quarter = from_axis_angle(&[0.0, 1.0, 0.0], std::f64::consts::FRAC_PI_2);
        let wall = self.turned(quarter);
        format!(
            "format = 1\n[world]\ngravity = {}\n[world.ground]\n\
             rotation = {{ quaternion = [{w:e}, {x:e}, {y:e}, {z:e}] }}\n{}\
             [[body]]\nname = \"wall\"\nfixed = true\nposition = {}\n\
             rotation = {{ quaternion = {wall:?} }}\n[[body.shape]]\nkind = \"half-space\"\n\
             [[joint]]\nkind = \"revolute\"\nbodies = [\"ground\", \"bob\"]\nat = {}\naxis = {:?}\n\
             [[force]]\nkind = \"spring-damper\"\nbodies = [\"bob\", \"ball4\"]\nstiffness = {}\n\
             damping = {}\n\
             [default_contact]\nfriction = 0.4\nrestitution = 0.3\n\
             [simulation]\nduration = {}\nstep = {}\n[solver]\ntolerance = 1e-12\n",
            self.list(self.polar([0.0, 0.0, -9.81]), 1e3, "mm/s^2"),
            self.order.map(|k| bodies[k].as_str()).concat(),
            self.length([-0.2537, 0.0, 0.0]),
            self.length([0.5, 0.1, 0.6]),
            self.axial([0.8, 0.6, 0.0]),
            self.value(40.0, 1e-3, "N/mm"),
            self.value(0.5, 1.0, "kg/s"),
            self.value(0.4, 1e3, "ms"),
            self.value(1e-3, 1e6, "us"),
        )
    }
}

const NAMES: [&str; 7] = ["ball0", "ball1", "ball2", "ball3", "ball4", "rod", "bob"];

/// Position, velocity and angular velocity of a body at the end.
fn end(run: &Run, name: &str) -> [Vector; 3] {
    [["x", "y", "z"], ["vx", "vy", "vz"], ["wx", "wy", "wz"]]
        .map(|group| group.map(|column| run.last(&format!("{name}.{column}"))))
}

#[track_caller]
fn assert_same(writing: &Writing, integrator: &str) {
    let integrator = format!("simulation.integrator={integrator}");
    let [plain, other] = [&PLAIN, writing].map(|writing| Run::of(&writing.text(), &[&integrator]));
    for name in NAMES {
        let [position, velocity, spin] = end(&plain, name);
        let wanted = [writing.polar(position), writing.polar(velocity), writing.axial(spin)];
        let found = end(&other, name);
        for (k, tolerance) in [1.0, 10.0, 100.0].map(|f| f * TOLERANCE).into_iter().enumerate() {
            for (a, b) in wanted[k].iter().zip(found[k]) {
                assert!((a - b).abs() < tolerance, "{name}: {wanted:?} is not {found:?}");
            }
        }
    }
    // Something happened.
    assert!(plain.summary.impacts.len() > 8, "{}", plain.summary.impacts.len());
    assert_eq!(plain.names().len(), other.names().len());
}

#[test]
fn a_mirror_image() {
    for integrator in ["moreau", "rattle"] {
        assert_same(&Writing { mirrored: true, ..PLAIN }, integrator);
    }
}

#[test]
fn a_turned_frame() {
    let turn = from_axis_angle(&[0.48, 0.6, 0.64], 1.1);
    for integrator in ["moreau", "rattle"] {
        assert_same(&Writing { turn, ..PLAIN }, integrator);
    }
}

#[test]
fn another_order_of_the_bodies() {
    for integrator in ["moreau", "rattle"] {
        assert_same(&Writing { order: [6, 2, 4, 0, 5, 3, 1], ..PLAIN }, integrator);
    }
}

#[test]
fn other_units() {
    for integrator in ["moreau", "rattle"] {
        assert_same(&Writing { units: true, ..PLAIN }, integrator);
    }
}
