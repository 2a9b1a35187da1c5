//! What has to change for a name to change?
//!
//! The changed text is read again, and the renaming is refused unless every name stands for the same thing as before: the
//! same declarations, used in the same places. So a new name can neither hide another one nor be hidden, and nothing that
//! a macro makes is left behind.

use tertium_base::{Diagnostic, Span, SymbolKind, SymbolTable};

use super::{Analysis, TextKind, analyse};

/// The places that a renaming changes, in the order of the text.
///
/// # Errors
/// If nothing stands there that has a name of its own, the new name cannot be one, or something would change its meaning.
pub fn rename(
    analysis: &Analysis,
    file: &str,
    text: &str,
    offset: usize,
    new_name: &str,
) -> Result<Vec<Span>, Box<Diagnostic>> {
    let (symbol, _) = target(analysis, text, offset)?;
    let old = &analysis.names.symbols()[symbol];
    if !analysis.kind.is_name(new_name) {
        let reserved = analysis.kind.keywords().contains(&new_name);
        let why = if reserved { "it is a word of the language" } else { "names are letters, digits and `_`" };
        return Err(Diagnostic::error("E0381", format!("`{new_name}` cannot be a name")).note(why).into());
    }
    let places = analysis.names.places(symbol);
    if new_name == old.name {
        return Ok(Vec::new());
    }
    if analysis.kind == TextKind::Promela {
        special_label(old.kind, &old.name, new_name)?;
    }
    let changed = replaced(text, &places, new_name);
    let again = analyse(analysis.kind, file, &changed);
    if again.is_broken() && !analysis.is_broken() {
        let first = again.messages.iter().find(|message| message.diagnostic.is_error());
        let why = first.map_or(String::new(), |message| message.diagnostic.message.clone());
        return Err(refused(&old.name, new_name).note(format!("the text would be wrong: {why}")).into());
    }
    match differs(&analysis.names, &again.names, symbol, &places, new_name) {
        Some(name) => Err(refused(&old.name, new_name).note(format!("`{name}` would stand for something else")).into()),
        None => Ok(places),
    }
}

/// The symbol that can be renamed at a place, and where its name stands there.
///
/// # Errors
/// If there is none.
pub fn target(analysis: &Analysis, text: &str, offset: usize) -> Result<(usize, Span), Box<Diagnostic>> {
    let nothing = || Box::new(Diagnostic::error("E0380", "there is no name here that could be changed"));
    let found = analysis.names.at(offset).ok_or_else(nothing)?;
    let symbol = &analysis.names.symbols()[found.symbol];
    // `init` and an unnamed `never` are called by the word that begins them.
    if analysis.kind == TextKind::Promela && analysis.kind.keywords().contains(&symbol.name.as_str()) {
        return Err(nothing());
    }
    for place in analysis.names.places(found.symbol) {
        if place.end > text.len() {
            return Err(Diagnostic::error("E0383", format!("`{}` stands in an included file, too", symbol.name))
                .help("change it in both files by hand")
                .into());
        }
        if text.get(place.start..place.end) != Some(symbol.name.as_str()) {
            return Err(nothing());
        }
    }
    Ok((found.symbol, found.span))
}

fn refused(old: &str, new: &str) -> Diagnostic {
    Diagnostic::error("E0382", format!("`{old}` cannot be renamed to `{new}`"))
}

/// Names that Promela looks at: `end`, `accept` and `progress` at the beginning of a label.
fn special_label(kind: SymbolKind, old: &str, new: &str) -> Result<(), Box<Diagnostic>> {
    let special = |name: &str| ["end", "accept", "progress"].into_iter().find(|begin| name.starts_with(begin));
    if kind == SymbolKind::Label && special(old) != special(new) {
        let begin = special(old).or(special(new)).unwrap_or_default();
        let note = format!("labels that begin with `{begin}` have a meaning of their own in Promela");
        return Err(refused(old, new).note(note).into());
    }
    Ok(())
}

/// The text with another name at these places.
#[must_use]
pub fn replaced(text: &str, places: &[Span], new_name: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        result.push_str(&text[at..place.start]);
        result.push_str(new_name);
        at = place.end;
    }
    result.push_str(&text[at..]);
    result
}

/// A name that stands for something else after a renaming.
fn differs(
    before: &SymbolTable,
    after: &SymbolTable,
    renamed: usize,
    places: &[Span],
    new_name: &str,
) -> Option<String> {
    let old_length = before.symbols()[renamed].name.len();
    let moved = |span: Span| {
        let passed = places.partition_point(|place| place.start < span.start);
        let shift = |at: usize| at + passed * new_name.len() - passed * old_length;
        let own = places.binary_search(&span).is_ok();
        Span::new(shift(span.start), if own { shift(span.start) + new_name.len() } else { shift(span.end) })
    };
    let mut wanted: Vec<(Span, Span)> =
        places_of(before).map(|(name, declared)| (moved(name), moved(declared))).collect();
    let mut found: Vec<(Span, Span)> = places_of(after).collect();
    wanted.sort_unstable();
    found.sort_unstable();
    let odd = wanted.iter().find(|pair| found.binary_search(pair).is_err());
    let odd = odd.or_else(|| found.iter().find(|pair| wanted.binary_search(pair).is_err()))?;
    let named = after.symbols().iter().find(|symbol| symbol.span == odd.1);
    Some(named.map_or_else(|| new_name.to_owned(), |symbol| symbol.name.clone()))
}

/// Every place of a name with the place of its declaration.
fn places_of(names: &SymbolTable) -> impl Iterator<Item = (Span, Span)> {
    let declared = names.symbols().iter().map(|symbol| (symbol.span, symbol.span));
    declared.chain(names.uses().iter().map(|found| (found.span, names.symbols()[found.symbol].span)))
}
