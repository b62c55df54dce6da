//! The command `stickslip`.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    stickslip_cli::command(std::env::args_os())
}
