//! The page with all figures: one file that needs no other to be read.

use crate::Finished;
use crate::figures::verdict::{Verdict, number};
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
a{color:inherit}code{font-size:.9em}";

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

fn article(text: &mut String, f: &Finished, quick: bool) -> Result<(), String> {
    let (name, entry) = (f.entry.name, f.entry);
    let picture = base64(&small(&f.outcome.figure)?);
    let flag = if quick { " --quick" } else { "" };
    let _ = write!(
        text,
        "<article id=\"{name}\"><h2>{name}</h2><p>{}.</p>\
         <a href=\"{name}.svg\"><img alt=\"{}\" src=\"data:image/png;base64,{picture}\"></a>\
         <p class=\"soft\">{}.</p>\
         <p class=\"soft\"><code>stickslip reproduce {name}{flag}</code> · <a href=\"{name}.svg\">SVG</a> · \
         <a href=\"{name}.png\">PNG</a> · <a href=\"{name}.csv\">data</a></p>\n<div class=\"wide\"><table>\
         <tr><th>quantity</th><th>paper</th><th>at its settings</th><th>converged</th><th>reference</th>\
         <th>unit</th><th>verdict</th></tr>\n",
        escaped(entry.caption),
        escaped(entry.caption),
        escaped(entry.parameters)
    );
    for row in &f.outcome.rows {
        let known = |k: &Option<crate::figures::verdict::Known>| {
            k.map_or("—".to_owned(), |k| {
                let tip = format!("± {}: {}", number(Some(k.tolerance)), k.source);
                format!("<span title=\"{}\">{}</span>", escaped(&tip), number(Some(k.value)))
            })
        };
        let class = match row.verdict() {
            Verdict::MatchesPaper | Verdict::MatchesReference => "good",
            Verdict::PaperDiffers => "differs",
            Verdict::Open => "open",
        };
        let _ = writeln!(
            text,
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td>{}</td><td class=\"{class}\">{}</td></tr>",
            escaped(&row.quantity),
            known(&row.paper),
            number(row.at_paper_settings),
            number(row.converged),
            known(&row.reference),
            escaped(row.unit),
            escaped(&row.words())
        );
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
