//! How many clients there are, and which of them makes room.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// The open connections, in the order in which they came.
pub struct Connections {
    most: usize,
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    next: u64,
    open: Vec<Open>,
}

struct Open {
    number: u64,
    /// To cut it; none once its request is there.
    cut: Option<TcpStream>,
}

/// A place among the connections, given back at its end.
pub struct Ticket {
    number: u64,
    connections: Arc<Connections>,
}

impl Connections {
    /// Room for so many.
    pub fn new(most: usize) -> Self {
        Self { most, list: Mutex::default() }
    }

    /// A place for a client; none if all others are being answered.
    pub fn enter(self: &Arc<Self>, stream: &TcpStream) -> Option<Ticket> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if list.open.len() >= self.most {
            let slowest = list.open.iter().position(|open| open.cut.is_some())?;
            let open = list.open.remove(slowest);
            let _ = open.cut.map(|stream| stream.shutdown(Shutdown::Both));
        }
        let number = list.next;
        list.next += 1;
        list.open.push(Open { number, cut: stream.try_clone().ok() });
        Some(Ticket { number, connections: self.clone() })
    }
}

impl Ticket {
    /// The whole request has come: the connection is not cut any more.
    pub fn has_asked(&self) {
        let mut list = self.connections.list.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = list.open.iter_mut().find(|open| open.number == self.number) {
            open.cut = None;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut list = self.connections.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.open.retain(|open| open.number != self.number);
    }
}
