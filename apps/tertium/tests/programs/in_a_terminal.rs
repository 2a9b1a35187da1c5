//! The same in a real terminal, which `tmux` is: lines are edited, earlier ones come back, a counterexample is gone along and left.
//! Where there is no `tmux`, the test says so and does nothing.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::common::ROOT;

/// Looks at the screen so many times before it gives up.
const MOST_LOOKS: usize = 600;

/// A terminal of its own, ended with this value.
struct Terminal {
    name: String,
}

impl Terminal {
    fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux").args(["-L", &self.name]).args(arguments).output().expect("tmux runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn open(command: &str) -> Self {
        let terminal = Self { name: format!("tertium-{}", std::process::id()) };
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "50", "-c", ROOT, command]);
        terminal
    }

    fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Waits until the screen shows a text, then clears what is above the prompt.
    #[track_caller]
    fn shows(&self, wanted: &str) {
        let mut screen = String::new();
        for _ in 0..MOST_LOOKS {
            screen = self.tmux(&["capture-pane", "-p"]);
            if screen.contains(wanted) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("`{wanted}` is not on the screen:\n{screen}");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn lines_are_edited_and_a_counterexample_is_left() {
    if Command::new("tmux").arg("-V").output().is_err() {
        eprintln!("skipped: there is no tmux");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("in-a-terminal");
    let program = "docs/guide/models/claim.gcl";
    super::tertium(&["check", program, "-q", "--evidence", &folder.to_string_lossy()], "");
    let run = folder.join("deadlocks.itf.json");
    let tertium = env!("CARGO_BIN_EXE_tertium");
    let command = format!("{tertium} simulate {program} --replay {} -i; echo ended; cat", run.display());
    let terminal = Terminal::open(&command);
    terminal.shows("step 0 of 2");
    // A line with a mistake in it, mended with the arrow keys.
    terminal.keys(&["nxt", "Left", "Left", "e", "Enter"]);
    terminal.shows("step 1 of 2");
    terminal.keys(&["1", "Enter"]);
    terminal.shows("off the stored run since step 1");
    terminal.keys(&["rejoin", "Enter"]);
    terminal.keys(&["until want1 && want2", "Enter"]);
    terminal.shows("at the end of the stored run");
    // Ctrl-U empties the line; the line before the last one comes back.
    terminal.keys(&["nonsense", "C-u", "Up", "Up", "C-a", "C-k", "back 2", "Enter"]);
    terminal.shows("> back 2");
    terminal.keys(&["Up", "Up", "Enter"]);
    terminal.keys(&["quit", "Enter"]);
    terminal.shows("ended");
}
