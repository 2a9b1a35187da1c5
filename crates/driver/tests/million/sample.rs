//! What came of the cases of one sample.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tertium_driver::Belnap;

/// Counts of cases by what came of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Samples drawn.
    pub samples: u64,
    /// Cases with a definite value.
    pub definite: u64,
    /// Cases whose value is unknown (or both).
    pub unknown: u64,
    /// Cases that a way to answer refuses, by the reason.
    pub refused: BTreeMap<String, u64>,
    /// Cases that no limit allowed to compare.
    pub limited: u64,
    /// Certificates that the kernel accepted.
    pub certificates: u64,
    /// Time of all threads together, in microseconds.
    pub microseconds: u64,
}

impl Tally {
    /// Counts a case by its value.
    pub fn value(&mut self, value: Belnap) {
        match value {
            Belnap::True | Belnap::False => self.definite += 1,
            Belnap::Unknown | Belnap::Both => self.unknown += 1,
        }
    }

    /// Counts a case that is refused for this reason.
    pub fn refuse(&mut self, why: impl Into<String>) {
        *self.refused.entry(why.into()).or_default() += 1;
    }

    /// All cases that were compared. What is refused or out of limits is counted beside them.
    pub fn cases(&self) -> u64 {
        self.definite + self.unknown
    }

    /// How many are refused.
    pub fn all_refused(&self) -> u64 {
        self.refused.values().sum()
    }

    /// Adds what came of other samples.
    pub fn add(&mut self, other: &Self) {
        self.samples += other.samples;
        self.definite += other.definite;
        self.unknown += other.unknown;
        self.limited += other.limited;
        self.certificates += other.certificates;
        self.microseconds += other.microseconds;
        other.refused.iter().for_each(|(why, count)| *self.refused.entry(why.clone()).or_default() += count);
    }

    /// For the file of a run.
    pub fn to_json(&self) -> Value {
        json!({
            "samples": self.samples, "definite": self.definite, "unknown": self.unknown, "refused": self.refused,
            "limited": self.limited, "certificates": self.certificates, "microseconds": self.microseconds,
        })
    }

    /// From the file of a run; what is missing there is zero.
    pub fn from_json(value: &Value) -> Self {
        let count = |name: &str| value[name].as_u64().unwrap_or_default();
        let refused = value["refused"].as_object().into_iter().flatten();
        Self {
            samples: count("samples"),
            definite: count("definite"),
            unknown: count("unknown"),
            refused: refused.map(|(why, count)| (why.clone(), count.as_u64().unwrap_or_default())).collect(),
            limited: count("limited"),
            certificates: count("certificates"),
            microseconds: count("microseconds"),
        }
    }
}

#[test]
fn a_tally_survives_its_file() {
    let mut tally = Tally { samples: 3, limited: 1, certificates: 7, microseconds: 12, ..Tally::default() };
    tally.value(Belnap::True);
    tally.value(Belnap::Both);
    tally.refuse("reals");
    assert_eq!(Tally::from_json(&tally.to_json()), tally);
    let mut twice = tally.clone();
    twice.add(&tally);
    assert_eq!((twice.cases(), twice.all_refused(), twice.samples), (4, 2, 6));
}
