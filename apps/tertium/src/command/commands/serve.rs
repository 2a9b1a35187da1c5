//! How is the page shown without a file?
//!
//! By a server for one reader: it listens on the loopback address alone, knows two documents, and answers requests only that
//! name it as host and come from its own page, so that no other site open in the same browser can read a model. A connection
//! is one request of limited size and time.
//!
//! Not here: what the page says (`pages`).

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The largest head of a request.
const LARGEST_HEAD: usize = 16 << 10;
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

    /// Answers until `ends` says so.
    pub fn run(&self, documents: Documents, ends: &dyn Fn() -> bool) {
        let documents = Arc::new(documents);
        let readers = Arc::new(AtomicUsize::new(0));
        while !ends() {
            match self.listener.accept() {
                Ok((stream, _)) if readers.fetch_add(1, Ordering::AcqRel) < MOST_READERS => {
                    let (documents, readers, port) = (Arc::clone(&documents), Arc::clone(&readers), self.port);
                    std::thread::spawn(move || {
                        // A reader that goes away is nobody's fault.
                        let _ = answer(stream, port, &documents);
                        readers.fetch_sub(1, Ordering::AcqRel);
                    });
                }
                Ok(_) => _ = readers.fetch_sub(1, Ordering::AcqRel),
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(20)),
                // A connection that broke off before it was taken.
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

fn answer(mut stream: TcpStream, port: u16, documents: &Documents) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_millis(500)))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let reply = match head(&mut stream)? {
        Some(head) => respond(&head, port, documents),
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

/// The head of a request; none if it is too large or comes too slowly.
fn head(stream: &mut TcpStream) -> std::io::Result<Option<Vec<u8>>> {
    let start = Instant::now();
    let (mut head, mut part) = (Vec::new(), [0; 2048]);
    loop {
        match stream.read(&mut part) {
            Ok(0) => return Ok(None),
            Ok(count) => head.extend_from_slice(&part[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
        if let Some(end) = head.windows(4).position(|window| window == b"\r\n\r\n") {
            head.truncate(end);
            return Ok(Some(head));
        }
        if head.len() > LARGEST_HEAD || start.elapsed() > PATIENCE {
            return Ok(None);
        }
    }
}

/// What goes back.
#[derive(Debug)]
struct Reply<'a> {
    status: u16,
    kind: &'static str,
    body: &'a str,
    /// Whether only the head goes back.
    bare: bool,
}

impl<'a> Reply<'a> {
    const fn refusal(status: u16, why: &'a str) -> Self {
        Reply { status, kind: "text/plain; charset=utf-8", body: why, bare: false }
    }

    fn head(&self) -> String {
        let word = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            431 => "Request Header Fields Too Large",
            _ => "HTTP Version Not Supported",
        };
        let allow = if self.status == 405 { "Allow: GET, HEAD\r\n" } else { "" };
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

/// The reply to a request's head.
fn respond<'a>(head: &[u8], port: u16, documents: &'a Documents) -> Reply<'a> {
    let Ok(text) = std::str::from_utf8(head) else { return Reply::refusal(400, "the request is no text") };
    let mut lines = text.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let &[method, target, version] = first.as_slice() else {
        return Reply::refusal(400, "the request has no method, target and version");
    };
    let mut hosts = Vec::new();
    let mut origins = Vec::new();
    for line in lines {
        let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_name(name)) else {
            return Reply::refusal(400, "a header has no name or no value");
        };
        match name.to_ascii_lowercase().as_str() {
            "host" => hosts.push(value.trim()),
            "origin" => origins.push(value.trim()),
            _ => {}
        }
    }
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Reply::refusal(505, "only HTTP/1.1 is spoken here");
    }
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let is_own = |host: &str| own.iter().any(|own| own == host);
    if hosts.len() != 1 || !is_own(hosts[0]) {
        return Reply::refusal(403, "the request names another host");
    }
    if !origins.iter().all(|origin| origin.strip_prefix("http://").is_some_and(is_own)) {
        return Reply::refusal(403, "the request comes from another site");
    }
    if !matches!(method, "GET" | "HEAD") {
        return Reply::refusal(405, "only GET and HEAD are answered");
    }
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let mut reply = match path {
        "/" | "/index.html" => {
            Reply { status: 200, kind: "text/html; charset=utf-8", body: &documents.page, bare: false }
        }
        "/report.json" => Reply { status: 200, kind: "application/json", body: &documents.data, bare: false },
        _ => Reply::refusal(404, "there is the page at / and its data at /report.json"),
    };
    reply.bare = method == "HEAD";
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents() -> Documents {
        Documents { page: "<p>page".to_owned(), data: "{}".to_owned() }
    }

    #[track_caller]
    fn status(request: &str, wanted: u16) {
        let documents = documents();
        let reply = respond(request.as_bytes(), 8000, &documents);
        assert_eq!(reply.status, wanted, "{request:?}: {reply:?}");
        assert!(reply.head().starts_with(&format!("HTTP/1.1 {wanted} ")));
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
            scope.spawn(|| server.run(documents(), &|| over.load(Ordering::Relaxed)));
            let asked = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
            let large = vec![b'x'; LARGEST_HEAD + 5000];
            assert!(exchange(port, &large).starts_with("HTTP/1.1 431 "));
            assert!(exchange(port, &[0xff, 0xfe, b'\r', b'\n', b'\r', b'\n']).starts_with("HTTP/1.1 400 "));
            assert!(exchange(port, b"").starts_with("HTTP/1.1 431 "));
            let reply = exchange(port, asked.as_bytes());
            assert!(reply.starts_with("HTTP/1.1 200 ") && reply.ends_with("\r\n\r\n<p>page"), "{reply}");
            let bare = exchange(port, asked.replace("GET", "HEAD").as_bytes());
            assert!(bare.contains("Content-Length: 7\r\n") && bare.ends_with("\r\n\r\n"), "{bare}");
            over.store(true, Ordering::Relaxed);
        });
    }
}
