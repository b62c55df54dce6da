//! The data in a panel.

use super::axis::Shown;
use super::clip::Rectangle;
use super::surface::{Ink, Surface, ink};
use super::thin::thin;
use super::{Panel, Series, Style};

/// Width of the lines.
const WIDTH: f64 = 1.6;
/// Columns into which the picture is divided where there are too many points, for one unit of
/// length: finer than the pixels of a PNG with twice as many.
const COLUMNS: f64 = 2.0;
/// A line is not drawn further than this outside the picture.
const MOST_OUTSIDE: f64 = 1e6;

/// The rectangle of the data and its axes.
pub struct Frame<'a> {
    /// On the surface.
    pub area: Rectangle,
    /// Horizontal axis.
    pub x: &'a Shown,
    /// Vertical axis.
    pub y: &'a Shown,
}

impl Frame<'_> {
    /// Where a transformed number stands horizontally.
    pub fn horizontal(&self, value: f64) -> f64 {
        let (low, high) = self.x.range;
        let part = (value - low) / (high - low);
        self.area.left
            + part.clamp(-MOST_OUTSIDE, MOST_OUTSIDE) * (self.area.right - self.area.left)
    }

    /// Where a transformed number stands vertically.
    pub fn vertical(&self, value: f64) -> f64 {
        let (low, high) = self.y.range;
        let part = (value - low) / (high - low);
        self.area.bottom
            - part.clamp(-MOST_OUTSIDE, MOST_OUTSIDE) * (self.area.bottom - self.area.top)
    }

    /// Where a point of the data stands; NaN if it cannot be shown.
    pub fn point(&self, at: (f64, f64)) -> (f64, f64) {
        (self.horizontal(self.x.transform(at.0)), self.vertical(self.y.transform(at.1)))
    }

    fn thinned(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let placed: Vec<(f64, f64)> = points.iter().map(|p| self.point(*p)).collect();
        let columns = (COLUMNS * (self.area.right - self.area.left)).ceil().max(1.0) as usize;
        thin(&placed, (self.area.left, self.area.right), columns)
    }
}

/// How much of what is behind an area of this style is hidden.
pub fn opacity(style: Style) -> f64 {
    match style {
        Style::Filled => 0.25,
        Style::Stacked => 0.8,
        _ => 1.0,
    }
}

/// All vertical values, with stacked series on top of each other.
pub fn heights(panel: &Panel) -> Vec<f64> {
    let mut heights = Vec::new();
    let mut below: Vec<f64> = Vec::new();
    for series in &panel.series {
        if series.style == Style::Stacked {
            heights.push(0.0);
            below = stacked(&below, series);
            heights.extend_from_slice(&below);
        } else {
            heights.extend_from_slice(&series.y);
        }
    }
    heights
}

/// Upper edge of a stacked series on top of what is `below` (nothing where that is too short).
fn stacked(below: &[f64], series: &Series) -> Vec<f64> {
    let finite = |v: f64| if v.is_finite() { v } else { 0.0 };
    let under = below.iter().copied().chain(std::iter::repeat(0.0));
    series.y.iter().zip(under).map(|(v, b)| finite(*v) + b).collect()
}

/// Draws all series of a panel.
pub fn draw(surface: &mut dyn Surface, frame: &Frame, panel: &Panel) -> Result<(), String> {
    let mut below: Vec<f64> = Vec::new();
    for (index, series) in panel.series.iter().enumerate() {
        let color = series.color.unwrap_or_else(|| ink(index));
        let points: Vec<(f64, f64)> =
            series.x.iter().copied().zip(series.y.iter().copied()).collect();
        match series.style {
            Style::Line => line(surface, frame, &frame.thinned(&points), color)?,
            Style::Dashed => {
                for piece in frame.area.lines(&frame.thinned(&points)) {
                    dashes(surface, &piece, color)?;
                }
            }
            Style::Points => dots(surface, frame, &frame.thinned(&points), color)?,
            Style::Stacked => {
                let above = stacked(&below, series);
                area(surface, frame, &series.x, (&below, &above), color)?;
                below = above;
            }
            Style::Filled => {
                let placed: Vec<(f64, f64)> = points.iter().map(|p| frame.point(*p)).collect();
                polygon(surface, frame, &placed, opacity(Style::Filled), color)?;
                let closed: Vec<(f64, f64)> =
                    placed.iter().chain(placed.first()).copied().collect();
                line(surface, frame, &closed, color)?;
            }
            Style::Bars => bars(surface, frame, &points, color)?,
            Style::Boxes => boxes(surface, frame, &points, color)?,
        }
    }
    Ok(())
}

fn line(
    surface: &mut dyn Surface,
    frame: &Frame,
    placed: &[(f64, f64)],
    color: Ink,
) -> Result<(), String> {
    for piece in frame.area.lines(placed) {
        surface.stroke(&piece, WIDTH, color)?;
    }
    // A point without neighbours is no line, but it is data.
    let shown = |i: usize| placed.get(i).is_some_and(|p| p.0.is_finite() && p.1.is_finite());
    let alone = |i: &usize| shown(*i) && !(*i > 0 && shown(i - 1)) && !shown(i + 1);
    let lonely: Vec<(f64, f64)> = (0..placed.len()).filter(alone).map(|i| placed[i]).collect();
    dots(surface, frame, &lonely, color)
}

/// Dashes of constant length along a line.
fn dashes(surface: &mut dyn Surface, points: &[(f64, f64)], color: Ink) -> Result<(), String> {
    const DASH: f64 = 6.0;
    const HOLE: f64 = 4.0;
    let mut dash: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    let (mut drawing, mut left) = (true, DASH);
    for pair in points.windows(2) {
        let (mut a, b) = (pair[0], pair[1]);
        loop {
            let length = (b.0 - a.0).hypot(b.1 - a.1);
            if length <= left {
                left -= length;
                if drawing {
                    dash.push(b);
                }
                break;
            }
            let part = left / length;
            a = (a.0 + part * (b.0 - a.0), a.1 + part * (b.1 - a.1));
            if drawing {
                dash.push(a);
                surface.stroke(&dash, WIDTH, color)?;
            }
            dash = vec![a];
            drawing = !drawing;
            left = if drawing { DASH } else { HOLE };
        }
    }
    if drawing && dash.len() > 1 { surface.stroke(&dash, WIDTH, color) } else { Ok(()) }
}

fn dots(
    surface: &mut dyn Surface,
    frame: &Frame,
    placed: &[(f64, f64)],
    color: Ink,
) -> Result<(), String> {
    for p in placed.iter().filter(|p| frame.area.contains(**p)) {
        let dot: Vec<(f64, f64)> = (0..12)
            .map(|k| {
                let angle = std::f64::consts::TAU * f64::from(k) / 12.0;
                (p.0 + 2.4 * angle.cos(), p.1 + 2.4 * angle.sin())
            })
            .collect();
        surface.fill(&dot, 1.0, color)?;
    }
    Ok(())
}

fn polygon(
    surface: &mut dyn Surface,
    frame: &Frame,
    placed: &[(f64, f64)],
    opacity: f64,
    color: Ink,
) -> Result<(), String> {
    let inside = frame.area.polygon(placed);
    if inside.len() < 3 { Ok(()) } else { surface.fill(&inside, opacity, color) }
}

/// The area between two curves.
fn area(
    surface: &mut dyn Surface,
    frame: &Frame,
    x: &[f64],
    (below, above): (&[f64], &[f64]),
    color: Ink,
) -> Result<(), String> {
    let under = below.iter().copied().chain(std::iter::repeat(0.0));
    let upper: Vec<(f64, f64)> = x.iter().copied().zip(above.iter().copied()).collect();
    let lower: Vec<(f64, f64)> = x.iter().copied().zip(under).take(upper.len()).collect();
    let mut outline = frame.thinned(&upper);
    outline.extend(frame.thinned(&lower).into_iter().rev());
    polygon(surface, frame, &outline, opacity(Style::Stacked), color)
}

/// Boxes between opposite corners.
fn boxes(
    surface: &mut dyn Surface,
    frame: &Frame,
    points: &[(f64, f64)],
    color: Ink,
) -> Result<(), String> {
    for pair in points.chunks_exact(2) {
        let (a, b) = (frame.point(pair[0]), frame.point(pair[1]));
        let corners = [a, (b.0, a.1), b, (a.0, b.1)];
        polygon(surface, frame, &corners, opacity(Style::Boxes), color)?;
    }
    Ok(())
}

/// Bars of 0.6 units of the vertical axis. Neighbours that are closer than can be seen are joined.
fn bars(
    surface: &mut dyn Surface,
    frame: &Frame,
    points: &[(f64, f64)],
    color: Ink,
) -> Result<(), String> {
    let mut joined: Vec<(f64, f64, f64)> = Vec::new();
    for pair in points.chunks_exact(2) {
        let (begin, end) = (frame.point(pair[0]).0, frame.point(pair[1]).0);
        let y = pair[0].1;
        if !(begin.is_finite() && end.is_finite() && y.is_finite()) {
            continue;
        }
        match joined.last_mut() {
            Some(last) if last.2 == y && begin >= last.1 && begin - last.1 < 0.25 => last.1 = end,
            _ => joined.push((begin, end, y)),
        }
    }
    for (begin, end, y) in joined {
        // What happened is seen, however short it was.
        let end = end.max(begin + 0.5);
        let (low, high) = (frame.point((0.0, y - 0.3)).1, frame.point((0.0, y + 0.3)).1);
        let corners = [(begin, low), (end, low), (end, high), (begin, high)];
        polygon(surface, frame, &corners, 1.0, color)?;
    }
    Ok(())
}
