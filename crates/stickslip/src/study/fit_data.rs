//! Measured data: a table of comma-separated values with a time and columns of the table of a run.

use super::{StudyError, cells};

/// Largest table, cells.
const MOST_CELLS: usize = 50_000_000;

/// Measured values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitData {
    /// Times, s, none before the one in front of it.
    pub t: Vec<f64>,
    /// Names of the columns.
    pub names: Vec<String>,
    /// Their values, one list for each; NaN where nothing was measured.
    pub columns: Vec<Vec<f64>>,
}

impl FitData {
    /// Reads a table: a header with `t` and the names of columns, then rows of numbers. Empty cells are values that
    /// were not measured; lines that begin with `#` are left out. `source` is what errors name. Where `chosen` is not
    /// empty, other columns are left out.
    ///
    /// ```
    /// use stickslip::study::FitData;
    /// let data = FitData::read("a.csv", "t,ball.y\n0,0.1\n0.5,\n", &[])?;
    /// assert_eq!((data.t.len(), data.columns[0][0]), (2, 0.1));
    /// let error = FitData::read("a.csv", "t,ball.y\n0,0.1\n0.5,high\n", &[]).unwrap_err();
    /// assert!(error.to_string().contains("line 3, column 2"));
    /// # Ok::<(), stickslip::study::StudyError>(())
    /// ```
    pub fn read(source: &str, text: &str, chosen: &[String]) -> Result<Self, StudyError> {
        let wrong = |place: String, reason: String| {
            StudyError::wrong(format!("{source}: {place}: {reason}"))
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line));
        let mut lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let Some((number, header)) = lines.next() else {
            return Err(wrong("line 1".into(), "the table is empty; it needs a header".into()));
        };
        let header: Vec<String> = cells(header).iter().map(|cell| cell.trim().to_owned()).collect();
        let place = |line: usize, column: usize| format!("line {line}, column {}", column + 1);
        let Some(time) = header.iter().position(|name| name == "t") else {
            let names = header.join(", ");
            let reason = format!("no column is called t, the time in s; there are {names}");
            return Err(wrong(format!("line {number}"), reason));
        };
        for (column, name) in header.iter().enumerate() {
            if name.is_empty() || header[..column].contains(name) {
                let reason = match name.as_str() {
                    "" => "the column has no name".to_owned(),
                    name => format!("the column {name} is there twice"),
                };
                return Err(wrong(place(number, column), reason));
            }
        }
        if let Some(name) = chosen.iter().find(|name| !header.contains(name)) {
            let reason = format!("there is no column {name}; there are {}", header.join(", "));
            return Err(wrong(format!("line {number}"), reason));
        }
        let is_chosen = |name: &String| name != "t" && (chosen.is_empty() || chosen.contains(name));
        let names: Vec<String> = header.iter().filter(|name| is_chosen(name)).cloned().collect();
        if names.is_empty() {
            return Err(wrong(format!("line {number}"), "there is no column beside t".into()));
        }
        let mut out = Self { columns: vec![Vec::new(); names.len()], names, t: Vec::new() };
        for (line, row) in lines {
            let row = cells(row);
            if row.len() != header.len() {
                let reason = format!("{} cells, the header has {}", row.len(), header.len());
                return Err(wrong(format!("line {line}"), reason));
            }
            let mut own = out.columns.iter_mut();
            for (column, cell) in row.iter().enumerate() {
                if column != time && !is_chosen(&header[column]) {
                    continue;
                }
                let cell = cell.trim();
                let value = match cell {
                    "" if column != time => Ok(f64::NAN),
                    cell => cell.parse::<f64>().map_err(|_| format!("{cell:?} is no number")),
                };
                let value = value.map_err(|reason| wrong(place(line, column), reason))?;
                if value.is_infinite() || (value.is_nan() && !cell.is_empty()) {
                    let reason = format!("{cell} is not finite; leave the cell empty instead");
                    return Err(wrong(place(line, column), reason));
                }
                if column == time {
                    let last = out.t.last().copied().unwrap_or(0.0);
                    if value < last {
                        let reason = format!("the time {value} s is before {last} s");
                        return Err(wrong(place(line, column), reason));
                    }
                    out.t.push(value);
                } else if let Some(own) = own.next() {
                    own.push(value);
                }
            }
            if out.t.len() * header.len() > MOST_CELLS {
                let reason = format!("more than {MOST_CELLS} cells");
                return Err(wrong(format!("line {line}"), reason));
            }
        }
        if out.t.is_empty() {
            return Err(wrong(
                format!("line {number}"),
                "there are no rows below the header".into(),
            ));
        }
        Ok(out)
    }
}
