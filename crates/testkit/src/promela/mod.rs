//! Random small Promela models over the whole language.
//!
//! A model is text, so that it can be given to Spin and to us alike. It is meant to be finite and small: values are
//! taken modulo small numbers, loops in uninterruptible blocks are counted, processes are started only while there
//! are few. What Spin refuses or leaves undefined (division by 0, indices out of bounds, endless `atomic`) is left out.

mod expressions;
mod extras;
mod statements;

use crate::Rng;

/// A random model.
#[must_use]
pub fn random_promela(rng: &mut Rng) -> String {
    let mut maker = Maker::new(rng);
    maker.globals();
    maker.processes();
    maker.events();
    maker.text
}

/// A place that can be written, and how its values stay few.
#[derive(Clone, Debug)]
struct Var {
    name: String,
    /// Values are kept below this by the generator; the type may hold more.
    below: usize,
}

/// A channel: its name and what its messages consist of (how far values go in each field).
#[derive(Clone, Debug)]
struct Chan {
    name: String,
    fields: Vec<usize>,
    capacity: usize,
}

struct Maker<'r> {
    rng: &'r mut Rng,
    text: String,
    globals: Vec<Var>,
    locals: Vec<Var>,
    channels: Vec<Chan>,
    /// Names of proctypes that can be started, how many values they take, and the fields of the channel they take.
    startable: Vec<(String, usize, Option<Vec<usize>>)>,
    /// Labels of the proctype being written.
    labels: Vec<String>,
    /// A channel of structures, a structure, and how many messages the channel holds.
    records: Option<(String, String, usize)>,
    /// Inlines with one parameter that is written.
    inlines: Vec<String>,
    /// Arrays of numbers.
    arrays: Vec<String>,
    /// A channel that carries channels, and those that it may carry.
    carrier: Option<(String, Vec<Chan>)>,
    /// The variable of the process being written that holds a channel.
    held: Option<String>,
    /// What can be asked about processes that are written already: `P0:l1 == 1`, `P0@end2`, `enabled(0)`.
    remote: Vec<String>,
    /// How many processes are active so far.
    active: usize,
    /// How many names were made, so that none is made twice.
    made: usize,
    /// How deep statements are nested.
    depth: usize,
    /// Inside `atomic` or `d_step`: nothing may go on for ever.
    uninterrupted: bool,
    /// Inside `d_step`: nothing may block, start a process or leave.
    deterministic: bool,
    /// Inside what an `unless` can interrupt.
    escaped: bool,
    /// Whether processes have priorities.
    priorities: bool,
    /// Whether a loop is around that can be left.
    loops: usize,
    indent: usize,
}

impl<'r> Maker<'r> {
    fn new(rng: &'r mut Rng) -> Self {
        Self {
            rng,
            text: String::new(),
            globals: Vec::new(),
            locals: Vec::new(),
            channels: Vec::new(),
            startable: Vec::new(),
            labels: Vec::new(),
            records: None,
            inlines: Vec::new(),
            arrays: Vec::new(),
            carrier: None,
            held: None,
            remote: Vec::new(),
            active: 0,
            made: 0,
            depth: 0,
            uninterrupted: false,
            deterministic: false,
            escaped: false,
            priorities: false,
            loops: 0,
            indent: 0,
        }
    }

    fn line(&mut self, text: &str) {
        let blank = "  ".repeat(self.indent);
        self.text.push_str(&blank);
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn name(&mut self, stem: &str) -> String {
        self.made += 1;
        format!("{stem}{}", self.made)
    }

    fn globals(&mut self) {
        if self.rng.chance(40) {
            self.line("#define LOW 1");
            self.line("#define NEXT(v, m) (((v) + LOW) % (m))");
        }
        self.line("mtype = { red, green, blue };");
        for _ in 0..self.rng.below(3) + 1 {
            self.scalar();
        }
        if self.rng.chance(40) {
            let name = self.name("a");
            let size = self.rng.below(2) + 2;
            let ty = *self.rng.pick(&["byte", "bit", "short"]);
            self.line(&format!("{ty} {name}[{size}];"));
            let below = if ty == "bit" { 2 } else { 3 };
            self.globals.extend((0..size).map(|at| Var { name: format!("{name}[{at}]"), below }));
            self.arrays.push(name);
        }
        if self.rng.chance(35) {
            self.line("typedef T { byte f; bit g[2] };");
            let name = self.name("s");
            let array = self.rng.chance(30);
            self.line(&format!("T {name}{};", if array { "[2]" } else { "" }));
            let cell = if array { format!("{name}[1]") } else { name };
            if self.rng.chance(50) {
                let capacity = self.rng.below(3);
                let channel = self.name("qs");
                self.line(&format!("chan {channel} = [{capacity}] of {{ T }};"));
                self.records = Some((channel, cell.clone(), capacity));
            }
            self.globals.push(Var { name: format!("{cell}.f"), below: 3 });
            self.globals.push(Var { name: format!("{cell}.g[1]"), below: 2 });
            self.nested_structure();
        }
        for _ in 0..self.rng.below(3) + usize::from(self.rng.chance(50)) {
            self.channel();
        }
        self.carrier();
        if self.rng.chance(8) {
            // Only written: what a hidden variable holds is not part of a state, so what is read from it is chance.
            self.line("hidden byte h;");
        }
        if self.rng.chance(35) {
            let name = self.name("bump");
            let (by, modulo) = (self.rng.below(2) + 1, self.rng.below(2) + 2);
            let body = match self.rng.below(3) {
                0 => format!("x = (x + {by}) % {modulo}"),
                1 => format!("if :: x > 0 -> x = x - 1 :: else -> x = {by} fi"),
                _ => format!("byte t; t = x + {by}; x = t % {modulo}"),
            };
            self.line(&format!("inline {name}(x) {{ {body} }}"));
            if self.rng.chance(30) {
                let outer = self.name("twice");
                self.line(&format!("inline {outer}(y) {{ {name}(y); {name}(y) }}"));
                self.inlines.push(outer);
            }
            self.inlines.push(name);
        }
    }

    fn scalar(&mut self) {
        let name = self.name("g");
        let (decl, below) = match self.rng.below(10) {
            9 if !self.text.contains("oak") => (format!("mtype:tree = {{ oak, elm }};\nmtype:tree {name} = elm;"), 3),
            0 => (format!("bit {name};"), 2),
            1 => (format!("bool {name} = true;"), 2),
            2 => (format!("unsigned {name} : 2 = 1;"), 2),
            3 => (format!("short {name} = -1;"), 3),
            4 => (format!("int {name};"), 3),
            5 => (format!("mtype {name} = green;"), 4),
            // Close to where it wraps.
            6 => (format!("byte {name} = 254;"), 256),
            7 => (format!("short {name} = 32766;"), 256),
            _ => (format!("byte {name} = {};", self.rng.below(3)), 3),
        };
        self.line(&decl);
        self.globals.push(Var { name, below });
    }

    fn channel(&mut self) {
        let name = self.name("q");
        let capacity = if self.rng.chance(45) { 0 } else { self.rng.below(2) + 1 };
        let (types, fields): (&str, Vec<usize>) = match self.rng.below(4) {
            0 => ("byte", vec![3]),
            1 => ("mtype, byte", vec![4, 3]),
            2 => ("bit, byte", vec![2, 2]),
            _ => ("byte", vec![2]),
        };
        let array = self.rng.chance(20);
        let size = if array { "[2]" } else { "" };
        self.line(&format!("chan {name}{size} = [{capacity}] of {{ {types} }};"));
        let names = if array { vec![format!("{name}[0]"), format!("{name}[1]")] } else { vec![name] };
        self.channels.extend(names.into_iter().map(|name| Chan { name, fields: fields.clone(), capacity }));
    }

    fn processes(&mut self) {
        let by_init = self.rng.chance(40);
        // Spin has no priorities together with rendezvous.
        let buffered = !self.has_rendezvous() && self.records.is_none();
        self.priorities = buffered && self.rng.chance(20);
        let count = self.rng.below(2) + 1 + usize::from(!by_init);
        for at in 0..count {
            let name = format!("P{at}");
            let params = if by_init { self.rng.below(3) } else { 0 };
            let fields = if by_init && self.rng.chance(30) { self.chan().map(|chan| chan.fields) } else { None };
            self.proctype(&name, params, fields.clone(), !by_init);
            if by_init {
                self.startable.push((name, params, fields));
            }
        }
        if by_init {
            self.init(count);
        }
    }

    fn proctype(&mut self, name: &str, params: usize, fields: Option<Vec<usize>>, active: bool) {
        let prefix = match (active, self.rng.chance(15)) {
            (false, _) => "",
            (true, false) => "active ",
            (true, true) => "active [2] ",
        };
        self.locals.clear();
        self.labels.clear();
        let mut list: Vec<String> = (0..params).map(|at| format!("byte p{at}")).collect();
        let channels = self.channels.len();
        if let Some(fields) = fields {
            list.push("chan c".to_owned());
            // It may be any channel with these fields, so nothing is done that only a buffer allows.
            self.channels.push(Chan { name: "c".to_owned(), fields, capacity: 0 });
        }
        self.locals.extend((0..params).map(|at| Var { name: format!("p{at}"), below: 3 }));
        let provided = if self.rng.chance(10) && !self.globals.is_empty() {
            let condition = self.global_condition();
            let condition = if self.rng.chance(20) { format!("{condition} || _pid == 1") } else { condition };
            format!(" provided ({condition})")
        } else {
            String::new()
        };
        let priority = if self.priorities && self.rng.chance(50) { " priority 2" } else { "" };
        self.line(&format!("{prefix}proctype {name}({}){priority}{provided} {{", list.join("; ")));
        self.indent += 1;
        for _ in 0..self.rng.below(3) {
            let local = self.name("l");
            // With priorities, Spin's verifier forgets local bits.
            let types: &[&str] = if self.priorities { &["byte", "short"] } else { &["byte", "bit", "short"] };
            let ty = *self.rng.pick(types);
            let initial = if self.rng.chance(40) { " = 1" } else { "" };
            self.line(&format!("{ty} {local}{initial};"));
            self.locals.push(Var { name: local, below: if ty == "bit" { 2 } else { 3 } });
        }
        if self.rng.chance(15) {
            let local = self.name("v");
            self.line(&format!("byte {local}[2];"));
            self.locals.push(Var { name: format!("{local}[1]"), below: 3 });
        }
        self.local_channels();
        let begin = self.text.len();
        self.body();
        self.channels.truncate(channels);
        self.held = None;
        self.indent -= 1;
        self.line("}");
        if active {
            self.remember(name, prefix, begin);
        }
    }

    fn init(&mut self, count: usize) {
        self.locals.clear();
        self.labels.clear();
        let started = self.startable[..count].to_vec();
        self.startable.clear();
        self.line("init {");
        self.indent += 1;
        let atomic = self.rng.chance(60);
        if atomic {
            self.line("atomic {");
        }
        for (name, params, fields) in started {
            let mut arguments: Vec<String> = (0..params).map(|_| self.rng.below(3).to_string()).collect();
            arguments.extend(self.channel_for(fields));
            let priority = self.priority();
            self.line(&format!("run {name}({}){priority};", arguments.join(", ")));
            if self.rng.chance(20) {
                self.line("(_nr_pr == 1);");
            }
        }
        if atomic {
            self.line("skip }");
        } else {
            self.line("skip");
        }
        self.indent -= 1;
        self.line("}");
    }

    /// What a process that is started gets.
    fn priority(&mut self) -> String {
        let given = self.priorities && self.rng.chance(40);
        if given { format!(" priority {}", self.rng.below(3) + 1) } else { String::new() }
    }

    /// A channel with these fields.
    fn channel_for(&mut self, fields: Option<Vec<usize>>) -> Option<String> {
        let fields = fields?;
        let fitting: Vec<Chan> = self.channels.iter().filter(|chan| chan.fields == fields).cloned().collect();
        Some(self.rng.pick(&fitting).name.clone())
    }
}
