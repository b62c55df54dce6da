//! Convex hulls from files next to the scene.

use crate::support::{contains, read, read_in};
use std::path::{Path, PathBuf};
use stickslip::world::ShapeKind;

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stickslip-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("scene/parts")).expect("a folder");
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).expect("a file");
    }

    fn scene(&self) -> PathBuf {
        self.0.join("scene")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn hull(keys: &str) -> String {
    format!("[[body]]\nname = \"h\"\nmass = 1\n[[body.shape]]\nkind = \"convex-hull\"\n{keys}\n")
}

fn points(folder: &Path, keys: &str) -> Result<Vec<[f64; 3]>, String> {
    let scene = read_in(Some(folder), &hull(keys), &[])?;
    match &scene.description.bodies[0].shapes[0].kind {
        ShapeKind::ConvexHull { points } => Ok(points.clone()),
        other => panic!("{other:?}"),
    }
}

const CORNERS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn text_stl() -> String {
    let mut text = "solid tetrahedron\n".to_owned();
    for face in FACES {
        text += "facet normal 0 0 0\n outer loop\n";
        for corner in face {
            let [x, y, z] = CORNERS[corner];
            text += &format!("  vertex {x} {y:e} {z}\n");
        }
        text += " endloop\nendfacet\n";
    }
    text + "endsolid\n"
}

fn binary_stl() -> Vec<u8> {
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, 0);
    bytes.extend(4_u32.to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        for corner in face {
            for x in CORNERS[corner] {
                bytes.extend((x as f32).to_le_bytes());
            }
        }
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn obj_and_both_kinds_of_stl_give_their_distinct_points() {
    let folder = Folder::new("meshes");
    folder.write(
        "scene/a.obj",
        b"# one\nv 0 0 0\nv 1 0 0 1.0\nvn 0 0 1\nv 0 1 0\nv 0 0 1\nv -0 0 0\nf 1 2 3\n",
    );
    folder.write("scene/parts/b.stl", text_stl().as_bytes());
    folder.write("scene/c.STL", &binary_stl());
    let sorted = |mut points: Vec<[f64; 3]>| {
        points.sort_by(|a, b| b.partial_cmp(a).expect("numbers"));
        points
    };
    for file in ["a.obj", "parts/b.stl", "c.STL"] {
        let read = points(&folder.scene(), &format!("file = \"{file}\"")).expect(file);
        assert_eq!(sorted(read), sorted(CORNERS.to_vec()), "{file}");
    }
    let scaled = points(&folder.scene(), "file = \"a.obj\"\nscale = \"1 mm\"").expect("scaled");
    assert_eq!(scaled[1], [1e-3, 0.0, 0.0]);
    // The effective scene holds the points and needs no file.
    let scene =
        read_in(Some(&folder.scene()), &hull("file = \"a.obj\"\nscale = 2"), &[]).expect("a scene");
    let again = read(&scene.effective().to_string());
    assert_eq!(again.description.bodies[0].shapes, scene.description.bodies[0].shapes);
}

#[test]
fn nothing_outside_of_the_folder_is_read() {
    let folder = Folder::new("outside");
    folder.write("secret.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n");
    let absolute = folder.0.join("secret.obj");
    for file in [
        "../secret.obj",
        "parts/../../secret.obj",
        absolute.to_str().expect("UTF-8"),
        "",
        ".",
        "c:x.obj",
    ] {
        let message = points(&folder.scene(), &format!("file = {file:?}")).expect_err(file);
        contains(&message, &["its own folder only", "body.0.shape.0.file"]);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&absolute, folder.0.join("scene/link.obj")).expect("a link");
        std::os::unix::fs::symlink(&folder.0, folder.0.join("scene/up")).expect("a link");
        for file in ["link.obj", "up/secret.obj"] {
            let message = points(&folder.scene(), &format!("file = {file:?}")).expect_err(file);
            contains(&message, &["its own folder only"]);
        }
    }
    // A scene without a folder reads no files at all.
    let message = read_in(None, &hull("file = \"a.obj\""), &[]).err().expect("no folder");
    contains(&message, &["has no folder"]);
}

#[test]
fn bad_meshes_are_refused() {
    let folder = Folder::new("bad");
    for (name, bytes, part) in [
        ("few.obj", &b"v 0 0 0\nv 1 0 0\nv 1 0 0\n"[..], "2 distinct points"),
        ("nan.obj", b"v 0 nan 0\n", "line 1 has no three finite numbers"),
        ("short.obj", b"\nv 0 1\n", "line 2 has no three finite numbers"),
        ("other.stl", b"\x89PNG", "neither a text nor a binary STL"),
        ("nan.stl", b"solid\nvertex 0 inf 0\n", "line 2 has no three"),
        ("a.ply", b"ply", ".obj or .stl"),
    ] {
        folder.write(&format!("scene/{name}"), bytes);
        contains(&points(&folder.scene(), &format!("file = \"{name}\"")).expect_err(name), &[part]);
    }
    let mut bytes = binary_stl();
    bytes[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    folder.write("scene/nan2.stl", &bytes);
    let message = points(&folder.scene(), "file = \"nan2.stl\"").expect_err("NaN");
    contains(&message, &["not finite"]);
    contains(&points(&folder.scene(), "file = \"no.obj\"").expect_err("none"), &["cannot be read"]);
    contains(&points(&folder.scene(), "").expect_err("none"), &["has points, or a file"]);
    let both = "file = \"few.obj\"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    contains(&points(&folder.scene(), both).expect_err("both"), &["has points, or a file"]);
    contains(
        &points(&folder.scene(), "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]").expect_err("few"),
        &["at least 4"],
    );
}
