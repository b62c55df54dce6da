//! A panel: where everything stands, axes, grid and notes.

use super::axis::Shown;
use super::clip::Rectangle;
use super::draw_series::{self, Frame};
use super::legend::Legend;
use super::surface::{DARK, GRID, LABEL_SIZE, Place, Surface, TICK_SIZE, TITLE_SIZE, text_width};
use super::{Panel, Scale, Style};

/// A panel with axes and legend decided.
pub struct Prepared<'a> {
    panel: &'a Panel,
    size: (f64, f64),
    x: Shown,
    y: Shown,
    /// Room that the vertical axis needs.
    pub left: f64,
}

const RIGHT: f64 = 18.0;

impl<'a> Prepared<'a> {
    /// Looks at the data and decides.
    pub fn new(panel: &'a Panel, size: (f64, f64)) -> Result<Self, String> {
        let xs = panel.series.iter().flat_map(|s| s.x.iter().copied());
        let ys = draw_series::heights(panel);
        let mut x = Shown::new(&panel.x, xs);
        let mut y = Shown::new(&panel.y, ys.into_iter());
        if panel.series.iter().any(|s| s.style == Style::Bars) && panel.y.range.is_none() {
            y.range = (y.range.0 - 0.5, y.range.1 + 0.5);
        }
        // Time lines and curves in time fill their axis.
        let flat = |s: &super::Series| s.style != Style::Points && s.style != Style::Filled;
        if panel.x.range.is_none() && panel.x.scale == Scale::Linear && !panel.equal_aspect {
            let finite = panel.series.iter().flat_map(|s| s.x.iter()).filter(|v| v.abs() <= 1e150);
            let (low, high) =
                finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
            if panel.series.iter().all(flat) && high - low > 1e-9 * low.abs().max(high.abs()) {
                x.range = (low, high);
            }
        }
        x.set_ticks(&panel.x, ((size.0 - 80.0) / 70.0).clamp(2.0, 12.0) as usize);
        y.set_ticks(&panel.y, ((size.1 - 80.0) / 38.0).clamp(2.0, 12.0) as usize);
        let mut prepared = Self { panel, size, x, y, left: 0.0 };
        prepared.left = prepared.room_at_left()?;
        Ok(prepared)
    }

    fn room_at_left(&self) -> Result<f64, String> {
        let mut widest = 0.0_f64;
        for tick in &self.y.ticks {
            widest = widest.max(text_width(&tick.label, TICK_SIZE, false)?);
        }
        let label = if self.panel.y.label.is_empty() { 6.0 } else { 10.0 + 1.4 * LABEL_SIZE };
        Ok(label + widest + 8.0)
    }

    /// Draws the panel with its upper left corner at `origin` and the vertical axis at `left`.
    pub fn draw(
        &self,
        surface: &mut dyn Surface,
        origin: (f64, f64),
        left: f64,
    ) -> Result<(), String> {
        let panel = self.panel;
        let inner = (self.size.0 - left - RIGHT).max(40.0);
        let legend = Legend::new(panel, inner)?;
        let title = if panel.title.is_empty() { 0.0 } else { 1.7 * TITLE_SIZE };
        let factor = if self.y.factor.is_empty() { 0.0 } else { 1.3 * TICK_SIZE };
        let foot =
            1.6 * TICK_SIZE + 8.0 + if panel.x.label.is_empty() { 0.0 } else { 1.5 * LABEL_SIZE };
        let top = 8.0 + title + legend.height + factor.max(4.0);
        let area = Rectangle {
            left: origin.0 + left,
            top: origin.1 + top,
            right: origin.0 + left + inner,
            bottom: origin.1 + (self.size.1 - foot).max(top + 40.0),
        };
        let (x, y) = self.with_equal_aspect(&area);
        let frame = Frame { area, x: &x, y: &y };

        if !panel.title.is_empty() {
            let place = Place::begins(area.left, origin.1 + 8.0 + 0.6 * TITLE_SIZE);
            surface.text(&panel.title, place, 0.93 * TITLE_SIZE, DARK, true)?;
        }
        legend.draw(surface, (area.left, origin.1 + 8.0 + title))?;
        if !panel.bare {
            self.grid(surface, &frame)?;
        }
        draw_series::draw(surface, &frame, panel)?;
        for note in &panel.notes {
            let at = frame.point(note.at);
            if area.contains(at) {
                let place = Place::centred(at.0, at.1);
                surface.text(&note.text, place, TICK_SIZE, DARK, false)?;
            }
        }
        if panel.bare {
            return Ok(());
        }
        self.edges(surface, &frame)?;
        self.labels(surface, &frame, origin)
    }

    /// The axes, one of them wider if lengths are to be the same on both.
    fn with_equal_aspect(&self, area: &Rectangle) -> (Shown, Shown) {
        let (mut x, mut y) = (self.x.clone(), self.y.clone());
        if self.panel.equal_aspect {
            let (width, height) = (area.right - area.left, area.bottom - area.top);
            let per_x = (x.range.1 - x.range.0) / width;
            let per_y = (y.range.1 - y.range.0) / height;
            let widen = |shown: &mut Shown, length: f64| {
                let middle = 0.5 * (shown.range.0 + shown.range.1);
                shown.range = (middle - 0.5 * length, middle + 0.5 * length);
            };
            if per_x < per_y {
                widen(&mut x, per_y * width);
            } else {
                widen(&mut y, per_x * height);
            }
            x.set_ticks(&self.panel.x, (width / 70.0).clamp(2.0, 12.0) as usize);
            y.set_ticks(&self.panel.y, (height / 38.0).clamp(2.0, 12.0) as usize);
        }
        (x, y)
    }

    fn grid(&self, surface: &mut dyn Surface, frame: &Frame) -> Result<(), String> {
        let area = &frame.area;
        for tick in &frame.x.ticks {
            let x = frame.horizontal(tick.at);
            surface.stroke(&[(x, area.top), (x, area.bottom)], 0.7, GRID)?;
        }
        for tick in &frame.y.ticks {
            let y = frame.vertical(tick.at);
            surface.stroke(&[(area.left, y), (area.right, y)], 0.7, GRID)?;
        }
        Ok(())
    }

    fn edges(&self, surface: &mut dyn Surface, frame: &Frame) -> Result<(), String> {
        let a = &frame.area;
        surface.stroke(&[(a.left, a.top), (a.left, a.bottom), (a.right, a.bottom)], 1.0, DARK)
    }

    fn labels(
        &self,
        surface: &mut dyn Surface,
        frame: &Frame,
        origin: (f64, f64),
    ) -> Result<(), String> {
        let (area, panel) = (&frame.area, self.panel);
        for tick in &frame.x.ticks {
            let x = frame.horizontal(tick.at);
            surface.stroke(&[(x, area.bottom), (x, area.bottom + 4.0)], 1.0, DARK)?;
            let place = Place::centred(x, area.bottom + 6.0 + 0.6 * TICK_SIZE);
            surface.text(&tick.label, place, TICK_SIZE, DARK, false)?;
        }
        for tick in &frame.y.ticks {
            let y = frame.vertical(tick.at);
            surface.stroke(&[(area.left - 4.0, y), (area.left, y)], 1.0, DARK)?;
            let place = Place::ends(area.left - 7.0, y);
            surface.text(&tick.label, place, TICK_SIZE, DARK, false)?;
        }
        if !frame.y.factor.is_empty() {
            let place = Place::ends(area.left + 12.0, area.top - 0.8 * TICK_SIZE);
            surface.text(&frame.y.factor, place, 0.92 * TICK_SIZE, DARK, false)?;
        }
        let below = area.bottom + 8.0 + 1.2 * TICK_SIZE + 0.7 * LABEL_SIZE;
        let x_label = match (panel.x.label.is_empty(), frame.x.factor.is_empty()) {
            (false, false) => format!("{}   ({})", panel.x.label, frame.x.factor),
            (true, false) => frame.x.factor.clone(),
            _ => panel.x.label.clone(),
        };
        let middle = 0.5 * (area.left + area.right);
        surface.text(&x_label, Place::centred(middle, below), LABEL_SIZE, DARK, false)?;
        let place = Place {
            upwards: true,
            ..Place::centred(origin.0 + 4.0 + 0.7 * LABEL_SIZE, 0.5 * (area.top + area.bottom))
        };
        surface.text(&panel.y.label, place, LABEL_SIZE, DARK, false)
    }
}
