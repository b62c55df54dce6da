//! The exit codes of all commands.

/// How a command ended, worst last: where several things happened, the worst one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All is done.
    Done,
    /// A problem was not solved to the tolerance.
    NotConverged,
    /// A result could not be written, or the run asks for too much.
    ResourceLimit,
    /// An argument or a file is wrong.
    BadInput,
    /// The reader of standard output went away, as in `stickslip ... | head`.
    BrokenPipe,
    /// Stopped by Ctrl-C.
    Interrupted,
    /// Stopped by SIGTERM.
    Terminated,
    /// A fault of the program.
    Internal,
}

impl Exit {
    /// What the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::BadInput => 2,
            Exit::NotConverged => 3,
            Exit::ResourceLimit => 4,
            Exit::Internal => 5,
            // What a shell reports of a program that the signal SIGINT ended.
            Exit::Interrupted => 130,
            // The same of SIGTERM.
            Exit::Terminated => 143,
            // What a shell reports of a program that the signal SIGPIPE ended.
            Exit::BrokenPipe => 141,
        }
    }
}
