//! A figure as PNG: drawn twice as fine as it is written, so that edges are smooth.

use super::surface::{Ink, Place, Surface, text_style};
use plotters::backend::{BitMapBackend, DrawingBackend};

/// Fine pixels for one written pixel, in each direction.
const OVERSAMPLING: usize = 2;

/// Fine pixels, red, green, blue.
pub struct Raster {
    width: usize,
    height: usize,
    /// Fine pixels for one unit of length.
    scale: f64,
    pixels: Vec<u8>,
}

impl Raster {
    /// An empty white surface with `ratio` written pixels for one unit of length.
    pub fn new(size: (f64, f64), ratio: u32) -> Self {
        let fine = |length: f64| (length * f64::from(ratio)).round().max(1.0) as usize;
        let (width, height) = (fine(size.0) * OVERSAMPLING, fine(size.1) * OVERSAMPLING);
        let scale = f64::from(ratio) * OVERSAMPLING as f64;
        Self { width, height, scale, pixels: vec![255; width * height * 3] }
    }

    /// The file.
    pub fn finish(self) -> Result<Vec<u8>, String> {
        let (width, height) = (self.width / OVERSAMPLING, self.height / OVERSAMPLING);
        let mut coarse = Vec::with_capacity(width * height * 3);
        for row in 0..height {
            for column in 0..width {
                for channel in 0..3 {
                    let mut sum = 0;
                    for y in 0..OVERSAMPLING {
                        for x in 0..OVERSAMPLING {
                            let (y, x) = (row * OVERSAMPLING + y, column * OVERSAMPLING + x);
                            sum += usize::from(self.pixels[(y * self.width + x) * 3 + channel]);
                        }
                    }
                    coarse.push((sum / (OVERSAMPLING * OVERSAMPLING)) as u8);
                }
            }
        }
        encode(width, height, &coarse).map_err(|e| e.to_string())
    }

    fn whole(&self, point: &(f64, f64)) -> (i32, i32) {
        ((point.0 * self.scale).round() as i32, (point.1 * self.scale).round() as i32)
    }

    fn draw(
        &mut self,
        piece: impl FnOnce(&mut BitMapBackend) -> Result<(), String>,
    ) -> Result<(), String> {
        let size = (self.width as u32, self.height as u32);
        let mut backend = BitMapBackend::with_buffer(&mut self.pixels, size);
        piece(&mut backend)?;
        backend.present().map_err(|e| e.to_string())
    }

    /// All fine pixels within half the width of a segment. The backend's own wide lines are
    /// outlines with corners, which break where a curve turns back sharply.
    fn segment(&mut self, a: (f64, f64), b: (f64, f64), half: f64, color: Ink) {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy);
        let rows = (a.1.min(b.1) - half).floor().max(0.0) as usize
            ..((a.1.max(b.1) + half).ceil().max(0.0) as usize + 1).min(self.height);
        for row in rows {
            let y = row as f64 + 0.5;
            // The pixels of this row that can be within reach.
            let (mut low, mut high) = (a.0.min(b.0) - half, a.0.max(b.0) + half);
            if dy.abs() > 1e-9 {
                let middle = a.0 + (y - a.1) * dx / dy;
                let reach = half * length / dy.abs();
                (low, high) = (low.max(middle - reach - 1.0), high.min(middle + reach + 1.0));
            }
            let columns = low.floor().max(0.0) as usize
                ..((high.ceil().max(-1.0) + 1.0) as usize).min(self.width);
            for column in columns {
                let (px, py) = (column as f64 + 0.5 - a.0, y - a.1);
                let along =
                    if length > 0.0 { (px * dx + py * dy) / (length * length) } else { 0.0 };
                let along = along.clamp(0.0, 1.0);
                if (px - along * dx).hypot(py - along * dy) <= half {
                    let at = (row * self.width + column) * 3;
                    self.pixels[at..at + 3].copy_from_slice(&[color.0, color.1, color.2]);
                }
            }
        }
    }
}

impl Surface for Raster {
    fn stroke(&mut self, points: &[(f64, f64)], width: f64, color: Ink) -> Result<(), String> {
        let scale = self.scale;
        let scaled = |p: (f64, f64)| (p.0 * scale, p.1 * scale);
        let half = 0.5 * width * scale;
        for pair in points.windows(2) {
            let (a, b) = (scaled(pair[0]), scaled(pair[1]));
            self.segment(a, b, half, color);
        }
        Ok(())
    }

    fn fill(&mut self, points: &[(f64, f64)], opacity: f64, color: Ink) -> Result<(), String> {
        // Rows of the polygon, crossing by crossing: exact for every outline, also one that
        // touches itself.
        let scaled: Vec<(f64, f64)> =
            points.iter().map(|p| (p.0 * self.scale, p.1 * self.scale)).collect();
        let low = scaled.iter().map(|p| p.1).fold(f64::INFINITY, f64::min).max(0.0);
        let high = scaled.iter().map(|p| p.1).fold(0.0, f64::max).min(self.height as f64);
        let mut crossings = Vec::new();
        for row in low as usize..high.ceil() as usize {
            let y = row as f64 + 0.5;
            crossings.clear();
            for (k, a) in scaled.iter().enumerate() {
                let b = scaled[(k + 1) % scaled.len()];
                if (a.1 <= y) != (b.1 <= y) {
                    crossings.push(a.0 + (y - a.1) * (b.0 - a.0) / (b.1 - a.1));
                }
            }
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.chunks_exact(2) {
                let begin = pair[0].round().max(0.0) as usize;
                let end = (pair[1].round().max(0.0) as usize).min(self.width);
                for column in begin..end {
                    let at = (row * self.width + column) * 3;
                    for (old, new) in
                        self.pixels[at..at + 3].iter_mut().zip([color.0, color.1, color.2])
                    {
                        let mixed = f64::from(*old) * (1.0 - opacity) + f64::from(new) * opacity;
                        *old = mixed.round() as u8;
                    }
                }
            }
        }
        Ok(())
    }

    fn text(
        &mut self,
        text: &str,
        place: Place,
        size: f64,
        color: Ink,
        bold: bool,
    ) -> Result<(), String> {
        let style = text_style(place, size * self.scale, color, bold);
        let at = self.whole(&place.at);
        self.draw(|b| b.draw_text(text, &style, at).map_err(|e| e.to_string()))
    }
}

/// PNG of up to 256 colours if there are no more, which makes small files; else of all.
fn encode(width: usize, height: usize, pixels: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Best);
    if let Some((palette, indices)) = indexed(pixels) {
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette);
        encoder.set_filter(png::FilterType::NoFilter);
        encoder.write_header()?.write_image_data(&indices)?;
    } else {
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_filter(png::FilterType::Paeth);
        encoder.set_adaptive_filter(png::AdaptiveFilterType::Adaptive);
        encoder.write_header()?.write_image_data(pixels)?;
    }
    Ok(file)
}

/// The colours and the number of the colour of each pixel, if 256 are enough after the shades are
/// rounded to 32 steps, which no eye sees at an edge.
fn indexed(pixels: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut numbers = std::collections::HashMap::new();
    let mut palette = Vec::new();
    let mut indices = Vec::with_capacity(pixels.len() / 3);
    for pixel in pixels.chunks_exact(3) {
        let coarse = [pixel[0] >> 3, pixel[1] >> 3, pixel[2] >> 3];
        let next = numbers.len();
        let number = *numbers.entry(coarse).or_insert_with(|| {
            palette.extend_from_slice(pixel);
            next
        });
        indices.push(u8::try_from(number).ok()?);
    }
    Some((palette, indices))
}
