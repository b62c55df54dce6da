//! A small server for one user on one machine, for `view` and `lab`: loopback only, few threads, and a limit of
//! time for every request.
//!
//! Servers that are crates set no limits of time on what clients send (tiny_http 0.12 has none, and begins as
//! many threads as there are clients); those that do need an asynchronous runtime. Only the head of a request
//! is left to a crate.

mod connections;
mod request;
mod wire;

pub use request::{Answer, Body, Request};

use crate::signals;
use connections::Connections;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wire::RequestLimits;

/// Connections at once; the one that has been sending its request for longest makes room for another.
const MOST_CONNECTIONS: usize = 48;
/// Pause after an error of the operating system, such as too many open files.
const BREATH: Duration = Duration::from_millis(50);

/// Time between two looks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// Ctrl-C and SIGTERM end the program from here on, in whatever process it runs (Python has handlers of its own).
/// To be called before other threads begin.
pub fn end_by_signals() {
    signals::listen();
    let look = || {
        loop {
            std::thread::sleep(LOOK);
            if let Some(exit) = signals::received() {
                std::process::exit(i32::from(exit.code()));
            }
        }
    };
    if std::thread::Builder::new().name("signals".into()).spawn(look).is_err() {
        crate::warn("no thread can be started: Ctrl-C ends the program at its second time only");
    }
}

/// What answers the requests.
pub trait Handler: Send + Sync + 'static {
    /// The answer to a request that came to this machine by its own name.
    fn answer(&self, request: &Request) -> Answer;

    /// Bytes that the body of a request may have.
    fn most_body(&self) -> usize {
        0
    }
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Takes a port of this machine alone; 0 takes a free one.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where it listens, as an address for a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Answers until the program ends.
    pub fn serve(&self, handler: &Arc<dyn Handler>) -> ! {
        let connections = Arc::new(Connections::new(MOST_CONNECTIONS));
        let port = self.address.port();
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => begin(stream, port, handler, &connections),
                // Out of files or memory: others end.
                Err(_) => std::thread::sleep(BREATH),
            }
        }
    }
}

/// Answers a client in a thread of its own; one for which there is none is turned away.
fn begin(stream: TcpStream, port: u16, handler: &Arc<dyn Handler>, connections: &Arc<Connections>) {
    let Some(ticket) = connections.enter(&stream) else {
        let busy = Answer::text(503, "too many connections\n");
        let _ = wire::send(&stream, busy, false, Instant::now() + BREATH);
        return;
    };
    let handler = handler.clone();
    let answer = move || {
        let limits = RequestLimits { port, most_body: handler.most_body() };
        let _ = wire::converse(&stream, &limits, &ticket, handler.as_ref());
    };
    // Where there are no threads left the connection is closed, and the server goes on.
    let _ = std::thread::Builder::new().name("request".into()).spawn(answer);
}
