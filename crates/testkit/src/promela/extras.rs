//! What only some models have: channels that travel, questions about other processes, event automata.

use super::{Chan, Maker, Var};

impl Maker<'_> {
    /// A structure in a structure.
    pub(super) fn nested_structure(&mut self) {
        if !self.rng.chance(30) {
            return;
        }
        self.line("typedef U { T t[2]; byte h };");
        let name = self.name("u");
        self.line(&format!("U {name};"));
        for (part, below) in [(".t[1].f", 3), (".t[0].g[0]", 2), (".h", 3)] {
            self.globals.push(Var { name: format!("{name}{part}"), below });
        }
    }

    /// A channel whose messages are channels with the same fields.
    pub(super) fn carrier(&mut self) {
        let Some(first) = self.chan().filter(|_| self.rng.chance(20)) else { return };
        let carried = self.channels.iter().filter(|chan| chan.fields == first.fields).cloned().collect();
        let (name, capacity) = (self.name("qq"), self.rng.below(2));
        self.line(&format!("chan {name} = [{capacity}] of {{ chan }};"));
        // What it carries says whether there are rendezvous; so does the channel itself.
        self.carrier = Some((name, carried));
    }

    /// Whether two processes may meet in some channel.
    pub(super) fn has_rendezvous(&self) -> bool {
        self.text.contains("= [0]")
    }

    /// Channels of the process itself, and a variable that holds some channel.
    pub(super) fn local_channels(&mut self) {
        if self.rng.chance(10) {
            let name = self.name("lq");
            self.line(&format!("chan {name} = [1] of {{ byte }};"));
            self.channels.push(Chan { name, fields: vec![3], capacity: 1 });
        }
        if let Some((_, carried)) = self.carrier.clone().filter(|_| self.rng.chance(60)) {
            let name = self.name("c");
            let first = self.rng.pick(&carried).clone();
            self.line(&format!("chan {name};"));
            self.line(&format!("{name} = {};", first.name));
            self.channels.push(Chan { name: name.clone(), capacity: 0, ..first });
            self.held = Some(name);
        }
    }

    /// Sends a channel, receives one, or holds another.
    pub(super) fn pass_channel(&mut self) {
        let Some((carrier, carried)) = self.carrier.clone().filter(|_| !self.deterministic) else {
            let step = self.simple();
            return self.line(&format!("{step};"));
        };
        let name = self.rng.pick(&carried).name.clone();
        match (self.held.clone(), self.rng.below(4)) {
            (Some(held), 0) => self.line(&format!("{held} = {name};")),
            (Some(held), 1) => self.line(&format!("{carrier}?{held};")),
            (Some(held), 2) => self.line(&format!("{carrier}!{held};")),
            (None, 0 | 1) => self.line(&format!("{carrier}?_;")),
            _ => self.line(&format!("{carrier}!{name};")),
        }
    }

    /// A loop over the cells of an array.
    pub(super) fn through_array(&mut self) {
        if self.arrays.is_empty() {
            return self.block();
        }
        let array = self.rng.pick(&self.arrays).clone();
        let counter = self.name("i");
        self.line("{");
        self.indent += 1;
        self.line(&format!("byte {counter};"));
        self.line(&format!("for ({counter} in {array}) {{"));
        self.statement();
        self.line("skip");
        self.line("}");
        self.indent -= 1;
        self.line("};");
    }

    /// A loop over the messages of a channel of structures.
    pub(super) fn through_messages(&mut self) {
        let records = self.records.clone().filter(|(_, record, capacity)| *capacity > 0 && !record.contains('['));
        let Some((channel, record, _)) = records.filter(|_| !self.uninterrupted) else { return self.block() };
        self.line(&format!("for ({record} in {channel}) {{"));
        self.indent += 1;
        let step = self.simple();
        self.line(&format!("{step};"));
        self.line("skip");
        self.indent -= 1;
        self.line("};");
    }

    /// Keeps what can be asked about an active process that has just been written.
    pub(super) fn remember(&mut self, name: &str, prefix: &str, begin: usize) {
        let pid = self.active;
        self.active += if prefix.contains('[') { 2 } else { 1 };
        if prefix.contains('[') {
            return;
        }
        // What `enabled` says of an `else` or of a `timeout` depends, in Spin, on who asks; circles are faults.
        let code = &self.text[begin..];
        let plain =
            !["else", "timeout", "enabled", "for (", "select", "bump", "twice"].iter().any(|word| code.contains(word));
        if plain && !self.has_rendezvous() && !self.priorities {
            self.remote.push(format!("enabled({pid})"));
        }
        let locals = self.locals.iter().filter(|local| !local.name.contains('['));
        self.remote.extend(locals.map(|local| format!("{name}:{} == 1", local.name)));
        self.remote.extend(self.labels.iter().map(|label| format!("{name}@{label}")));
    }

    /// A question about another process.
    pub(super) fn remote_question(&mut self) -> Option<String> {
        // Spin refuses most of them inside a `d_step`.
        if self.remote.is_empty() || self.deterministic || !self.rng.chance(12) {
            return None;
        }
        let question = self.rng.pick(&self.remote).clone();
        Some(if self.rng.chance(30) { format!("!({question})") } else { question })
    }

    /// An automaton over the events on one channel.
    pub(super) fn events(&mut self) {
        // Spin's verifier takes a rendezvous that fails for an event.
        let fit = |chan: &&Chan| !chan.name.contains('[') && chan.capacity > 0;
        let whole: Vec<Chan> = self.channels.iter().filter(fit).cloned().collect();
        if whole.is_empty() || !self.rng.chance(12) {
            return;
        }
        let chan = self.rng.pick(&whole).clone();
        let mut any = vec!["_"; chan.fields.len()];
        let (q, every) = (&chan.name, any.join(","));
        any[0] = "1";
        let one = any.join(",");
        let text = match self.rng.below(5) {
            0 => format!("trace {{ do :: {q}!{every} :: {q}?{every} od }}"),
            1 => format!("trace {{ {q}!{every}; {q}?{every}; do :: {q}!{one} od }}"),
            2 => format!("notrace {{ {q}!{every}; {q}?{every}; {q}!{every} }}"),
            3 => format!("notrace {{ if :: {q}!{one} :: {q}?{one} fi; {q}?{every} }}"),
            _ => format!("trace {{ end: do :: {q}!{every}; {q}?{every} od }}"),
        };
        self.line(&text);
    }
}
