//! The picture of basins over two keys.

use crate::bifurcation::INKS;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use stickslip::study::{Attractor, Design, Plan, Vary, cells};
use stickslip_papers::plot::{Figure, Panel, Series, Style};

/// Where the points of an attractor are.
type Places = (Vec<f64>, Vec<f64>);

/// The picture of a table: the first key upwards, the second to the right.
pub fn picture(table: &Path, plan: &Plan, attractors: &[Attractor]) -> std::io::Result<Figure> {
    let [rows, columns] = plan.varies() else { return Ok(Figure::default()) };
    // Row by row: a large table has no room in memory.
    let points = BufReader::new(File::open(table)?).lines().skip(1);
    let points = points.map(|line| {
        let row = cells(&line?);
        let number = row.get(2).and_then(|cell| cell.parse::<usize>().ok());
        Ok((row, number.and_then(|number| number.checked_sub(1))))
    });
    let edges = match plan.design() {
        Design::Grid => Edges::new(rows).zip(Edges::new(columns)),
        _ => None,
    };
    let mut places: Vec<Places> = vec![Places::default(); attractors.len()];
    let style = match edges {
        Some((upwards, right)) => {
            fill_boxes(points, &upwards, &right, &mut places)?;
            Style::Boxes
        }
        None => {
            fill_points(points, &mut places)?;
            Style::Points
        }
    };
    let series = attractors.iter().zip(places).enumerate().map(|(number, (a, (x, y)))| {
        let what = if a.period > 0 { format!("period {}", a.period) } else { a.kind.clone() };
        let label = format!("{}: {what}", number + 1);
        Series::styled(style, &label, x, y).inked(INKS[number % INKS.len()])
    });
    let label = |vary: &Vary| match vary.unit.as_str() {
        "" => vary.key.clone(),
        unit => format!("{} ({unit})", vary.key),
    };
    let panel = Panel::new("", &label(columns), &label(rows), series.collect());
    let panel_size = (720.0, 560.0);
    Ok(Figure { panels: vec![panel], columns: 1, panel_size, ..Figure::default() })
}

/// The values of a key, and where the cell of each begins and ends: half-way to its neighbours.
struct Edges {
    places: HashMap<String, usize>,
    edges: Vec<f64>,
}

impl Edges {
    /// Nothing for words, values that do not grow or fall throughout, and a single value.
    fn new(vary: &Vary) -> Option<Self> {
        let texts: Vec<String> = (0..vary.count()?).map_while(|k| vary.value(k)).collect();
        let values: Option<Vec<f64>> = texts.iter().map(|text| text.parse().ok()).collect();
        let values = values.filter(|values| values.len() > 1)?;
        let mut steps = values.windows(2).map(|pair| pair[1] - pair[0]);
        if !(steps.clone().all(|step| step > 0.0) || steps.clone().all(|step| step < 0.0)) {
            return None;
        }
        let (first, last) = (values[1] - values[0], steps.next_back()?);
        let mut edges = vec![values[0] - 0.5 * first];
        edges.extend(values.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])));
        edges.push(values[values.len() - 1] + 0.5 * last);
        let places = texts.into_iter().enumerate().map(|(place, text)| (text, place)).collect();
        Some(Self { places, edges })
    }
}

/// A row of the table and the number of its attractor.
type Row = std::io::Result<(Vec<String>, Option<usize>)>;

/// Cells of one attractor that follow each other in a row are one box.
fn fill_boxes(
    points: impl Iterator<Item = Row>,
    upwards: &Edges,
    right: &Edges,
    places: &mut [Places],
) -> std::io::Result<()> {
    // Attractor, row, first column and the one behind the last.
    let mut open: Option<(usize, usize, usize, usize)> = None;
    let mut close = |(number, row, first, behind): (usize, usize, usize, usize)| {
        if let Some((x, y)) = places.get_mut(number) {
            x.extend([right.edges[first], right.edges[behind]]);
            y.extend([upwards.edges[row], upwards.edges[row + 1]]);
        }
    };
    for point in points {
        let (cells, number) = point?;
        let at = |edges: &Edges, k: usize| edges.places.get(cells.get(k)?).copied();
        let (Some(row), Some(column)) = (at(upwards, 0), at(right, 1)) else { continue };
        match (&mut open, number) {
            (Some(last), Some(number)) if (last.0, last.1, last.3) == (number, row, column) => {
                last.3 += 1;
            }
            _ => {
                if let Some(last) = open.take() {
                    close(last);
                }
                open = number.map(|number| (number, row, column, column + 1));
            }
        }
    }
    if let Some(last) = open {
        close(last);
    }
    Ok(())
}

fn fill_points(points: impl Iterator<Item = Row>, places: &mut [Places]) -> std::io::Result<()> {
    for point in points {
        let (cells, number) = point?;
        let value = |k: usize| cells.get(k).and_then(|cell| cell.parse::<f64>().ok());
        if let (Some(own), Some(x), Some(y)) =
            (number.and_then(|number| places.get_mut(number)), value(1), value(0))
        {
            own.0.push(x);
            own.1.push(y);
        }
    }
    Ok(())
}
