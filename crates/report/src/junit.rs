//! Results for build servers that read JUnit's XML: false is a failure, unknown an error.

use crate::style::Style;
use crate::view::{CheckReport, ResultView, Verdict};
use crate::{build, text};

/// The report as one XML document.
#[must_use]
pub fn document(report: &CheckReport) -> String {
    let count = |verdict| report.results.iter().filter(|view| view.verdict == verdict).count();
    let time: u64 = report.results.iter().map(|view| view.stats.time_ms).sum();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tertium\">\n");
    text.push_str(&format!(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{}\">\n",
        escaped(&report.input.file),
        report.results.len(),
        count(Verdict::Failure),
        count(Verdict::Open),
        seconds(time),
    ));
    for view in &report.results {
        text.push_str(&case(&report.input.file, view));
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn case(file: &str, view: &ResultView) -> String {
    let head = format!(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"",
        escaped(file),
        escaped(&view.name),
        seconds(view.stats.time_ms)
    );
    let element = match view.verdict {
        Verdict::Success => return format!("{head}/>\n"),
        Verdict::Failure => "failure",
        Verdict::Open => "error",
    };
    let message = view.stopped.map_or_else(|| format!("value {}", view.value), |why| format!("stopped: {why}"));
    let mut details: Vec<String> = view.reasons.iter().map(build::explanation).collect();
    let plain = Style { colour: false, verbose: true };
    details.extend(view.evidence.run.iter().map(|run| text::run(run, plain).trim_end().to_owned()));
    details.extend(view.next.iter().map(|command| format!("try {command}")));
    format!(
        "{head}>\n      <{element} message=\"{}\" type=\"{}\">{}\n{}</{element}>\n    </testcase>\n",
        escaped(&message),
        escaped(view.stopped.unwrap_or(view.value.word())),
        escaped(&view.formula),
        escaped(&details.join("\n")),
    )
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// Text made safe for XML; characters that XML cannot hold at all become question marks.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
