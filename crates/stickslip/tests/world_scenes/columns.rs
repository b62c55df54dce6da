//! Columns that are computed of others, and the units of all columns.

use crate::runs::{Run, distance};
use crate::support::{BALL, complaint, contains, near};
use stickslip::scene::{Scene, built_in};
use stickslip::simulate::{self, Observer, Sample};

/// A ball that is thrown, with columns.
fn thrown(columns: &str) -> String {
    format!(
        "[parameters]\nmass = \"2 kg\"\ng = 9.81\nlift = \"3 m/s\"\nuse = 1\n[start]\nheight = 0.5\n{}\nposition = [0, \
         0, \"height\"]\nvelocity = [\"use\", 0, \"lift\"]\n[world]\n[simulation]\nduration = 0.2\n{columns}\n",
        BALL.replace("[[body.shape]]", "shape = [{ kind = \"sphere\", radius = 0.1 }]\n")
            .replace("kind = \"sphere\"\nradius = 0.1\n", "")
            .replace("mass = 2", "mass = \"mass\"")
    )
}

fn column(name: &str, unit: &str, value: &str) -> String {
    format!("[[column]]\nname = {name:?}\nunit = {unit:?}\nvalue = {value:?}\n")
}

#[test]
fn columns_are_made_of_time_columns_and_parameters() {
    let text = thrown(
        &[
            column("speed", "m/s", "hypot(ball.vx, ball.vz)"),
            column("height", "mm", "ball.z - start.height"),
            column("twice", "m", "2*height"),
            column("path", "deg", "atan2(ball.vz, ball.vx)"),
            column("whole", "J", "0.5*mass*speed^2 + mass*g*ball.z"),
            column("late", "", "if(t > 0.1 s, 1, 0)"),
            column("fall-time", "s", "t"),
        ]
        .concat(),
    );
    let run = Run::of(&text.replace("use = 1\n", "use = \"1 m/s\"\n"), &[]);
    let (vx, vz, z) = (run.column("ball.vx"), run.column("ball.vz"), run.column("ball.z"));
    let t = run.column("t");
    let of = |value: &dyn Fn(usize) -> f64| (0..t.len()).map(value).collect::<Vec<f64>>();
    assert!(t.len() == 21);
    assert!(distance(&run.column("speed"), &of(&|k| vx[k].hypot(vz[k]))) == 0.0);
    assert!(distance(&run.column("height"), &of(&|k| (z[k] - 0.5) / 1e-3)) < 1e-12);
    assert!(distance(&run.column("twice"), &of(&|k| 2.0 * (z[k] - 0.5))) < 1e-15);
    assert!(distance(&run.column("path"), &of(&|k| vz[k].atan2(vx[k]).to_degrees())) < 1e-12);
    assert!(distance(&run.column("fall-time"), &t) == 0.0);
    assert!(distance(&run.column("late"), &of(&|k| f64::from(t[k] > 0.1))) == 0.0);
    // The energy of a throw is constant by rattle.
    let energy = run.column("whole");
    near(&[energy[20]], &[energy[0]], 1e-12 * energy[0]);
    assert_eq!(run.names().last().map(String::as_str), Some("fall-time"));
}

#[test]
fn columns_carry_their_unit_and_their_coordinate() {
    let text = format!(
        "{}{}rate_of = \"far\"\n",
        column("far", "mm", "ball.x"),
        column("fast", "mm/s", "ball.vx")
    );
    let text = thrown(&text).replace("mass = \"2 kg\"\ng = 9.81\n", "mass = 2\n");
    let scene = Scene::read("my.toml", "my", &text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let extra = scene.system.extra_columns();
    assert_eq!([extra[0].unit.as_ref(), extra[1].unit.as_ref()], ["mm", "mm/s"]);
    assert_eq!(extra[1].rate_of.as_deref(), Some("far"));
    let own = scene.system.columns();
    let find = |name: &str| own.iter().find(|c| c.name == name).expect("a column").clone();
    assert_eq!((find("ball.wx").unit.as_ref(), find("ball.qw").unit.as_ref()), ("rad/s", ""));
    assert_eq!(find("ball.vz").rate_of.as_deref(), Some("ball.z"));
    assert_eq!(find("ball.y").drawn_over.as_deref(), Some("ball.x"));
}

/// The unit was made of the name, and `f4` was called a force.
#[test]
fn the_drilling_moment_was_labelled_as_a_force() {
    let text = built_in("tippe-top").expect("a scene").text;
    let overrides = ["simulation.integrator=ode-rk4".to_owned()];
    let scene = Scene::read("t.toml", "t", text, &overrides).unwrap_or_else(|e| panic!("{e}"));
    let columns = scene.columns().before_energy;
    let unit = |name: &str| columns.iter().find(|c| c.name == name).map(|c| c.unit.to_string());
    let units = ["body.f1", "body.f2", "body.f3", "body.f4"].map(unit);
    assert_eq!(units.map(Option::unwrap_or_default), ["N", "N", "N", "N m"]);
}

/// Gaps, forces and slips of contacts are those of the rows.
#[test]
fn columns_of_contacts_are_those_of_the_table() {
    struct Compare {
        first: usize,
        columns: usize,
        rows: usize,
        touched: bool,
    }
    impl Observer for Compare {
        fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
            let own = &sample.values[self.first..self.first + self.columns];
            assert_eq!(own.len(), 3 * sample.contacts.len());
            for (values, contact) in own.chunks(3).zip(sample.contacts) {
                assert_eq!(values, [contact.values.gap, contact.values.force, contact.values.slip]);
                self.touched |= contact.values.force > 0.0;
            }
            self.rows += 1;
            Ok(())
        }
    }
    for name in ["four-bar-clearance", "drawer-with-clearance", "gripper", "woodpecker-toy"] {
        let text = built_in(name).expect("a scene").text;
        let plain = Scene::read(name, name, text, &[]).unwrap_or_else(|e| panic!("{e}"));
        let mut text = text.to_owned();
        let mut count = 0;
        for key in plain.system.reported_contacts() {
            let contact = plain.system.contact_name(*key);
            for (ending, unit) in [("gap", "m"), ("force", "N"), ("slip", "m/s")] {
                text += &format!(
                    "\n{}",
                    column(&format!("c{count}"), unit, &format!("{contact}.{ending}"))
                );
                count += 1;
            }
        }
        let overrides =
            ["simulation.duration=0.05".to_owned(), "simulation.output_step=0.01".to_owned()];
        let scene = Scene::read(name, name, &text, &overrides).unwrap_or_else(|e| panic!("{e}"));
        let first = scene.columns().all().position(|c| c.name == "c0").expect("a column");
        let mut compare = Compare { first, columns: count, rows: 0, touched: false };
        let mut integrator = scene.integrator().unwrap_or_else(|e| panic!("{e}"));
        let start = scene.start.clone();
        simulate::run(
            scene.system.as_ref(),
            integrator.as_mut(),
            start,
            &scene.settings(),
            &mut compare,
        )
        .unwrap_or_else(|e| panic!("{e}"));
        assert!(compare.rows == 6 && count > 0 && compare.touched, "{name}");
    }
}

#[test]
fn joint_coordinates_and_speeds_are_inputs() {
    let pendulum = "[world]\ndimension = 2\n[[body]]\nname = \"rod\"\nmass = 1\ninertia = 0.1\nposition = [0, \
                    -1]\nangular_velocity = 2\nvelocity = [2, 0]\n[[joint]]\nname = \"pin\"\nkind = \"revolute\"\nbodies = \
                    [\"ground\", \"rod\"]\nat = [0, 0]\n[simulation]\nduration = 0.5\n";
    let text = format!(
        "{pendulum}{}{}",
        column("turn", "rad", "pin.coordinate"),
        column("rate", "rad/s", "pin.speed")
    );
    let run = Run::of(&text, &[]);
    assert!(distance(&run.column("turn"), &run.column("rod.angle")) < 1e-14);
    assert!(distance(&run.column("rate"), &run.column("rod.w")) < 1e-14);
    assert!(run.last("turn") > 0.5);
}

#[test]
fn wrong_columns_are_refused() {
    for (columns, part) in [
        (column("a", "m", "bal.x"), "column.0.value: bal.x is not known; did you mean ball.x?"),
        (column("a", "m", "ball.vx"), "it is a velocity, but its unit is that of a length"),
        (column("a", "parsec", "ball.x"), "column.0.unit is \"parsec\"; \"parsec\" is not a unit"),
        (column("ball.x", "m", "ball.z"), "another column has this name"),
        (column("energy", "m", "ball.z"), "another column has this name"),
        (column("a b", "m", "ball.z"), "it must be of letters"),
        (
            column("a", "m", "b") + &column("b", "m", "ball.x"),
            "b is not known; a column is made of those before it",
        ),
        (column("a", "m", "a"), "a column is made of those before it"),
        (column("a", "", "1/0"), "it is inf, it must be finite"),
        (column("a", "m", "ball.x + ball.vx"), "a length and a velocity do not go together"),
        (column("a", "m", "ball.x[0]"), "ball.x[0] is not known"),
        (
            column("a", "m", "ball.x") + "rate_of = \"bal.y\"\n",
            "rate_of is \"bal.y\", but there is no such column; did you mean ball.y?",
        ),
        ("[[column]]\nname = \"a\"\n".into(), "column.0 has no value; it must be given"),
        (
            (0..1001).map(|k| column(&format!("c{k}"), "", "t/1 s")).collect(),
            "at most 1000 are allowed",
        ),
    ] {
        contains(&complaint(&format!("{BALL}{columns}")), &[part]);
    }
    // One that is wrong made those that are made of it unknown.
    let told =
        complaint(&format!("{BALL}{}{}", column("a", "m", "bal.x"), column("b", "m", "2*a")));
    assert!(told.contains("column.0.value") && !told.contains("column.1"), "{told}");
}

/// Names of bodies may hold a minus.
#[test]
fn names_with_a_minus_are_told_from_differences() {
    let text = BALL.replace("\"ball\"", "\"ball-1\"") + "velocity = [1, 0, 0]\n";
    let text = text.replace(
        "[[body.shape]]\nkind = \"sphere\"\nradius = 0.1\n",
        "shape = [{ kind = \"sphere\", radius = 1 }]\n",
    );
    let text = format!("{text}[parameters]\nx = 3\n{}", column("a", "m", "ball-1.x-x"));
    let run = Run::of(&text, &["simulation.duration=0.1"]);
    let expected: Vec<f64> = run.column("ball-1.x").iter().map(|x| x - 3.0).collect();
    assert!(distance(&run.column("a"), &expected) == 0.0);
}

/// The Tippe-Top with the parameters, the start and the columns of the model.
const TOP: &str = r#"
[parameters]
friction = "contensou-hertz"
friction_coefficient = 0.3
contact_radius = 5e-4
mass = 6e-3
inertia_transverse = 8e-7
inertia_axial = 7e-7
body_offset = 3e-3
stick_offset = 1.6e-2
body_radius = 1.5e-2
stick_radius = 5e-3
gravity = 9.81
floor_velocity = [0, 0]

[start]
x = 0
y = 0
z = 1.2015e-2
theta = 0.1
phi = 0
psi = 0
theta_dot = 0
phi_dot = 0
psi_dot = 180

[world]
exact_gaps = true
gravity = [0, 0, "-gravity"]
[world.ground]
velocity = ["floor_velocity[0]", "floor_velocity[1]", 0]

[[body]]
name = "top"
mass = "mass"
inertia = ["inertia_transverse", "inertia_transverse", "inertia_axial"]
position = ["x", "y", "z"]
rotation = { euler = ["phi", "theta", "psi"], order = "zxz" }
angular_velocity = [
  "theta_dot*cos(phi) + psi_dot*sin(theta)*sin(phi)",
  "theta_dot*sin(phi) - psi_dot*sin(theta)*cos(phi)",
  "phi_dot + psi_dot*cos(theta)",
]
[[body.shape]]
kind = "sphere"
radius = "body_radius"
offset = [0, 0, "body_offset"]
[[body.shape]]
kind = "sphere"
radius = "stick_radius"
offset = [0, 0, "stick_offset"]

[default_contact]
law = "friction"
friction = "friction_coefficient"
contact_radius = "contact_radius"

[[column]]
name = "theta"
unit = "rad"
value = "atan2(2*hypot(top.qx*top.qz + top.qw*top.qy, top.qy*top.qz - top.qw*top.qx), 1 - 2*(top.qx^2 + top.qy^2))"
[[column]]
name = "phi"
unit = "rad"
value = "atan2(top.qx*top.qz + top.qw*top.qy, top.qw*top.qx - top.qy*top.qz)"
[[column]]
name = "psi"
unit = "rad"
value = "atan2(top.qx*top.qz - top.qw*top.qy, top.qy*top.qz + top.qw*top.qx)"
[[column]]
name = "spin"
unit = "rad/s"
value = "top.wz"

[simulation]
integrator = "moreau"
duration = 0.1
step = 1e-4
output_step = 1e-3
projection = "none"
"#;

#[test]
fn a_world_has_the_keys_and_columns_of_the_tippe_top() {
    for changes in [
        vec![],
        vec!["start.theta=0.3", "start.psi_dot=150", "start.phi=0.7", "start.theta_dot=2"],
        vec!["parameters.contact_radius=1e-3", "parameters.friction=contensou-uniform"],
        vec![
            "parameters.floor_velocity=[0.1, 0.2]",
            "parameters.body_radius=1.6e-2",
            "start.z=0.0131",
        ],
    ] {
        let world = Run::of(TOP, &changes);
        let mut all = vec!["simulation.integrator=moreau", "simulation.duration=0.1"];
        all.extend(changes.iter().copied());
        let model = Run::named("tippe-top", &all);
        for (own, other, size) in [
            ("theta", "theta", 1.0),
            ("phi", "phi", 1.0),
            ("psi", "psi", 1.0),
            ("spin", "spin", 180.0),
            ("top.x", "x", 1.0),
            ("top.z", "z", 1.0),
        ] {
            let apart = distance(&world.column(own), &model.column(other));
            assert!(apart < 1e-9 * size, "{changes:?} {own}: {apart}");
        }
    }
}

/// A pendulum that knocks against a wall.
const KNOCKER: &str = r#"
[world]
dimension = 2
[[body]]
name = "hammer"
mass = 1
inertia = 0.1
position = [0, -1]
shape = [{ kind = "circle", radius = 0.1 }]
[[body]]
name = "wall"
fixed = true
position = [0.3, -1]
shape = [{ kind = "circle", radius = 0.1 }]
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["ground", "hammer"]
at = [0, 0]
spring = { stiffness = 1 }
[[joint]]
kind = "distance"
length = 1
bodies = ["ground", "hammer"]
points = [[0, 0], [0, 0]]
[[contact]]
name = "knock"
between = ["hammer", "wall"]
[simulation]
duration = 0.01
step = 1e-3
output_step = 1e-2
"#;

/// All names of a table in their order, of the system and of contacts.
fn header(text: &str) -> Vec<String> {
    let scene = Scene::read("my.toml", "my", text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let system = scene.system.as_ref();
    let mut names: Vec<String> = scene.columns().all().map(|c| c.to_string()).collect();
    for (position, key) in system.reported_contacts().iter().enumerate() {
        let contact = system.contact_name(*key);
        let own = system.contact_columns(position).iter();
        names.extend(own.map(|column| format!("{contact}.{}", column.name())));
    }
    names
}

#[test]
fn a_table_has_the_forces_of_what_has_a_name() {
    let bodies = ["hammer.x", "hammer.y", "hammer.angle", "hammer.vx", "hammer.vy", "hammer.w"];
    let pin = ["pin.coordinate", "pin.speed", "pin.force", "pin.moment", "pin.spring"];
    let knock =
        ["gap", "force", "peak", "friction", "friction_x", "friction_y", "slip", "x", "y", "state"]
            .map(|ending| format!("knock.{ending}"));
    let mut wanted: Vec<String> = bodies.iter().chain(&pin).map(|s| (*s).to_owned()).collect();
    wanted.extend(knock);
    assert_eq!(header(KNOCKER), wanted);
    // What nobody asked for is not drawn.
    let scene = Scene::read("my.toml", "my", KNOCKER, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.columns().drawn(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn output_chooses_columns_by_patterns() {
    let text = format!(
        "{KNOCKER}[output]\ncolumns = [\"hammer.*x\", \"pin.force_*\", \"joint-1.force\", \"*momentum_*\", \
         \"knock.f*\"]\n"
    );
    let wanted = [
        "hammer.x",
        "hammer.vx",
        "pin.force_x",
        "pin.force_y",
        "joint-1.force",
        "momentum_x",
        "momentum_y",
        "angular_momentum_z",
        "knock.force",
        "knock.friction",
        "knock.friction_x",
        "knock.friction_y",
    ];
    let mut found = header(&text);
    let mut wanted = wanted.map(String::from);
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted);
    let scene = Scene::read("my.toml", "my", &text, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scene.columns().drawn().len(), scene.columns().all().count());
    for (columns, part) in [
        ("pin.forc", "output.columns.0 is \"pin.forc\", but no column of a body"),
        ("knock.frictionx", "did you mean knock.friction"),
        ("hammer.*z", "fits it"),
    ] {
        let text = format!("{KNOCKER}[output]\ncolumns = [{columns:?}]\n");
        contains(&complaint(&text), &[part]);
    }
    contains(
        &complaint(&KNOCKER.replace("name = \"knock\"", "name = \"pin\"")),
        &["contact.0.name is \"pin\", but a joint has this name"],
    );
}

/// Points of convex hulls have numbers made of their features, and `#51234` was read as a count.
#[test]
fn points_of_contact_had_hashes_for_numbers() {
    let cube = |name: &str, z: f64| {
        let corner = |k: usize| [k & 1, k >> 1 & 1, k >> 2].map(|b| 0.2 * b as f64 - 0.1);
        let points: Vec<[f64; 3]> = (0..8).map(corner).collect();
        format!(
            "[[body]]\nname = {name:?}\nmass = 1\nposition = [0, 0, {z}]\nshape = [{{ kind = \"convex-hull\", \
             points = {points:?} }}]\n"
        )
    };
    let text =
        format!("{}{}[simulation]\nduration = 0.1\n", cube("lower", 0.0), cube("upper", 0.2));
    let scene = Scene::read("my.toml", "my", &text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let mut contacts = stickslip::system::ContactSet::default();
    scene.system.contacts(&scene.start, &mut contacts);
    let names = || -> Vec<String> {
        let keys = contacts.candidates().iter().map(|candidate| candidate.key);
        keys.map(|key| scene.system.contact_name(key)).collect()
    };
    let found = names();
    assert!(found.len() >= 4, "{found:?}");
    for name in &found {
        let number =
            name.split_once('#').map_or(0, |(_, number)| number.parse().expect("a number"));
        assert!(name.starts_with("lower/upper") && number < 16, "{name}");
    }
    let mut distinct = found.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), found.len());
    assert_eq!(names(), found);
}
