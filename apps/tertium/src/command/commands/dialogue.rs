//! `tertium simulate -i`: a person leads a run, along a stored one or freely.

use tertium_base::Budget;
use tertium_driver::program::ProgramFile;
use tertium_driver::program::simulate::{Beside, Chance, Choice, Ending, Simulator, Until};
use tertium_driver::{Failure, Located};
use tertium_report::{Style, text};

use super::program_views::run_view;
use crate::command::line_editor::LineEditor;
use crate::command::terminal::{self, Stream};

/// A walk to a condition is given up after this many steps.
pub(super) const MOST_STEPS: usize = 10_000;

const HELP: &str = "\
N            take step N
Enter        take the next step of the stored run; without one, or off it, a step by chance
next [K]     take K steps of the stored run
end          go to the end of the stored run
back [K]     undo K steps
jump N       go to the state after step N, forward along the stored run
rejoin       go back to where the stored run was left
reset        go back to the beginning
until EXPR   go on until a condition holds, along the stored run or by chance
state        show all values
watch EXPR   show an expression from now on
unwatch EXPR show it no longer; without EXPR none of them
run          show the whole run
quit         end
";

/// A conversation over lines of text.
pub(super) struct Dialogue<'d, 'f> {
    pub file: &'f ProgramFile,
    pub simulator: &'d mut Simulator<'f>,
    pub style: Style,
    pub budget: &'d Budget,
}

impl Dialogue<'_, '_> {
    /// Asks and obeys until the person, or the input, ends it.
    pub(super) fn hold(&mut self, seed: u64) -> Result<(), Failure> {
        let mut chance = Chance::new(seed);
        let mut previous = None;
        let mut editor = LineEditor::default();
        loop {
            self.budget.check()?;
            let choices = self.simulator.choices();
            self.describe(&choices, previous.take());
            let Some(line) = editor.line("> ") else {
                terminal::write(Stream::Out, "\n");
                return Ok(());
            };
            let before = self.simulator.values();
            if !self.obey(line.trim(), &choices, &mut chance)? {
                return Ok(());
            }
            previous = Some(before);
        }
    }

    /// The values that changed since `before`, what is watched, and what can be done.
    fn describe(&self, choices: &[Choice], before: Option<Vec<(String, String)>>) {
        let mut text = format!("step {}", self.simulator.position());
        match self.simulator.beside() {
            Some(Beside::On(0)) => text.push_str(", at the end of the stored run"),
            Some(Beside::On(left)) => text.push_str(&format!(" of {}", self.simulator.position() + left)),
            Some(Beside::Left(at)) => text.push_str(&format!(", off the stored run since step {at}")),
            None => {}
        }
        let before = before.unwrap_or_default();
        text.push_str(&listed(self.simulator.values().into_iter().filter(|known| !before.contains(known))));
        text.push('\n');
        for (expression, value) in self.simulator.watched() {
            text.push_str(&format!("  {expression} = {value}\n"));
        }
        for (at, choice) in choices.iter().enumerate() {
            let told = &choice.told;
            let fault = choice.fault.as_ref().map_or_else(String::new, |fault| format!("   ! {fault}"));
            let guided = if self.simulator.is_guided(choice) { '*' } else { ' ' };
            let (process, line, statement) = (&told.process, told.line, &told.statement);
            text.push_str(&format!(" {guided}{:>3}  {process} line {line}: {statement}{fault}\n", at + 1));
        }
        match self.simulator.ending() {
            Some(Ending::Fault(what)) => text.push_str(&format!("  fault: {what}\n")),
            Some(Ending::Limit(what)) => text.push_str(&format!("  limit: {what}\n")),
            Some(Ending::Deadlock) => text.push_str("  deadlock: no process can step, and not all are at their ends\n"),
            Some(Ending::Finished) => text.push_str("  all processes are at their ends\n"),
            None => {}
        }
        terminal::write(Stream::Out, &text);
    }

    /// Does what a line says; false to end.
    fn obey(&mut self, line: &str, choices: &[Choice], chance: &mut Chance) -> Result<bool, Failure> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let number = |text: &str| text.trim().parse::<usize>().ok();
        match word {
            "quit" | "q" | "exit" => return Ok(false),
            "" if self.simulator.advance() || choices.is_empty() => {}
            "" => self.simulator.take(&choices[chance.below(choices.len())])?,
            "next" | "n" => self.next(number(rest).unwrap_or(1)),
            "end" | "e" => self.next(usize::MAX),
            "back" | "b" => self.simulator.back(number(rest).unwrap_or(1)),
            "jump" | "j" => self.jump(number(rest)),
            "rejoin" => self.simulator.rejoin(),
            "reset" => self.simulator.jump(0),
            "until" | "u" => self.until(rest, chance)?,
            "state" | "s" => terminal::write(Stream::Out, &self.state()),
            "watch" | "w" => {
                if let Err(mistake) = understood(self.simulator.watch(rest))? {
                    self.complain(&mistake);
                }
            }
            "unwatch" => {
                if !self.simulator.unwatch(rest) {
                    self.complain("this is not watched");
                }
            }
            "run" => {
                let table = text::run(&run_view(self.file, self.simulator.run()), self.style);
                terminal::write(Stream::Out, &table);
            }
            "help" | "h" | "?" => terminal::write(Stream::Out, HELP),
            _ => match number(word).and_then(|number| choices.get(number.checked_sub(1)?)) {
                Some(choice) => self.simulator.take(choice)?,
                None => self.complain("no such step; `help` lists what can be typed"),
            },
        }
        Ok(true)
    }

    /// So many steps of the stored run, or as many as there are.
    fn next(&mut self, count: usize) {
        if self.simulator.next(count) == 0 {
            self.complain(no_next(self.simulator.beside()));
        }
    }

    fn jump(&mut self, wanted: Option<usize>) {
        if !wanted.is_some_and(|position| self.simulator.go_to(position)) {
            self.complain(&too_far(self.simulator));
        }
    }

    fn until(&mut self, condition: &str, chance: &mut Chance) -> Result<(), Failure> {
        let found = understood(self.simulator.until(condition, MOST_STEPS, chance, self.budget))?;
        if let Some(why) = found.map_or_else(Some, in_vain) {
            self.complain(&why);
        }
        Ok(())
    }

    /// All values, one in each line.
    fn state(&self) -> String {
        self.simulator.values().into_iter().map(|value| format!("{}\n", listed([value].into_iter()))).collect()
    }

    fn complain(&self, what: &str) {
        terminal::write(Stream::Out, &format!("{what}\n"));
    }
}

/// Values as they are shown, two spaces before each.
fn listed(values: impl Iterator<Item = (String, String)>) -> String {
    let one = |(name, value): (String, String)| {
        let separator = if name.ends_with('@') { "" } else { "=" };
        format!("  {name}{separator}{value}")
    };
    values.map(one).collect()
}

/// Why there is no next step of a stored run.
pub(super) const fn no_next(beside: Option<Beside>) -> &'static str {
    match beside {
        Some(Beside::On(_)) => "the stored run ends here",
        Some(Beside::Left(_)) => "this is off the stored run; `rejoin` goes back to it",
        None => "there is no stored run; `--replay RUN` goes along one",
    }
}

/// What to ask for instead of a position that is too far.
pub(super) fn too_far(simulator: &Simulator<'_>) -> String {
    format!("a number from 0 to {} is wanted", simulator.furthest())
}

/// Why a walk to a condition did not come there.
pub(super) fn in_vain(until: Until) -> Option<String> {
    match until {
        Until::Holds => None,
        Until::Ended => Some("it does not hold up to here, where no step is possible".to_owned()),
        Until::Steps => Some(format!("it did not hold in {MOST_STEPS} steps; the walk is where it was")),
    }
}

/// A mistake in what was typed is told, and the conversation goes on; other failures end it.
pub(super) fn understood<T>(result: Result<T, Failure>) -> Result<Result<T, String>, Failure> {
    match result {
        Err(Failure::Input(found)) => Ok(Err(first_message(&found))),
        other => other.map(Ok),
    }
}

fn first_message(found: &[Located]) -> String {
    found.iter().find(|message| message.diagnostic.is_error()).map_or_else(String::new, |message| {
        format!("error[{}]: {}", message.diagnostic.code, message.diagnostic.message)
    })
}
