//! Chosen constants in words.

use super::{ChosenElements, ElementChoice};

impl ElementChoice {
    /// The constants with their units, a line for each group that differs.
    pub fn in_words(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for group in self.groups.iter().filter(|group| group.is_used) {
            let line = self.words(group);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    fn words(&self, group: &ChosenElements) -> String {
        let ChosenElements { label, stiffness, relaxation_time, contact_time, .. } = group;
        let friction = group.friction_relaxation_time;
        let mut line = match group.by_mass {
            false => format!("elements of {label}: stiffness {stiffness:.4e} N/m"),
            true => format!(
                "elements of {label}: stiffness {stiffness:.4e} N/m for the lightest body of {} kg, and as \
                 many times more as the mass or moment of inertia behind a component is larger",
                self.lightest
            ),
        };
        match contact_time {
            None => line += &format!(", relaxation_time {friction:.4e} s"),
            Some(alpha) => {
                line += &format!(
                    ", relaxation_time {relaxation_time:.4e} s (of friction {friction:.4e} s), \
                     contact_time {alpha:.4e} s"
                );
            }
        }
        if let Some((rule, [light, heavy])) = group.restitution {
            let amounts = match (light - heavy).abs() < 1e-3 {
                true => format!("{light:.3}"),
                false => format!("{:.3} to {:.3}", light.min(heavy), light.max(heavy)),
            };
            line += &format!("; restitution {amounts}, of the rule {rule}");
        }
        line
    }
}
