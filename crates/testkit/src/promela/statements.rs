//! Random statements.

use super::{Maker, Var};

impl Maker<'_> {
    /// The statements of a proctype: some labels to jump to, then what happens.
    pub(super) fn body(&mut self) {
        let length = self.rng.below(3) + 2;
        let labelled = self.rng.chance(35);
        if labelled {
            let stem = *self.rng.pick(&["L", "end", "progress"]);
            let label = self.name(stem);
            self.labels.push(label);
        }
        let at = self.rng.below(length);
        for position in 0..length {
            if labelled && position == at {
                let label = self.labels[0].clone();
                self.line(&format!("{label}:"));
                // A label needs a step of its own: some statements have none in front.
                let step = self.simple();
                self.line(&format!("{step};"));
            }
            self.statement();
        }
        self.line("skip");
    }

    /// One statement with its `;`.
    pub(super) fn statement(&mut self) {
        self.depth += 1;
        let deep = self.depth > 3;
        match self.rng.below(if deep { 9 } else { 24 }) {
            0..=8 => {
                let step = if self.rng.chance(75) { self.simple() } else { self.blocking() };
                self.line(&format!("{step};"));
            }
            9 | 10 => self.choice(),
            11 | 12 => self.repetition(),
            13 => self.atomic(),
            14 => self.d_step(),
            15 => self.unless(),
            16 => self.counted(),
            17 => self.block(),
            18 => self.jump(),
            19 => self.line("skip; skip; skip;"),
            20 => self.pass_channel(),
            21 => self.through_array(),
            22 => self.through_messages(),
            _ => self.start(),
        }
        self.depth -= 1;
    }

    /// A step that never blocks.
    pub(super) fn simple(&mut self) -> String {
        let Some(var) = self.var() else { return "printf(\"x\")".to_owned() };
        match self.rng.below(12) {
            0 if var.below == 256 => format!("{}++", var.name),
            1 => format!("printf(\"%d\\n\", {})", var.name),
            2 if !self.inlines.is_empty() && var.below < 256 => {
                let inline = self.rng.pick(&self.inlines).clone();
                format!("{inline}({})", var.name)
            }
            3 if self.rng.chance(60) => {
                let condition = self.condition();
                format!("assert({condition})")
            }
            4 if self.priorities && self.rng.chance(60) => format!("set_priority(_pid, {})", self.rng.below(3) + 1),
            4 if self.text.contains("hidden") => "h = _pid".to_owned(),
            4 if !self.text.contains("NEXT") => "skip".to_owned(),
            4 if var.below < 256 => format!("{} = NEXT({}, 3)", var.name, var.name),
            _ => self.assignment(&var),
        }
    }

    fn assignment(&mut self, var: &Var) -> String {
        let value = self.value_for(var);
        format!("{} = {value}", var.name)
    }

    /// A step that may block: a condition or a message.
    fn blocking(&mut self) -> String {
        if self.deterministic {
            return self.simple();
        }
        if let Some((channel, record, capacity)) = self.records.clone().filter(|_| self.rng.chance(20)) {
            let sign = *self.rng.pick(&["!", "?"]);
            let sign = if capacity > 0 && self.rng.chance(20) { sign.repeat(2) } else { sign.to_owned() };
            return format!("{channel}{sign}{record}");
        }
        let Some(chan) = self.chan().filter(|_| self.rng.chance(70)) else { return self.condition() };
        if self.rng.chance(50) {
            let mut values: Vec<String> = chan.fields.iter().map(|&below| self.rng.below(below).to_string()).collect();
            if self.rng.chance(25) {
                values[0] = self.value();
            }
            let sign = if chan.capacity > 0 && self.rng.chance(20) { "!!" } else { "!" };
            return format!("{}{sign}{}", chan.name, values.join(","));
        }
        let mut used: Vec<String> = Vec::new();
        let mut args = Vec::new();
        for &below in &chan.fields {
            // Spin does not restore a message whose `eval` reads what the message writes, nor one that was cut when it
            // was received.
            let var = self.var().filter(|var| (3..256).contains(&var.below) && !used.contains(&var.name));
            used.extend(var.iter().map(|var| var.name.clone()));
            args.push(match (self.rng.below(5), var) {
                (0, _) => self.rng.below(below).to_string(),
                (1, Some(var)) if self.rng.chance(30) => format!("eval({} + 1)", var.name),
                (1, Some(var)) => format!("eval({})", var.name),
                (2, _) | (_, None) => "_".to_owned(),
                (_, Some(var)) => var.name,
            });
        }
        let buffered = chan.capacity > 0;
        let sign = if buffered && self.rng.chance(20) { "??" } else { "?" };
        if buffered && self.rng.chance(15) {
            return format!("{}{sign}<{}>", chan.name, args.join(","));
        }
        format!("{}{sign}{}", chan.name, args.join(","))
    }

    fn guard(&mut self) -> String {
        match self.rng.below(6) {
            0 if !self.uninterrupted => "timeout".to_owned(),
            1 | 2 => self.blocking(),
            3 => self.simple(),
            _ => self.condition(),
        }
    }

    /// `if` with two or three options.
    fn choice(&mut self) {
        self.line("if");
        let total = self.rng.below(2) + 2;
        let other = self.rng.chance(40) || self.uninterrupted;
        for at in 0..total {
            if other && at + 1 == total {
                self.option("else");
            } else {
                // `else` beside messages is dubious, so conditions are used where there is one.
                let dubious = self.rng.chance(10);
                let guard = if other && !dubious { self.condition() } else { self.guard() };
                self.option(&guard);
            }
        }
        self.line("fi;");
    }

    fn option(&mut self, guard: &str) {
        match self.rng.below(8) {
            0 => return self.line(&format!(":: {guard}")),
            // Something compound begins the option.
            1 if guard != "else" => self.line("::"),
            2 => self.line(&format!(":: {guard} -> skip; skip; skip;")),
            _ => self.line(&format!(":: {guard} ->")),
        }
        self.indent += 1;
        self.statement();
        self.indent -= 1;
    }

    /// A loop that can be left.
    fn repetition(&mut self) {
        if self.uninterrupted {
            return self.counted();
        }
        if self.rng.chance(15) {
            let stem = *self.rng.pick(&["end", "progress", "accept", "M"]);
            let label = self.name(stem);
            self.line(&format!("{label}:"));
        }
        self.line("do");
        self.loops += 1;
        for _ in 0..self.rng.below(2) + 1 {
            let guard = self.guard();
            self.option(&guard);
        }
        match self.rng.below(10) {
            0..=2 => self.line(":: else -> break"),
            3 => self.line(":: break"),
            4 if !self.labels.is_empty() => {
                let label = self.labels[0].clone();
                self.line(&format!(":: goto {label}"));
            }
            5 => self.line(":: timeout -> break"),
            _ => {
                let guard = self.condition();
                self.line(&format!(":: {guard} -> break"));
            }
        }
        self.loops -= 1;
        self.line("od;");
    }

    /// `for` or `select`, which come to an end.
    fn counted(&mut self) {
        let counter = self.name("i");
        // Declared where it is used: in a block that has been entered, so that it is a step.
        self.line("{");
        self.indent += 1;
        self.line(&format!("byte {counter};"));
        if self.rng.chance(30) && !self.deterministic {
            let upto = self.bound();
            self.line(&format!("select ({counter} : 0 .. {upto});"));
            self.locals.push(Var { name: counter, below: 3 });
            self.statement();
            self.locals.pop();
        } else {
            let upto = self.bound();
            self.line(&format!("for ({counter} : 0 .. {upto}) {{"));
            self.indent += 1;
            self.statement();
            self.line("skip");
            self.indent -= 1;
            self.line("}");
        }
        self.indent -= 1;
        self.line("};");
    }

    /// How far a counted loop goes.
    fn bound(&mut self) -> String {
        match self.var() {
            Some(var) if self.rng.chance(20) => format!("{} & 1", var.name),
            _ => (self.rng.below(2) + 1).to_string(),
        }
    }

    fn atomic(&mut self) {
        if self.deterministic {
            return self.block();
        }
        let outer = self.uninterrupted;
        self.line("atomic {");
        self.indent += 1;
        if self.rng.chance(60) {
            let guard = self.blocking();
            self.line(&format!("{guard};"));
        }
        self.uninterrupted = true;
        for _ in 0..self.rng.below(2) + 1 {
            self.statement();
        }
        self.line("skip");
        self.uninterrupted = outer;
        self.indent -= 1;
        self.line("};");
    }

    fn d_step(&mut self) {
        if self.deterministic {
            return self.block();
        }
        let outer = (self.uninterrupted, self.deterministic, self.loops);
        // Spin refuses a loop that is left straight into a `d_step`.
        self.line("skip;");
        self.line("d_step {");
        self.indent += 1;
        if self.rng.chance(60) {
            let remote = std::mem::take(&mut self.remote);
            let guard = if self.rng.chance(30) { self.blocking() } else { self.condition() };
            self.remote = remote;
            self.line(&format!("{guard};"));
        } else if let Some(var) = self.var() {
            // Spin lets a `d_step` that begins with `printf` or `assert` interrupt a rendezvous.
            let step = self.assignment(&var);
            self.line(&format!("{step};"));
        }
        (self.uninterrupted, self.deterministic, self.loops) = (true, true, 0);
        for _ in 0..self.rng.below(2) + 1 {
            self.statement();
        }
        self.line("skip");
        (self.uninterrupted, self.deterministic, self.loops) = outer;
        self.indent -= 1;
        self.line("};");
    }

    fn unless(&mut self) {
        if self.uninterrupted {
            return self.block();
        }
        if self.escaped {
            // Where a compound statement begins with an `unless` inside an `unless`, or the inner one interrupts no
            // block in braces, Spin's verifier takes the inner escape for the outer one.
            self.line("skip;");
        }
        // What is interrupted may be a block, an atomic block, or a loop as it stands.
        let atomic = self.rng.chance(20) && !self.escaped;
        let begin = self.text.len();
        self.line(if atomic { "atomic {" } else { "{" });
        self.indent += 1;
        let escaped = std::mem::replace(&mut self.escaped, true);
        let outer = std::mem::replace(&mut self.uninterrupted, atomic);
        for _ in 0..self.rng.below(2) + 1 {
            self.statement();
        }
        (self.uninterrupted, self.escaped) = (outer, escaped);
        self.line("skip");
        self.indent -= 1;
        let (open, close) = if self.rng.chance(20) { ("atomic {", "}") } else { ("{", "}") };
        self.line(&format!("}} unless {open}"));
        self.indent += 1;
        // After a rendezvous that fails in an outer escape Spin's verifier forgets inner escapes.
        let plain = self.rng.chance(60) || self.text[begin..].contains("unless");
        let guard = if plain { self.condition() } else { self.blocking() };
        self.line(&format!("{guard};"));
        let outer = std::mem::replace(&mut self.uninterrupted, open != "{");
        self.statement();
        self.uninterrupted = outer;
        self.line("skip");
        self.indent -= 1;
        self.line(&format!("{close};"));
    }

    pub(super) fn block(&mut self) {
        self.line("{");
        self.indent += 1;
        let local = self.rng.chance(50).then(|| self.name("b"));
        if let Some(local) = &local {
            let initial = if self.rng.chance(50) { " = 2" } else { "" };
            self.line(&format!("byte {local}{initial};"));
            self.locals.push(Var { name: local.clone(), below: 3 });
        }
        for _ in 0..self.rng.below(2) + 1 {
            self.statement();
        }
        self.line("skip");
        if local.is_some() {
            self.locals.pop();
        }
        self.indent -= 1;
        self.line("};");
    }

    fn jump(&mut self) {
        let condition = self.condition();
        if self.loops > 0 && self.rng.chance(50) {
            return self.line(&format!("if :: {condition} -> break :: else fi;"));
        }
        match self.labels.first().filter(|_| !self.deterministic).cloned() {
            Some(label) if self.rng.chance(20) && !self.uninterrupted => self.line(&format!("goto {label};")),
            Some(label) => self.line(&format!("if :: {condition} -> goto {label} :: else fi;")),
            None => {
                let step = self.simple();
                self.line(&format!("{step};"));
            }
        }
    }

    /// Starts a process while there are few.
    fn start(&mut self) {
        if self.deterministic || self.startable.is_empty() {
            let step = self.simple();
            return self.line(&format!("{step};"));
        }
        let (name, params, fields) = self.rng.pick(&self.startable).clone();
        let mut arguments: Vec<String> = (0..params).map(|_| self.value()).collect();
        arguments.extend(self.channel_for(fields));
        let target = self.var().filter(|var| var.below < 256 && self.rng.chance(30));
        let target = target.map_or(String::new(), |var| format!("{} = ", var.name));
        let priority = self.priority();
        let arguments = arguments.join(", ");
        self.line(&format!("if :: _nr_pr < 4 -> {target}run {name}({arguments}){priority} :: else fi;"));
    }
}
