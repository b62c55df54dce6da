//! The page with all figures: one file that needs no other to be read.

use crate::Finished;
use crate::figures::verdict::{Known, Row, Verdict, number};
use crate::gallery::{MARK, small};
use std::fmt::Write;

const STYLE: &str = "\
:root{color-scheme:light dark;--text:#222;--soft:#666;--line:#ddd;--back:#fff;--card:#fafafa;\
--good:#00664a;--differs:#8a5a00;--open:#b00020}\
@media(prefers-color-scheme:dark){:root{--text:#e6e6e6;--soft:#a0a0a0;--line:#3a3a3a;--back:#161616;\
--card:#1e1e1e;--good:#5fd3ae;--differs:#f0b860;--open:#ff7a8a}}\
body{font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back);margin:0 auto;\
max-width:70rem;padding:1rem}\
nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem;font-size:.9rem}\
article{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1rem;margin:1.2rem 0}\
h2{font-size:1.1rem;margin:0 0 .3rem}p{margin:.4rem 0}.soft{color:var(--soft);font-size:.9rem}\
img{max-width:100%;height:auto;background:#fff;border-radius:4px;margin:.5rem 0}\
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.88rem;width:100%}\
th,td{border-bottom:1px solid var(--line);padding:.25rem .6rem .25rem 0;text-align:left;vertical-align:top}\
td.n{font-variant-numeric:tabular-nums;white-space:nowrap}\
.good{color:var(--good)}.differs{color:var(--differs)}.open{color:var(--open);font-weight:bold}\
a{color:inherit}code{font-size:.9em}.all{margin:1rem 0}.all .wide{max-height:28rem;overflow:auto}\
.all label{margin-right:1rem}.loud{font-weight:bold;border-left:4px solid var(--open);padding:.3rem .8rem}\
#only-open:checked~.wide tr:is(.good-row,.differs-row),#only-differs:checked~.wide tr:is(.good-row,.open-row),\
#only-good:checked~.wide tr:is(.open-row,.differs-row){display:none}";

/// The page.
pub fn page(finished: &[Finished], quick: bool) -> Result<String, String> {
    let mut text = format!(
        "{MARK}\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>Figures of the papers, redrawn</title><style>{STYLE}</style></head><body>\n\
         <h1>Figures of the papers, redrawn</h1>\n<p>{}</p>\n<nav>",
        summary(finished)
    );
    if quick {
        text = text.replace(
            "<nav>",
            "<p class=\"soft\">A quick look: converged runs are coarse.</p>\n<nav>",
        );
    }
    for f in finished {
        let _ = write!(text, "<a href=\"#{0}\">{0}</a> ", f.entry.name);
    }
    text += "</nav>\n";
    text += &overview(finished);
    for f in finished {
        article(&mut text, f, quick)?;
    }
    text += "</body></html>\n";
    Ok(text)
}

fn summary(finished: &[Finished]) -> String {
    let count = |wanted| {
        let rows = finished.iter().flat_map(|f| &f.outcome.rows);
        rows.filter(|row| row.verdict() == wanted).count()
    };
    format!(
        "{} figures. {} numbers match the paper; {} match a reference where the paper gives none; in {} the \
         reference is matched and the paper differs for a known reason; {} are open.",
        finished.len(),
        count(Verdict::MatchesPaper),
        count(Verdict::MatchesReference),
        count(Verdict::PaperDiffers),
        count(Verdict::Open)
    )
}

const HEAD: &str = "<th>quantity</th><th>paper</th><th>at its settings</th><th>converged</th>\
    <th>reference</th><th>unit</th><th>verdict</th>";

/// Our numbers at the step of the paper and in the limit differ by more than this part: it is said aloud.
const CONVERGED: f64 = 0.01;

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::MatchesPaper | Verdict::MatchesReference => "good",
        Verdict::PaperDiffers => "differs",
        Verdict::Open => "open",
    }
}

/// A row of a table, with the figure in front if there is one.
fn line(row: &Row, figure: Option<&str>) -> String {
    let known = |k: &Option<Known>| {
        k.map_or("—".to_owned(), |k| {
            let tip = format!("± {}: {}", number(Some(k.tolerance)), k.source);
            format!("<span title=\"{}\">{}</span>", escaped(&tip), number(Some(k.value)))
        })
    };
    let class = class(row.verdict());
    let figure =
        figure.map_or(String::new(), |name| format!("<td><a href=\"#{name}\">{name}</a></td>"));
    let loud = match (row.at_paper_settings, row.converged) {
        (Some(ours), Some(limit))
            if !row.quick && (ours - limit).abs() > CONVERGED * limit.abs() =>
        {
            "<br><strong>the step of the paper is not converged</strong>"
        }
        _ => "",
    };
    format!(
        "<tr class=\"{class}-row\">{figure}<td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
         <td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"{class}\">{}{loud}</td></tr>\n",
        escaped(&row.quantity),
        known(&row.paper),
        number(row.at_paper_settings),
        number(row.converged),
        known(&row.reference),
        escaped(row.unit),
        escaped(&row.words())
    )
}

/// All rows in one table, open ones first, with a choice of verdicts that needs no script.
fn overview(finished: &[Finished]) -> String {
    let kinds =
        [("all", "all"), ("open", "open"), ("differs", "paper differs"), ("good", "matches")];
    let mut text = String::from("<section class=\"all\">");
    for (id, words) in kinds {
        let checked = if id == "all" { " checked" } else { "" };
        let _ = write!(
            text,
            "<input type=\"radio\" name=\"verdict\" id=\"only-{id}\"{checked}>\
             <label for=\"only-{id}\">{words}</label> "
        );
    }
    let _ = writeln!(text, "<div class=\"wide\"><table><tr><th>figure</th>{HEAD}</tr>");
    let mut rows: Vec<(&str, &Row)> = finished
        .iter()
        .flat_map(|f| f.outcome.rows.iter().map(|row| (f.entry.name, row)))
        .collect();
    rows.sort_by_key(|(_, row)| match row.verdict() {
        Verdict::Open => 0,
        Verdict::PaperDiffers => 1,
        Verdict::MatchesPaper | Verdict::MatchesReference => 2,
    });
    rows.iter().for_each(|(name, row)| text += &line(row, Some(name)));
    text + "</table></div></section>\n"
}

fn article(text: &mut String, f: &Finished, quick: bool) -> Result<(), String> {
    let (name, entry) = (f.entry.name, f.entry);
    let picture = base64(&small(&f.outcome.figure)?);
    let flag = if quick { " --quick" } else { "" };
    let warning = f.outcome.warning.as_ref();
    let warning =
        warning.map_or(String::new(), |w| format!("<p class=\"loud\">{}</p>", escaped(w)));
    let _ = write!(
        text,
        "<article id=\"{name}\"><h2>{name}</h2><p>{}.</p>{warning}\
         <a href=\"{name}.svg\"><img alt=\"{}\" src=\"data:image/png;base64,{picture}\"></a>\
         <p class=\"soft\">{}.</p>\
         <p class=\"soft\"><code>stickslip reproduce {name}{flag}</code> · <a href=\"{name}.svg\">SVG</a> · \
         <a href=\"{name}.png\">PNG</a> · <a href=\"{name}.csv\">data</a></p>\n<div class=\"wide\"><table>\
         <tr>{HEAD}</tr>\n",
        escaped(entry.caption),
        escaped(entry.caption),
        escaped(entry.parameters)
    );
    for row in &f.outcome.rows {
        *text += &line(row, None);
    }
    *text += "</table></div></article>\n";
    Ok(())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |k: usize| u32::from(group.get(k).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for k in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * k)) as usize & 63] as char;
            text.push(if k <= group.len() { digit } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    /// The examples of RFC 4648, sec. 10.
    #[test]
    fn base64_of_the_standard() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in cases {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
