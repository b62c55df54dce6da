//! One line per file: a table for people, or JSON lines for programs.

use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// What is reported of one file. `None` where it does not apply; the names are the JSON keys.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SolveRow {
    /// The file as it was given.
    pub file: String,
    /// Name of the problem.
    pub name: String,
    /// Number of contacts.
    pub contacts: Option<usize>,
    /// The solver that was asked for.
    pub solver: String,
    /// How the solve ended, or `bad-input`.
    pub status: &'static str,
    /// Sweeps, Newton steps or pivots.
    pub iterations: Option<usize>,
    /// The residual e, dimensionless.
    pub residual: Option<f64>,
    /// The same error over |c| alone: percussions that hold each other do not hide it.
    pub error_by_data: Option<f64>,
    /// Largest penetration velocity, m/s.
    pub penetration: Option<f64>,
    /// Time of the solve alone, s.
    pub seconds: Option<f64>,
    /// What is wrong with the input.
    pub error: Option<String>,
}

/// Writes the rows as they come.
pub struct Output {
    json: bool,
    colour: bool,
    name_width: usize,
    header_written: bool,
}

impl Output {
    /// JSON lines or a table whose first column has room for `name_width` characters.
    pub fn new(json: bool, name_width: usize) -> Self {
        let wanted = |name: &str| std::env::var_os(name).is_none_or(|v| v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
        let colour = !json && io::stdout().is_terminal() && wanted("NO_COLOR") && !dumb;
        Self { json, colour, name_width: name_width.clamp(4, 48), header_written: false }
    }

    /// Writes one row at once, so that a pipe sees it before the next solve.
    pub fn write(&mut self, row: &SolveRow) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer(&mut out, row)?;
            writeln!(out)?;
        } else {
            if !self.header_written {
                self.header_written = true;
                let width = self.name_width;
                writeln!(
                    out,
                    "{:width$}  {:>8}  {:<15}  {:>10}  {:>9}  {:>9}  {:>11}  {:>9}",
                    "name",
                    "contacts",
                    "status",
                    "iterations",
                    "residual",
                    "error/|c|",
                    "penetration",
                    "seconds"
                )?;
            }
            writeln!(out, "{}", self.line(row))?;
        }
        out.flush()
    }

    fn line(&self, row: &SolveRow) -> String {
        let count = |value: Option<usize>| value.map_or("-".into(), |v| v.to_string());
        let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.2e}"));
        let status = format!("{:<15}", row.status);
        let status = match (self.colour, row.status) {
            (false, _) => status,
            (true, "solved") => format!("\x1b[32m{status}\x1b[0m"),
            (true, _) => format!("\x1b[31m{status}\x1b[0m"),
        };
        let width = self.name_width;
        format!(
            "{:width$}  {:>8}  {status}  {:>10}  {:>9}  {:>9}  {:>11}  {:>9}",
            printable(&row.name),
            count(row.contacts),
            count(row.iterations),
            number(row.residual),
            number(row.error_by_data),
            number(row.penetration),
            row.seconds.map_or("-".into(), |s| format!("{s:.6}")),
        )
    }
}

/// The text without control characters: a name in a file must not steer the terminal.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A name that is a plain file name everywhere: letters, digits and `. _ -`, no leading dot;
/// `otherwise` if nothing is left.
pub fn safe(name: &str, otherwise: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let text: String = name.chars().map(|c| if keep(c) { c } else { '_' }).take(120).collect();
    let text = text.trim_start_matches('.');
    if text.is_empty() { otherwise.into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn names_cannot_leave_the_folder() {
        assert_eq!(safe("../../etc/passwd", "x"), "_.._etc_passwd");
        assert_eq!(safe("a\\b:c d\n", "x"), "a_b_c_d_");
        assert_eq!(safe(".hidden", "x"), "hidden");
        assert_eq!(safe("...", "problem"), "problem");
        assert_eq!(safe("Capsules-i100_889.v2", "x"), "Capsules-i100_889.v2");
        assert_eq!(safe(&"x".repeat(1000), "x").len(), 120);
    }
}
