//! Structures over abstract states in certificate documents: how are they read?

use tertium_base::Diagnostic;

use super::format::{RankText, RankedSetText, StructureText};
use super::read::{abstraction_of, marked, unknown};
use crate::abstraction::{Abstraction, Rank, RankedSet, Structure};

/// A structure, and what it is over.
pub(super) fn structure_of(structure: StructureText, text: &str) -> Result<(Abstraction, Structure), Box<Diagnostic>> {
    let over = abstraction_of(&structure.over, text)?;
    let mut labels = Vec::with_capacity(structure.labels.len());
    for row in &structure.labels {
        let row: Option<Vec<Option<bool>>> = row.chars().map(marked).collect();
        labels.push(row.ok_or_else(|| unknown(text, "list of truth values", "labels", &["`T`, `F` and `?`"]))?);
    }
    let StructureText { initial, steps, certain, able, stops, ranks, ranked, strong, untold, .. } = structure;
    let ranking = |RankText { terms, decreasing, non_increasing }| Rank { terms, decreasing, non_increasing };
    let ranks = ranks.into_iter().map(ranking).collect();
    let set = |RankedSetText { from, by, into }| RankedSet { from, by, into };
    let ranked = ranked.into_iter().map(set).collect();
    Ok((over, Structure { initial, labels, steps, certain, able, stops, ranks, ranked, strong, untold }))
}
