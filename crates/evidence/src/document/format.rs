//! The shape of a certificate document, as serde reads it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::abstraction::Taken;

/// Only what tells versions apart.
#[derive(Deserialize)]
pub(super) struct Head {
    pub(super) tertium_certificate: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    #[serde(rename = "tertium_certificate")]
    pub(super) _version: u64,
    #[serde(default)]
    pub(super) parts: Vec<PartText>,
    #[serde(default)]
    pub(super) invariant: Option<InvariantText>,
    #[serde(default)]
    pub(super) structure: Option<StructureText>,
    #[serde(default)]
    pub(super) counted: Option<CountedText>,
}

/// Proofs about programs in which members of families are counted.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct CountedText {
    #[serde(default)]
    pub(super) constant: Option<String>,
    pub(super) shown: Vec<ShownText>,
    #[serde(default)]
    pub(super) sizes: Vec<SizedText>,
}

/// One of them, and which others it takes to hold.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ShownText {
    #[serde(default)]
    pub(super) lemmas: Vec<usize>,
    pub(super) certificate: serde_json::Value,
}

/// A proof about the system of one size.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct SizedText {
    pub(super) size: i64,
    pub(super) of: usize,
    pub(super) certificate: serde_json::Value,
}

/// Abstract states that contain everything that can be reached.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct InvariantText {
    #[serde(rename = "where")]
    pub(super) place: PlaceText,
    pub(super) formula: String,
    pub(super) logic: String,
    pub(super) value: String,
    pub(super) over: AbstractionText,
}

/// A structure over abstract states, which the parts then speak of.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct StructureText {
    pub(super) over: AbstractionText,
    pub(super) initial: Vec<u32>,
    pub(super) labels: Vec<String>,
    pub(super) steps: Vec<(u32, u32, Vec<u32>)>,
    #[serde(default)]
    pub(super) certain: Vec<(u32, Option<u32>, Vec<u32>)>,
    #[serde(default)]
    pub(super) able: Vec<(u32, Vec<u32>)>,
    #[serde(default)]
    pub(super) stops: Vec<u32>,
    #[serde(default)]
    pub(super) untold: Vec<u32>,
    #[serde(default)]
    pub(super) ranks: Vec<RankText>,
    #[serde(default)]
    pub(super) ranked: Vec<RankedSetText>,
    #[serde(default)]
    pub(super) strong: Vec<u32>,
}

/// A lexicographic ranking function, and what steps do to it.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct RankText {
    pub(super) terms: Vec<String>,
    #[serde(default)]
    pub(super) decreasing: Vec<Taken>,
    #[serde(default)]
    pub(super) non_increasing: Vec<Taken>,
}

/// A certain set with rank conditions.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct RankedSetText {
    pub(super) from: u32,
    #[serde(default)]
    pub(super) by: Option<u32>,
    pub(super) into: Vec<(u32, Vec<(u32, bool)>)>,
}

/// Predicates and abstract states.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct AbstractionText {
    #[serde(default)]
    pub(super) later: Vec<LaterText>,
    #[serde(default)]
    pub(super) shared: Vec<String>,
    #[serde(default)]
    pub(super) always: Vec<String>,
    #[serde(default)]
    pub(super) cells: Vec<String>,
    pub(super) predicates: Vec<String>,
    pub(super) states: Vec<StateText>,
}

/// A process that may be started later.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct LaterText {
    pub(super) pid: u32,
    pub(super) process: String,
    #[serde(default)]
    pub(super) given: BTreeMap<String, i64>,
}

/// An abstract state: locations, values of cells, values of predicates as `T`, `F` and `?`.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct StateText {
    pub(super) at: Vec<Option<u32>>,
    #[serde(default)]
    pub(super) values: Vec<i64>,
    #[serde(default)]
    pub(super) cube: String,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct PartText {
    #[serde(rename = "where", default)]
    pub(super) place: PlaceText,
    pub(super) model: String,
    pub(super) formula: String,
    pub(super) logic: String,
    pub(super) deadlock: String,
    pub(super) linear: String,
    pub(super) state: Box<str>,
    pub(super) value: String,
    pub(super) proof: ProofText,
}

#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub(super) enum PlaceText {
    #[default]
    #[serde(skip)]
    Whole,
    Assignment(BTreeMap<String, bool>),
    Element(String),
    Property(PropertyText),
    Mistake(String),
    #[serde(rename = "fair-completions")]
    FairCompletions,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct PropertyText {
    pub(super) text: String,
    pub(super) stutter: bool,
    #[serde(default)]
    pub(super) fair: bool,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) enum ProofText {
    Claims(Vec<ClaimText>),
    Lasso(LassoText),
    NoPath,
    Plays(PlaysText),
    Labels(Vec<LabelText>),
    NoWord,
    Settled(SettledText),
    Refuted(Vec<RefutedText>),
    Outplayed(Vec<StandText>),
    Completions(Box<CompletionsText>),
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct LassoText {
    pub(super) stem: Vec<Box<str>>,
    pub(super) cycle: Vec<Box<str>>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaysText {
    pub(super) positions: Vec<(Box<str>, u32)>,
    pub(super) moves: Vec<Vec<u32>>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct SettledText {
    pub(super) positions: Vec<(Box<str>, u32)>,
    pub(super) moves: Vec<Vec<Vec<u32>>>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct RefutedText {
    pub(super) state: Box<str>,
    pub(super) terms: Vec<(u32, bool)>,
    pub(super) watched: Vec<(u32, bool)>,
    pub(super) rank: u32,
}

/// A position of a completion game.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct StandText {
    pub(super) states: Vec<Box<str>>,
    pub(super) terms: Vec<u32>,
    #[serde(default)]
    pub(super) watched: Vec<WatchText>,
    pub(super) moves: Vec<(u32, Vec<u32>)>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct WatchText {
    pub(super) name: u32,
    pub(super) threads: Vec<(u32, u32)>,
    #[serde(default)]
    pub(super) met: Vec<(u32, u32)>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct CompletionsText {
    pub(super) satisfying: CompletionText,
    pub(super) violating: CompletionText,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct CompletionText {
    pub(super) structure: serde_json::Value,
    pub(super) refines: BTreeMap<String, Vec<Box<str>>>,
    pub(super) proof: ProofText,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimText {
    pub(super) state: Box<str>,
    pub(super) node: u32,
    pub(super) is: bool,
    #[serde(default)]
    pub(super) by: ChoiceText,
}

#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub(super) enum ChoiceText {
    #[default]
    #[serde(skip)]
    Nothing,
    Operand(u8),
    Into(Vec<Box<str>>),
    Onward,
    Along(u32),
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelText {
    pub(super) node: u32,
    #[serde(rename = "true")]
    pub(super) yes: Vec<Box<str>>,
    #[serde(rename = "false")]
    pub(super) no: Vec<Box<str>>,
}
