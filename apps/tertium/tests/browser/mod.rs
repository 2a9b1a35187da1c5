//! A browser without a window, driven as a person drives it: keys, clicks, and what is then to be seen.
//!
//! Chromium is told what to do over its debugging socket; what this needs of WebSocket is written out here. Where there is no
//! Chromium, [`Browser::start`] gives nothing, and the tests say that they are skipped.

#![allow(clippy::cast_possible_truncation, reason = "lengths of frames, matched before")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Nothing that is waited for takes longer on a machine that works.
const PATIENCE: Duration = Duration::from_secs(1800);

/// A running browser with one page.
pub struct Browser {
    process: Child,
    profile: PathBuf,
    socket: TcpStream,
    session: Option<String>,
    number: u64,
    /// Addresses that the page asked for.
    pub requests: Vec<String>,
    /// What the page complained about.
    pub complaints: Vec<String>,
}

fn found(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

impl Browser {
    /// Starts one; none if there is no Chromium here.
    #[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub fn start(name: &str) -> Option<Self> {
        let Some(program) = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| found(name))
        else {
            eprintln!("skipped: there is no chromium here (Debian: apt-get install chromium)");
            return None;
        };
        let profile = std::env::temp_dir().join(format!("tertium-browser-{name}-{}", std::process::id()));
        let mut process = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--remote-debugging-port=0", "--disable-background-networking", "--force-color-profile=srgb"])
            .args(["--disable-component-update", "--disable-sync", "--hide-scrollbars", "--mute-audio"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        let output = process.stderr.take().unwrap_or_else(|| panic!("no output"));
        let mut lines = BufReader::new(output).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            line.split_once("DevTools listening on ws://").map(|(_, address)| address.trim().to_owned())
        });
        // The rest of what it says is read and dropped, or it might wait for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let address = address.unwrap_or_else(|| panic!("{program} does not say where it listens"));
        let socket = connect(&address);
        let mut browser =
            Self { process, profile, socket, session: None, number: 0, requests: Vec::new(), complaints: Vec::new() };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Network.enable", "Log.enable"] {
            browser.call(domain, json!({}));
        }
        browser.size(1280, 800);
        Some(browser)
    }

    /// Sets the size of the window.
    pub fn size(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Prefers light or dark.
    pub fn scheme(&mut self, scheme: &str) {
        let wanted = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", wanted);
    }

    /// Goes to an address and waits until the page is there.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.requests.clear();
        self.complaints.clear();
        self.call("Page.navigate", json!({"url": address}));
        self.wait("document.readyState === 'complete' && Boolean(window.tertium)");
    }

    /// Goes to a file.
    pub fn open_file(&mut self, path: &Path, hash: &str) {
        let path = path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self.open(&format!("file://{}{hash}", path.display()));
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let reply = self.call("Runtime.evaluate", asked);
        assert!(reply.get("exceptionDetails").is_none(), "{expression}: {reply}");
        reply["result"]["value"].clone()
    }

    /// The text of the first element that fits.
    #[track_caller]
    pub fn text(&mut self, selector: &str) -> String {
        let value = self.value(&format!("(document.querySelector({}) || {{}}).innerText", json!(selector)));
        value.as_str().unwrap_or_else(|| panic!("nothing fits `{selector}`")).to_owned()
    }

    /// Waits until something is true in the page.
    #[track_caller]
    pub fn wait(&mut self, condition: &str) {
        let start = Instant::now();
        while self.value(&format!("Boolean({condition})")) != Value::Bool(true) {
            assert!(start.elapsed() < PATIENCE, "in vain: {condition}; complaints: {:?}", self.complaints);
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Presses a key: one letter, or a name such as `ArrowDown`.
    pub fn press(&mut self, key: &str) {
        let mut event = json!({"type": "keyDown", "key": key});
        if key.chars().count() == 1 {
            event["text"] = json!(key);
        } else if key == "Enter" {
            event["text"] = json!("\r");
        }
        let codes =
            [("Enter", 13), ("Escape", 27), ("Tab", 9), ("Home", 36), ("End", 35), ("ArrowUp", 38), ("ArrowDown", 40)];
        if let Some((_, code)) = codes.iter().find(|(name, _)| *name == key) {
            event["windowsVirtualKeyCode"] = json!(code);
        }
        self.call("Input.dispatchKeyEvent", event);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
    }

    /// Types a text.
    pub fn write(&mut self, text: &str) {
        for letter in text.chars() {
            self.press(&letter.to_string());
        }
    }

    /// Clicks the middle of the first element that fits.
    #[track_caller]
    pub fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const e = document.querySelector({}); if (!e) return null; e.scrollIntoView({{block: 'nearest'}}); \
             const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; }})()",
            json!(selector)
        ));
        let (Some(x), Some(y)) = (place[0].as_f64(), place[1].as_f64()) else { panic!("nothing fits `{selector}`") };
        self.click_at(x, y);
    }

    /// Clicks a place.
    pub fn click_at(&mut self, x: f64, y: f64) {
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let count = if kind == "mouseMoved" { 0 } else { 1 };
            let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": count});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// A picture of the window as PNG.
    pub fn picture(&mut self) -> Vec<u8> {
        // Two frames, so that everything that was asked for is drawn.
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
        let reply = self.call("Page.captureScreenshot", json!({"format": "png"}));
        decoded(reply["data"].as_str().unwrap_or_else(|| panic!("no picture: {reply}")))
    }

    /// A count or time that the browser keeps of its page.
    pub fn metric(&mut self, name: &str) -> f64 {
        // Times are those of the page's thread: what else runs on the machine does not count.
        self.call("Performance.enable", json!({"timeDomain": "threadTicks"}));
        let reply = self.call("Performance.getMetrics", json!({}));
        let metrics = reply["metrics"].as_array().into_iter().flatten();
        metrics.filter(|metric| metric["name"] == name).find_map(|metric| metric["value"].as_f64()).unwrap_or_default()
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let number = self.number;
        let mut message = json!({"id": number, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        send(&mut self.socket, message.to_string().as_bytes());
        loop {
            let reply: Value =
                serde_json::from_slice(&receive(&mut self.socket)).unwrap_or_else(|error| panic!("{error}"));
            if reply["id"] == json!(number) {
                assert!(reply.get("error").is_none(), "{method}: {}", reply["error"]);
                return reply["result"].clone();
            }
            self.note(&reply);
        }
    }

    /// Remembers what the page asks for and complains about.
    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                self.requests.extend(parameters["request"]["url"].as_str().map(str::to_owned));
            }
            Some("Runtime.exceptionThrown") => self.complaints.push(parameters["exceptionDetails"].to_string()),
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                self.complaints.push(parameters["entry"]["text"].to_string());
            }
            _ => {}
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

fn connect(address: &str) -> TcpStream {
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let mut socket = TcpStream::connect(host).unwrap_or_else(|error| panic!("{host}: {error}"));
    socket.set_read_timeout(Some(PATIENCE)).unwrap_or_else(|error| panic!("{error}"));
    let request = format!(
        "GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGVydGl1bS10ZXJ0aXVtIQ==\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        socket.read_exact(&mut byte).unwrap_or_else(|error| panic!("{error}"));
        head.push(byte[0]);
    }
    assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
    socket
}

/// One text frame; a mask of zeros is a mask.
fn send(socket: &mut TcpStream, text: &[u8]) {
    let mut frame = vec![0x81];
    match text.len() {
        short @ 0..126 => frame.push(0x80 | short as u8),
        long @ 126..65536 => {
            frame.push(0x80 | 126);
            frame.extend((long as u16).to_be_bytes());
        }
        longer => {
            frame.push(0x80 | 127);
            frame.extend((longer as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(text);
    socket.write_all(&frame).unwrap_or_else(|error| panic!("{error}"));
}

/// One message, which may come in several frames.
fn receive(socket: &mut TcpStream) -> Vec<u8> {
    let mut message = Vec::new();
    loop {
        let mut head = [0; 2];
        socket.read_exact(&mut head).unwrap_or_else(|error| panic!("the browser is silent: {error}"));
        let length = match head[1] & 0x7f {
            126 => {
                let mut bytes = [0; 2];
                socket.read_exact(&mut bytes).unwrap_or_else(|error| panic!("{error}"));
                u64::from(u16::from_be_bytes(bytes))
            }
            127 => {
                let mut bytes = [0; 8];
                socket.read_exact(&mut bytes).unwrap_or_else(|error| panic!("{error}"));
                u64::from_be_bytes(bytes)
            }
            short => u64::from(short),
        };
        let mut part = vec![0; length as usize];
        socket.read_exact(&mut part).unwrap_or_else(|error| panic!("{error}"));
        let (is_last, kind) = (head[0] & 0x80 != 0, head[0] & 0x0f);
        assert!(kind != 8, "the browser has gone");
        if kind <= 2 {
            message.extend(part);
            if is_last {
                return message;
            }
        }
    }
}

/// The bytes behind a text in base 64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|&letter| letter != b'=').map(value).collect();
    let mut bytes = Vec::with_capacity(letters.len() * 3 / 4);
    for group in letters.chunks(4) {
        let word = group.iter().enumerate().fold(0u32, |word, (at, &six)| word | u32::from(six) << (18 - 6 * at));
        bytes.extend(&word.to_be_bytes()[1..group.len()]);
    }
    bytes
}
