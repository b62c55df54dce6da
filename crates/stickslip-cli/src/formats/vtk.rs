//! Time series for ParaView: one file of polygons per row, and a list of them with their times.

use super::mesh::{Mesh, placed};
use crate::exit::Exit;
use crate::folder::{OutputFolder, VTK};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use stickslip::integrate::ContactState;
use stickslip::simulate::Sample;
use stickslip::system::{ContactPlace, DrawnPose, Observed};

/// Frames at most; longer runs leave out rows.
const MOST_FRAMES: f64 = 2000.0;

/// The files `vtk/motion-*.vtp` and `vtk/contacts-*.vtp` and their lists.
pub struct VtkSeries {
    folder: PathBuf,
    meshes: Vec<Mesh>,
    /// Rows from one frame to the next.
    stride: u64,
    rows: u64,
    times: Vec<f64>,
    /// Whether a frame could not be written.
    broken: bool,
    poses: Vec<DrawnPose>,
    places: Vec<ContactPlace>,
}

impl VtkSeries {
    /// Makes the folder.
    pub fn new(
        system: &dyn Observed,
        rows: f64,
        folder: &OutputFolder,
    ) -> Result<Self, (Exit, String)> {
        let drawing = system.drawing();
        if drawing.bodies.is_empty() {
            let message = "--formats vtk: this system has no shapes that could be drawn".into();
            return Err((Exit::BadInput, message));
        }
        let folder = folder.path().join(VTK);
        fs::create_dir(&folder).map_err(|e| {
            (Exit::ResourceLimit, format!("{} cannot be made: {e}", folder.display()))
        })?;
        Ok(Self {
            folder,
            meshes: drawing.bodies.iter().map(|body| Mesh::new(&body.parts)).collect(),
            stride: (rows / MOST_FRAMES).ceil().max(1.0) as u64,
            rows: 0,
            times: Vec::new(),
            broken: false,
            poses: Vec::new(),
            places: Vec::new(),
        })
    }

    /// Takes a row.
    pub fn row(&mut self, system: &dyn Observed, sample: &Sample) -> io::Result<()> {
        let wanted = self.rows.is_multiple_of(self.stride);
        self.rows += 1;
        if !wanted {
            return Ok(());
        }
        let frame = self.times.len();
        // Until both files are there.
        self.broken = true;
        self.poses.clear();
        system.poses(sample.state, &mut self.poses);
        write(&self.folder, &file_name("motion", frame), &motion(&self.meshes, &self.poses))?;
        self.places.clear();
        system.contact_places(sample.state, &mut self.places);
        let contacts = contacts(system, sample, &self.places);
        write(&self.folder, &file_name("contacts", frame), &contacts)?;
        self.times.push(sample.state.t);
        self.broken = false;
        Ok(())
    }

    /// Writes the lists.
    pub fn finish(self, folder: &OutputFolder) -> Result<(), (Exit, String)> {
        for series in ["motion", "contacts"] {
            let mut list = String::from(
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n\
                 <Collection>\n",
            );
            for (frame, t) in self.times.iter().enumerate() {
                let file = file_name(series, frame);
                let _ = writeln!(list, "<DataSet timestep=\"{t}\" part=\"0\" file=\"{file}\"/>");
            }
            list.push_str("</Collection>\n</VTKFile>\n");
            let name = format!("{series}.pvd");
            write(&self.folder, &name, &list).map_err(|e| (Exit::ResourceLimit, e.to_string()))?;
        }
        if !self.broken {
            folder.completed(VTK);
        }
        Ok(())
    }
}

fn file_name(series: &str, frame: usize) -> String {
    format!("{series}-{frame:05}.vtp")
}

/// A file as a whole, or an error that names it.
fn write(folder: &Path, name: &str, content: &str) -> io::Result<()> {
    let path = folder.join(name);
    fs::write(&path, content).map_err(|e| {
        let _ = fs::remove_file(&path);
        io::Error::new(e.kind(), format!("{} cannot be written: {e}", path.display()))
    })
}

/// All bodies in their places; every cell knows the number of its body.
fn motion(meshes: &[Mesh], poses: &[DrawnPose]) -> String {
    let (mut points, mut lines, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    let (mut line_bodies, mut triangle_bodies) = (Vec::new(), Vec::new());
    for (body, (mesh, pose)) in meshes.iter().zip(poses).enumerate() {
        let first = points.len();
        points.extend(mesh.points.iter().map(|point| placed(pose, point)));
        for line in &mesh.lines {
            lines.push(line.iter().map(|corner| first + corner).collect::<Vec<_>>());
            line_bodies.push(body);
        }
        for triangle in &mesh.triangles {
            triangles.push(triangle.map(|corner| first + corner).to_vec());
            triangle_bodies.push(body);
        }
    }
    line_bodies.append(&mut triangle_bodies);
    let mut text = header(points.len(), 0, lines.len(), triangles.len());
    text.push_str("<CellData Scalars=\"body\">\n");
    array(&mut text, "Int32", "body", 1, &line_bodies);
    text.push_str("</CellData>\n");
    point_array(&mut text, &points);
    cells(&mut text, "Lines", &lines);
    cells(&mut text, "Polys", &triangles);
    text.push_str("</Piece>\n</PolyData>\n</VTKFile>\n");
    text
}

/// The contacts that are reported, as points with their normal force and state.
fn contacts(system: &dyn Observed, sample: &Sample, places: &[ContactPlace]) -> String {
    let (mut points, mut forces, mut states) = (Vec::new(), Vec::new(), Vec::new());
    for place in places {
        let index = system.reported_index(place.key);
        let Some(contact) = index.and_then(|index| sample.contacts.get(index)) else { continue };
        points.push(place.point);
        forces.push(place.normal.map(|n| n * contact.values.force));
        states.push(match contact.state {
            ContactState::Open => 0,
            ContactState::Stick => 1,
            ContactState::Slip => 2,
        });
    }
    let vertices: Vec<Vec<usize>> = (0..points.len()).map(|k| vec![k]).collect();
    let mut text = header(points.len(), points.len(), 0, 0);
    text.push_str("<PointData Scalars=\"state\" Vectors=\"force\">\n");
    array(&mut text, "Int32", "state", 1, &states);
    let flat: Vec<f64> = forces.into_iter().flatten().collect();
    array(&mut text, "Float64", "force", 3, &flat);
    text.push_str("</PointData>\n");
    point_array(&mut text, &points);
    cells(&mut text, "Verts", &vertices);
    text.push_str("</Piece>\n</PolyData>\n</VTKFile>\n");
    text
}

fn header(points: usize, vertices: usize, lines: usize, triangles: usize) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\">\n<PolyData>\n<Piece \
         NumberOfPoints=\"{points}\" NumberOfVerts=\"{vertices}\" NumberOfLines=\"{lines}\" \
         NumberOfStrips=\"0\" NumberOfPolys=\"{triangles}\">\n"
    )
}

fn array<T: std::fmt::Display>(
    text: &mut String,
    kind: &str,
    name: &str,
    width: usize,
    values: &[T],
) {
    let _ = write!(
        text,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\" \
         format=\"ascii\">"
    );
    values.iter().for_each(|value| {
        let _ = write!(text, " {value}");
    });
    text.push_str("</DataArray>\n");
}

fn point_array(text: &mut String, points: &[[f64; 3]]) {
    text.push_str("<Points>\n");
    // Nanometres are enough for a picture.
    let flat: Vec<String> = points.iter().flatten().map(|x| format!("{x:.9}")).collect();
    array(text, "Float64", "points", 3, &flat);
    text.push_str("</Points>\n");
}

fn cells(text: &mut String, name: &str, cells: &[Vec<usize>]) {
    let _ = writeln!(text, "<{name}>");
    let corners: Vec<usize> = cells.iter().flatten().copied().collect();
    array(text, "Int64", "connectivity", 1, &corners);
    let ends = cells.iter().scan(0, |end, cell| {
        *end += cell.len();
        Some(*end)
    });
    array(text, "Int64", "offsets", 1, &ends.collect::<Vec<_>>());
    let _ = writeln!(text, "</{name}>");
}
