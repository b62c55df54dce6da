//! A figure as SVG.

use super::surface::{Ink, Place, Surface, text_style};
use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::{Color, RGBColor, ShapeStyle};

/// Coordinates of the backend are whole numbers: this many for one unit of length.
const FINE: f64 = 20.0;

/// Collects what is drawn; the backend borrows its text, so each piece has its own.
pub struct Vector {
    size: (f64, f64),
    body: String,
}

impl Vector {
    /// An empty white surface.
    pub fn new(size: (f64, f64)) -> Self {
        Self { size, body: String::new() }
    }

    fn draw(
        &mut self,
        piece: impl FnOnce(&mut SVGBackend) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut text = String::new();
        {
            let mut backend = SVGBackend::with_string(&mut text, (1, 1));
            piece(&mut backend)?;
            backend.present().map_err(|e| e.to_string())?;
        }
        // Each piece is an element in an SVG of its own.
        let open = text.find('>').map_or(0, |i| i + 1);
        let close = text.rfind("</svg>").unwrap_or(text.len());
        self.body.push_str(text.get(open..close).unwrap_or("").trim());
        self.body.push('\n');
        Ok(())
    }

    /// The text of the picture.
    pub fn finish(self) -> Result<String, String> {
        let (width, height) = self.size;
        Ok(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {} {}\" stroke-linejoin=\"round\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n{}</svg>\n",
            width * FINE,
            height * FINE,
            self.body
        ))
    }
}

fn whole(point: &(f64, f64)) -> (i32, i32) {
    ((point.0 * FINE).round() as i32, (point.1 * FINE).round() as i32)
}

impl Surface for Vector {
    fn stroke(&mut self, points: &[(f64, f64)], width: f64, color: Ink) -> Result<(), String> {
        let style = ShapeStyle {
            color: RGBColor(color.0, color.1, color.2).to_rgba(),
            filled: false,
            stroke_width: (width * FINE).round().max(1.0) as u32,
        };
        self.draw(|b| b.draw_path(points.iter().map(whole), &style).map_err(|e| e.to_string()))
    }

    fn fill(&mut self, points: &[(f64, f64)], opacity: f64, color: Ink) -> Result<(), String> {
        let color = RGBColor(color.0, color.1, color.2).mix(opacity);
        self.draw(|b| b.fill_polygon(points.iter().map(whole), &color).map_err(|e| e.to_string()))
    }

    fn text(
        &mut self,
        text: &str,
        place: Place,
        size: f64,
        color: Ink,
        bold: bool,
    ) -> Result<(), String> {
        let style = text_style(place, size * FINE, color, bold);
        self.draw(|b| b.draw_text(text, &style, whole(&place.at)).map_err(|e| e.to_string()))
    }
}
