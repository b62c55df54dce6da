//! Plots: plain descriptions, drawn as SVG and PNG.
//!
//! A [`Figure`] is panels in a grid, a [`Panel`] two axes and some [`Series`]. Whatever the numbers
//! are, a figure can be drawn: what is not finite leaves a gap, what lies outside the axes is cut
//! off, and a million points are thinned out to what can be seen.

mod axis;
mod clip;
mod draw_series;
mod legend;
mod panel;
mod raster;
mod surface;
#[cfg(test)]
mod tests;
mod thin;
mod vector;

pub use surface::Ink;
use surface::{DARK, Place, Surface, TITLE_SIZE};

/// Panels in a grid, row by row.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Stands above all panels; may be empty.
    pub title: String,
    /// The panels.
    pub panels: Vec<Panel>,
    /// Panels in a row, at least 1.
    pub columns: usize,
    /// Width and height of a panel with its labels; 480 × 300 if one of them is not positive.
    pub panel_size: (f64, f64),
}

/// Two axes and what is drawn in them.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Stands above the panel; may be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// A length on one axis is the same length on the other.
    pub equal_aspect: bool,
    /// Without axes and grid, for a picture of a body.
    pub bare: bool,
    /// The data, drawn in this order.
    pub series: Vec<Series>,
    /// Words in the picture.
    pub notes: Vec<Note>,
}

/// An axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// Quantity and unit.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// What is shown; all of the data if it is not given.
    pub range: Option<(f64, f64)>,
    /// Named places in place of numbers, e.g. the rows of a time line.
    pub names: Vec<(f64, String)>,
}

/// How numbers become lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    #[default]
    Linear,
    /// By the logarithm; zero and negative numbers are not shown.
    Log,
}

/// Data with a name.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// The name in the legend; without one there is no entry.
    pub label: String,
    /// How it is drawn.
    pub style: Style,
    /// The colour; that of the place among the series if it is not given.
    pub color: Option<Ink>,
    /// Horizontal values.
    pub x: Vec<f64>,
    /// Vertical values, as many.
    pub y: Vec<f64>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Lines between the points.
    #[default]
    Line,
    /// Dashed lines between the points.
    Dashed,
    /// Dots.
    Points,
    /// An area on top of the stacked series before it, which have the same x.
    Stacked,
    /// The area inside the closed line through the points.
    Filled,
    /// Horizontal bars: x holds begin, end, begin, end, ...; y the middle of the bar, for each.
    Bars,
    /// Boxes: each two points are opposite corners.
    Boxes,
}

/// A word in the picture.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// Where its middle stands.
    pub at: (f64, f64),
    /// The word.
    pub text: String,
}

impl Axis {
    /// A linear axis that shows all of the data.
    pub fn new(label: &str) -> Self {
        Self { label: label.to_owned(), ..Self::default() }
    }

    /// A logarithmic axis.
    pub fn log(label: &str) -> Self {
        Self { scale: Scale::Log, ..Self::new(label) }
    }

    /// The same axis with a range.
    pub fn spanning(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }
}

impl Series {
    /// A line.
    pub fn line(label: &str, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self::styled(Style::Line, label, x, y)
    }

    /// A series in some style.
    pub fn styled(style: Style, label: &str, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self { label: label.to_owned(), style, color: None, x, y }
    }

    /// The same series in the colour of that number.
    pub fn colored(mut self, color: usize) -> Self {
        self.color = Some(surface::ink(color));
        self
    }

    /// The same series in a colour of its own.
    pub fn inked(mut self, color: Ink) -> Self {
        self.color = Some(color);
        self
    }
}

impl Panel {
    /// A panel with axes of these labels.
    pub fn new(title: &str, x: &str, y: &str, series: Vec<Series>) -> Self {
        Self {
            title: title.to_owned(),
            x: Axis::new(x),
            y: Axis::new(y),
            series,
            ..Self::default()
        }
    }
}

impl Figure {
    /// The figure as SVG.
    pub fn to_svg(&self) -> Result<String, String> {
        let mut surface = vector::Vector::new(self.size());
        self.draw(&mut surface)?;
        surface.finish()
    }

    /// The figure as PNG with `ratio` pixels (1 to 4) for one unit of length of the description.
    pub fn to_png(&self, ratio: u32) -> Result<Vec<u8>, String> {
        let mut surface = raster::Raster::new(self.size(), ratio.clamp(1, 4));
        self.draw(&mut surface)?;
        surface.finish()
    }

    /// Width and height.
    pub fn size(&self) -> (f64, f64) {
        let (width, height) = self.panel();
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let rows = self.panels.len().div_ceil(columns).max(1);
        (columns as f64 * width, rows as f64 * height + self.head())
    }

    fn panel(&self) -> (f64, f64) {
        let (width, height) = self.panel_size;
        let good = width > 0.0 && height > 0.0;
        if good {
            (width.clamp(160.0, 2000.0), height.clamp(120.0, 2000.0))
        } else {
            (480.0, 300.0)
        }
    }

    /// Height of the title.
    fn head(&self) -> f64 {
        if self.title.is_empty() { 0.0 } else { 2.2 * TITLE_SIZE }
    }

    fn draw(&self, surface: &mut dyn Surface) -> Result<(), String> {
        let (width, height) = self.panel();
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        if !self.title.is_empty() {
            let middle = self.size().0 / 2.0;
            let place = Place::centred(middle, 1.2 * TITLE_SIZE);
            surface.text(&self.title, place, TITLE_SIZE, DARK, true)?;
        }
        let prepared: Vec<panel::Prepared> = self
            .panels
            .iter()
            .map(|panel| panel::Prepared::new(panel, (width, height)))
            .collect::<Result<_, _>>()?;
        for (index, prepared_panel) in prepared.iter().enumerate() {
            let (row, column) = (index / columns, index % columns);
            // Panels that stand above each other have one left edge.
            let left = prepared.iter().skip(column).step_by(columns).map(|p| p.left);
            let left = left.fold(0.0, f64::max);
            let origin = (column as f64 * width, self.head() + row as f64 * height);
            prepared_panel.draw(surface, origin, left)?;
        }
        Ok(())
    }
}
