//! Everything that an input says, in any order, before it is known what kind of structure it is.
//!
//! Both readers fill a [`Draft`]; [`super::finish`] checks it as a whole and builds the model. Values `t`,
//! `u`, `f`, `b` of labels are kept as bits, an edge as eight bytes; texts of other values are kept once.
//!
//! Not here: syntax, and every check that needs the whole input.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Diagnostic, SourceFile, Span, diagnostic::closest_name};

use super::bytes::{Flow, Halt};
use super::json::not_text;
use super::report::Report;
use crate::kmts::{MAY, MUST, TARGET};
use crate::names::{NameTable, Names, Refused, room};

/// Places are remembered for this many mentions of each kind: enough for every file that a person reads.
const PLACES: usize = 1 << 16;
/// Names much longer than this are accidents.
const LONGEST_NAME: usize = 4096;

pub(crate) const NONE: u32 = u32::MAX;

/// A property that came with a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name; `property1` and so on if the input gives none.
    pub name: String,
    /// The logic that the input names, e.g. `ctl`.
    pub logic: Option<String>,
    /// The formula's text.
    pub formula: String,
    /// Where the formula stands in the input; exact unless its JSON string has escapes.
    pub span: Span,
    /// The line that the formula stands in, so that mistakes in it can be shown.
    pub source: SourceFile,
}

/// A label whose value is not one of the four letters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OddLabel {
    pub state: u32,
    pub prop: u32,
    pub value: u32,
    pub at: usize,
}

/// The labels of one proposition as bits per state: is there one, evidence for true, evidence for false.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plane {
    pub set: Vec<u64>,
    pub for_true: Vec<u64>,
    pub for_false: Vec<u64>,
}

impl Plane {
    pub fn get(words: &[u64], at: usize) -> bool {
        words.get(at >> 6).is_some_and(|word| word >> (at & 63) & 1 != 0)
    }

    fn put(words: &mut Vec<u64>, at: usize) {
        if words.len() <= at >> 6 {
            words.resize((at >> 6) + 1, 0);
        }
        words[at >> 6] |= 1 << (at & 63);
    }
}

/// One set of hyper edges, flat.
#[derive(Clone, Debug, Default)]
pub(crate) struct HyperDraft {
    pub sources: Vec<u32>,
    pub actions: Vec<u32>,
    pub ends: Vec<u32>,
    pub members: Vec<u32>,
    pub places: Vec<usize>,
}

/// The edges of a constraint, or of one half of it.
pub(crate) type Pairs = Vec<(u32, u32, u32)>;

/// One fairness constraint: its edges, and those that surely count if they differ.
#[derive(Clone, Debug, Default)]
pub(crate) struct FairDraft {
    pub possible: Pairs,
    pub certain: Option<Pairs>,
    pub span: Span,
}

/// A lattice as written down.
#[derive(Clone, Debug, Default)]
pub(crate) struct LatticeDraft {
    pub name: Option<String>,
    pub span: Span,
    pub elements: Option<Vec<(String, Span)>>,
    pub leq: Option<Vec<(String, String, Span)>>,
    pub covers: Option<Vec<(String, String, Span)>>,
    pub neg: Option<Vec<(String, String, Span)>>,
}

pub(crate) struct Draft<'b> {
    pub budget: &'b Budget,
    pub report: Report,
    pub states: NameTable,
    /// Per name of a state the order in which it was declared, or [`NONE`].
    pub order: Vec<u32>,
    pub declared: u32,
    pub has_states: bool,
    state_places: Vec<usize>,
    /// Names mentioned before they are declared, with the first place.
    pub forward: Vec<(u32, usize)>,
    pub props: NameTable,
    pub prop_places: Vec<usize>,
    pub declared_props: Option<Vec<u32>>,
    pub planes: Vec<Plane>,
    pub odd: Vec<OddLabel>,
    pub values: NameTable,
    /// For each proposition the last state that gave it a value, to notice repetitions.
    last_labelled: Vec<u32>,
    pub actions: NameTable,
    pub sources: Vec<u32>,
    pub words: Vec<u32>,
    pub edge_actions: Vec<u32>,
    pub must_places: Vec<(u32, u32, usize)>,
    pub hyper: HyperDraft,
    pub valued: Vec<(u32, u32, u32)>,
    pub valued_places: Vec<usize>,
    pub fair: Vec<FairDraft>,
    pub init: Vec<u32>,
    /// States and their players, as mentioned.
    pub owners: Vec<(u32, u32, usize)>,
    pub players: NameTable,
    pub total: Option<(bool, Span)>,
    pub mixed: Option<(bool, Span)>,
    pub params: Option<Vec<(String, Span)>>,
    pub lattice: Option<LatticeDraft>,
    pub properties: Vec<Property>,
    ticks: u32,
}

impl<'b> Draft<'b> {
    pub fn new(budget: &'b Budget) -> Self {
        Self {
            budget,
            report: Report::default(),
            states: NameTable::default(),
            order: Vec::new(),
            declared: 0,
            has_states: false,
            state_places: Vec::new(),
            forward: Vec::new(),
            props: NameTable::default(),
            prop_places: Vec::new(),
            declared_props: None,
            planes: Vec::new(),
            odd: Vec::new(),
            values: NameTable::default(),
            last_labelled: Vec::new(),
            actions: NameTable::default(),
            sources: Vec::new(),
            words: Vec::new(),
            edge_actions: Vec::new(),
            must_places: Vec::new(),
            hyper: HyperDraft::default(),
            valued: Vec::new(),
            valued_places: Vec::new(),
            fair: Vec::new(),
            init: Vec::new(),
            owners: Vec::new(),
            players: NameTable::default(),
            total: None,
            mixed: None,
            params: None,
            lattice: None,
            properties: Vec::new(),
            ticks: 0,
        }
    }

    /// The number of a state that is mentioned, declared or not.
    #[inline]
    pub fn mention(&mut self, name: &[u8], span: Span) -> Flow<u32> {
        match self.states.find(name) {
            Some(state) => Ok(state),
            None => self.mention_new(name, span),
        }
    }

    #[cold]
    fn mention_new(&mut self, name: &[u8], span: Span) -> Flow<u32> {
        let state = self.new_state(name, span)?;
        room(&mut self.forward, self.budget)?;
        self.forward.push((state, span.start));
        Ok(state)
    }

    fn new_state(&mut self, name: &[u8], span: Span) -> Flow<u32> {
        check_length(name, span)?;
        let (state, new) = self.states.intern(name, self.budget).map_err(|why| refused(why, span))?;
        if new {
            if state >= TARGET {
                return Err(too_many("states", TARGET as usize, span));
            }
            room(&mut self.order, self.budget)?;
            self.order.push(NONE);
        }
        Ok(state)
    }

    /// Declares a state. Without a result if it was declared before, which is reported.
    pub fn declare(&mut self, name: &[u8], span: Span) -> Flow<Option<u32>> {
        self.has_states = true;
        let state = self.new_state(name, span)?;
        let order = &mut self.order[state as usize];
        if *order != NONE {
            let first = self.state_places.get(*order as usize).copied();
            self.duplicate("E0205", "state", name, span, first);
            return Ok(None);
        }
        *order = self.declared;
        self.declared += 1;
        if self.state_places.len() < PLACES {
            self.state_places.push(span.start);
        }
        Ok(Some(state))
    }

    /// Reports that something is declared a second time.
    pub fn duplicate(&mut self, code: &'static str, what: &str, name: &[u8], span: Span, first: Option<usize>) {
        let text = String::from_utf8_lossy(name);
        let mut diagnostic =
            Diagnostic::error(code, format!("{what} `{text}` is declared twice")).at(span, "declared again");
        if let Some(first) = first {
            diagnostic = diagnostic.also(Span::new(first, first + name.len()), "declared here first");
        }
        self.report.add(diagnostic);
    }

    /// The number of a proposition, declared or not.
    pub fn prop(&mut self, name: &[u8], span: Span) -> Flow<u32> {
        check_length(name, span)?;
        let (prop, new) = self.props.intern(name, self.budget).map_err(|why| refused(why, span))?;
        if new {
            self.prop_places.push(span.start);
            self.planes.push(Plane::default());
            self.last_labelled.push(NONE);
        }
        Ok(prop)
    }

    /// Declares a proposition.
    pub fn declare_prop(&mut self, name: &[u8], span: Span) -> Flow {
        let prop = self.prop(name, span)?;
        let declared = self.declared_props.get_or_insert_default();
        if declared.contains(&prop) {
            self.duplicate("E0222", "proposition", name, span, None);
        } else {
            declared.push(prop);
        }
        Ok(())
    }

    /// Gives a proposition a value at a state.
    pub fn label(&mut self, state: u32, prop: u32, value: &[u8], span: Span) -> Flow {
        if std::mem::replace(&mut self.last_labelled[prop as usize], state) == state {
            let name = self.props.names().get(prop as usize).to_owned();
            self.report.add(
                Diagnostic::error("E0206", format!("`{name}` has two values at one state"))
                    .at(span, "the second value"),
            );
            return Ok(());
        }
        let (yes, no) = match value {
            b"t" => (true, false),
            b"f" => (false, true),
            b"u" => (false, false),
            b"b" => (true, true),
            _ => return self.odd_label(state, prop, value, span),
        };
        let plane = &mut self.planes[prop as usize];
        Plane::put(&mut plane.set, state as usize);
        if yes {
            Plane::put(&mut plane.for_true, state as usize);
        }
        if no {
            Plane::put(&mut plane.for_false, state as usize);
        }
        self.budget.tick(&mut self.ticks)?;
        Ok(())
    }

    #[cold]
    fn odd_label(&mut self, state: u32, prop: u32, value: &[u8], span: Span) -> Flow {
        let value = self.value(value, span)?;
        room(&mut self.odd, self.budget)?;
        self.odd.push(OddLabel { state, prop, value, at: span.start });
        Ok(())
    }

    fn value(&mut self, text: &[u8], span: Span) -> Flow<u32> {
        let (value, _) = self.values.intern(text, self.budget).map_err(|why| refused(why, span))?;
        Ok(value)
    }

    /// The number of an action.
    pub fn action(&mut self, name: &[u8], span: Span) -> Flow<u32> {
        check_length(name, span)?;
        let (action, _) = self.actions.intern(name, self.budget).map_err(|why| refused(why, span))?;
        Ok(action)
    }

    /// The number of a player.
    pub fn player(&mut self, name: &[u8], span: Span) -> Flow<u32> {
        check_length(name, span)?;
        let (player, _) = self.players.intern(name, self.budget).map_err(|why| refused(why, span))?;
        Ok(player)
    }

    /// Says who owns a state.
    pub fn owner(&mut self, state: u32, player: u32, at: usize) -> Flow {
        room(&mut self.owners, self.budget)?;
        self.owners.push((state, player, at));
        Ok(())
    }

    /// Adds a plain edge; `action` may be [`NONE`].
    #[inline]
    pub fn edge(&mut self, from: u32, to: u32, may: bool, must: bool, action: u32, at: usize) -> Flow {
        if self.words.len() == self.words.capacity() {
            self.more_edges(Span::new(at, at + 1))?;
        }
        self.sources.push(from);
        self.words.push(to | if may { MAY } else { 0 } | if must { MUST } else { 0 });
        if action != NONE || !self.edge_actions.is_empty() {
            self.edge_action(action)?;
        }
        if must {
            self.remember_must(from, to, at);
        }
        Ok(())
    }

    #[cold]
    fn more_edges(&mut self, span: Span) -> Flow {
        if self.words.len() >= NONE as usize - 1 {
            return Err(too_many("edges", NONE as usize - 1, span));
        }
        room(&mut self.words, self.budget)?;
        room(&mut self.sources, self.budget)?;
        Ok(())
    }

    fn edge_action(&mut self, action: u32) -> Flow {
        if self.edge_actions.is_empty() {
            self.budget.reserve(self.words.capacity() * 4)?;
            self.edge_actions.reserve_exact(self.words.capacity());
        }
        self.edge_actions.resize(self.words.len() - 1, NONE);
        room(&mut self.edge_actions, self.budget)?;
        self.edge_actions.push(action);
        Ok(())
    }

    fn remember_must(&mut self, from: u32, to: u32, at: usize) {
        if self.must_places.len() < PLACES {
            self.must_places.push((from, to, at));
        }
    }

    /// Adds an edge with a value; its text is kept for later.
    pub fn valued_edge(&mut self, from: u32, value: &[u8], to: u32, span: Span) -> Flow {
        let value = self.value(value, span)?;
        room(&mut self.valued, self.budget)?;
        if self.valued.len() >= NONE as usize - 1 {
            return Err(too_many("edges", NONE as usize - 1, span));
        }
        self.valued.push((from, value, to));
        if self.valued_places.len() < PLACES {
            self.valued_places.push(span.start);
        }
        Ok(())
    }

    /// Adds a member to the hyper edge that the next [`Self::hyper`] completes.
    pub fn member(&mut self, state: u32) -> Flow {
        room(&mut self.hyper.members, self.budget)?;
        self.hyper.members.push(state);
        Ok(())
    }

    /// Completes a hyper edge with the members added since the last one.
    pub fn hyper(&mut self, from: u32, action: u32, span: Span) -> Flow {
        let start = self.hyper.ends.last().copied().unwrap_or(0) as usize;
        if self.hyper.members.len() == start {
            let name = self.states.names().get(from as usize).to_owned();
            self.report.add(
                Diagnostic::error("E0210", format!("a hyper edge of `{name}` has no members"))
                    .at(span, "leads nowhere")
                    .note("it would say that a step is certain and leads to no state: a contradiction"),
            );
            return Ok(());
        }
        if self.hyper.members.len() >= NONE as usize {
            return Err(too_many("members of hyper edges", NONE as usize, span));
        }
        room(&mut self.hyper.sources, self.budget)?;
        room(&mut self.hyper.actions, self.budget)?;
        room(&mut self.hyper.ends, self.budget)?;
        self.hyper.sources.push(from);
        self.hyper.actions.push(action);
        self.hyper.ends.push(to_u32(self.hyper.members.len()));
        if self.hyper.places.len() < PLACES {
            self.hyper.places.push(span.start);
        }
        Ok(())
    }

    /// The members of a completed hyper edge.
    pub fn members_of(&self, hyper: usize) -> &[u32] {
        let start = if hyper == 0 { 0 } else { self.hyper.ends[hyper - 1] as usize };
        &self.hyper.members[start..self.hyper.ends[hyper] as usize]
    }

    /// A state's name.
    pub fn name(&self, state: u32) -> &str {
        self.states.names().get(state as usize)
    }
}

/// Adds a suggestion if a name close to `name` is known. Looks at no more than 100,000 of them.
pub(crate) fn suggest<'a>(diagnostic: Diagnostic, name: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    match closest_name(name, known.into_iter().take(100_000)) {
        Some(close) => diagnostic.help(format!("a similar name exists: `{close}`")),
        None => diagnostic,
    }
}

fn check_length(name: &[u8], span: Span) -> Flow {
    if name.len() <= LONGEST_NAME && !name.is_empty() {
        return Ok(());
    }
    let message = match name.is_empty() {
        true => "a name is empty".to_owned(),
        false => format!("a name is longer than {LONGEST_NAME} bytes"),
    };
    Err(Diagnostic::error("E0224", message)
        .at(Span::new(span.start, span.end.min(span.start + 40)), "this name")
        .into())
}

fn refused(why: Refused, span: Span) -> Halt {
    match why {
        Refused::NotText => not_text(span),
        Refused::TooMuch => too_many("bytes of names", Names::MAX_BYTES, span),
        Refused::Stopped(stopped) => stopped.into(),
    }
}

fn too_many(what: &str, limit: usize, span: Span) -> Halt {
    Diagnostic::error("E0221", format!("more than {limit} {what}")).at(span, "one too many").into()
}
