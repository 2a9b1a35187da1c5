//! NuSMV as an oracle: what it says of a model's specifications.
//!
//! Available where a `NuSMV` is on the path or in `target/peers`, where `make nusmv` lays it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::smv::{Kind, Model};

/// NuSMV gets so many seconds for one model.
const SECONDS: &str = "20";

/// The command.
#[derive(Clone, Debug)]
pub struct NuSmv(PathBuf);

/// What NuSMV says of a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is true or false.
    Value(bool),
    /// A distance, in its words.
    Distance(String),
}

impl NuSmv {
    /// The command; none if there is none.
    #[must_use]
    pub fn find() -> Option<Self> {
        let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/NuSMV");
        let there = |command: &PathBuf| Command::new(command).arg("-h").output().is_ok();
        [PathBuf::from("NuSMV"), own].into_iter().find(there).map(Self)
    }

    /// Its verdicts in the order of the specifications, which is that of their kinds.
    ///
    /// # Errors
    /// What it says if it refuses the model, or how many verdicts it gave.
    pub fn verdicts(&self, model: &Model) -> Result<Vec<Verdict>, String> {
        let (found, said) = self.run(&model.written_out())?;
        let fits =
            |(verdict, kind): (&Verdict, Kind)| matches!(verdict, Verdict::Distance(_)) == (kind == Kind::Distance);
        let kinds = model.specifications.iter().map(|specification| specification.kind);
        let complete = found.len() == model.specifications.len() && found.iter().zip(kinds).all(fits);
        if complete { Ok(found) } else { Err(format!("{} verdicts; {said}", found.len())) }
    }

    /// The values of all specifications of a text, without distances, in NuSMV's order.
    ///
    /// # Errors
    /// What it says if it refuses the model.
    pub fn values(&self, text: &str) -> Result<Vec<bool>, String> {
        let (found, said) = self.run(text)?;
        if said.contains("error") || said.contains("terminated") {
            return Err(said);
        }
        let value = |verdict: &Verdict| if let Verdict::Value(value) = verdict { Some(*value) } else { None };
        Ok(found.iter().filter_map(value).collect())
    }

    fn run(&self, text: &str) -> Result<(Vec<Verdict>, String), String> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tertium-nusmv-{}-{number}.smv", std::process::id()));
        std::fs::write(&path, text).map_err(|why| why.to_string())?;
        let output = Command::new("timeout").arg(SECONDS).arg(&self.0).arg("-dcx").arg(&path).output();
        let _ = std::fs::remove_file(&path);
        let output = output.map_err(|why| why.to_string())?;
        let said = String::from_utf8_lossy(&output.stdout);
        let found = verdict_texts(&said).iter().filter_map(|text| verdict(text)).collect();
        Ok((found, String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}

/// What is said of each specification, in one line: a `case` in it is told in several.
fn verdict_texts(said: &str) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut ended = true;
    for line in said.lines() {
        if ["-- specification", "-- invariant", "-- the result of"].iter().any(|start| line.starts_with(start)) {
            texts.push(line.to_owned());
        } else if let Some(text) = texts.last_mut().filter(|_| !ended) {
            text.push_str(line);
        }
        ended = texts.last().is_some_and(|text| verdict(text).is_some());
    }
    texts
}

fn verdict(text: &str) -> Option<Verdict> {
    let (_, end) = text.rsplit_once(" is ")?;
    let distance = text.starts_with("-- the result of");
    // In an instance: "… IN a is true".
    match end.trim() {
        "true" => Some(Verdict::Value(true)),
        "false" => Some(Verdict::Value(false)),
        end if distance => Some(Verdict::Distance(end.to_owned())),
        _ => None,
    }
}
