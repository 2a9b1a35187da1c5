//! `tertium view --live`: what does a page ask for while a person walks through a program?
//!
//! A question is a JSON object with a word, `do`, and what it needs; the answer is a [`LiveView`]. Nothing that is asked ends the walk: what cannot be
//! done is told in the answer.
//!
//! Not here: taking steps (`Simulator`), and how questions travel (`serve`).

use std::time::Duration;

use serde_json::Value;
use tertium_base::Budget;
use tertium_driver::Failure;
use tertium_driver::program::run::Run;
use tertium_driver::program::simulate::{Beside, Chance, Choice, Ending, Simulator};
use tertium_driver::program::{ProgramFile, itf, narration};
use tertium_report::json;
use tertium_report::page::live::{BesideView, LiveChoice, LiveView};

use super::dialogue::{MOST_STEPS, in_vain, no_next, too_far, understood};
use super::{pages, program_views};
use crate::command::signals;

/// One question may take so long.
const PATIENCE: Duration = Duration::from_secs(20);

/// A walk that a page leads.
pub(super) struct LiveWalk<'f> {
    file: &'f ProgramFile,
    simulator: Simulator<'f>,
    /// The runs of the results.
    runs: Vec<Option<String>>,
    /// The result along whose run the walk goes.
    along: Option<usize>,
    chance: Chance,
    revision: u64,
    /// What the page was told last.
    told: Option<Run>,
}

impl<'f> LiveWalk<'f> {
    /// Begins in an initial state, or where the first run begins if initial states cannot be listed.
    pub(super) fn begin(file: &'f ProgramFile, runs: Vec<Option<String>>) -> Result<Self, Failure> {
        let simulator = match (Simulator::new(file, &interruptible()), runs.iter().flatten().next()) {
            (Err(Failure::Input(_)), Some(text)) => Simulator::along(file, &itf::read(file, text)?),
            (simulator, _) => simulator?,
        };
        Ok(Self { file, simulator, runs, along: None, chance: Chance::new(0), revision: 0, told: None })
    }

    /// The answer to a question, as JSON.
    pub(super) fn answer(&mut self, question: &str) -> String {
        let asked: Value = serde_json::from_str(question).unwrap_or_default();
        let message = match self.obey(&asked) {
            Ok(message) => message,
            Err(Failure::Input(found)) => found.first().map(|located| located.diagnostic.message.clone()),
            Err(Failure::Stopped(stopped)) => Some(format!("stopped: {stopped}")),
            Err(Failure::Internal(what)) => Some(format!("this is a mistake of tertium: {what}")),
        };
        if self.simulator.run().loop_start.is_none() {
            self.simulator.close();
        }
        json::document(&self.view(asked["revision"].as_u64(), message))
    }

    /// Does what is asked for; what cannot be done is told.
    fn obey(&mut self, asked: &Value) -> Result<Option<String>, Failure> {
        let number = |key: &str| asked[key].as_u64().and_then(|number| usize::try_from(number).ok());
        let text = |key: &str| asked[key].as_str().unwrap_or_default();
        let budget = interruptible().with_time(Some(PATIENCE));
        let simulator = &mut self.simulator;
        match asked["do"].as_str().unwrap_or_default() {
            "show" => {}
            "take" => match number("choice").and_then(|at| simulator.choices().into_iter().nth(at)) {
                Some(choice) => simulator.take(&choice)?,
                None => return Ok(Some("this step is not possible here".to_owned())),
            },
            "back" => simulator.back(number("count").unwrap_or(1)),
            "reset" => simulator.jump(0),
            "start" => match number("state").filter(|&state| state < simulator.initial_count()) {
                Some(state) => {
                    simulator.start_at(state);
                    self.along = None;
                    simulator.forget_guide();
                }
                None => return Ok(Some(format!("there are {} initial states", simulator.initial_count()))),
            },
            "next" => {
                if simulator.next(number("count").unwrap_or(1)) == 0 {
                    return Ok(Some(no_next(simulator.beside()).to_owned()));
                }
            }
            "go" => {
                if !number("to").is_some_and(|to| simulator.go_to(to)) {
                    return Ok(Some(too_far(simulator)));
                }
            }
            "rejoin" => simulator.rejoin(),
            "chance" => simulator.walk(number("count").unwrap_or(1).min(MOST_STEPS), &mut self.chance, &budget)?,
            "until" => {
                let found = simulator.until(text("condition"), MOST_STEPS, &mut self.chance, &budget);
                return Ok(understood(found)?.map_or_else(Some, in_vain));
            }
            "watch" => return Ok(understood(simulator.watch(text("expression")))?.err()),
            "unwatch" => _ = simulator.unwatch(text("expression")),
            "along" => return self.follow(number("result"), number("to").unwrap_or(0)),
            word => return Ok(Some(format!("`{word}` is nothing that can be asked for"))),
        }
        Ok(None)
    }

    /// Goes along the run of a result from now on, and to one of its states.
    fn follow(&mut self, result: Option<usize>, to: usize) -> Result<Option<String>, Failure> {
        let Some((result, text)) = result.and_then(|at| Some((at, self.runs.get(at)?.as_ref()?))) else {
            return Ok(Some("this result has no run".to_owned()));
        };
        if let Err(mistake) = understood(itf::read(self.file, text).and_then(|run| self.simulator.guide_along(&run)))? {
            return Ok(Some(mistake));
        }
        self.along = Some(result);
        self.simulator.go_to(to.min(self.simulator.furthest()));
        Ok(None)
    }

    /// Where the walk is, for a page that knows the revision `known`.
    fn view(&mut self, known: Option<u64>, message: Option<String>) -> LiveView {
        let run = self.simulator.run();
        let told = self.told.as_ref().filter(|_| known == Some(self.revision));
        let kept = told
            .filter(|told| told.first == run.first)
            .map_or(0, |told| 1 + run.steps.iter().zip(&told.steps).take_while(|(now, then)| now == then).count());
        let semantics = tertium_driver::program::semantics(self.file);
        let last = Run { first: run.last().clone(), steps: Vec::new(), loop_start: None, fault: None, deadlock: false };
        let moves = pages::moves(self.file, &narration::choices(self.file, &semantics, &last));
        let choices = self.simulator.choices();
        let view = LiveView {
            revision: self.revision + 1,
            kept,
            steps: program_views::step_views(self.file, run, kept),
            loop_start: run.loop_start,
            end: program_views::end(self.file, run),
            finished: self.simulator.ending() == Some(Ending::Finished),
            initial_states: self.simulator.initial_count(),
            processes: narration::processes(self.file, run),
            messages: pages::messages(&semantics, run),
            moves,
            choices: choices.iter().map(|choice| self.choice(choice)).collect(),
            watched: self.simulator.watched(),
            beside: self.along.zip(self.simulator.beside()).map(|(result, beside)| match beside {
                Beside::On(left) => BesideView { result, left: Some(left), since: None },
                Beside::Left(since) => BesideView { result, left: None, since: Some(since) },
            }),
            message,
        };
        self.revision += 1;
        self.told = Some(self.simulator.run().clone());
        view
    }

    fn choice(&self, choice: &Choice) -> LiveChoice {
        let told = choice.told.clone();
        LiveChoice {
            process: told.process,
            line: told.line,
            file: told.file,
            statement: told.statement,
            partner: told.partner,
            fault: choice.fault.clone(),
            guided: self.simulator.is_guided(choice),
        }
    }
}

/// No limit but Ctrl-C.
fn interruptible() -> Budget {
    Budget::unlimited().with_cancel(signals::flag())
}
