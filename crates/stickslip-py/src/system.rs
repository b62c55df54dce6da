//! A mechanical system of Python: q̇ = u, one block of mass, contacts with names.

use crate::own::{Callback, array, numbers};
use pyo3::prelude::*;
use stickslip::system::{
    Column, ContactSet, Energy, ForceLaw, LawGroup, MechanicalSystem, Observed, State,
};

/// Name, restitution, friction and number of tangents of a contact.
type Law = (String, f64, f64, usize);
/// A contact as Python gives it: number of the law, gap, rows of W one after the other, w̃.
type Found = (usize, f64, Vec<f64>, Vec<f64>);

/// An object with `mass`, `forces`, `energy` and `contacts`.
pub struct PythonSystem {
    callback: Callback,
    blocks: [usize; 1],
    laws: Vec<Law>,
    groups: Vec<LawGroup>,
    keys: Vec<u64>,
    columns: Vec<(String, String)>,
}

impl PythonSystem {
    /// Reads what does not change, and the start.
    pub fn new(py: Python<'_>, callback: Callback) -> PyResult<(Self, State)> {
        let asked = callback.function.call_method0(py, "_describe")?;
        type Described = (Vec<f64>, Vec<f64>, Vec<Law>, Vec<(String, String)>);
        let (q, u, laws, columns): Described = asked.extract(py)?;
        let group = |(_, restitution, friction, tangents): &Law| {
            let normal = ("normal", ForceLaw::signorini(*restitution));
            match tangents {
                0 => LawGroup::new([normal]),
                1 => LawGroup::new([normal, ("friction", ForceLaw::coulomb_1d(*friction, 0.0))]),
                _ => LawGroup::new([normal, ("friction", ForceLaw::coulomb(*friction, 0.0))]),
            }
        };
        let system = Self {
            callback,
            blocks: [u.len()],
            groups: laws.iter().map(group).collect(),
            keys: (0..laws.len() as u64).collect(),
            laws,
            columns,
        };
        Ok((system, State { q, u, ..State::default() }))
    }
}

impl MechanicalSystem for PythonSystem {
    fn coordinate_count(&self) -> usize {
        self.blocks[0]
    }

    fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        self.callback
            .fill("mass", mass, |py, own| own.call_method1(py, "_mass", (array(py, &at.q),)));
        self.callback.fill("forces", forces, |py, own| {
            own.call_method1(py, "_forces", (at.t, array(py, &at.q), array(py, &at.u)))
        });
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        let width = self.blocks[0];
        let found = self.callback.call(|py, own| {
            let found = own.call_method1(py, "_contacts", (at.t, array(py, &at.q)))?;
            found.extract::<Vec<Found>>(py)
        });
        for (law, gap, rows, rheonomic) in found.unwrap_or_default() {
            let dim = self.groups[law].dim;
            let (directions, w) = out.push(law as u64, law, gap, [0, 0], [width, 0], dim);
            directions.copy_from_slice(&rows);
            w.copy_from_slice(&rheonomic);
        }
    }

    fn law_groups(&self) -> &[LawGroup] {
        &self.groups
    }

    fn contact_name(&self, key: u64) -> String {
        let law = usize::try_from(key).ok().and_then(|key| self.laws.get(key));
        law.map(|(name, ..)| name.clone()).unwrap_or_default()
    }

    fn energy(&self, at: &State) -> Energy {
        let values = self.callback.call(|py, own| {
            let found = own.call_method1(py, "_energy", (array(py, &at.q), array(py, &at.u)))?;
            numbers(py, &found, 2, "energy")
        });
        match values.as_deref() {
            Some(&[kinetic, potential]) => Energy { kinetic, potential },
            _ => Energy { kinetic: f64::NAN, potential: f64::NAN },
        }
    }
}

impl Observed for PythonSystem {
    fn columns(&self) -> Vec<Column> {
        self.columns.iter().map(|(name, unit)| Column::new(name.clone(), unit.clone())).collect()
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        out.extend_from_slice(&at.q);
        out.extend_from_slice(&at.u);
    }

    fn reported_contacts(&self) -> &[u64] {
        &self.keys
    }
}
