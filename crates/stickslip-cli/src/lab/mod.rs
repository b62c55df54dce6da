//! `stickslip lab`: a scene that one turns by hand, live in the browser, served on this machine alone.

mod disk;
mod live;
mod news;
mod room;
mod routes;
mod text;

use crate::exit::Exit;
use crate::new::STARTER;
use crate::scene_file::{Failure, failure};
use crate::server::{Handler, end_by_signals};
use crate::session::told;
use crate::view::Serving;
use clap::Args;
use room::Room;
use routes::Routes;
use std::sync::Arc;
use std::time::Duration;
use stickslip::scene::SceneFile;

const AFTER_HELP: &str = "\
The page has the scene as text, with errors at their lines as one types, and a
slider for each number of [parameters] and [start], whose range the scene may
give: mu = { value = 0.3, min = 0, max = 1 }. Each change runs in the background
and streams into the page. Pause, step, go back to any moment, change a value
and branch from there, two branches side by side; save the scene; share the run
as one HTML file. The file is read again when it changes on disk.
Served to this machine alone (127.0.0.1) until Ctrl-C; the address has a token
that every request needs. Files are saved only to the folder of the scene.

Examples:
  stickslip lab
  stickslip lab tippe-top
  stickslip lab my-scene.toml --port 8000 --no-open

Exit codes: 2 bad input, 4 the port cannot be used, 130 ended by Ctrl-C, 143 by
SIGTERM.";

/// Time between two looks at the file.
const LOOK: Duration = Duration::from_millis(400);

/// Turn a scene by hand, live in the browser
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct LabCommand {
    #[arg(
        value_name = "NAME_OR_FILE",
        help = "A scene by name (see `stickslip list`), or a scene file:\nits name ends in .toml or has a folder [default: the scene\nthat `stickslip new` writes]"
    )]
    scene: Option<String>,

    #[command(flatten)]
    serving: Serving,
}

impl LabCommand {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.serve().map(|()| Exit::Done))
    }

    fn serve(&self) -> Result<(), Failure> {
        end_by_signals();
        let file = match &self.scene {
            Some(name) => SceneFile::open(name).map_err(failure)?,
            None => SceneFile {
                source: "scene".into(),
                name: "scene".into(),
                text: STARTER.into(),
                path: None,
            },
        };
        let shown = file.source.clone();
        let room = Arc::new(Room::open(file)?);
        let server = self.serving.listen()?;
        let token = token()?;
        let url = format!("{}{token}/", server.url());
        let looker = room.clone();
        let look = move || loop {
            std::thread::sleep(LOOK);
            looker.look_at_disk();
        };
        std::thread::Builder::new()
            .name("disk".into())
            .spawn(look)
            .map_err(|e| (Exit::ResourceLimit, format!("no thread can be started: {e}")))?;
        self.serving.announce(&shown, &url);
        let handler: Arc<dyn Handler> = Arc::new(Routes::new(token, room));
        server.serve(&handler)
    }
}

/// What only the one who started the server knows.
fn token() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| (Exit::ResourceLimit, format!("the system has no random numbers: {e}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
