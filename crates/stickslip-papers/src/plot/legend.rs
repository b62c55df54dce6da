//! The names of the series, above the picture so that they hide nothing.

use super::surface::{DARK, Ink, Place, Surface, TICK_SIZE, ink, text_width};
use super::{Panel, Style};

/// Height of a row of names.
pub const ROW: f64 = 16.0;
/// Length of the sample before a name.
const SAMPLE: f64 = 20.0;
const GAP: f64 = 5.0;
const BETWEEN: f64 = 14.0;

/// A name with its place, relative to the upper left corner.
struct Entry {
    label: String,
    style: Style,
    color: Ink,
    at: (f64, f64),
}

/// The names, laid out in rows.
pub struct Legend {
    entries: Vec<Entry>,
    /// Height of all rows.
    pub height: f64,
}

impl Legend {
    /// Lays the names of a panel out in rows of this width.
    pub fn new(panel: &Panel, width: f64) -> Result<Self, String> {
        let mut entries: Vec<Entry> = Vec::new();
        let (mut x, mut row) = (0.0, 0.0);
        for (index, series) in panel.series.iter().enumerate() {
            let color = series.color.unwrap_or_else(|| ink(index));
            let known = |e: &Entry| e.label == series.label && e.color == color;
            if series.label.is_empty() || entries.iter().any(known) {
                continue;
            }
            let length = SAMPLE + GAP + text_width(&series.label, TICK_SIZE, false)?;
            if x > 0.0 && x + length > width {
                (x, row) = (0.0, row + 1.0);
            }
            let at = (x, (row + 0.5) * ROW);
            entries.push(Entry { label: series.label.clone(), style: series.style, color, at });
            x += length + BETWEEN;
        }
        let rows = if entries.is_empty() { 0.0 } else { row + 1.0 };
        Ok(Self { entries, height: rows * ROW })
    }

    /// Draws the names below this corner.
    pub fn draw(&self, surface: &mut dyn Surface, corner: (f64, f64)) -> Result<(), String> {
        for entry in &self.entries {
            let (x, y) = (corner.0 + entry.at.0, corner.1 + entry.at.1);
            sample(surface, entry, (x, y))?;
            let place = Place::begins(x + SAMPLE + GAP, y);
            surface.text(&entry.label, place, TICK_SIZE, DARK, false)?;
        }
        Ok(())
    }
}

fn sample(surface: &mut dyn Surface, entry: &Entry, (x, y): (f64, f64)) -> Result<(), String> {
    let dash = |from: f64, to: f64| [(x + from * SAMPLE, y), (x + to * SAMPLE, y)];
    match entry.style {
        Style::Line => surface.stroke(&dash(0.0, 1.0), 2.0, entry.color),
        Style::Dashed => {
            surface.stroke(&dash(0.0, 0.4), 2.0, entry.color)?;
            surface.stroke(&dash(0.6, 1.0), 2.0, entry.color)
        }
        Style::Points => surface.stroke(&dash(0.49, 0.51), 5.0, entry.color),
        Style::Stacked | Style::Filled | Style::Bars | Style::Boxes => {
            let (a, b) = (x + 0.15 * SAMPLE, x + 0.85 * SAMPLE);
            let box_ = [(a, y - 5.0), (b, y - 5.0), (b, y + 5.0), (a, y + 5.0)];
            let opacity = super::draw_series::opacity(entry.style);
            surface.fill(&box_, opacity, entry.color)
        }
    }
}
