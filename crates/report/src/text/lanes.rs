//! Who does what, one lane a process: a message sequence chart as text.
//!
//! Time goes down. A step stands in the lane of its process; where two processes meet, an arrow goes from one lane to the
//! other. Shown for runs of programs with more than one process.

use crate::style::safe;
use crate::view::{RunView, TakenView};

/// The width of a lane.
const WIDTH: usize = 26;
/// More lanes than this do not fit.
const MOST: usize = 8;

/// The chart; empty if there are too few or too many lanes for one.
pub fn chart(run: &RunView) -> String {
    let steps: Vec<&TakenView> = run.steps.iter().filter_map(|step| step.step.as_ref()).collect();
    let mut lanes: Vec<&str> = Vec::new();
    for name in steps.iter().flat_map(|step| std::iter::once(&step.process).chain(&step.partner)) {
        if !lanes.contains(&name.as_str()) {
            lanes.push(name);
        }
    }
    if lanes.len() < 2 || lanes.len() > MOST {
        return String::new();
    }
    let digits = run.steps.len().to_string().len();
    let heads: Vec<String> = lanes.iter().map(|name| format!("{:<WIDTH$}", cut(name))).collect();
    let mut text = format!("\n{:digits$}  {}\n", "", heads.concat().trim_end());
    for (at, step) in run.steps.iter().enumerate() {
        if let Some(step) = &step.step {
            text.push_str(&format!("{at:>digits$}  {}\n", row(&lanes, step).trim_end()));
        }
    }
    text.push('\n');
    text
}

fn row(lanes: &[&str], step: &TakenView) -> String {
    let position = |name: &str| lanes.iter().position(|lane| *lane == name).unwrap_or(0);
    let own = position(&step.process);
    let other = step.partner.as_deref().map(position);
    let (sent, received) = match (other, step.statement.split_once(" -> ")) {
        (Some(_), Some((sent, received))) => (sent, received.split_once(' ').map_or(received, |(_, what)| what)),
        _ => (step.statement.as_str(), ""),
    };
    let (low, high) = other.map_or((own, own), |other| (own.min(other), own.max(other)));
    let mut cells = Vec::new();
    for lane in 0..lanes.len() {
        let inside = lane >= low && lane < high;
        let fill = if inside { '-' } else { ' ' };
        let what = match lane {
            _ if lane == own => cut(sent),
            _ if Some(lane) == other => cut(received),
            _ if inside => String::new(),
            _ => "|".to_owned(),
        };
        // The arrow points at the process that receives.
        let leftwards = other.is_some_and(|other| other < own);
        let head = if inside && leftwards && lane == low { "<" } else { "" };
        let mut cell = if what.is_empty() { head.to_owned() } else { format!("{what} {head}") };
        while cell.chars().count() < WIDTH - 2 {
            cell.push(fill);
        }
        cell.push_str(match inside {
            true if !leftwards && lane + 1 == high => "> ",
            true if lane + 1 == high => "- ",
            true => "--",
            false => "  ",
        });
        cells.push(cell);
    }
    cells.concat()
}

fn cut(text: &str) -> String {
    let text = safe(text);
    if text.chars().count() <= WIDTH - 6 {
        return text;
    }
    format!("{}...", text.chars().take(WIDTH - 9).collect::<String>())
}
