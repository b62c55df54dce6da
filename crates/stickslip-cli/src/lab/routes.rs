//! What the page may ask for.

use super::disk::{MOST_TEXT, NotSaved};
use super::live::Live;
use super::room::{Refused, Room};
use crate::output::safe;
use crate::report::{COMPARE, LAB, Page, REPORT, write_page};
use crate::server::{Answer, Handler, Request};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Time that a page waits for news.
const TO_WAIT: Duration = Duration::from_secs(15);
/// Pages that wait at once; others get an answer at once, and ask again.
const MOST_WAITING: usize = 12;
/// Time to wait for the first data of a run before the page is sent.
const FIRST: Duration = Duration::from_millis(300);
const HTML: &str = "text/html; charset=utf-8";
/// The data of a run that has not begun.
const NOTHING: &str = include_str!("../../assets/nothing.json");
const JSON: &str = "application/json";

/// The answers of the lab.
pub struct Routes {
    token: String,
    room: Arc<Room>,
    waiting: AtomicUsize,
}

#[derive(Deserialize)]
struct Typed {
    text: String,
    edit: u64,
}

#[derive(Deserialize)]
struct Turned {
    key: String,
    value: Value,
    /// The unit of a number; none if it is empty.
    #[serde(default)]
    unit: String,
    /// Whether a text is a TOML value and no text in one.
    #[serde(default)]
    raw: bool,
    edit: u64,
}

#[derive(Deserialize)]
struct Moment {
    t: f64,
}

#[derive(Deserialize)]
struct Chosen {
    id: u64,
}

#[derive(Deserialize)]
struct Saved {
    name: Option<String>,
    #[serde(default)]
    force: bool,
}

impl Routes {
    pub fn new(token: String, room: Arc<Room>) -> Self {
        Self { token, room, waiting: AtomicUsize::new(0) }
    }

    /// What stands behind the token in a path; nothing if that is wrong.
    fn behind_token<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (token, rest) = path.strip_prefix('/')?.split_once('/')?;
        let differ = token.bytes().zip(self.token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
        (token.len() == self.token.len() && differ == 0).then_some(rest)
    }

    fn get(&self, what: &str, request: &Request) -> Answer {
        match what {
            "" => {
                self.room.news.wait(1, FIRST);
                let (name, data) =
                    self.room.data().unwrap_or_else(|| ("lab".into(), NOTHING.into()));
                page(&LAB, &name, &data)
            }
            "news" => self.news(request),
            "share" => match self.room.data() {
                Some((name, data)) => {
                    let save_as = Some(format!("{}.html", safe(&name, "scene")));
                    Answer { save_as, ..page(&REPORT, &name, &data) }
                }
                None => Answer::text(409, "there is no run yet\n"),
            },
            "compare" => {
                let ids = [request.number("a"), request.number("b")].map(|id| id.unwrap_or(0));
                let Some(pair) = self.room.pair(ids) else {
                    return Answer::text(404, "there are no such runs\n");
                };
                let entry = |(label, data): &(String, Arc<str>)| {
                    format!("{{\"label\":{},\"data\":{data}}}", json!(label))
                };
                let title = format!("{} and {}", pair[0].0, pair[1].0);
                page(&COMPARE, &title, &format!("[{},{}]", entry(&pair[0]), entry(&pair[1])))
            }
            _ => Answer::not_found(),
        }
    }

    /// Waits for something that the page does not know.
    fn news(&self, request: &Request) -> Answer {
        let number = |key: &str| request.number(key).unwrap_or(0);
        let is_room = self.waiting.fetch_add(1, Ordering::SeqCst) < MOST_WAITING;
        let time = if is_room { TO_WAIT } else { Duration::ZERO };
        let version = self.room.news.wait(number("since"), time);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        let (seen, data) = self.room.seen(version, number("revision"), number("serial"));
        let Ok(mut text) = serde_json::to_string(&seen) else {
            return Answer::text(500, "the answer cannot be written\n");
        };
        if let Some(data) = data {
            text.pop();
            text.push_str(",\"data\":");
            text.push_str(&data);
            text.push('}');
        }
        Answer::new(200, JSON, text.into_bytes())
    }

    fn post(&self, what: &str, body: &[u8]) -> Answer {
        let room = &self.room;
        match what {
            "text" => with(body, |Typed { text, edit }| room.type_text(text, edit)),
            "turn" => with(body, |Turned { key, value, unit, raw, edit }| {
                let literal = match &value {
                    Value::String(text) if raw => text.clone(),
                    _ => literal(&value, &unit)?,
                };
                room.turn(&key, &literal, edit)
            }),
            "pause" => done(room.steer(|live| live.pause(true))),
            "resume" => done(room.steer(|live| live.pause(false))),
            "step" => done(room.steer(Live::step)),
            "run" => done(room.run_again()),
            "branch" => with(body, |Moment { t }| room.branch(t)),
            "choose" => with(body, |Chosen { id }| room.choose(id)),
            "close" => with(body, |Chosen { id }| room.close(id)),
            "reload" => done(room.reload()),
            "save" => match serde_json::from_slice::<Saved>(body) {
                Ok(Saved { name, force }) => match room.save(name.as_deref(), force) {
                    Ok(()) => done(Ok(())),
                    Err(NotSaved::Exists(message)) => answer(409, &message),
                    Err(NotSaved::Name(message)) => answer(400, &message),
                    Err(NotSaved::Failed(message)) => answer(500, &message),
                },
                Err(e) => answer(400, &e.to_string()),
            },
            _ => Answer::not_found(),
        }
    }
}

impl Handler for Routes {
    fn answer(&self, request: &Request) -> Answer {
        let Some(what) = self.behind_token(&request.path) else {
            return Answer::text(403, "the address needs the token that the program has printed\n");
        };
        match request.method.as_str() {
            "POST" => self.post(what, &request.body),
            _ => self.get(what, request),
        }
    }

    /// A text in JSON, in which every sign may need two.
    fn most_body(&self) -> usize {
        2 * MOST_TEXT + (64 << 10)
    }
}

fn page(kind: &Page, title: &str, data: &str) -> Answer {
    let mut out = Vec::new();
    match write_page(kind, title, data, &mut out) {
        Ok(()) => Answer::new(200, HTML, out),
        Err(e) => Answer::text(500, &format!("{e}\n")),
    }
}

/// Does something with a body that must fit.
fn with<T: for<'a> Deserialize<'a>>(
    body: &[u8],
    act: impl FnOnce(T) -> Result<(), Refused>,
) -> Answer {
    match serde_json::from_slice(body) {
        Ok(given) => done(act(given)),
        Err(e) => answer(400, &e.to_string()),
    }
}

fn done(outcome: Result<(), Refused>) -> Answer {
    match outcome {
        Ok(()) => Answer::new(200, JSON, b"{}".to_vec()),
        Err(message) => answer(400, &message),
    }
}

fn answer(status: u16, message: &str) -> Answer {
    Answer::new(status, JSON, json!({"error": message}).to_string().into_bytes())
}

/// A value as a scene file writes it.
fn literal(value: &Value, unit: &str) -> Result<String, Refused> {
    let text = |text: &str| toml::Value::String(text.to_owned()).to_string();
    match value {
        Value::Bool(value) => Ok(value.to_string()),
        Value::Number(number) if unit.is_empty() => Ok(number.to_string()),
        Value::Number(number) => Ok(text(&format!("{number} {unit}"))),
        Value::String(value) => Ok(text(value)),
        _ => Err("it must be a number, a text, true or false".into()),
    }
}
