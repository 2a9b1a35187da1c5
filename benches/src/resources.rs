//! Systems in which many processes request several resources in order, use them and release them.
//!
//! As guarded commands and as Promela, the same steps in both. Two further processes agree on complementary flags that
//! depend on data of which nothing is known, so that names for unknown values have something to do.

use std::fmt::Write;

/// How large a system is.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Processes that request resources; at least two.
    pub processes: usize,
    /// Resources; at least as many as are requested.
    pub resources: usize,
    /// How many each process requests.
    pub requested: usize,
}

impl Resources {
    /// A system with this many processes: one resource for every three of them, at least six, four requested by each.
    #[must_use]
    pub fn of(processes: usize) -> Self {
        Self { processes, resources: (processes / 3).max(6), requested: 4 }
    }

    /// The resources that a process requests, in the order in which it does; the first two processes want the same.
    #[must_use]
    pub fn wanted(&self, process: usize) -> Vec<usize> {
        let first = if process <= 2 { 0 } else { (process * 7) % (self.resources - self.requested + 1) };
        (first + 1..=first + self.requested).collect()
    }

    /// How many pairs there are of a process and a variable that it looks at or writes.
    #[must_use]
    pub fn dependencies(&self) -> usize {
        self.processes * (self.requested + 2) + 7
    }

    /// The system as guarded commands, with its properties.
    #[must_use]
    pub fn gcl(&self) -> String {
        let n = self.processes;
        let mut text = "system resources\nfunction f(int, int) : bool\nvar load, demand : int\n".to_owned();
        let _ = writeln!(text, "var flag1, flag2, ready : bool = false");
        for resource in 1..=self.resources {
            let _ = writeln!(text, "var r{resource} : 0..{n} = 0");
        }
        for process in 1..=n {
            self.process(&mut text, process);
        }
        text.push_str("process A { one: flag1 := f(load, demand); two: ready := true; three: flag1 := !flag2; four: loop { skip; } }\n");
        text.push_str(
            "process B { one: flag2 := false; two: await ready; three: flag2 := !flag1; four: loop { skip; } }\n",
        );
        let all: Vec<String> = (1..=n).map(|process| format!("P{process}")).collect();
        let _ = writeln!(text, "fair {}", all.join(", "));
        text.push_str("property safe : ltl G !(P1@busy && P2@busy)\n");
        text.push_str("property release : ltl G (P1@busy -> F P1@idle)\n");
        text.push_str("property modes : ltl G !(flag1 && flag2)\n");
        text
    }

    fn process(&self, text: &mut String, process: usize) {
        let _ = write!(text, "process P{process} {{ loop {{ idle: load := *; ");
        for resource in self.wanted(process) {
            let _ = write!(text, "when r{resource} = 0 do r{resource} := {process}; ");
        }
        // What it does with them depends on data.
        text.push_str("busy: if load > 0 { skip; } else { demand := load; } ");
        for resource in self.wanted(process) {
            let _ = write!(text, "when r{resource} = {process} do r{resource} := 0; ");
        }
        text.push_str("} }\n");
    }

    /// The same as Promela, with two values for what is unknown, and the first property.
    #[must_use]
    pub fn promela(&self) -> String {
        let mut text = "byte load, demand;\nbool flag1, flag2, ready;\n".to_owned();
        for resource in 1..=self.resources {
            let _ = writeln!(text, "byte r{resource};");
        }
        for process in 1..=self.processes {
            let _ = write!(text, "active proctype P{process}() {{\nidle: if :: load = 0 :: load = 1 fi;\n");
            for resource in self.wanted(process) {
                let _ = writeln!(text, "  atomic {{ r{resource} == 0 -> r{resource} = {process} }};");
            }
            text.push_str("busy: if :: load > 0 -> skip :: else -> demand = load fi;\n");
            for resource in self.wanted(process) {
                let _ = writeln!(text, "  atomic {{ r{resource} == {process} -> r{resource} = 0 }};");
            }
            text.push_str("  goto idle }\n");
        }
        // A loop of `skip` alone is refused by the verifier that Spin makes; `ready` stays true.
        text.push_str(
            "active proctype A() { if :: flag1 = 0 :: flag1 = 1 fi; ready = 1; flag1 = !flag2; do :: ready od }\n",
        );
        text.push_str("active proctype B() { flag2 = 0; ready; flag2 = !flag1; do :: ready od }\n");
        text.push_str("ltl safe { [] !(P1@busy && P2@busy) }\n");
        text
    }
}
