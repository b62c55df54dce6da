//! What a description says of the results: columns, tables, and conditions that a run watches.

use super::description::JointDescription;
use crate::system::ContactColumn;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Which columns a table has, by their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableDescription {
    /// Those before the energies; all of the bodies if it is not given.
    pub columns: Option<Vec<String>>,
    /// Those behind the energies; all that are computed if it is not given, but for those in `columns`.
    pub extra_columns: Option<Vec<String>>,
    /// Patterns of all columns that a table has, in place of the three other choices; `*` stands for any text.
    pub chosen: Option<Vec<String>>,
    /// Those of every reported contact; all if it is not given.
    pub contact_columns: Option<Vec<ContactColumn>>,
    /// Whether the first point alone counts where two shapes touch at several.
    pub first_points: bool,
    /// Own names of reported contacts, and what tables call them.
    pub contact_names: Vec<(String, String)>,
    /// Names of the forces and of the internal states of elements that have columns, by the names of their
    /// contacts; all have some where nothing is given.
    pub element_names: [BTreeMap<String, Vec<String>>; 2],
}

impl TableDescription {
    /// The own name of the friction of a joint, if tables call it by another: then it is reported.
    pub(super) fn named_friction(&self, joint: &JointDescription) -> Option<String> {
        let own = format!("{}.friction", joint.name);
        let is_named = self.contact_names.iter().any(|(name, _)| *name == own);
        (is_named && joint.friction > 0.0).then_some(own)
    }

    /// Names of the forces and of the internal states of the elements of a contact, where given.
    pub fn element_names(&self, contact: &str) -> [Option<Vec<String>>; 2] {
        [0, 1].map(|of| self.element_names[of].get(contact).cloned())
    }
}

/// A function of the values of other columns.
pub type ColumnFunction = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// A column that is computed of others.
#[derive(Clone)]
pub struct ColumnDescription {
    /// Its name in the header.
    pub name: String,
    /// The unit in which it is written; empty if it has none.
    pub unit: String,
    /// Its size in SI units.
    pub scale: f64,
    /// Name of the column whose rate it is.
    pub rate_of: Option<String>,
    /// Name of the column over which it is drawn.
    pub drawn_over: Option<String>,
    /// The columns of which it is made, see [`ColumnInputs`](super::ColumnInputs).
    pub inputs: Vec<String>,
    /// Its value in SI units, of the values of the inputs in SI units.
    pub value: Arc<ColumnFunction>,
}

impl fmt::Debug for ColumnDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, unit, inputs, .. } = self;
        write!(f, "{name} ({unit}) of {inputs:?}")
    }
}

/// A condition that ends a run, or at which a row is written.
#[derive(Clone)]
pub struct ConditionDescription {
    /// Its name.
    pub name: String,
    /// As it was written.
    pub text: String,
    /// Whether it ends the run.
    pub stops: bool,
    /// What it is made of: names as of [`ColumnDescription::inputs`], `at_rest`, and
    /// `count(impact(<name>))` of a body, of a contact, or of `any`.
    pub inputs: Vec<String>,
    /// Not 0 where it holds, of the values of the inputs in SI units.
    pub value: Arc<ColumnFunction>,
}

impl fmt::Debug for ConditionDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?})", self.name, self.text)
    }
}
