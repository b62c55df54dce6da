//! One request and one answer on a connection, both within their time.

use super::Handler;
use super::connections::Ticket;
use super::request::{Answer, Body, Request, decode};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Bytes of the head of a request, and lines in it.
const MOST_HEAD: usize = 16 << 10;
const MOST_LINES: usize = 64;
/// Time in which the whole request must have come.
const TO_ASK: Duration = Duration::from_secs(10);
/// Time in which an answer must have been taken, and bytes a second that a large one may take besides.
const TO_TAKE: Duration = Duration::from_secs(20);
const SLOWEST: u64 = 1 << 20;
/// Bytes that are sent at once.
const PIECE: usize = 64 << 10;
/// Bytes of a refused request that are still read, so that the client sees the answer and not a reset.
const MOST_REST: usize = 1 << 20;

/// What a request may be.
pub struct RequestLimits {
    /// The port of the server.
    pub port: u16,
    /// Bytes of a body.
    pub most_body: usize,
}

/// Reads a request, answers it and closes.
pub fn converse(
    stream: &TcpStream,
    limits: &RequestLimits,
    ticket: &Ticket,
    handler: &dyn Handler,
) -> io::Result<()> {
    let last = Instant::now() + TO_ASK;
    let read = receive(stream, limits, last);
    let is_head = matches!(&read, Ok(request) if request.method == "HEAD");
    let answer = match read {
        Ok(request) => {
            ticket.has_asked();
            handler.answer(&request)
        }
        Err(Refusal::Answer(answer)) => {
            send(stream, answer, false, Instant::now() + TO_TAKE)?;
            return finish(stream, last);
        }
        Err(Refusal::Gone(error)) => return Err(error),
    };
    let size = match &answer.body {
        Body::Bytes(bytes) => bytes.len() as u64,
        Body::File(_, length) => *length,
    };
    let time = TO_TAKE + Duration::from_secs(size / SLOWEST);
    send(stream, answer, is_head, Instant::now() + time)
}

/// Tells the client that nothing more comes, and reads what it still sends.
fn finish(stream: &TcpStream, last: Instant) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let (mut rest, mut total) = ([0; 4096], 0);
    while total < MOST_REST {
        match read_some(stream, &mut rest, last)? {
            0 => break,
            count => total += count,
        }
    }
    Ok(())
}

/// Why there is no request.
enum Refusal {
    /// It is answered.
    Answer(Answer),
    /// The client has gone, or was too slow.
    Gone(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut => refuse(408, "the request took too long\n"),
            _ => Refusal::Gone(error),
        }
    }
}

fn refuse(status: u16, text: &str) -> Refusal {
    Refusal::Answer(Answer::text(status, text))
}

/// Reads a whole request that may be answered.
fn receive(stream: &TcpStream, limits: &RequestLimits, last: Instant) -> Result<Request, Refusal> {
    let mut bytes = Vec::new();
    let (mut request, begin, length) = loop {
        let mut piece = [0; 4096];
        let count = read_some(stream, &mut piece, last)?;
        if count == 0 {
            return Err(Refusal::Gone(io::ErrorKind::UnexpectedEof.into()));
        }
        bytes.extend(&piece[..count]);
        if let Some(found) = head(&bytes, limits)? {
            break found;
        }
        if bytes.len() > MOST_HEAD {
            return Err(refuse(431, "the head of the request is too large\n"));
        }
    };
    bytes.drain(..begin);
    while bytes.len() < length {
        let mut piece = [0; 16 << 10];
        match read_some(stream, &mut piece, last)? {
            0 => return Err(Refusal::Gone(io::ErrorKind::UnexpectedEof.into())),
            count => bytes.extend(&piece[..count]),
        }
    }
    bytes.truncate(length);
    request.body = bytes;
    Ok(request)
}

/// The request without its body, where the body begins and how long it is; nothing if the head is not whole.
fn head(bytes: &[u8], limits: &RequestLimits) -> Result<Option<(Request, usize, usize)>, Refusal> {
    let mut lines = [httparse::EMPTY_HEADER; MOST_LINES];
    let mut parsed = httparse::Request::new(&mut lines);
    let begin = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(begin)) => begin,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(refuse(431, "the request has too many lines\n"));
        }
        Err(_) => return Err(refuse(400, "this is no request\n")),
    };
    let all = |name: &str| -> Vec<&[u8]> {
        let own = parsed.headers.iter().filter(|line| line.name.eq_ignore_ascii_case(name));
        own.map(|line| line.value.trim_ascii()).collect()
    };
    let is_local = |host: &[u8]| {
        let port = format!(":{}", limits.port);
        let name = host.strip_suffix(port.as_bytes()).unwrap_or(host);
        name == b"127.0.0.1" || name.eq_ignore_ascii_case(b"localhost")
    };
    // A page elsewhere whose name leads here asks for its own name.
    if !matches!(all("host")[..], [host] if is_local(host)) {
        return Err(refuse(403, "only this machine is served\n"));
    }
    let method = parsed.method.unwrap_or_default();
    let is_own = |origin: &[u8]| origin.strip_prefix(b"http://").is_some_and(is_local);
    let origins = all("origin");
    // What a page of another origin asks for is refused; what changes something must name its own.
    if !origins.iter().all(|origin| is_own(origin)) || (method == "POST" && origins.len() != 1) {
        return Err(refuse(403, "only pages of this server may ask\n"));
    }
    if all("sec-fetch-site").iter().any(|site| !matches!(*site, b"same-origin" | b"none")) {
        // A link, or a frame such as that of a notebook, may lead here by its address.
        let is_visit = all("sec-fetch-mode") == [b"navigate"];
        if !is_visit || method != "GET" {
            return Err(refuse(403, "only pages of this server may ask\n"));
        }
    }
    if !matches!(method, "GET" | "HEAD" | "POST") || (method == "POST" && limits.most_body == 0) {
        return Err(refuse(405, "only GET\n"));
    }
    if !all("transfer-encoding").is_empty() {
        return Err(refuse(411, "the length of the body must be given\n"));
    }
    let length = match all("content-length")[..] {
        [] => 0,
        [given] => std::str::from_utf8(given)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|text| text.parse::<usize>().ok())
            .ok_or_else(|| refuse(400, "the length of the body is no number\n"))?,
        _ => return Err(refuse(400, "the body has two lengths\n")),
    };
    if length > limits.most_body {
        return Err(refuse(413, "the request is too large\n"));
    }
    let target = parsed.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = decode(path).filter(|path| path.starts_with('/'));
    let path = path.ok_or_else(|| refuse(400, "this is no path\n"))?;
    let (method, query) = (method.to_owned(), query.to_owned());
    Ok(Some((Request { method, path, query, body: Vec::new() }, begin, length)))
}

/// Time that is left; an error if none is.
fn left(last: Instant) -> io::Result<Duration> {
    let left = last.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Waiting too long is one error on all systems.
fn late(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}

fn read_some(mut stream: &TcpStream, bytes: &mut [u8], last: Instant) -> io::Result<usize> {
    stream.set_read_timeout(Some(left(last)?))?;
    stream.read(bytes).map_err(late)
}

fn write_all(mut stream: &TcpStream, mut bytes: &[u8], last: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(left(last)?))?;
        match stream.write(&bytes[..bytes.len().min(PIECE)]).map_err(late)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => bytes = &bytes[count..],
        }
    }
    Ok(())
}

/// Sends an answer, all of it within its time.
pub fn send(
    stream: &TcpStream,
    answer: Answer,
    without_body: bool,
    last: Instant,
) -> io::Result<()> {
    let Answer { status, kind, body, save_as } = answer;
    let length = match &body {
        Body::Bytes(bytes) => bytes.len() as u64,
        Body::File(_, length) => *length,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let save_as = save_as.map_or(String::new(), |name| {
        let name: String = name.chars().map(|c| if plain(c) { c } else { '-' }).collect();
        format!("Content-Disposition: attachment; filename=\"{name}\"\r\n")
    });
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{save_as}\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
        reason(status)
    );
    write_all(stream, head.as_bytes(), last)?;
    if without_body {
        return Ok(());
    }
    match body {
        Body::Bytes(bytes) => write_all(stream, &bytes, last),
        Body::File(file, length) => {
            let mut piece = vec![0; PIECE];
            let mut rest = file.take(length);
            loop {
                match rest.read(&mut piece)? {
                    0 => break Ok(()),
                    count => write_all(stream, &piece[..count], last)?,
                }
            }
        }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}
