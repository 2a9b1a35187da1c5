//! Random conditions and values.

use super::{Chan, Maker, Var};

impl Maker<'_> {
    /// A variable to read or write, local ones more often.
    pub(super) fn var(&mut self) -> Option<Var> {
        if !self.locals.is_empty() && self.rng.chance(50) {
            return Some(self.rng.pick(&self.locals).clone());
        }
        if self.globals.is_empty() {
            return self.locals.first().cloned();
        }
        Some(self.rng.pick(&self.globals).clone())
    }

    pub(super) fn chan(&mut self) -> Option<Chan> {
        if self.channels.is_empty() { None } else { Some(self.rng.pick(&self.channels).clone()) }
    }

    /// A small value.
    pub(super) fn value(&mut self) -> String {
        let Some(var) = self.var() else { return self.rng.below(3).to_string() };
        match self.rng.below(14) {
            9 => format!("{} << 1", var.name),
            10 => format!("(~{} & 3)", var.name),
            11 => format!("-{}", var.name),
            12 => format!("({} ^ {} | 1)", var.name, self.rng.below(3)),
            13 => format!("{} * 2 / 3", var.name),
            0..=2 => self.rng.below(3).to_string(),
            3 | 4 => var.name,
            5 => format!("{} + 1", var.name),
            6 => format!("({} > 0 -> {} : 1)", var.name, self.rng.below(3)),
            7 => format!("!{}", var.name),
            _ if self.priorities => {
                (*self.rng.pick(&["_priority", "get_priority(0)", "get_priority(_pid)"])).to_owned()
            }
            _ => (*self.rng.pick(&["red", "green", "_pid"])).to_owned(),
        }
    }

    /// A value for a variable, such that few values occur.
    pub(super) fn value_for(&mut self, var: &Var) -> String {
        if var.below == 256 {
            return format!("{} + 1", var.name);
        }
        let value = self.value();
        match self.rng.below(4) {
            0 => self.rng.below(3).to_string(),
            3 if self.rng.chance(20) => "_last".to_owned(),
            1 => format!("({value}) % {}", self.rng.below(2) + 2),
            _ => format!("({} + {value}) % 3", var.name),
        }
    }

    /// A condition over anything.
    pub(super) fn condition(&mut self) -> String {
        let left = self.comparison();
        match self.rng.below(6) {
            0 => format!("{left} && {}", self.comparison()),
            1 => format!("{left} || {}", self.comparison()),
            _ => left,
        }
    }

    /// A condition over globals alone.
    pub(super) fn global_condition(&mut self) -> String {
        let var = self.rng.pick(&self.globals).name.clone();
        let number = self.rng.below(3);
        format!("{var} {} {number}", self.rng.pick(&["!=", "==", "<", ">="]))
    }

    fn comparison(&mut self) -> String {
        let Some(var) = self.var() else { return "_nr_pr > 1".to_owned() };
        if let Some(question) = self.remote_question() {
            return question;
        }
        match self.rng.below(10) {
            0 => format!("!({} == {})", var.name, self.rng.below(3)),
            1 => format!("{} & 1", var.name),
            2 => (*self.rng.pick(&["_nr_pr < 3", "_pid == 1", "_nr_pr != 2"])).to_owned(),
            3 => match self.chan() {
                Some(chan) if self.rng.chance(40) => {
                    format!("{}({})", self.rng.pick(&["full", "empty", "nfull", "nempty"]), chan.name)
                }
                Some(chan) => format!("len({}) {} 1", chan.name, self.rng.pick(&["<", "==", ">"])),
                None => var.name,
            },
            4 => match self.chan() {
                Some(chan) if chan.capacity > 0 => self.poll(&chan),
                _ => format!("{} >= 1", var.name),
            },
            _ => {
                let value = self.rng.below(3);
                format!("{} {} {value}", var.name, self.rng.pick(&["==", "!=", "<", ">", "<=", ">="]))
            }
        }
    }

    fn poll(&mut self, chan: &Chan) -> String {
        let mut args: Vec<String> = chan.fields.iter().map(|&below| self.rng.below(below).to_string()).collect();
        match (self.rng.below(5), self.var()) {
            (0, _) => args[0] = "_".to_owned(),
            (1, Some(var)) => args[0] = format!("eval({})", var.name),
            _ => {}
        }
        let sign = if self.rng.chance(30) { "??" } else { "?" };
        format!("{}{sign}[{}]", chan.name, args.join(","))
    }
}
