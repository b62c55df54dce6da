//! The data in the page; the names of the fields are the JSON keys (docs/file-formats.md).

use super::Recorder;
use super::encode::{Column, base64, doubles, fractions};
use super::places::Places;
use super::recorder::MOST_COLUMNS;
use super::row::{ContactRow, ENERGIES, Row};
use crate::run_summary::SummaryFile;
use serde::Serialize;
use serde_json::{Value, json};
use stickslip::scene::Scene;
use stickslip::simulate::Summary;
use stickslip::system::{
    ColumnKind, ContactColumn, Dimension, Drawing, DrawnJoint, DrawnPart, DrawnPose, DrawnShape,
};

/// What the data are, and their version.
pub const FORMAT: &str = "stickslip/report";
pub const VERSION: u64 = 2;
/// Events that the page lists.
const MOST_EVENTS: usize = 500;
/// Impacts that the page marks; the strongest ones.
const MOST_IMPACTS: usize = 2000;

/// All of it.
#[derive(Serialize)]
pub struct Payload {
    format: &'static str,
    version: u64,
    caption: String,
    scene: String,
    tolerance: f64,
    summary: Value,
    stride: usize,
    frames: usize,
    t: String,
    columns: Vec<Band>,
    hidden_columns: usize,
    energy: Energy,
    contacts: Vec<PageContact>,
    residual: Column,
    impacts: Impacts,
    drawing: Value,
    poses: Poses,
    places: Places,
}

/// A column, and its extremes if rows were joined.
#[derive(Serialize)]
struct Band {
    name: String,
    unit: String,
    kind: &'static str,
    /// Name of the body or joint to which it belongs.
    #[serde(skip_serializing_if = "String::is_empty")]
    owner: String,
    value: Column,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<Column>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<Column>,
}

#[derive(Serialize)]
struct Energy {
    initial: f64,
    kinetic: Column,
    potential: Column,
    closing: Column,
    drive: Column,
    projection: Column,
    laws: Vec<PageLaw>,
}

#[derive(Serialize)]
struct PageLaw {
    name: &'static str,
    work: Column,
}

#[derive(Serialize)]
struct PageContact {
    name: String,
    /// Units of gap and sliding speed.
    units: [&'static str; 2],
    gap: Column,
    slip: Column,
    force: Band,
    states: String,
}

#[derive(Serialize)]
struct Impacts {
    t: Vec<f64>,
    contact: Vec<usize>,
    /// Numbers of the contacts among those of the places.
    place: Vec<u8>,
    percussion: Vec<f64>,
    dropped: u64,
}

#[derive(Serialize)]
struct Poses {
    position: Column,
    rotation: String,
}

impl Payload {
    /// Of a run.
    pub fn new(
        scene: &Scene,
        recorder: &Recorder,
        summary: &Summary,
        file: &SummaryFile,
    ) -> serde_json::Result<Self> {
        let system = scene.system.as_ref();
        let rows = recorder.rows();
        let joined = recorder.stride() > 1;
        let names = scene.columns();
        let drawn = names.all().filter(|column| !column.for_tables).take(MOST_COLUMNS);
        let places = Places::new(system, rows);
        let columns = drawn.enumerate().map(|(k, own)| Band {
            name: own.to_string(),
            unit: own.unit.to_string(),
            kind: own.kind.name(),
            owner: own.owner.to_string(),
            value: column(rows, |row| row.values.get(k)),
            low: joined.then(|| column(rows, |row| row.low.get(k))),
            high: joined.then(|| column(rows, |row| row.high.get(k))),
        });
        let contacts = system.reported_contacts().iter().enumerate().map(|(k, key)| {
            let of = |get: fn(&ContactRow) -> &f64| column(rows, |r| r.contacts.get(k).map(get));
            let turns = system.contact_turns(*key);
            PageContact {
                name: system.contact_name(*key),
                units: [ContactColumn::Gap, ContactColumn::Slip].map(|column| column.unit(turns)),
                gap: of(|contact| &contact.gap),
                slip: of(|contact| &contact.slip),
                force: Band {
                    name: system.contact_name(*key),
                    unit: ContactColumn::Force.unit(turns).into(),
                    kind: ColumnKind::Reaction.name(),
                    owner: String::new(),
                    value: of(|contact| &contact.force),
                    low: joined.then(|| of(|contact| &contact.low)),
                    high: joined.then(|| of(|contact| &contact.high)),
                },
                states: base64(rows.iter().map(|r| r.contacts.get(k).map_or(0, |c| c.states))),
            }
        });
        Ok(Self {
            format: FORMAT,
            version: VERSION,
            caption: scene.caption.clone(),
            scene: scene.to_toml(),
            tolerance: scene.solver.tolerance,
            summary: short(file)?,
            stride: recorder.stride(),
            frames: rows.len(),
            t: doubles(rows.iter().map(|row| row.t)),
            columns: columns.collect(),
            energy: energy(rows, summary),
            contacts: contacts.collect(),
            residual: Column::new(rows.iter().map(|row| row.residual)),
            impacts: impacts(scene, summary, &places),
            hidden_columns: names.drawn().len().saturating_sub(MOST_COLUMNS),
            drawing: drawing(&system.drawing()),
            poses: poses(rows),
            places,
        })
    }
}

/// A column of the rows; NaN where a row has none.
fn column<'a>(rows: &'a [Row], get: impl Fn(&'a Row) -> Option<&'a f64> + Clone) -> Column {
    Column::new(rows.iter().map(move |row| get(row).copied().unwrap_or(f64::NAN)))
}

/// The summary without the scene, which the page has as text, and with a limited list of events.
fn short(file: &SummaryFile) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(file)?;
    if let Some(map) = value.as_object_mut() {
        map.remove("scene");
        map.remove("final_state");
        if let Some(Value::Array(events)) = map.get_mut("events") {
            let hidden = events.len().saturating_sub(MOST_EVENTS);
            events.truncate(MOST_EVENTS);
            map.insert("hidden_events".into(), json!(hidden));
        }
    }
    Ok(value)
}

fn energy(rows: &[Row], summary: &Summary) -> Energy {
    let at = |k: usize| column(rows, move |row| row.energies.get(k));
    let book = &summary.energy.book;
    let laws = book.works.iter().enumerate();
    Energy {
        initial: summary.energy.initial,
        kinetic: at(0),
        potential: at(1),
        closing: at(2),
        drive: at(3),
        projection: at(4),
        laws: laws.map(|(k, (name, _))| PageLaw { name, work: at(ENERGIES + k) }).collect(),
    }
}

/// The strongest impacts of the reported contacts in the order of time.
fn impacts(scene: &Scene, summary: &Summary, places: &Places) -> Impacts {
    let index = |key| scene.system.reported_index(key);
    let mut strongest: Vec<_> =
        summary.impacts.iter().filter(|impact| index(impact.contact).is_some()).collect();
    strongest.sort_by(|a, b| b.normal_percussion.total_cmp(&a.normal_percussion));
    let dropped = summary.dropped_impacts + strongest.len().saturating_sub(MOST_IMPACTS) as u64;
    strongest.truncate(MOST_IMPACTS);
    strongest.sort_by(|a, b| a.t.total_cmp(&b.t));
    Impacts {
        t: strongest.iter().map(|impact| impact.t).collect(),
        contact: strongest.iter().filter_map(|impact| index(impact.contact)).collect(),
        place: strongest.iter().map(|impact| places.number(impact.contact)).collect(),
        percussion: strongest.iter().map(|impact| impact.normal_percussion).collect(),
        dropped,
    }
}

fn poses(rows: &[Row]) -> Poses {
    let all = rows.iter().flat_map(|row| &row.poses);
    Poses {
        position: Column::new(all.clone().flat_map(|pose| pose.position)),
        rotation: fractions(all.flat_map(|pose| pose.rotation)),
    }
}

fn drawing(drawing: &Drawing) -> Value {
    let parts = |list: &[DrawnPart]| list.iter().map(part).collect::<Vec<_>>();
    let bodies = drawing.bodies.iter();
    let bodies = bodies.map(|body| json!({"name": body.name, "parts": parts(&body.parts)}));
    json!({
        "dimension": match drawing.dimension { Dimension::Two => 2, Dimension::Three => 3 },
        "bodies": bodies.collect::<Vec<_>>(),
        "ground": parts(&drawing.ground),
        "joints": drawing.joints.iter().map(joint).collect::<Vec<_>>(),
    })
}

fn joint(joint: &DrawnJoint) -> Value {
    let end = |(body, DrawnPose { position, rotation }): &(Option<usize>, DrawnPose)| json!({"body": body, "position": position, "rotation": rotation});
    json!({
        "name": joint.name,
        "symbol": joint.symbol,
        "ends": joint.ends.each_ref().map(end),
        "driven": joint.driven,
        "sprung": joint.sprung,
    })
}

fn part(part: &DrawnPart) -> Value {
    let mut value = match &part.shape {
        DrawnShape::Sphere { radius } => json!({"shape": "sphere", "radius": radius}),
        DrawnShape::Box { half_extents } => json!({"shape": "box", "size": half_extents}),
        DrawnShape::Cylinder { radius, half_length } => {
            json!({"shape": "cylinder", "radius": radius, "half_length": half_length})
        }
        DrawnShape::Capsule { radius, half_length } => {
            json!({"shape": "capsule", "radius": radius, "half_length": half_length})
        }
        DrawnShape::Disk { radius } => json!({"shape": "disk", "radius": radius}),
        DrawnShape::Ellipsoid { semi_axes } => json!({"shape": "ellipsoid", "size": semi_axes}),
        DrawnShape::Mesh { vertices, triangles } => {
            json!({"shape": "mesh", "vertices": vertices, "triangles": triangles})
        }
        DrawnShape::Line { points, closed } => {
            json!({"shape": "line", "points": points, "closed": closed})
        }
        DrawnShape::HalfSpace => json!({"shape": "half-space"}),
    };
    value["position"] = json!(part.pose.position);
    value["rotation"] = json!(part.pose.rotation);
    value
}
