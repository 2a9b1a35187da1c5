//! Pages about structures that were made: completions of partial models, closed loops of strategies.
//!
//! Each property is checked on what was made, as `view` would. Before it stands what it was made from, so that both can be compared by moving from one to the other.

use std::path::Path;

use clap::Parser;
use tertium_base::Budget;
use tertium_base::visible::visible;
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::input::{Loaded, Model};
use tertium_driver::{Failure, Formula, Kmts};
use tertium_report::page::view::{Detail, RoundView};
use tertium_report::page::{self, Page};
use tertium_report::view::{CheckReport, Input, ResultView, SCHEMA_VERSION};

use super::check::shown_path;
use super::{pages, views};
use crate::command::args::{CheckArgs, Cli, Command};
use crate::command::files;
use crate::command::terminal::{self, Stream};

/// What a page is about.
pub struct MadeStructure<'a> {
    /// The file that it was made from.
    pub file: &'a Path,
    /// What was there before, and what that is called.
    pub before: Option<(&'a Kmts, &'a str)>,
    /// What was made, and what that is called.
    pub after: (&'a Kmts, &'a str),
    /// What holds of it.
    pub properties: &'a [(String, Formula)],
    /// How it was made, one sentence each.
    pub headline: Vec<String>,
    /// How its properties are read.
    pub options: CheckOptions,
}

/// Writes the page about a structure, and says where.
pub fn write(made: &MadeStructure<'_>, out: &Path, quiet: bool, budget: &Budget) -> Result<(), Failure> {
    let page = page(made, budget)?;
    files::write(out, page::html(&shown_path(made.file), &page).as_bytes())?;
    if !quiet {
        terminal::write(Stream::Out, &format!("page: {}\n", visible(&shown_path(out))));
    }
    Ok(())
}

fn page(made: &MadeStructure<'_>, budget: &Budget) -> Result<Page, Failure> {
    let model = Loaded::of_model(made.after.1, Model::Kmts(made.after.0.clone()));
    let loaded = model.with_properties(made.properties);
    let session = Session::new(&loaded, made.options.clone(), budget)?;
    let args = plain_check(made.file)?;
    let mut page = Page::new(report(made, Vec::new()), &session.description());
    let mut results = Vec::new();
    for parsed in &session.properties(&[], &[])? {
        let answer = session.check(parsed, budget, &())?;
        let mut view = views::result(&session, &answer, made.properties.len(), &args);
        // Commands would be about the file, which is another model.
        view.next.clear();
        let mut detail = pages::of_structure(&session, parsed, (&answer, &view), &made.options, &mut page, budget)?;
        add_what_was_before(made, &mut detail, &mut page);
        detail.headline.clone_from(&made.headline);
        detail.headline.push(shown(&view));
        // A certificate would be about the file, too.
        detail.proof = None;
        page.details.push(detail);
        results.push(view);
    }
    page.report = report(made, results);
    Ok(page)
}

fn shown(view: &ResultView) -> String {
    let checked = if view.evidence.checked { ", and the independent checker accepts the proof" } else { "" };
    format!("`{}` is {} there{checked}.", view.formula, view.value)
}

/// The structure that was there before comes first, the one that was made last.
fn add_what_was_before(made: &MadeStructure<'_>, detail: &mut Detail, page: &mut Page) {
    let (Some(after), Some((before, name))) = (detail.graph, made.before) else { return };
    let graph = |number: usize, note: &str| RoundView {
        graph: number,
        formulas: Vec::new(),
        path: Vec::new(),
        loop_start: None,
        focus: None,
        note: note.to_owned(),
        predicates: Vec::new(),
    };
    if let Some(earlier) = page.details.iter().find(|earlier| !earlier.rounds.is_empty()) {
        detail.rounds.clone_from(&earlier.rounds);
        detail.rounds.pop();
    } else {
        page.graphs.push(page::graph(before));
        detail.rounds.push(graph(page.graphs.len() - 1, name));
        if let Some(decided) = page::decisions(before, made.after.0) {
            page.graphs.push(decided);
            detail.rounds.push(graph(page.graphs.len() - 1, "what is decided"));
        }
    }
    let last = RoundView {
        formulas: detail.formulas.clone(),
        path: detail.path.clone(),
        loop_start: detail.path_loop,
        focus: detail.focus,
        ..graph(after, made.after.1)
    };
    detail.rounds.push(last);
    detail.rounds_of = Some("before and after");
}

fn report(made: &MadeStructure<'_>, results: Vec<ResultView>) -> CheckReport {
    CheckReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: Input { file: shown_path(made.file), kind: "kmts" },
        results,
        lattice: None,
        warnings: Vec::new(),
    }
}

/// The options of a check that nobody has changed.
fn plain_check(file: &Path) -> Result<Box<CheckArgs>, Failure> {
    let words = ["tertium".into(), "check".into(), "--".into(), file.as_os_str().to_owned()];
    match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Command::Check(args)) => Ok(args),
        Ok(_) => Err(Failure::Internal("`check` is another command".to_owned())),
        Err(error) => Err(Failure::Internal(error.to_string())),
    }
}
