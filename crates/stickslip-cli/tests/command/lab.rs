//! `lab` and `view` as servers: who is answered, and who is cut.

use crate::common::{Folder, Run, program};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const SCENE: &str = "[world]\ngravity = [0, 0, 0]\n[parameters]\nv = { value = 2.0, min = 0, max = 5 } # m/s\n[[body]]\nname = \"ball\"\nmass = \
                     1\nposition = [0, 0, 1]\nvelocity = [\"v\", 0, 0]\n[[body.shape]]\nkind = \
                     \"sphere\"\nradius = 0.1\n[simulation]\nduration = 0.2\noutput_step = 1e-2\n";

/// A server that ends with the test.
struct Server {
    child: Child,
    /// Host and port.
    address: String,
    /// The path of the address, with a `/` at its end.
    path: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut command = program();
        command.args(arguments).arg("--no-open").stdout(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("its address");
        let url = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next());
        let (address, path) = url.and_then(|url| url.split_once('/')).expect("an address");
        Self { child, address: address.into(), path: format!("/{path}") }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
        stream
    }

    /// Sends bytes and reads the answer to its end.
    fn raw(&self, request: &str) -> String {
        let mut stream = self.connect();
        // A server that has seen enough may close before all is sent.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address))
    }

    fn post(&self, what: &str, body: &Value) -> String {
        let (address, path) = (&self.address, &self.path);
        let body = body.to_string();
        self.raw(&format!(
            "POST {path}{what} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    /// What a page is told that knows nothing.
    fn news(&self) -> Value {
        let answer = self.get(&format!("{}news?since=0", self.path));
        let (_, body) = answer.split_once("\r\n\r\n").expect("an answer");
        serde_json::from_str(body).unwrap_or_else(|e| panic!("{e}: {answer}"))
    }

    /// Asks until something holds.
    fn until(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let last = Instant::now() + Duration::from_secs(40);
        loop {
            let news = self.news();
            if holds(&news) {
                return news;
            }
            assert!(Instant::now() < last, "{what} did not come: {:?}", news["branches"]);
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or("none")
}

fn phase(news: &Value) -> &str {
    let current = &news["current"];
    let list = news["branches"].as_array().expect("branches");
    let branch = list.iter().find(|branch| branch["id"] == *current).expect("the present one");
    branch["phase"].as_str().unwrap_or("none")
}

fn lab() -> (Server, Folder, String) {
    let folder = Folder::new();
    let file = folder.write("ball.toml", SCENE);
    (Server::start(&["lab", &file]), folder, file)
}

#[test]
fn every_request_needs_the_token_and_its_own_names() {
    let (server, folder, _) = lab();
    folder.write("secret.toml", "secret");
    let (address, path) = (&server.address, &server.path);
    assert!(address.starts_with("127.0.0.1:") && path.len() == 34, "{address}{path}");
    assert_eq!(status(&server.get(path)), "200");
    let wrong = format!("/{}/", "0".repeat(32));
    for other in ["/", "/news", &wrong, &path[..33], &path[..20], "//", "/%2e%2e/", ""] {
        let answer = server.get(other);
        assert!(["403", "400"].contains(&status(&answer)), "{other}: {answer}");
        assert!(!answer.contains("ball"), "{answer}");
    }
    for other in ["secret.toml", "../secret.toml", "%2e%2e/secret.toml", "..%2fsecret.toml", "a/b"]
    {
        let answer = server.get(&format!("{path}{other}"));
        assert_eq!(status(&answer), "404", "{other}: {answer}");
    }
    let asks = |lines: &str| server.raw(&format!("GET {path} HTTP/1.1\r\n{lines}\r\n"));
    let port = address.rsplit(':').next().expect("a port");
    for (lines, expected) in [
        (format!("Host: localhost:{port}\r\n"), "200"),
        (format!("Host: {address}\r\nOrigin: http://{address}\r\n"), "200"),
        (String::new(), "403"),
        ("Host: example.org\r\n".into(), "403"),
        (format!("Host: example.org:{port}\r\n"), "403"),
        (format!("Host: 127.0.0.1.example.org:{port}\r\n"), "403"),
        ("Host: 127.0.0.1:1\r\n".into(), "403"),
        (format!("Host: {address}\r\nHost: example.org\r\n"), "403"),
        (format!("Host: {address}\r\nOrigin: http://example.org\r\n"), "403"),
        (format!("Host: {address}\r\nOrigin: null\r\n"), "403"),
        (format!("Host: {address}\r\nOrigin: https://{address}\r\n"), "403"),
        (format!("Host: {address}\r\nSec-Fetch-Site: cross-site\r\n"), "403"),
        // A link in a mail may lead here, if it has the token.
        (
            format!(
                "Host: {address}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
            ),
            "200",
        ),
    ] {
        assert_eq!(status(&asks(&lines)), expected, "{lines}");
    }
    // What changes something must say where it comes from.
    let step = |lines: &str| {
        server.raw(&format!(
            "POST {path}step HTTP/1.1\r\nHost: {address}\r\n{lines}Content-Length: 2\r\n\r\n{{}}"
        ))
    };
    assert_eq!(status(&step("")), "403");
    assert_eq!(status(&step("Origin: http://example.org\r\n")), "403");
    assert_eq!(status(&step(&format!("Origin: http://{address}\r\n"))), "200");
    assert_eq!(
        status(&server.raw(&format!("PUT {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"))),
        "405"
    );
}

#[test]
fn requests_that_are_too_large_or_odd_are_refused() {
    let (server, _folder, _) = lab();
    let (address, path) = (&server.address, &server.path);
    let long = "x".repeat(100_000);
    assert_eq!(
        status(&server.raw(&format!("GET /{long} HTTP/1.1\r\nHost: {address}\r\n\r\n"))),
        "431"
    );
    let many: String = (0..200).map(|k| format!("X-{k}: 1\r\n")).collect();
    assert_eq!(status(&server.raw(&format!("GET / HTTP/1.1\r\n{many}\r\n"))), "431");
    let post = |lines: &str, body: &str| {
        server.raw(&format!(
            "POST {path}text HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n{lines}\r\n{body}"
        ))
    };
    assert_eq!(status(&post("Content-Length: 99999999999\r\n", "")), "413");
    assert_eq!(status(&post("Content-Length: 99999999999999999999999\r\n", "")), "400");
    assert_eq!(status(&post("Content-Length: -1\r\n", "")), "400");
    assert_eq!(status(&post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}")), "400");
    assert_eq!(status(&post("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n")), "411");
    assert_eq!(status(&post("Content-Length: 5\r\n", "[[[[[")), "400");
    assert_eq!(status(&server.raw("\u{0}\u{1}\u{2}\r\n\r\n")), "400");
    // The largest text that is taken is refused as a scene, not as a request.
    let large = json!({"text": "#".repeat(3 << 20), "edit": 9});
    assert!(server.post("text", &large).contains("larger than 2 MB"));
    assert_eq!(status(&server.get(path)), "200");
}

#[test]
fn slow_and_many_clients_do_not_keep_others_waiting() {
    let folder = Folder::new();
    let file = folder.write("ball.toml", SCENE);
    let out = folder.path("out");
    let done = program().args(["run", &file, "--quiet", "--out", &out]).output();
    assert_eq!(Run::new(done.expect("it runs")).code, Some(0));
    let servers = [Server::start(&["lab", &file]), Server::start(&["view", &out])];
    std::thread::scope(|scope| {
        for server in &servers {
            scope.spawn(|| crowd(server));
        }
    });
}

/// Clients that send nothing, or a line and no more: far more than there are places.
fn crowd(server: &Server) {
    let begin = Instant::now();
    let mut slow: Vec<TcpStream> = Vec::new();
    for k in 0..150 {
        let mut stream = server.connect();
        if k % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\nHost").expect("sent");
        }
        slow.push(stream);
    }
    assert_eq!(status(&server.get(&server.path)), "200");
    assert!(begin.elapsed() < Duration::from_secs(9), "{:?}", begin.elapsed());
    // Those that came last are cut too, one that sends a byte now and then as well.
    let (mut last, mut drip) = (slow.pop().expect("a client"), slow.pop().expect("a client"));
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(14) && drip.write_all(b"x").is_ok() {
        std::thread::sleep(Duration::from_millis(500));
    }
    let mut answer = Vec::new();
    let _ = last.read_to_end(&mut answer);
    let _ = drip.read_to_end(&mut answer);
    assert!(begin.elapsed() < Duration::from_secs(25), "{:?}", begin.elapsed());
    assert_eq!(status(&server.get(&server.path)), "200");
}

#[test]
fn text_is_checked_turned_and_saved() {
    let (server, folder, file) = lab();
    let news = server.until("the end", |news| phase(news) == "done");
    assert_eq!(news["text"], SCENE);
    assert_eq!(news["knobs"][0]["key"], "parameters.v");
    assert_eq!(news["knobs"][0]["max"], 5.0);
    assert!(news["data"]["frames"].as_u64() > Some(15), "{}", news["data"]["frames"]);

    let wrong = SCENE.replace("mass = 1", "mas = 1");
    server.post("text", &json!({"text": wrong, "edit": 1}));
    let news = server.news();
    let fault = &news["faults"][0];
    assert_eq!((fault["line"].as_u64(), fault["column"].as_u64()), (Some(7), Some(1)), "{news}");
    assert!(fault["message"].as_str().is_some_and(|text| text.contains("mass")), "{fault}");
    // What was right before can still be turned.
    assert_eq!(news["knobs"][0]["key"], "parameters.v");

    server.post("text", &json!({"text": SCENE, "edit": 2}));
    // A late edit does not count.
    server.post("text", &json!({"text": "late", "edit": 1}));
    server.post("turn", &json!({"key": "parameters.v", "value": 3.5, "unit": "", "edit": 3}));
    let turned = SCENE.replace("value = 2.0", "value = 3.5");
    let news =
        server.until("the turned scene", |news| news["text"] == turned && phase(news) == "done");
    assert_eq!(news["is_saved"], false);
    assert!(news["data"]["scene"].as_str().is_some_and(|scene| scene.contains("3.5")));
    let refused = server.post("turn", &json!({"key": "body.0.mass", "value": 2, "edit": 4}));
    assert_eq!(status(&refused), "400");

    assert_eq!(status(&server.post("save", &json!({}))), "200");
    assert_eq!(fs::read_to_string(&file).expect("the file"), turned);
    for name in ["../out", "/x", "a/b", "a\\b", "", ".hidden", "..", &"x".repeat(200)] {
        let answer = server.post("save", &json!({"name": name}));
        assert_eq!(status(&answer), "400", "{name:?}: {answer}");
    }
    folder.write("other.toml", "mine");
    assert_eq!(status(&server.post("save", &json!({"name": "other"}))), "409");
    assert_eq!(fs::read_to_string(folder.path("other.toml")).expect("the file"), "mine");
    assert_eq!(status(&server.post("save", &json!({"name": "third.toml"}))), "200");
    assert_eq!(fs::read_to_string(folder.path("third.toml")).expect("the file"), turned);

    // The file that counts now is the third one; what changes it is taken, unless something is typed.
    folder.write("third.toml", SCENE);
    server.until("the file from disk", |news| news["text"] == SCENE && phase(news) == "done");
    server.post("text", &json!({"text": turned, "edit": 5}));
    folder.write("third.toml", format!("# changed\n{SCENE}"));
    let news = server.until("the change on disk", |news| news["has_changed"] == true);
    assert_eq!(news["text"], turned);
    assert_eq!(status(&server.post("save", &json!({}))), "200");
    let page = server.get(&format!("{}share", server.path));
    assert!(
        page.contains("attachment; filename=\"ball.html\"") && page.contains("<!doctype html>")
    );
}

#[test]
fn runs_are_paused_stepped_branched_and_cancelled() {
    let (server, _folder, _) = lab();
    // A scene without end, far too long for any memory.
    let endless = SCENE.replace("duration = 0.2", "duration = 1e6");
    server.post("text", &json!({"text": endless, "edit": 1}));
    let of = |news: &Value, key: &str| news["branches"][0][key].as_f64().unwrap_or(f64::NAN);
    server.until("some steps", |news| phase(news) == "running" && of(news, "t") > 30.0);
    assert_eq!(status(&server.post("pause", &json!({}))), "200");
    std::thread::sleep(Duration::from_millis(300));
    let paused = server.until("the pause", |news| phase(news) == "paused");
    std::thread::sleep(Duration::from_millis(300));
    let later = server.news();
    assert_eq!(of(&paused, "steps"), of(&later, "steps"), "it goes on while it is paused");
    assert!(later["data"]["frames"].as_u64() < Some(5000), "{}", later["data"]["frames"]);
    server.post("step", &json!({}));
    let stepped = server.until("a step", |news| of(news, "steps") > of(&later, "steps"));
    let apart = of(&stepped, "t") - of(&later, "t");
    assert!(apart <= 1e-2 + 1e-9, "a row further: {apart}");
    server.post("step", &json!({}));
    let second = server.until("another", |news| of(news, "steps") > of(&stepped, "steps"));
    let apart = of(&second, "t") - of(&stepped, "t");
    assert!((apart - 1e-2).abs() < 1e-9, "one row further: {apart}");

    // Back to 20 s, and on from there with another scene.
    assert_eq!(status(&server.post("branch", &json!({"t": 20.0}))), "200");
    let news =
        server.until("a branch", |news| news["branches"].as_array().map(Vec::len) == Some(2));
    let from = news["branches"][1]["from"].as_f64().expect("a time");
    assert!((from - 20.0).abs() < 2e-3, "{from}");
    assert_eq!(news["current"], news["branches"][1]["id"]);
    assert_eq!(news["branches"][0]["phase"], "paused");
    let short =
        endless.replace("duration = 1e6", "duration = 21").replace("value = 2.0", "value = 4.0");
    server.post("text", &json!({"text": short, "edit": 2}));
    let news = server.until("its end", |news| phase(news) == "done");
    assert!((news["branches"][1]["t"].as_f64().expect("a time") - 21.0).abs() < 1e-9);
    // The page says that this is not the motion from the start of its scene.
    let warnings = news["data"]["summary"]["warnings"].to_string();
    assert!(warnings.contains("branch of run A"), "{warnings}");
    let ids = [0, 1].map(|k| news["branches"][k]["id"].as_u64().expect("an id"));
    let page = server.get(&format!("{}compare?a={}&b={}", server.path, ids[0], ids[1]));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("A and B from 20"), "{page:.300}");
    assert_eq!(status(&server.get(&format!("{}compare?a=1&b=77", server.path))), "404");

    // Another number of bodies cannot go on from there: it runs from the start and says so.
    let two = format!("{short}[[body]]\nname = \"second\"\nmass = 1\ninertia = [1, 1, 1]\n");
    server.post("text", &json!({"text": two, "edit": 3}));
    let news = server.until("its end", |news| phase(news) == "done");
    assert!(news["notice"].as_str().is_some_and(|text| text.contains("from the start")), "{news}");
    assert_eq!(status(&server.post("close", &json!({"id": ids[1]}))), "200");
    assert_eq!(status(&server.post("close", &json!({"id": ids[0]}))), "400");
    assert_eq!(status(&server.post("choose", &json!({"id": 99}))), "400");
    assert_eq!(status(&server.post("branch", &json!({"t": "now"}))), "400");
}

#[test]
fn a_scene_that_cannot_run_opens_too() {
    let folder = Folder::new();
    let file = folder.write("wrong.toml", "[[body]\n");
    let server = Server::start(&["lab", &file]);
    assert_eq!(status(&server.get(&server.path)), "200");
    let news = server.news();
    assert_eq!(news["faults"][0]["line"], 1, "{news}");
    assert_eq!(phase(&news), "none");
    assert_eq!(status(&server.get(&format!("{}share", server.path))), "409");
    assert_eq!(status(&server.post("step", &json!({}))), "400");
    server.post("text", &json!({"text": SCENE, "edit": 1}));
    server.until("a run", |news| phase(news) == "done");
    for arguments in [["lab", "no-such-scene"], ["lab", "missing.toml"]] {
        let refused =
            Run::new(program().args(arguments).arg("--no-open").output().expect("it runs"));
        assert_eq!(refused.code, Some(2), "{}", refused.err);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_server() {
    let (mut server, _folder, _) = lab();
    let pid = server.child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.expect("kill").success());
    let begin = Instant::now();
    let ended = loop {
        match server.child.try_wait().expect("its state") {
            Some(ended) => break ended,
            None => assert!(begin.elapsed() < Duration::from_secs(20), "it goes on"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(ended.code(), Some(130));
}
