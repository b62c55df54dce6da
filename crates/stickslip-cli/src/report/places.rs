//! The points of contact of the page: where they are, their forces, and the sets that friction stays in.

use super::encode::{base64, fractions, integers, rounded, singles};
use super::row::{DrawnPlace, Row, is_joint_friction};
use serde::Serialize;
use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use stickslip::convex::ConvexSet;
use stickslip::kinematics::Vector3;
use stickslip::kinematics::vector::{E_X, E_Z, cross, dot, norm, scale};
use stickslip::system::{ContactColumn, Dimension, ForceLaw, ForceReservoir, Observed};

/// The number of contacts that the page does not tell apart.
const OTHERS: u8 = u8::MAX;
/// Friction is told up to so many times the normal force, and the drilling moment, in m, likewise.
const MOST_SHARE: f64 = 20.0;
/// Directions in which the boundary of a set in the plane is told, and circles of latitude by directions of
/// one in space.
const AROUND: usize = 120;
const LATITUDES: usize = 13;
const LONGITUDES: usize = 24;

/// The points of contact of all frames.
#[derive(Serialize)]
pub struct Places {
    /// Where the places of a frame begin; one more than frames.
    begin: String,
    force: String,
    state: String,
    point: String,
    normal: String,
    /// Number of the contact in the list of keys.
    key: String,
    keys: Vec<Known>,
    /// Friction over the normal force and the factor, along two axes across the normal; in the plane one.
    friction: String,
    friction_factor: f64,
    /// Drilling moment over the normal force and the factor; empty if there is none.
    drilling: String,
    drilling_factor: f64,
    /// Angle of the axis of the first component of friction, over π; empty if no set needs it.
    turn: String,
    laws: Vec<Option<FrictionOutline>>,
    #[serde(skip)]
    numbers: HashMap<u64, u8>,
}

/// A contact that the page knows by its name.
#[derive(Serialize)]
struct Known {
    name: String,
    group: Option<usize>,
    /// Its number among the reported contacts.
    contact: Option<usize>,
    /// Unit of its friction.
    unit: &'static str,
}

/// The set in which the friction of a group of laws stays.
#[derive(Serialize)]
struct FrictionOutline {
    dim: usize,
    /// Distances of the boundary in directions that the page knows, at the reservoir 1.
    radii: String,
    /// Factor of the third component in these directions.
    third: f64,
    /// Whether the reservoir is the normal force, and the force, N, that it is beside.
    normal: bool,
    constant: f64,
    /// Whether sliding friction depends on the speed: the set is that of rest.
    curve: bool,
}

impl Places {
    /// Of the rows of a page.
    pub fn new(system: &dyn Observed, rows: &[Row]) -> Self {
        let mut begin = vec![0];
        for row in rows {
            begin.push(begin.last().copied().unwrap_or(0) + row.places.len());
        }
        let all = || rows.iter().flat_map(|row| &row.places);
        let (numbers, keys) = known(system, rows);
        let planar = system.drawing().dimension == Dimension::Two;
        let used = |group: usize| keys.iter().any(|key: &Known| key.group == Some(group));
        let groups = system.law_groups().iter().enumerate();
        let rubbing = groups.map(|(number, group)| match group.laws.as_slice() {
            [_, rubs, ..] if used(number) => Some(&rubs.law),
            [only] if used(number) && is_joint_friction(system, number) => Some(&only.law),
            _ => None,
        });
        let rubbing: Vec<Option<&ForceLaw>> = rubbing.collect();
        let axes = if planar { 1 } else { 2 };
        let shares = |place: &DrawnPlace| {
            let over = if place.force > 0.0 { 1.0 / place.force } else { 0.0 };
            let across = across(&place.normal);
            across.map(|e| over * dot(&place.friction, &e))
        };
        let drilling = |place: &DrawnPlace| match place.force > 0.0 {
            true => place.drilling / place.force,
            false => 0.0,
        };
        let most = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(0.0_f64, |most, value| most.max(value.abs())).min(MOST_SHARE)
        };
        let friction_factor = most(&mut all().flat_map(shares)).max(f64::MIN_POSITIVE);
        let drilling_factor = most(&mut all().map(drilling));
        let drills = if drilling_factor > 0.0 { all().collect() } else { Vec::new() };
        // Round sets look the same from all sides.
        let turned = |law: &&ForceLaw| law.dim() > 1 && !law.set.is_round();
        let turning = !planar && rubbing.iter().flatten().any(turned);
        let turns = if turning { all().collect() } else { Vec::new() };
        let turn = |place: &DrawnPlace| {
            let [x, y] = across(&place.normal).map(|e| dot(&place.tangent, &e));
            y.atan2(x) / PI
        };
        Self {
            begin: integers(begin.into_iter()),
            force: singles(all().map(|place| place.force)),
            state: base64(all().map(|place| place.state)),
            point: singles(all().flat_map(|place| place.point)),
            normal: fractions(all().flat_map(|place| place.normal)),
            key: base64(all().map(|place| numbers.get(&place.key).copied().unwrap_or(OTHERS))),
            friction: fractions(all().flat_map(|place| {
                shares(place).into_iter().take(axes).map(|s| s / friction_factor)
            })),
            friction_factor,
            drilling: fractions(drills.into_iter().map(|place| drilling(place) / drilling_factor)),
            drilling_factor,
            turn: fractions(turns.into_iter().map(turn)),
            laws: rubbing.into_iter().map(|law| law.and_then(FrictionOutline::new)).collect(),
            keys,
            numbers,
        }
    }

    /// The number of a contact.
    pub fn number(&self, key: u64) -> u8 {
        self.numbers.get(&key).copied().unwrap_or(OTHERS)
    }
}

/// Contacts in the order in which they appear, those that are reported first, as far as numbers go.
fn known(system: &dyn Observed, rows: &[Row]) -> (HashMap<u64, u8>, Vec<Known>) {
    let mut seen: HashMap<u64, usize> = HashMap::new();
    let mut found: Vec<(u64, Known)> = Vec::new();
    for place in rows.iter().flat_map(|row| &row.places) {
        let at = *seen.entry(place.key).or_insert_with(|| {
            let contact = system.reported_index(place.key);
            let unit = ContactColumn::Friction.unit(system.contact_turns(place.key));
            found.push((place.key, Known { name: String::new(), group: None, contact, unit }));
            found.len() - 1
        });
        found[at].1.group = found[at].1.group.or(place.group);
    }
    found.sort_by_key(|(_, known)| known.contact.unwrap_or(usize::MAX));
    found.truncate(usize::from(OTHERS));
    let numbers = found.iter().enumerate();
    let numbers = numbers.filter_map(|(k, (key, _))| Some((*key, u8::try_from(k).ok()?))).collect();
    let named =
        found.into_iter().map(|(key, known)| Known { name: system.contact_name(key), ..known });
    (numbers, named.collect())
}

/// Two axes across a normal as the page finds them: of the normal that it gets, which is rounded.
fn across(normal: &Vector3) -> [Vector3; 2] {
    let n = normal.map(rounded);
    let helper = if n[2].abs() < 0.9 { E_Z } else { E_X };
    let first = cross(&helper, &n);
    let length = norm(&first);
    let first = if length > 0.0 { scale(1.0 / length, &first) } else { E_X };
    [first, cross(&n, &first)]
}

impl FrictionOutline {
    /// Of a law of friction; none of one without bounds.
    fn new(law: &ForceLaw) -> Option<Self> {
        // The boundary in a direction d is at d over the gauge of d.
        let at_rest = law.factors(0.0, 0.0)[0];
        let radius = |direction: &[f64]| match at_rest / law.set.gauge(direction) {
            radius if radius.is_finite() => radius,
            _ => 0.0,
        };
        let dim = law.dim();
        let (radii, third): (Vec<f64>, f64) = match dim {
            1 => ([1.0, -1.0].map(|x| radius(&[x])).to_vec(), 0.0),
            2 => {
                let angles = (0..AROUND).map(|k| TAU * k as f64 / AROUND as f64);
                (angles.map(|angle| radius(&[angle.cos(), angle.sin()])).collect(), 0.0)
            }
            3 => {
                // Directions that are spread over the body evenly, however flat it is.
                let flat = radius(&[0.0, 0.0, 1.0]) / radius(&[1.0, 0.0, 0.0]);
                let third = if flat.is_finite() && flat > 0.0 { flat } else { 1.0 };
                let latitude = |i: usize| PI * i as f64 / (LATITUDES - 1) as f64 - FRAC_PI_2;
                let longitude = |k: usize| TAU * k as f64 / LONGITUDES as f64;
                let all = (0..LATITUDES).flat_map(|i| (0..LONGITUDES).map(move |k| (i, k)));
                let radii = all.map(|(i, k)| {
                    let ((s, c), (sin, cos)) = (latitude(i).sin_cos(), longitude(k).sin_cos());
                    radius(&[c * cos, c * sin, third * s])
                });
                (radii.collect(), third)
            }
            _ => return None,
        };
        let (normal, constant) = match law.reservoir {
            ForceReservoir::Unbounded => return None,
            ForceReservoir::Force(force) => (false, force),
            ForceReservoir::Normal => (true, 0.0),
            ForceReservoir::NormalPlus(force) => (true, force),
        };
        let curve = law.curve.is_some();
        Some(Self { dim, radii: singles(radii.into_iter()), third, normal, constant, curve })
    }
}
