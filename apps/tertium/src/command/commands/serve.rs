//! How is the page shown without a file?
//!
//! By a server for one reader: it listens on the loopback address alone, knows two documents, and answers requests only that
//! name it as host and come from its own page, so that no other site open in the same browser can read a model. A connection
//! is one request of limited size and time. A page that is *live* asks questions, too: their texts go to whoever runs the server, one after the other.
//!
//! Not here: what the page says (`pages`).

use std::borrow::Cow;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// The largest head of a request.
const LARGEST_HEAD: usize = 16 << 10;
/// The largest question.
const LARGEST_BODY: usize = 64 << 10;
/// As many questions wait at a time.
const MOST_WAITING: usize = 8;
/// How long a reader may take to ask.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many readers at a time.
const MOST_READERS: usize = 32;

/// What is served.
#[derive(Debug)]
pub struct Documents {
    /// The page.
    pub page: String,
    /// Its data.
    pub data: String,
}

/// What is served, and where questions go.
struct Served {
    documents: Documents,
    /// None if the page is not live.
    questions: Option<SyncSender<Asked>>,
}

/// A question, and where its answer goes.
struct Asked {
    question: String,
    answer: SyncSender<String>,
}

/// Who answers the questions of a live page, as text for text.
pub type Answering<'a> = &'a mut dyn FnMut(&str) -> String;

/// A server that has its address.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    port: u16,
}

impl Server {
    /// Takes a port of the loopback address; 0 takes any that is free.
    ///
    /// # Errors
    /// If the port cannot be had.
    pub fn bind(port: u16) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// Where to find it.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Answers until `ends` says so. Questions of a live page are answered here, between two readers.
    pub fn run(&self, documents: Documents, mut live: Option<Answering<'_>>, ends: &dyn Fn() -> bool) {
        let (sender, questions) = sync_channel(MOST_WAITING);
        let served = Arc::new(Served { documents, questions: live.is_some().then_some(sender) });
        let readers = Arc::new(AtomicUsize::new(0));
        while !ends() {
            match self.listener.accept() {
                Ok((stream, _)) if readers.fetch_add(1, Ordering::AcqRel) < MOST_READERS => {
                    let (served, readers, port) = (Arc::clone(&served), Arc::clone(&readers), self.port);
                    std::thread::spawn(move || {
                        // A reader that goes away is nobody's fault.
                        let _ = answer(stream, port, &served);
                        readers.fetch_sub(1, Ordering::AcqRel);
                    });
                }
                Ok(_) => _ = readers.fetch_sub(1, Ordering::AcqRel),
                // Nobody is there, or a connection broke off before it was taken.
                Err(_) => rest(&questions, &mut live),
            }
        }
    }
}

/// Waits a moment for somebody to come, or for a question, which is answered.
fn rest(questions: &Receiver<Asked>, live: &mut Option<Answering<'_>>) {
    const MOMENT: Duration = Duration::from_millis(10);
    match (questions.recv_timeout(MOMENT), live) {
        (Ok(asked), Some(live)) => _ = asked.answer.send(live(&asked.question)),
        (Err(RecvTimeoutError::Disconnected), _) => std::thread::sleep(MOMENT),
        _ => {}
    }
}

fn answer(mut stream: TcpStream, port: u16, served: &Served) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_millis(500)))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let reply = match head(&mut stream)? {
        Some((head, begun)) => match respond(&head, port, served) {
            Response::Reply(reply) => reply,
            Response::Question(length) => reply_to(body(&mut stream, begun, length)?, served),
        },
        None => Reply::refusal(431, "the request is too large or does not end"),
    };
    stream.write_all(reply.head().as_bytes())?;
    if !reply.bare {
        stream.write_all(reply.body.as_bytes())?;
    }
    stream.flush()?;
    stream.shutdown(std::net::Shutdown::Write)?;
    // What is still on its way is read and dropped, or the reader might lose the reply.
    let (mut rest, mut left) = ([0; 1024], 64);
    while left > 0 && matches!(stream.read(&mut rest), Ok(1..)) {
        left -= 1;
    }
    Ok(())
}

/// The head of a request, and what came behind it; none if it is too large or comes too slowly.
fn head(stream: &mut TcpStream) -> std::io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let start = Instant::now();
    let mut head = Vec::new();
    loop {
        if !more(stream, &mut head)? {
            return Ok(None);
        }
        if let Some(end) = head.windows(4).position(|window| window == b"\r\n\r\n") {
            let begun = head.split_off(end + 4);
            head.truncate(end);
            return Ok(Some((head, begun)));
        }
        if head.len() > LARGEST_HEAD || start.elapsed() > PATIENCE {
            return Ok(None);
        }
    }
}

/// The rest of a request, `begun` counted; none if it comes too slowly or breaks off.
fn body(stream: &mut TcpStream, mut begun: Vec<u8>, length: usize) -> std::io::Result<Option<Vec<u8>>> {
    let start = Instant::now();
    while begun.len() < length {
        if start.elapsed() > PATIENCE || !more(stream, &mut begun)? {
            return Ok(None);
        }
    }
    begun.truncate(length);
    Ok(Some(begun))
}

/// Reads what is there; false at the end.
fn more(stream: &mut TcpStream, known: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut part = [0; 2048];
    match stream.read(&mut part) {
        Ok(0) => return Ok(false),
        Ok(count) => known.extend_from_slice(&part[..count]),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
        Err(error) => return Err(error),
    }
    Ok(true)
}

/// The answer to a question.
fn reply_to(question: Option<Vec<u8>>, served: &Served) -> Reply<'static> {
    let Some(question) = question.and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return Reply::refusal(400, "the question is no text, or breaks off");
    };
    let (answer, answered) = sync_channel(1);
    let asked = served.questions.as_ref().map(|questions| questions.send(Asked { question, answer }));
    match (asked, answered.recv()) {
        (Some(Ok(())), Ok(text)) => Reply { body: Cow::Owned(text), ..Reply::json("") },
        _ => Reply::refusal(503, "nobody answers any more"),
    }
}

/// What goes back.
#[derive(Debug)]
struct Reply<'a> {
    status: u16,
    kind: &'static str,
    body: Cow<'a, str>,
    /// Whether only the head goes back.
    bare: bool,
}

impl<'a> Reply<'a> {
    const fn refusal(status: u16, why: &'a str) -> Self {
        Reply { status, kind: "text/plain; charset=utf-8", body: Cow::Borrowed(why), bare: false }
    }

    const fn json(text: &'a str) -> Self {
        Reply { status: 200, kind: "application/json", body: Cow::Borrowed(text), bare: false }
    }

    fn head(&self) -> String {
        let word = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            411 => "Length Required",
            413 => "Content Too Large",
            415 => "Unsupported Media Type",
            503 => "Service Unavailable",
            431 => "Request Header Fields Too Large",
            _ => "HTTP Version Not Supported",
        };
        let allow = if self.status == 405 { "Allow: GET, HEAD, POST\r\n" } else { "" };
        format!(
            "HTTP/1.1 {} {word}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{allow}Connection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\n\
             Content-Security-Policy: frame-ancestors 'none'\r\n\r\n",
            self.status,
            self.kind,
            self.body.len()
        )
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// What a request's head leads to.
#[derive(Debug)]
enum Response<'a> {
    Reply(Reply<'a>),
    /// A question of so many bytes follows.
    Question(usize),
}

/// What matters of a request's head.
#[derive(Default)]
struct Headers<'h> {
    hosts: Vec<&'h str>,
    origins: Vec<&'h str>,
    lengths: Vec<&'h str>,
    kinds: Vec<&'h str>,
}

impl<'h> Headers<'h> {
    /// None if a line is no header.
    fn read(lines: impl Iterator<Item = &'h str>) -> Option<Self> {
        let mut headers = Self::default();
        for line in lines {
            let (name, value) = line.split_once(':').filter(|(name, _)| is_name(name))?;
            match name.to_ascii_lowercase().as_str() {
                "host" => headers.hosts.push(value.trim()),
                "origin" => headers.origins.push(value.trim()),
                "content-length" => headers.lengths.push(value.trim()),
                "content-type" => headers.kinds.push(value.trim()),
                _ => {}
            }
        }
        Some(headers)
    }

    /// Why the request is refused, if it comes from elsewhere.
    fn foreign(&self, port: u16) -> Option<Reply<'static>> {
        let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let is_own = |host: &str| own.iter().any(|own| own == host);
        if self.hosts.len() != 1 || !is_own(self.hosts[0]) {
            return Some(Reply::refusal(403, "the request names another host"));
        }
        let ours = self.origins.iter().all(|origin| origin.strip_prefix("http://").is_some_and(is_own));
        (!ours).then(|| Reply::refusal(403, "the request comes from another site"))
    }

    /// The length of a question: one that our own page asks, for no other site can send this kind of content without asking us first.
    fn question(&self) -> Result<usize, Reply<'static>> {
        if self.origins.len() != 1 {
            return Err(Reply::refusal(403, "the question does not come from the page"));
        }
        if self.kinds != ["application/json"] {
            return Err(Reply::refusal(415, "a question is JSON"));
        }
        match self.lengths.as_slice() {
            [length] => match length.parse::<usize>() {
                Ok(length) if length <= LARGEST_BODY => Ok(length),
                Ok(_) => Err(Reply::refusal(413, "the question is too large")),
                Err(_) => Err(Reply::refusal(400, "the length of the question is no number")),
            },
            _ => Err(Reply::refusal(411, "a question has one length")),
        }
    }
}

/// What a request's head leads to.
fn respond<'a>(head: &[u8], port: u16, served: &'a Served) -> Response<'a> {
    let refuse = |status, why| Response::Reply(Reply::refusal(status, why));
    let Ok(text) = std::str::from_utf8(head) else { return refuse(400, "the request is no text") };
    let mut lines = text.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let &[method, target, version] = first.as_slice() else {
        return refuse(400, "the request has no method, target and version");
    };
    let Some(headers) = Headers::read(lines) else { return refuse(400, "a header has no name or no value") };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return refuse(505, "only HTTP/1.1 is spoken here");
    }
    if let Some(refusal) = headers.foreign(port) {
        return Response::Reply(refusal);
    }
    let path = target.split(['?', '#']).next().unwrap_or_default();
    if method == "POST" && path == "/live" && served.questions.is_some() {
        return headers.question().map_or_else(Response::Reply, Response::Question);
    }
    if !matches!(method, "GET" | "HEAD") {
        return refuse(405, "only GET and HEAD are answered, and POST by a live page");
    }
    let mut reply = match path {
        "/" | "/index.html" => Reply {
            status: 200,
            kind: "text/html; charset=utf-8",
            body: Cow::Borrowed(&served.documents.page),
            bare: false,
        },
        "/report.json" => Reply::json(&served.documents.data),
        _ => Reply::refusal(404, "there is the page at / and its data at /report.json"),
    };
    reply.bare = method == "HEAD";
    Response::Reply(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents() -> Documents {
        Documents { page: "<p>page".to_owned(), data: "{}".to_owned() }
    }

    #[track_caller]
    fn status_of(served: &Served, request: &str, wanted: u16) {
        let Response::Reply(reply) = respond(request.as_bytes(), 8000, served) else {
            panic!("a question: {request:?}")
        };
        assert_eq!(reply.status, wanted, "{request:?}: {reply:?}");
        assert!(reply.head().starts_with(&format!("HTTP/1.1 {wanted} ")));
    }

    #[track_caller]
    fn status(request: &str, wanted: u16) {
        status_of(&Served { documents: documents(), questions: None }, request, wanted);
    }

    #[test]
    fn questions_come_from_the_page_alone_and_are_small() {
        let served = Served { documents: documents(), questions: Some(sync_channel(1).0) };
        let own = "POST /live HTTP/1.1\r\nHost: localhost:8000\r\nOrigin: http://localhost:8000\r\n";
        let json = "Content-Type: application/json\r\n";
        let respond = |head: String| respond(head.as_bytes(), 8000, &served);
        assert!(matches!(respond(format!("{own}{json}Content-Length: 12")), Response::Question(12)));
        for (headers, wanted) in [
            ("Content-Length: 99999999", 413),
            ("Content-Length: -1", 400),
            ("Content-Length: 99999999999999999999999999", 400),
            ("Transfer-Encoding: chunked", 411),
            ("Content-Length: 1\r\nContent-Length: 2", 411),
        ] {
            status_of(&served, &format!("{own}{json}{headers}"), wanted);
        }
        status_of(&served, &format!("{own}Content-Length: 12"), 415);
        status_of(&served, &format!("{own}Content-Type: text/plain\r\nContent-Length: 12"), 415);
        let rest = format!("{json}Content-Length: 2");
        status_of(&served, &format!("POST /live HTTP/1.1\r\nHost: localhost:8000\r\n{rest}"), 403);
        status_of(&served, &format!("POST /live HTTP/1.1\r\nHost: evil.example\r\n{rest}"), 403);
        status_of(&served, own.replace("/live", "/").trim_end(), 405);
        status(format!("{own}{rest}").as_str(), 405);
    }

    #[test]
    fn only_our_own_page_is_answered() {
        status("GET / HTTP/1.1\r\nHost: 127.0.0.1:8000", 200);
        status("GET /?x=1 HTTP/1.1\r\nhost: localhost:8000\r\nOrigin: http://localhost:8000", 200);
        status("HEAD /report.json HTTP/1.0\r\nHost: 127.0.0.1:8000", 200);
        status("GET / HTTP/1.1\r\nHost: evil.example", 403);
        status("GET / HTTP/1.1\r\nHost: 127.0.0.1:8001", 403);
        status("GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nHost: evil.example", 403);
        status("GET / HTTP/1.1", 403);
        status("GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nOrigin: http://evil.example", 403);
        status("GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nOrigin: null", 403);
        status("POST / HTTP/1.1\r\nHost: 127.0.0.1:8000", 405);
        status("GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:8000", 404);
        status("GET / HTTP/3\r\nHost: 127.0.0.1:8000", 505);
        status("GET /", 400);
        status("", 400);
        status("GET / HTTP/1.1\r\nHost 127.0.0.1:8000", 400);
    }

    /// What comes back over a real connection.
    fn exchange(port: u16, request: &[u8]) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap_or_else(|error| panic!("{error}"));
        // The server may answer and close before everything is sent.
        let _ = stream.write_all(request);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        String::from_utf8_lossy(&reply).into_owned()
    }

    #[test]
    fn a_server_answers_survives_garbage_and_ends() {
        let server = Server::bind(0).unwrap_or_else(|error| panic!("{error}"));
        let port = server.port;
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut live = |question: &str| format!("<{question}>");
                server.run(documents(), Some(&mut live), &|| over.load(Ordering::Relaxed));
            });
            let asked = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
            let large = vec![b'x'; LARGEST_HEAD + 5000];
            assert!(exchange(port, &large).starts_with("HTTP/1.1 431 "));
            assert!(exchange(port, &[0xff, 0xfe, b'\r', b'\n', b'\r', b'\n']).starts_with("HTTP/1.1 400 "));
            assert!(exchange(port, b"").starts_with("HTTP/1.1 431 "));
            let reply = exchange(port, asked.as_bytes());
            assert!(reply.starts_with("HTTP/1.1 200 ") && reply.ends_with("\r\n\r\n<p>page"), "{reply}");
            let bare = exchange(port, asked.replace("GET", "HEAD").as_bytes());
            assert!(bare.contains("Content-Length: 7\r\n") && bare.ends_with("\r\n\r\n"), "{bare}");
            let question = format!(
                "POST /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
                 Content-Length: 3\r\n\r\n"
            );
            assert!(exchange(port, format!("{question}abc").as_bytes()).ends_with("\r\n\r\n<abc>"));
            // What is sent behind the question is none of it, and one that breaks off is none.
            assert!(exchange(port, format!("{question}abcdef").as_bytes()).ends_with("\r\n\r\n<abc>"));
            assert!(exchange(port, format!("{question}ab").as_bytes()).starts_with("HTTP/1.1 400 "));
            assert!(exchange(port, &[question.as_bytes(), &[0xff, 0xff, 0xff]].concat()).starts_with("HTTP/1.1 400 "));
            over.store(true, Ordering::Relaxed);
        });
    }
}
