//! The comparisons as text.

use crate::Finished;
use crate::figures::verdict::number;
use crate::gallery::IMAGES;
use std::fmt::Write;

/// The page that is checked in as docs/reproduction.md.
pub fn page(finished: &[Finished]) -> String {
    let mut text = String::from(
        "# The figures of the papers\n\n\
         Written by `stickslip reproduce`. *Paper* is a number in the text of the paper (figures are not\n\
         read off); *at its settings* is ours with the scheme and step of the paper, *converged* ours in the\n\
         limit of small steps, *reference* an independent implementation or an exact value. A verdict is a\n\
         comparison with a tolerance; tolerances and sources are in `verdicts.json`.\n",
    );
    for f in finished {
        let entry = f.entry;
        let _ = write!(
            text,
            "\n## {}\n\n{}.\n\n![{}]({IMAGES}/{}.png)\n\n{}.\n\n```sh no-run: the whole page takes minutes\nstickslip reproduce {}\n```\n\n",
            entry.name, entry.caption, entry.caption, entry.name, entry.parameters, entry.name
        );
        if let Some(warning) = &f.outcome.warning {
            let _ = write!(text, "> **{warning}**\n\n");
        }
        text += "| quantity | unit | paper | at its settings | converged | reference | verdict |\n";
        text += "|---|---|---|---|---|---|---|\n";
        for row in &f.outcome.rows {
            let cell = |text: &str| text.replace('|', "\\|");
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} |",
                cell(&row.quantity),
                row.unit,
                number(row.paper.map(|k| k.value)),
                number(row.at_paper_settings),
                number(row.converged),
                number(row.reference.map(|k| k.value)),
                cell(&row.words())
            );
        }
    }
    text
}

/// The comparisons for a terminal.
pub fn plain_table(finished: &[Finished]) -> String {
    let mut text = String::new();
    for f in finished {
        let _ = writeln!(text, "{}", f.entry.name);
        if let Some(warning) = &f.outcome.warning {
            let _ = writeln!(text, "  NOTE: {warning}");
        }
        for row in &f.outcome.rows {
            let known = |label: &str, value: Option<f64>| {
                value.map_or(String::new(), |v| format!("  {label} {}", number(Some(v))))
            };
            let _ = writeln!(
                text,
                "  {}:{}{}{}{} {}  -> {}",
                row.quantity,
                known("ours", row.at_paper_settings),
                known("converged", row.converged),
                known("paper", row.paper.map(|k| k.value)),
                known("reference", row.reference.map(|k| k.value)),
                row.unit,
                row.words()
            );
        }
    }
    text
}
