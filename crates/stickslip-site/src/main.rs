//! `cargo run -p stickslip-site`: the documentation as a site.

#![forbid(unsafe_code)]

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use stickslip_site::{gallery, reference, root, site};

/// Make the documentation a site that needs no network
#[derive(Parser)]
#[command(after_help = "\
Examples:
  cargo run -p stickslip-site                   # out/site/index.html
  cargo run -p stickslip-site -- --out ../pages
  cargo run -p stickslip-site -- --pages        # docs/gallery.md, docs/scene-reference.md

Exit codes: 0 done, 1 a page, a link or a formula is wrong, or nothing can be written.")]
struct Arguments {
    /// The folder of the site, which is replaced
    #[arg(long, value_name = "DIR", default_value = "out/site")]
    out: PathBuf,

    /// Write the pages that are made of the scenes and the schema, and no site
    #[arg(long)]
    pages: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = if arguments.pages {
        [(gallery::PAGE, gallery::page(&root())), (reference::PAGE, reference::page(&root()))]
            .into_iter()
            .try_for_each(|(path, text)| {
                std::fs::write(root().join(path), text?).map_err(|e| format!("{path}: {e}"))
            })
    } else {
        site::write(&root(), &arguments.out).map(|count| {
            println!("{count} pages: {}", arguments.out.join(site::INDEX).display());
        })
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            message.lines().for_each(|line| eprintln!("stickslip-site: {line}"));
            ExitCode::FAILURE
        }
    }
}
