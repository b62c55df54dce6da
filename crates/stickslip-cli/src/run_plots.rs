//! `stickslip run --plots`: the plots of a run as SVG and PNG.

use crate::report::{ContactRow, ENERGIES, MOST_COLUMNS, Recorder, Row};
use std::collections::HashMap;
use stickslip::scene::Scene;
use stickslip::simulate::EnergyBook;
use stickslip::system::Column;
use stickslip_papers::plot::{Axis, Figure, Ink, Panel, Series, Style};

/// Names of the figures: `plot-NAME.svg` and `plot-NAME.png`.
pub const PLOTS: [&str; 6] = ["coordinates", "energy", "forces", "timeline", "residual", "phase"];

/// Pixels per unit of length in the PNG.
pub const PIXELS: u32 = 2;

/// Lines in one panel at most.
const MOST_LINES: usize = 8;
/// Panels of one figure at most.
const MOST_PANELS: usize = 12;
/// Contacts in the time line at most.
const MOST_BARS: usize = 24;
/// More than this from one row to the next, rad, is no motion but the end of a turn.
const JUMP: f64 = 0.9 * std::f64::consts::TAU;
/// The colours of the page (report.css).
const STICK: Ink = (0x1f, 0x8f, 0xc4);
const SLIP: Ink = (0xe8, 0x96, 0x0c);

/// The figures of a run, those that have something to show.
pub fn figures(
    scene: &Scene,
    recorder: &Recorder,
    book: &EnergyBook,
) -> Vec<(&'static str, Figure)> {
    let rows = recorder.rows();
    let system = scene.system.as_ref();
    let columns = scene.columns();
    let drawn = columns.all().filter(|column| !column.for_tables).take(MOST_COLUMNS);
    let names: Vec<Column> = drawn.cloned().collect();
    let keys = system.reported_contacts();
    let contacts: Vec<String> = keys.iter().map(|key| system.contact_name(*key)).collect();
    let turns: Vec<bool> = keys.iter().map(|key| system.contact_turns(*key)).collect();
    let all = [
        ("coordinates", coordinates(rows, &names)),
        ("energy", energy(rows, book)),
        ("forces", forces(rows, &contacts, &turns)),
        ("timeline", timeline(rows, &contacts)),
        ("residual", residual(rows)),
        ("phase", phase(rows, &names)),
    ];
    all.into_iter().filter(|(_, figure)| !figure.panels.is_empty()).collect()
}

/// Extremes and last value of a column: a line that passes through all of them.
fn line(label: &str, rows: &[Row], value: impl Fn(&Row) -> [f64; 3]) -> Series {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for row in rows {
        let [low, high, last] = value(row);
        if low < high {
            x.extend([row.t; 3]);
            y.extend([low, high, last]);
        } else {
            x.push(row.t);
            y.push(last);
        }
    }
    Series::line(label, x, y)
}

/// The last values of a column that jumps by full turns, with gaps where it does.
fn broken_line(label: &str, rows: &[Row], column: usize) -> Series {
    let (mut x, mut y): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for row in rows {
        let value = row.values[column];
        if y.last().is_some_and(|before| (value - before).abs() > JUMP) {
            x.push(row.t);
            y.push(f64::NAN);
        }
        x.push(row.t);
        y.push(value);
    }
    Series::line(label, x, y)
}

/// A figure with not too many panels; it says so if some are left out.
fn figure(columns: usize, mut panels: Vec<Panel>) -> Figure {
    let title = first_of(MOST_PANELS, panels.len(), "panels");
    panels.truncate(MOST_PANELS);
    Figure { title, panels, columns, ..Figure::default() }
}

/// What the picture says if it does not show all.
fn first_of(most: usize, all: usize, what: &str) -> String {
    if all > most { format!("first {most} of {all} {what}") } else { String::new() }
}

/// Whether a column is an angle that jumps by a full turn: from row to row, or within a row.
fn is_wrapped(rows: &[Row], unit: &str, column: usize) -> bool {
    let of = |row: &Row| (row.values[column], row.high[column] - row.low[column]);
    unit == "rad"
        && rows.iter().all(|row| of(row).0.abs() <= std::f64::consts::PI + 1e-9)
        && (rows.iter().any(|row| of(row).1 > JUMP)
            || rows.windows(2).any(|pair| (of(&pair[1]).0 - of(&pair[0]).0).abs() > JUMP))
}

/// One panel for each unit, its columns as lines.
fn coordinates(rows: &[Row], names: &[Column]) -> Figure {
    let mut units: Vec<&str> = Vec::new();
    for column in names {
        if !units.contains(&column.unit.as_ref()) {
            units.push(&column.unit);
        }
    }
    let mut panels = Vec::new();
    for wanted in units {
        let mut columns: Vec<usize> =
            (0..names.len()).filter(|k| names[*k].unit == wanted).collect();
        // Angles that turn round and round would hide the others.
        let (turning, others): (Vec<usize>, Vec<usize>) =
            columns.iter().partition(|k| is_wrapped(rows, wanted, **k));
        let mut title = String::new();
        if !others.is_empty() && !turning.is_empty() {
            let left_out: Vec<&str> = turning.iter().map(|k| names[*k].name.as_ref()).collect();
            title = format!("without {} (full turns)", left_out.join(", "));
            columns = others;
        }
        for group in columns.chunks(MOST_LINES) {
            let column = |k: &usize| match turning.contains(k) {
                true => broken_line(&names[*k].name, rows, *k),
                false => {
                    line(&names[*k].name, rows, |row| [row.low[*k], row.high[*k], row.values[*k]])
                }
            };
            let label = if wanted.is_empty() { "no unit".into() } else { format!("in {wanted}") };
            panels.push(Panel::new(&title, "t, s", &label, group.iter().map(column).collect()));
        }
    }
    figure(2, panels)
}

/// Energies, and what the laws have taken, stacked on what is left.
fn energy(rows: &[Row], book: &EnergyBook) -> Figure {
    let x: Vec<f64> = rows.iter().map(|row| row.t).collect();
    let value = |k: usize| rows.iter().map(|row| row.energies[k]).collect::<Vec<f64>>();
    let (kinetic, potential) = (value(0), value(1));
    let total: Vec<f64> = kinetic.iter().zip(&potential).map(|(a, b)| a + b).collect();
    let parts = vec![
        Series::line("kinetic", x.clone(), kinetic),
        Series::line("potential", x.clone(), potential),
        Series::line("total", x.clone(), total.clone()),
    ];
    let mut stack = vec![Series::styled(Style::Stacked, "left", x.clone(), total)];
    for (k, (law, _)) in book.works.iter().enumerate() {
        let lost: Vec<f64> = value(ENERGIES + k).iter().map(|work| 0.0 - work).collect();
        if lost.iter().any(|lost| *lost != 0.0) {
            let label = format!("lost to {law}");
            stack.push(Series::styled(Style::Stacked, &label, x.clone(), lost));
        }
    }
    let error = Series::line("closing error", x.clone(), value(2));
    figure(
        1,
        vec![
            Panel::new("Energy", "t, s", "J", parts),
            Panel::new("Where it went", "t, s", "J", stack),
            Panel::new("What the book leaves open", "t, s", "J", vec![error]),
        ],
    )
}

/// Normal forces, and moments of what acts about an axis apart.
fn forces(rows: &[Row], contacts: &[String], turns: &[bool]) -> Figure {
    let of = |index: usize, row: &Row| row.contacts.get(index).copied();
    let series = |index: usize| {
        line(&contacts[index], rows, |row| {
            of(index, row).map_or([f64::NAN; 3], |c| [c.low, c.high, c.force])
        })
    };
    let mut panels = Vec::new();
    for (turning, label) in [(false, "normal force, N"), (true, "moment, N m")] {
        let indices: Vec<usize> = (0..contacts.len()).filter(|k| turns[*k] == turning).collect();
        panels.extend(indices.chunks(MOST_LINES).map(|group| {
            Panel::new("", "t, s", label, group.iter().map(|k| series(*k)).collect())
        }));
    }
    figure(1, panels)
}

/// Bars of open, stick and slip for each contact.
fn timeline(rows: &[Row], contacts: &[String]) -> Figure {
    if contacts.is_empty() || rows.len() < 2 {
        return Figure::default();
    }
    let shown = contacts.len().min(MOST_BARS);
    let height = |index: usize| (shown - index) as f64;
    let bars = |label: &str, bit: u8, color: Ink| {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for index in 0..shown {
            let has = |row: &Row| {
                row.contacts.get(index).is_some_and(|c: &ContactRow| c.states & bit != 0)
            };
            let mut begin = None;
            for pair in rows.windows(2) {
                match (begin, has(&pair[1])) {
                    (None, true) => begin = Some(pair[0].t),
                    (Some(t), false) => {
                        x.extend([t, pair[0].t]);
                        y.extend([height(index); 2]);
                        begin = None;
                    }
                    _ => {}
                }
            }
            if let (Some(t), Some(last)) = (begin, rows.last()) {
                x.extend([t, last.t]);
                y.extend([height(index); 2]);
            }
        }
        Series::styled(Style::Bars, label, x, y).inked(color)
    };
    let names = (0..shown).map(|k| (height(k), contacts[k].clone())).collect();
    let y = Axis { names, range: Some((0.4, shown as f64 + 0.6)), ..Axis::default() };
    let panel = Panel {
        x: Axis::new("t, s").spanning(rows[0].t, rows[rows.len() - 1].t),
        y,
        series: vec![bars("stick", 2, STICK), bars("slip", 4, SLIP)],
        ..Panel::default()
    };
    let size = (720.0, 110.0 + 34.0 * shown as f64);
    let title = first_of(MOST_BARS, contacts.len(), "contacts");
    Figure { title, panel_size: size, ..figure(1, vec![panel]) }
}

fn residual(rows: &[Row]) -> Figure {
    if rows.iter().all(|row| row.residual <= 0.0) {
        return Figure::default();
    }
    let x = rows.iter().map(|row| row.t).collect();
    let y = rows.iter().map(|row| row.residual).collect();
    let series = Series::styled(Style::Points, "", x, y);
    let panel = Panel {
        x: Axis::new("t, s"),
        y: Axis::log("largest residual of a step"),
        series: vec![series],
        ..Panel::default()
    };
    figure(1, vec![panel])
}

/// Rates over coordinates, and paths in the plane.
fn phase(rows: &[Row], columns: &[Column]) -> Figure {
    let mut partners: HashMap<&str, Vec<usize>> = HashMap::new();
    let rates = columns.iter().map(|column| &column.rate_of).enumerate();
    let paths = columns.iter().map(|column| &column.drawn_over).enumerate();
    for (k, coordinate) in rates.chain(paths) {
        if let Some(coordinate) = coordinate {
            partners.entry(coordinate).or_default().push(k);
        }
    }
    let label = |column: &Column| match column.unit.as_ref() {
        "" => column.to_string(),
        unit => format!("{column}, {unit}"),
    };
    let mut panels = Vec::new();
    for (k, column) in columns.iter().enumerate() {
        for other in partners.get(column.name.as_ref()).into_iter().flatten() {
            let x = rows.iter().map(|row| row.values[k]).collect();
            let y = rows.iter().map(|row| row.values[*other]).collect();
            let series = vec![Series::line("", x, y)];
            panels.push(Panel::new("", &label(column), &label(&columns[*other]), series));
        }
    }
    figure(2, panels)
}
