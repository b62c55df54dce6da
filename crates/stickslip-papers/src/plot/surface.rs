//! What a figure is drawn on, and fonts and colours.

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBColor, TextStyle};
use std::sync::OnceLock;

/// A colour: red, green, blue.
pub type Ink = (u8, u8, u8);

/// Text and axes.
pub const DARK: Ink = (38, 38, 38);
/// Lines of the grid.
pub const GRID: Ink = (224, 224, 224);
/// Size of titles.
pub const TITLE_SIZE: f64 = 14.0;
/// Size of labels.
pub const LABEL_SIZE: f64 = 12.0;
/// Size of the numbers at the axes.
pub const TICK_SIZE: f64 = 11.0;

/// Colours that most colour-blind people tell apart (Okabe and Ito), without the pale yellow.
const PALETTE: [Ink; 7] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (70, 70, 70),
];

/// The colour of a number.
pub fn ink(number: usize) -> Ink {
    PALETTE[number % PALETTE.len()]
}

/// Where a text stands.
#[derive(Clone, Copy)]
pub struct Place {
    /// The point of the text named by the anchors.
    pub at: (f64, f64),
    /// Which point horizontally.
    pub horizontal: HPos,
    /// Written upwards.
    pub upwards: bool,
}

impl Place {
    /// The middle of the text stands here.
    pub fn centred(x: f64, y: f64) -> Self {
        Self { at: (x, y), horizontal: HPos::Center, upwards: false }
    }

    /// The text begins here.
    pub fn begins(x: f64, y: f64) -> Self {
        Self { horizontal: HPos::Left, ..Self::centred(x, y) }
    }

    /// The text ends here.
    pub fn ends(x: f64, y: f64) -> Self {
        Self { horizontal: HPos::Right, ..Self::centred(x, y) }
    }
}

/// Something to draw on; lengths as in the description of the figure, y downwards.
pub trait Surface {
    /// A line through the points.
    fn stroke(&mut self, points: &[(f64, f64)], width: f64, color: Ink) -> Result<(), String>;
    /// The inside of a closed line; `opacity` from 0 to 1.
    fn fill(&mut self, points: &[(f64, f64)], opacity: f64, color: Ink) -> Result<(), String>;
    /// A text in one line.
    fn text(
        &mut self,
        text: &str,
        place: Place,
        size: f64,
        color: Ink,
        bold: bool,
    ) -> Result<(), String>;
}

/// The style of a text, with its size in units of the backend.
pub fn text_style(place: Place, size: f64, color: Ink, bold: bool) -> TextStyle<'static> {
    let font = font(size, bold);
    let font = if place.upwards { font.transform(FontTransform::Rotate270) } else { font };
    let anchor = Pos::new(place.horizontal, VPos::Center);
    let mut style = TextStyle::from(font).pos(anchor);
    style.color = RGBColor(color.0, color.1, color.2).to_backend_color();
    style
}

fn font(size: f64, bold: bool) -> FontDesc<'static> {
    static REGISTERED: OnceLock<()> = OnceLock::new();
    REGISTERED.get_or_init(|| {
        // The bytes are a constant of the program; were they no font, drawing text would say so.
        use plotters::style::register_font;
        let _ = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular());
        let _ = register_font("sans-serif", FontStyle::Bold, dejavu::sans::bold());
    });
    let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
    // The backends count ascent and descent, a size is that of an em.
    FontDesc::new(FontFamily::Name("sans-serif"), 1.2 * size, style)
}

/// Width of a text.
pub fn text_width(text: &str, size: f64, bold: bool) -> Result<f64, String> {
    if text.is_empty() {
        return Ok(0.0);
    }
    // Measured large, because the answer is a whole number.
    let (width, _) = font(100.0, bold).box_size(text).map_err(|e| e.to_string())?;
    Ok(f64::from(width) * size / 100.0)
}
