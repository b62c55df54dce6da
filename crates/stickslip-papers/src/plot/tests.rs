//! Whatever the numbers are, a figure can be drawn; and it shows what it must.

use super::axis::Shown;
use super::thin::thin;
use super::{Axis, Figure, Note, Panel, Series, Style};

const STYLES: [Style; 7] = [
    Style::Line,
    Style::Dashed,
    Style::Points,
    Style::Stacked,
    Style::Filled,
    Style::Bars,
    Style::Boxes,
];

fn figure(panels: Vec<Panel>) -> Figure {
    Figure { title: "Title & <more>".into(), panels, columns: 2, panel_size: (320.0, 220.0) }
}

/// Both drawings; the PNG decoded to width, height, pixels.
fn drawn(figure: &Figure) -> (String, (u32, u32, Vec<u8>)) {
    let svg = figure.to_svg().unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "a number that is none");
    let file = figure.to_png(1).unwrap();
    let mut decoder = png::Decoder::new(file.as_slice());
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (svg, (info.width, info.height, pixels))
}

#[test]
fn any_numbers_can_be_drawn() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let cases: Vec<(Vec<f64>, Vec<f64>)> = vec![
        (vec![], vec![]),
        (vec![1.0], vec![2.0]),
        (vec![0.0, 1.0, 2.0], vec![nan, nan, nan]),
        (vec![0.0, 1.0, 2.0, 3.0], vec![1.0, inf, -inf, 2.0]),
        (vec![0.0, 1.0, 2.0], vec![0.0, 0.0, 0.0]),
        (vec![5.0, 5.0, 5.0], vec![1e9, 1e9 + 1e-7, 1e9]),
        (vec![0.0, 1e308, -1e308], vec![1e308, -1e308, 0.0]),
        (vec![0.0, 1e-308, 2e-308], vec![1e-300, 2e-300, 5e-324]),
        (vec![0.0, 1.0, 2.0], vec![1.0]),
        (vec![3.0, 1.0, 2.0, 0.0], vec![-1.0, 1e-12, 1e12, 4.0]),
    ];
    for (x, y) in cases {
        for style in STYLES {
            for log in [false, true] {
                for range in [None, Some((0.0, 1.0)), Some((2.0, 2.0)), Some((nan, 1.0))] {
                    let axis = |label| if log { Axis::log(label) } else { Axis::new(label) };
                    let mut panel = Panel {
                        series: vec![Series::styled(style, "name", x.clone(), y.clone())],
                        x: Axis { range, ..axis("x [m]") },
                        y: axis("y [m]"),
                        ..Panel::default()
                    };
                    panel.equal_aspect = log;
                    panel.notes.push(Note { at: (nan, 1.0), text: "note".into() });
                    let one = Figure { panels: vec![panel], ..Figure::default() };
                    let svg = one.to_svg().unwrap();
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{style:?} {x:?} {y:?}");
                    one.to_png(1).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_figure_without_panels_and_one_without_data_have_a_size() {
    assert_eq!(Figure::default().size(), (480.0, 300.0));
    let (_, (width, height, _)) = drawn(&figure(vec![Panel::default(); 3]));
    assert_eq!(width, 640);
    assert!(height >= 440);
}

/// Pixels of the first colour of the palette, which is (0, 114, 178).
fn blue(pixels: &[u8]) -> usize {
    pixels.chunks_exact(3).filter(|p| p[0] < 60 && p[2] > 150).count()
}

#[test]
fn a_line_is_seen_and_nothing_is_drawn_outside_the_axes() {
    let series = Series::line("", vec![0.0, 1.0], vec![0.0, 1.0]);
    let panel = Panel { series: vec![series], ..Panel::default() };
    let (_, (_, _, all)) = drawn(&Figure { panels: vec![panel.clone()], ..Figure::default() });
    // The diagonal of some 400 × 250 pixels.
    assert!(blue(&all) > 300, "{} blue pixels", blue(&all));
    let far = Panel { x: Axis::new("").spanning(5.0, 6.0), ..panel };
    let (_, (_, _, none)) = drawn(&Figure { panels: vec![far], ..Figure::default() });
    assert_eq!(blue(&none), 0);
}

#[test]
fn a_million_points_are_thinned_and_no_peak_is_lost() {
    let n = 1_000_000;
    let mut points: Vec<(f64, f64)> =
        (0..n).map(|i| (f64::from(i) / f64::from(n), (f64::from(i) * 0.37).sin())).collect();
    points[123_456].1 = 50.0;
    points[654_321].1 = -40.0;
    points[777_777].1 = f64::NAN;
    let thinned = thin(&points, (0.0, 1.0), 1000);
    assert!(thinned.len() <= 4010, "{} points", thinned.len());
    assert!(thinned.iter().any(|p| p.1 == 50.0) && thinned.iter().any(|p| p.1 == -40.0));
    assert!(thinned.iter().any(|p| p.1.is_nan()), "the break is gone");
    assert_eq!((thinned[0], thinned.last()), (points[0], points.last()));
    let (x, y) = points.into_iter().unzip();
    let panel = Panel::new("", "x", "y", vec![Series::line("", x, y)]);
    let svg = Figure { panels: vec![panel], ..Figure::default() }.to_svg().unwrap();
    assert!(svg.len() < 300_000, "{} bytes", svg.len());
}

#[test]
fn the_numbers_at_an_axis_are_round() {
    let labels = |axis: &Axis, data: [f64; 2]| {
        let shown = Shown::new(axis, data.into_iter());
        let words: Vec<String> = shown.ticks.into_iter().map(|t| t.label).collect();
        (words.join(" "), shown.factor)
    };
    let linear = Axis::new("");
    assert_eq!(labels(&linear, [0.0, 1.0]), ("0.0 0.2 0.4 0.6 0.8 1.0".into(), String::new()));
    assert_eq!(labels(&linear, [-3.0, 3.0]).0, "−3 −2 −1 0 1 2 3");
    assert_eq!(labels(&linear, [0.0, 2.4e-4]), ("0.0 0.5 1.0 1.5 2.0".into(), "×10⁻⁴".into()));
    assert_eq!(labels(&Axis::log(""), [1e-3, 1e2]).0, "10⁻³ 10⁻² 10⁻¹ 10⁰ 10¹ 10²");
    let empty = Shown::new(&linear, std::iter::empty());
    assert!(empty.ticks.len() > 2 && empty.range == (0.0, 1.0));
}

#[test]
fn stacked_series_stand_on_each_other() {
    let x = vec![0.0, 1.0];
    let series = |y| Series::styled(Style::Stacked, "", x.clone(), y);
    let panel =
        Panel { series: vec![series(vec![1.0, 2.0]), series(vec![3.0, 4.0])], ..Panel::default() };
    let heights = super::draw_series::heights(&panel);
    assert_eq!(heights.into_iter().fold(0.0, f64::max), 6.0);
}

#[test]
fn one_quantity_has_the_same_length_on_both_axes_if_asked_for() {
    let circle = |k: i32| f64::from(k) * std::f64::consts::TAU / 200.0;
    let (x, y) = (0..200).map(|k| (circle(k).cos(), circle(k).sin())).unzip();
    let panel = Panel {
        series: vec![Series::styled(Style::Filled, "", x, y)],
        equal_aspect: true,
        ..Panel::default()
    };
    let (_, (width, _, pixels)) = drawn(&Figure { panels: vec![panel], ..Figure::default() });
    let is_blue = |p: &[u8]| p[0] < 60 && p[2] > 150;
    let at: Vec<(usize, usize)> = pixels
        .chunks_exact(3)
        .enumerate()
        .filter(|(_, p)| is_blue(p))
        .map(|(i, _)| (i % width as usize, i / width as usize))
        .collect();
    let extent = |value: fn(&(usize, usize)) -> usize| {
        at.iter().map(value).max().unwrap() - at.iter().map(value).min().unwrap()
    };
    // Two pixels of rounding at the edges of a line.
    assert!(extent(|p| p.0).abs_diff(extent(|p| p.1)) <= 2);
}
