//! The page in a real browser: keys and clicks do what they should, nothing is fetched, and large runs stay quick.
//!
//! With `TERTIUM_PICTURES` set to a directory, pictures are left there (`make pictures`).

mod browser;
#[path = "page/frames.rs"]
mod frames;
#[path = "page/made.rs"]
mod made;
#[path = "page/served.rs"]
mod served;

use std::path::{Path, PathBuf};
use std::process::Command;

use browser::Browser;
use serde_json::json;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A directory of this test's own.
fn room(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("tertium-page-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    dir
}

/// The page that `check` makes of a model; paths in it are those that a user in the project's directory would see.
#[track_caller]
fn page(dir: &Path, arguments: &[&str]) -> PathBuf {
    std::fs::create_dir_all(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    for room in ["examples", "corpus"] {
        let _ = std::os::unix::fs::symlink(Path::new(ROOT).join(room), dir.join(room));
    }
    let output = Command::new(env!("CARGO_BIN_EXE_tertium"))
        .current_dir(dir)
        .arg("check")
        .args(arguments)
        .args(["--evidence", "proofs"])
        .output()
        .unwrap_or_else(|error| panic!("{error}"));
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 5 | 10)), "{code:?}: {}", String::from_utf8_lossy(&output.stderr));
    dir.join("proofs/index.html")
}

/// Leaves a picture where pictures are wanted; it must not be empty in any case.
fn picture(browser: &mut Browser, name: &str) {
    browser.size(1080, 660);
    for scheme in ["light", "dark"] {
        browser.scheme(scheme);
        browser.wait(&format!("matchMedia('(prefers-color-scheme: {scheme})').matches"));
        let bytes = browser.picture();
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000, "{name}: {} bytes", bytes.len());
        let wanted = scheme == "light" || matches!(name, "run" | "graph");
        if let Some(dir) = std::env::var_os("TERTIUM_PICTURES").filter(|_| wanted) {
            let path = Path::new(&dir).join(format!("{name}-{scheme}.png"));
            std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
    browser.scheme("light");
    browser.size(1280, 800);
}

#[track_caller]
fn is_quiet(browser: &Browser, address: &str) {
    let foreign: Vec<_> =
        browser.requests.iter().filter(|url| !url.starts_with(address) && !url.starts_with("data:")).collect();
    assert!(foreign.is_empty(), "the page asked for {foreign:?}");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

const SELECTED: &str = "Number(document.querySelector('.row[aria-selected=true]').id.slice(5))";
const LINE: &str = "Number((document.querySelector('.source .now') || {dataset: {line: 0}}).dataset.line)";

#[test]
fn a_run_is_walked_with_keys_and_clicks() {
    let Some(mut browser) = Browser::start("run") else { return };
    let dir = room("run");
    let file = page(&dir, &["examples/transfer.gcl"]);
    browser.open_file(&file, "");
    is_quiet(&browser, "file://");
    // The worst result comes first, at its end, with the cause.
    assert!(
        browser.text("#cause").contains("Auditor in line 17 (assert left + right = 10): the assertion does not hold")
    );
    assert_eq!(browser.value(SELECTED), json!(10));
    picture(&mut browser, "run");
    for key in ["g", "j", "ArrowDown"] {
        browser.press(key);
    }
    assert_eq!(browser.value(SELECTED), json!(2));
    assert_eq!(browser.value(LINE), json!(9), "`check: await seen >= 2`");
    browser.press("k");
    assert_eq!(browser.value(SELECTED), json!(1));
    browser.wait("location.hash.includes('step=1')");
    browser.click("#step-4");
    assert_eq!(browser.value(SELECTED), json!(4));
    assert_eq!(browser.value("document.querySelector('.stack .changed').innerText"), json!("3"), "left := seen - 2");
    // Filter, pin, and what an expression is worth.
    browser.press("/");
    browser.write("left");
    let names = "[...document.querySelectorAll('.stack tbody tr td:first-child')].map((cell) => cell.innerText.trim())";
    assert_eq!(browser.value(names)[0], json!("☆left"));
    browser.press("Escape");
    browser.press("p");
    browser.write("left + right = 10");
    browser.press("Enter");
    browser.press("Escape");
    let pinned = "document.querySelector('tr.pinned').innerText.replace(/\\s+/g, ' ')";
    assert_eq!(browser.value(pinned), json!("★left + right = 10 truefalse"));
    browser.press("g");
    assert_eq!(browser.value(pinned), json!("★left + right = 10 true"));
    // Other properties, the list of keys, and back.
    browser.press("]");
    assert_eq!(browser.text("main h2"), "deadlocks");
    browser.press("?");
    browser.wait("document.querySelector('dialog').open");
    browser.press("Escape");
    browser.wait("!document.querySelector('dialog').open");
    browser.press("[");
    assert_eq!(browser.text("main h2"), "assertions");
    // The address is enough to come back.
    browser.open_file(&file, "#r=1&tab=run&step=7");
    assert_eq!(browser.value(SELECTED), json!(7));
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn a_lasso_shows_its_loop_its_messages_and_who_is_left_out() {
    let Some(mut browser) = Browser::start("lasso") else { return };
    let dir = room("lasso");
    let file = page(&dir, &["examples/printer.pml"]);
    browser.open_file(&file, "");
    assert_eq!(browser.text("main h2"), "served");
    assert!(browser.text("#cause").contains("repeat for ever"));
    assert!(browser.text(".rows").contains("loop entry"));
    assert!(browser.value("document.querySelectorAll('.arrows path').length").as_u64() >= Some(6));
    assert!(
        browser
            .value("document.querySelector('.arrows').textContent")
            .as_str()
            .is_some_and(|text| text.contains("grant"))
    );
    assert!(browser.text(".stack").contains("strong fairness"));
    picture(&mut browser, "lasso");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn an_unknown_is_explained_and_its_graph_answers_clicks() {
    let Some(mut browser) = Browser::start("unknown") else { return };
    let dir = room("unknown");
    let file = page(&dir, &["examples/door.kmts"]);
    browser.open_file(&file, "#r=4&tab=why");
    is_quiet(&browser, "file://");
    assert!(browser.text("#cause").contains("label lamp at opened is unknown"));
    let why = browser.text(".panel");
    assert!(why.contains("label lamp at opened is true") && why.contains("✗ false"), "{why}");
    assert!(why.contains("tertium check examples/door.kmts --only saves_power --at opened"), "{why}");
    picture(&mut browser, "unknown");
    browser.click("#tab-graph");
    browser.wait("document.querySelector('canvas').width > 100 && tertium.view.positions.size === 5");
    assert_eq!(browser.text(".graph h2"), "opened");
    picture(&mut browser, "graph");
    // A click on the place where a state is drawn chooses it, once the drawing has found its size.
    for _ in 0..5 {
        let place = browser.value(
            "(() => { const view = tertium.view; const at = view.positions.get(view.graph.states.indexOf('jammed')); \
             const box = view.canvas.getBoundingClientRect(); \
             return [box.left + (at.x + 20 - view.view.x) * view.view.zoom, box.top + (at.y + 15 - view.view.y) * view.view.zoom]; })()",
        );
        browser.click_at(place[0].as_f64().unwrap_or(0.0), place[1].as_f64().unwrap_or(0.0));
        if browser.text(".graph h2") == "jammed" {
            break;
        }
    }
    assert_eq!(browser.text(".graph h2"), "jammed");
    assert!(browser.text(".graph").contains("may → "));
    browser.press("j");
    assert_eq!(browser.text(".graph h2"), "closed", "from the last state to the first");
    let svg = browser.value("tertium.view.svg()");
    assert!(
        svg.as_str()
            .is_some_and(|svg| svg.starts_with("<svg") && svg.contains("jammed") && svg.contains("stroke-dasharray"))
    );
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn a_proof_names_what_it_rests_on() {
    let Some(mut browser) = Browser::start("proof") else { return };
    let dir = room("proof");
    let file = page(&dir, &["examples/peterson.gcl"]);
    browser.open_file(&file, "");
    assert_eq!(browser.text("#tab-proof[aria-selected=true]"), "Proof");
    let proof = browser.text(".panel");
    assert!(proof.contains("P@crit Q@wait") || proof.contains("P@crit  Q@wait"), "{proof}");
    assert!(proof.contains("Every statement is taken in some run"), "{proof}");
    assert!(proof.contains("tertium certify examples/peterson.gcl"), "{proof}");
    picture(&mut browser, "proof");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn an_abstraction_shows_its_states_and_names_what_no_predicate_tells() {
    let Some(mut browser) = Browser::start("abstract") else { return };
    let dir = room("abstract");
    let file = page(&dir, &["corpus/gcl/bakery_b.gcl", "--refinements", "0", "--only", "mutex"]);
    browser.open_file(&file, "#tab=why");
    is_quiet(&browser, "file://");
    // The ticket that was picked is compared with nothing: that is what is missing.
    assert!(browser.text("#cause").contains("No predicate tells whether"));
    assert!(browser.text("#cause").contains("y1 <= P2.t"), "{}", browser.text("#cause"));
    let why = browser.text(".panel");
    assert_eq!(why.matches("takes the step to").count(), 2, "{why}");
    assert!(why.contains("--predicate 'y1 <= P2.t'"), "{why}");
    picture(&mut browser, "abstract-unknown");
    browser.press("2");
    browser.wait("document.querySelector('canvas').width > 100 && tertium.view.positions.size >= 20");
    assert!(browser.text(".graph h2").starts_with("P1@crit P2@take"));
    assert!(browser.text(".graph").contains("Stands for, among others"));
    picture(&mut browser, "abstract-graph");
    browser.click("header button[aria-pressed]");
    browser.wait("tertium.view.positions.size === tertium.view.graph.states.length");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn a_slider_shows_every_round_of_refinement() {
    let Some(mut browser) = Browser::start("rounds") else { return };
    let dir = room("rounds");
    let file = page(&dir, &["corpus/gcl/bakery_c.gcl", "--only", "mutex", "--abstraction", "hyper"]);
    browser.open_file(&file, "#tab=proof");
    is_quiet(&browser, "file://");
    let proof = browser.text(".panel");
    assert!(proof.contains("obligations about the program's steps"), "{proof}");
    assert!(proof.contains("y1 <= y2"), "{proof}");
    browser.click("#tab-graph");
    browser.wait(
        "document.querySelector('#round') && tertium.view.round === Number(document.querySelector('#round').max)",
    );
    let last = browser.value("tertium.view.graph.states.length");
    let most = browser.value("Number(document.querySelector('#round').max)").as_u64().unwrap_or_default();
    assert!(most >= 1, "{most} rounds");
    // The first round knows fewer predicates; what it left open is told beside the slider.
    browser.value("(() => { const range = document.querySelector('#round'); range.value = 0; range.dispatchEvent(new Event('input')); })()");
    browser.wait("tertium.view.round === 0");
    assert_ne!(browser.value("tertium.view.graph.states.length"), last);
    let note = browser.text(".graph .controls");
    assert!(note.contains("round 0 of") && note.contains("may break it"), "{note}");
    picture(&mut browser, "rounds");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn names_and_texts_never_become_markup() {
    let Some(mut browser) = Browser::start("hostile") else { return };
    let dir = room("hostile");
    let model = dir.join("hostile.kmts");
    let text = "# </script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\n\
        props \"<img src=x onerror=window.hacked=3>\"\nstate \"</script><b>\"\nstate s\ninit s\ns -may-> \"</script><b>\"\n\
        \"</script><b>\" -must-> s\ns -must-> s\nproperty p : ctl AG \"<img src=x onerror=window.hacked=3>\"\n\
        property q : ctl EF !\"<img src=x onerror=window.hacked=3>\"\n";
    std::fs::write(&model, text).unwrap_or_else(|error| panic!("{error}"));
    let file = page(&dir.join("out"), &[&model.to_string_lossy()]);
    for tab in ["run", "why", "graph", "proof", "details"] {
        for result in 0..2 {
            browser.open_file(&file, &format!("#r={result}&tab={tab}&state=%3Cimg%20src%3Dx%3E"));
            assert_eq!(
                browser.value("window.hacked === undefined && document.images.length === 0"),
                json!(true),
                "{tab}"
            );
        }
    }
    assert!(browser.value("document.body.textContent").as_str().is_some_and(|text| text.contains("<img src=x")));
    is_quiet(&browser, "file://");
    let _ = std::fs::remove_dir_all(dir);
}

/// Marks of writing direction and characters without width are written out wherever a text is shown.
#[test]
fn deceptive_characters_are_written_out() {
    let Some(mut browser) = Browser::start("deceptive") else { return };
    let dir = room("deceptive");
    let model = dir.join("de\u{202e}ceptive.kmts");
    let text = "# \u{2066}comment\u{200b}\nprops \"p\\u202e\"\nstate \"s\\u200f\" \"p\\u202e\": ?\nstate s \"p\\u202e\": t\n\
        init s\ns -may-> \"s\\u200f\"\n\"s\\u200f\" -must-> s\nproperty \"q\\u2067\" : ctl AG \"p\u{202e}\"\n";
    std::fs::write(&model, text).unwrap_or_else(|error| panic!("{error}"));
    let file = page(&dir.join("out"), &[&model.to_string_lossy()]);
    for tab in ["run", "why", "graph", "proof", "details"] {
        browser.open_file(&file, &format!("#r=0&tab={tab}"));
        let shown = browser.value(
            "document.title + [...document.querySelectorAll('body *:not(script):not(style)')].map((element) => \
             [...element.childNodes].filter((child) => child.nodeType === 3).map((child) => child.data).join(' ') + \
             [...element.attributes].map((attribute) => attribute.value).join(' ')).join(' ')",
        );
        let shown = shown.as_str().unwrap_or_default().to_owned();
        let raw = shown.chars().find(|&c| tertium_base::visible::is_deceptive(c) && !matches!(c, '\n' | '\t'));
        assert_eq!(raw, None, "{tab}: {shown:?}");
        assert!(shown.contains("q\\u{2067}"), "{tab}: {shown}");
    }
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn thousands_of_steps_and_states_stay_quick() {
    let Some(mut browser) = Browser::start("large") else { return };
    let dir = room("large");
    let program = dir.join("long.gcl");
    let text = "system long\nvar x : 0..5000 = 0\nprocess P { while x < 5000 { x := x + 1; } end: skip; }\n\
        property never : ltl G x < 5000\n";
    std::fs::write(&program, text).unwrap_or_else(|error| panic!("{error}"));
    let file = page(&dir.join("run"), &[&program.to_string_lossy(), "--only", "never"]);
    browser.open_file(&file, "");
    assert_eq!(browser.value(SELECTED), json!(10_000));
    assert!(browser.value("document.querySelectorAll('.row').length").as_u64() < Some(100));
    let made = browser.value(
        "(() => { const create = document.createElement; let made = 0, most = 0; \
         document.createElement = function (...name) { made += 1; return create.apply(this, name); }; \
         for (let at = 0; at < 10000; at += 50) { made = 0; tertium.view.select(at); most = Math.max(most, made); } \
         delete document.createElement; return most; })()",
    );
    // What is seen is made anew, and nothing else, however long the run is.
    assert!(made.as_u64().is_some_and(|made| (1..1_000).contains(&made)), "{made} elements a step");
    let structure = dir.join("wide.kmts");
    let mut text = String::from("props p\n");
    (0..5000).for_each(|at| text.push_str(&format!("state s{at} p: {}\n", if at % 7 == 0 { "?" } else { "t" })));
    text.push_str("init s0\n");
    for at in 0..5000 {
        text.push_str(&format!("s{at} -must-> s{}\ns{at} -may-> s{}\n", (at * 2 + 1) % 5000, (at * 3 + 2) % 5000));
    }
    text.push_str("property p : ctl AG p\n");
    std::fs::write(&structure, text).unwrap_or_else(|error| panic!("{error}"));
    let file = page(&dir.join("graph"), &[&structure.to_string_lossy()]);
    browser.open_file(&file, "#r=0&tab=graph");
    browser.wait("tertium.view.positions.size >= 20 && tertium.view.positions.size < 60");
    browser.click("header button[aria-pressed]");
    browser.wait("tertium.view.positions.size === 5000");
    let strokes = browser.value(
        "(() => { tertium.view.fit(); const kind = CanvasRenderingContext2D.prototype; const kept = {}; let strokes = 0; \
         for (const name of Object.getOwnPropertyNames(kind)) { \
           const method = Object.getOwnPropertyDescriptor(kind, name).value; \
           if (typeof method !== 'function' || name === 'constructor') continue; \
           kept[name] = method; kind[name] = function (...given) { strokes += 1; return method.apply(this, given); }; } \
         tertium.view.draw(); Object.assign(kind, kept); return strokes; })()",
    );
    // Five thousand boxes and ten thousand arrows, each with a handful of strokes.
    assert!(
        strokes.as_u64().is_some_and(|count| (5_000..300_000).contains(&count)),
        "{strokes} strokes for everything"
    );
    is_quiet(&browser, "file://");
    let _ = std::fs::remove_dir_all(dir);
}

/// Whether an element lies inside of another, as it is seen.
fn inside(inner: &str, outer: &str) -> String {
    format!(
        "(() => {{ const [a, b] = [document.querySelector('{inner}'), document.querySelector('{outer}')].map((e) => e.getBoundingClientRect()); \
         return a.width > 0 && a.height > 0 && a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1; }})()"
    )
}

#[test]
fn with_many_processes_the_step_and_its_changes_stay_in_sight() {
    let Some(mut browser) = Browser::start("many") else { return };
    let dir = room("many");
    let program = dir.join("many.gcl");
    let text = "system many\nvar total : 0..200 = 0\nvar turn : 0..14 = 1\nprocess P[i : 1..14] {\n  var seen : 0..200 = 0\n  loop {\n    await turn = i;\n    \
        seen := total;\n    total := seen + 3;\n    turn := if i = 14 then 1 else i + 1;\n  }\n}\nproperty small : ltl G total < 70\n";
    std::fs::write(&program, text).unwrap_or_else(|error| panic!("{error}"));
    let file = page(&dir.join("run"), &[&program.to_string_lossy(), "--only", "small"]);
    browser.open_file(&file, "");
    browser.size(1300, 850);
    let last = browser.value(SELECTED).as_u64().unwrap_or_default();
    for at in [last, 40, 0, 81] {
        browser.value(&format!("tertium.view.select({at})"));
        for part in
            [".row[aria-selected=true] .act", ".row[aria-selected=true] .changes", ".row[aria-selected=true] .number"]
        {
            assert_eq!(browser.value(&inside(part, ".pane > .body")), json!(true), "{part} of step {at}");
        }
        // Numbers and changes do not cover it.
        assert_eq!(browser.value(&inside(".row[aria-selected=true] .act", ".row[aria-selected=true]")), json!(true));
        let covered = "(() => { const box = (part) => document.querySelector('.row[aria-selected=true] ' + part).getBoundingClientRect(); \
            return box('.act').left < box('.number').right - 1 || box('.act').right > box('.changes').left + 1; })()";
        assert_eq!(browser.value(covered), json!(false), "step {at}");
    }
    // The whole statement and its change stand above the rows.
    browser.value(&format!("tertium.view.select({last})"));
    assert_eq!(browser.text("#chosen .step"), "P[10] line 9: total := seen + 3");
    assert!(browser.text("#chosen .changes").contains("total=72"));
    // A projection: one process, and whoever changes `total`.
    browser.press("v");
    browser.click("[aria-label='hide all processes']");
    browser.click("[aria-label='show P[3]']");
    let rows = browser.value("tertium.view.order.length").as_u64();
    assert!(rows < Some(last / 4), "{rows:?}");
    browser.value("tertium.view.select(0)");
    browser.click("#projection");
    browser.write("total");
    assert!(browser.value("tertium.view.order.length").as_u64() > rows);
    let noise =
        "[...document.querySelectorAll('.row .changes b')].filter((e) => !e.innerText.includes('total')).length";
    assert_eq!(browser.value(noise), json!(0));
    // On a small screen the list of properties is there.
    browser.size(600, 800);
    assert_eq!(
        browser.value("document.querySelector('.side button').getBoundingClientRect().height > 20"),
        json!(true)
    );
    assert_eq!(browser.value(&inside(".side button", ".side")), json!(true));
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 600"), json!(true));
    is_quiet(&browser, "file://");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn a_long_invariant_is_told_in_few_lines_and_in_full() {
    let Some(mut browser) = Browser::start("invariant") else { return };
    let dir = room("invariant");
    let file = page(&dir, &["corpus/gcl/bakery_c.gcl", "--abstraction", "hyper", "--only", "mutex"]);
    browser.open_file(&file, "#r=0&tab=proof");
    let count = |browser: &mut Browser, rows: &str| {
        browser.value(&format!("document.querySelectorAll('{rows}').length")).as_u64()
    };
    let whole = count(&mut browser, "#all-rows tbody tr");
    let told = count(&mut browser, ".prose section > table tbody tr");
    assert!(whole > Some(50) && told > Some(3) && told < Some(40), "{told:?} of {whole:?}");
    assert!(browser.text(".prose").contains("P1@crit P2@crit"));
    assert_eq!(browser.value("document.querySelector('#all-rows').open"), json!(false));
    is_quiet(&browser, "file://");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn everything_has_a_name_and_light_and_dark_can_be_read() {
    let Some(mut browser) = Browser::start("names") else { return };
    let dir = room("names");
    let file = page(&dir, &["examples/transfer.gcl"]);
    browser.open_file(&file, "");
    let nameless = "[...document.querySelectorAll('button, input, select, canvas, [role=listbox], [role=region], section, nav')]\
        .filter((e) => !(e.getAttribute('aria-label') || e.innerText || (e.closest('label') || {}).innerText)).map((e) => e.outerHTML)";
    assert_eq!(browser.value(nameless), json!([]));
    // The contrast of text and paper, as the accessibility guidelines count it.
    let contrast = "(() => { const light = (text) => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number)\
        .map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };\
        const paper = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } return 'rgb(255, 255, 255)'; };\
        const worst = {}; for (const e of document.querySelectorAll('.chip, .quiet, .warning, .cause p, .row .note, .row b, .guard, td, th, .formula, h3')) {\
        const [a, b] = [light(getComputedStyle(e).color), light(paper(e))]; const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);\
        if (ratio < 4.5) worst[e.className + ' ' + e.tagName] = ratio; } return worst; })()";
    for scheme in ["light", "dark"] {
        browser.scheme(scheme);
        assert_eq!(browser.value(contrast), json!({}), "{scheme}");
    }
    browser.scheme("light");
    browser.press("t");
    assert_eq!(browser.value("document.documentElement.dataset.theme"), json!("dark"));
    browser.size(600, 800);
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 600"), json!(true));
    let _ = std::fs::remove_dir_all(dir);
}
