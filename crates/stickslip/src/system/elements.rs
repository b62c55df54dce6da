//! What a system says of the elements that the ODE route puts in place of its laws.

/// Constants of elements (Xiong 2013); what is none follows from masses, speeds and step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElementConstants {
    /// Stiffness K, N/m; above 0.
    pub stiffness: Option<f64>,
    /// Relaxation time β, s; above 0.
    pub relaxation_time: Option<f64>,
    /// Contact time α, s; above 0.
    pub contact_time: Option<f64>,
}

impl ElementConstants {
    /// These, and those of `others` where nothing is said.
    pub fn or(self, others: Self) -> Self {
        Self {
            stiffness: self.stiffness.or(others.stiffness),
            relaxation_time: self.relaxation_time.or(others.relaxation_time),
            contact_time: self.contact_time.or(others.contact_time),
        }
    }
}

/// The elements of a group of laws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupElements {
    /// What the group is called: a rule of contacts, or a kind of joints.
    pub label: String,
    /// The constants that are given.
    pub constants: ElementConstants,
    /// Whether a contact may ever have these laws.
    pub is_used: bool,
    /// Whether the stiffness counts per mass behind each component, against the lightest body: for
    /// joints, whose components may be forces or moments.
    pub by_mass: bool,
}
