//! The page as its server gives it: to its own reader alone, and live.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::browser::Browser;
use super::{ROOT, SELECTED, inside, is_quiet, picture};

/// A server that runs until this goes.
struct Served {
    process: Child,
    address: String,
}

impl Served {
    fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tertium"))
            .current_dir(ROOT)
            .arg("view")
            .args(arguments)
            .args(["--no-open", "-q"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{error}"));
        let output = process.stdout.take().unwrap_or_else(|| panic!("no output"));
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let line = lines.find(|line| line.starts_with("page: ")).unwrap_or_else(|| panic!("no address"));
        let address = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        Self { process, address }
    }

    fn host(&self) -> &str {
        self.address.trim_start_matches("http://").trim_end_matches('/')
    }

    /// What comes back for these bytes.
    fn ask(&self, request: &[u8]) -> String {
        let mut socket = TcpStream::connect(self.host()).unwrap_or_else(|error| panic!("{error}"));
        // It may answer and close before everything is sent.
        let _ = socket.write_all(request);
        let mut reply = Vec::new();
        let _ = socket.read_to_end(&mut reply);
        String::from_utf8_lossy(&reply).into_owned()
    }

    /// The answer to a question of a live page, from the origin that is given.
    fn question(&self, text: &str, origin: &str) -> String {
        let host = self.host();
        let length = text.len();
        self.ask(
            format!(
                "POST /live HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{text}"
            )
            .as_bytes(),
        )
    }

    /// Ctrl-C is how it ends.
    fn end(mut self) {
        let ended = Command::new("kill").args(["-INT", &self.process.id().to_string()]).status();
        assert!(ended.is_ok_and(|status| status.success()));
        let status = self.process.wait().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(status.code(), Some(0));
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn the_served_page_is_the_same_and_refuses_others() {
    let served = Served::start(&["examples/door.kmts"]);
    let host = served.host().to_owned();
    assert!(host.starts_with("127.0.0.1:"), "{host}");
    let ask = |head: &str| served.ask(format!("GET / HTTP/1.1\r\n{head}\r\n\r\n").as_bytes());
    assert!(ask(&format!("Host: {host}")).starts_with("HTTP/1.1 200 "));
    assert!(ask("Host: example.org").starts_with("HTTP/1.1 403 "));
    assert!(ask(&format!("Host: {host}\r\nOrigin: http://example.org")).starts_with("HTTP/1.1 403 "));
    assert!(served.question("{}", &format!("http://{host}")).starts_with("HTTP/1.1 405 "), "it is not live");
    if let Some(mut browser) = Browser::start("served") {
        browser.open(&served.address);
        assert_eq!(browser.text("h1"), "examples/door.kmts");
        is_quiet(&browser, &served.address);
    }
    served.end();
}

/// Waits until the walk has so many steps, and says nothing is wrong.
#[track_caller]
fn walked(browser: &mut Browser, steps: usize) {
    browser.wait(&format!("tertium.view.revision !== null && tertium.view.last === {steps}"));
    assert!(browser.value(SELECTED).as_u64() >= u64::try_from(steps).ok());
}

const NEXT: &str =
    "[...document.querySelectorAll('#live-choices button[data-choice]')].map((e) => e.innerText.replace(/\\s+/g, ' '))";

#[test]
fn a_person_simulates_on_the_page() {
    let Some(mut browser) = Browser::start("live") else { return };
    let served = Served::start(&["docs/guide/models/claim.gcl", "--live"]);
    browser.open(&format!("{}#tab=live", served.address));
    walked(&mut browser, 0);
    assert_eq!(browser.value(NEXT), json!(["1 P line 8: want1 := true", "2 Q line 16: want2 := true"]));
    // Steps by click and by key; lanes for both.
    browser.click("[data-choice='1']");
    walked(&mut browser, 1);
    assert_eq!(browser.text("#chosen .step"), "Q line 16: want2 := true");
    browser.press("1");
    walked(&mut browser, 2);
    assert!(browser.text("#live-choices").contains("deadlock"), "{}", browser.text("#live-choices"));
    assert_eq!(
        browser.value("[...document.querySelectorAll('.lane-names span')].map((e) => e.innerText)"),
        json!(["P", "Q"])
    );
    // Back, reset, and to an earlier step.
    browser.press("b");
    walked(&mut browser, 1);
    browser.press("1");
    walked(&mut browser, 2);
    browser.press("g");
    browser.click("#live-go");
    walked(&mut browser, 0);
    // Until a condition, which is evaluated as the language has it; mistakes are told.
    browser.press("u");
    browser.write("want1 && P@look");
    browser.press("Enter");
    browser.wait("tertium.view.last > 0");
    // A deadlock at its end has a row of its own.
    let changes = browser.value("document.querySelector('#step-' + tertium.view.last + ' .changes').innerText");
    assert!(changes.as_str().is_some_and(|text| text.contains("want1=true")), "{changes}");
    browser.press("r");
    walked(&mut browser, 0);
    browser.press("u");
    browser.value("document.querySelector('#live-until').value = ''");
    browser.write("nobody > 2");
    browser.press("Enter");
    browser.wait("document.querySelector('#live-message').innerText.includes('nobody')");
    browser.press("Escape");
    // Watched expressions.
    browser.press("p");
    browser.write("want1 || want2");
    browser.press("Enter");
    browser.press("Escape");
    let pinned = "(document.querySelector('tr.pinned') || {innerText: ''}).innerText.replace(/\\s+/g, ' ')";
    browser.wait(&format!("{pinned} === '★want1 || want2 false'"));
    browser.press("1");
    walked(&mut browser, 1);
    assert_eq!(browser.value(pinned), json!("★want1 || want2 falsetrue"));
    browser.click("tr.pinned .pin");
    browser.wait("!document.querySelector('tr.pinned')");
    is_quiet(&browser, &served.address);
    served.end();
}

#[test]
fn a_counterexample_is_left_on_the_page_and_found_again() {
    let Some(mut browser) = Browser::start("along") else { return };
    let served = Served::start(&["examples/transfer.gcl", "--live"]);
    browser.open(&format!("{}#r=1&tab=run&step=4", served.address));
    assert_eq!(browser.text("main h2"), "assertions");
    browser.click("#go-on");
    walked(&mut browser, 4);
    assert!(browser.text(".live").contains("along the run of assertions, 6 steps left"), "{}", browser.text(".live"));
    assert_eq!(browser.value("document.querySelectorAll('.guided').length"), json!(1));
    picture(&mut browser, "live");
    // Another step than the run's: off it, and back to it.
    browser.click("#live-choices button:not(.guided)");
    walked(&mut browser, 5);
    assert!(browser.text(".live").contains("off the run of assertions since step 4"));
    browser.click("#live-rejoin");
    walked(&mut browser, 4);
    browser.press("n");
    walked(&mut browser, 5);
    browser.click("#live-end");
    browser.wait("tertium.view.run.end");
    assert!(browser.text("#live-choices").contains("the assertion does not hold"), "{}", browser.text("#live-choices"));
    assert_eq!(browser.value(&inside("#live-choices", "main")), json!(true));
    // The same walk after the page is loaded again.
    browser.open(&format!("{}#tab=live", served.address));
    browser.wait("tertium.view.run.end");
    is_quiet(&browser, &served.address);
    served.end();
}

#[test]
fn whatever_is_asked_of_a_live_page_it_goes_on() {
    let served = Served::start(&["docs/guide/models/claim.gcl", "--live"]);
    let own = format!("http://{}", served.host());
    assert!(served.question("{\"do\": \"show\"}", "http://example.org").starts_with("HTTP/1.1 403 "));
    for question in [
        "",
        "[]",
        "{\"do\": 7}",
        "{\"do\": \"fly\"}",
        "{\"do\": \"take\"}",
        "{\"do\": \"take\", \"choice\": -1}",
        "{\"do\": \"take\", \"choice\": 18446744073709551615}",
        "{\"do\": \"back\", \"count\": 99999999999}",
        "{\"do\": \"go\", \"to\": 99}",
        "{\"do\": \"start\", \"state\": 5}",
        "{\"do\": \"along\", \"result\": 99}",
        "{\"do\": \"until\", \"condition\": \"\"}",
        "{\"do\": \"watch\", \"expression\": \"want1 var z : 0..3\"}",
        "{\"do\": \"watch\", \"expression\": \"want1 process R { skip; }\"}",
        "{\"do\": \"watch\", \"expression\": \")\"}",
        "{\"do\": \"show\", \"revision\": 18446744073709551615}",
    ] {
        let reply = served.question(question, &own);
        assert!(reply.starts_with("HTTP/1.1 200 ") && reply.contains("\"revision\""), "{question}: {reply}");
        let told = reply.contains("\"message\"");
        assert_eq!(told, !question.contains("back") && !question.contains("show"), "{question}: {reply}");
    }
    for garbage in [&b"\x00\xff\r\n\r\n"[..], b"POST /live HTTP/1.1\r\n\r\n", &[b'x'; 40_000]] {
        assert!(served.ask(garbage).starts_with("HTTP/1.1 4"));
    }
    assert!(served.question("{\"do\": \"show\"}", &own).starts_with("HTTP/1.1 200 "));
    served.end();
}
