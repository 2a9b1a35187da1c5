//! What the fuzz targets share: every message must be presentable, and what was read must be writable.

use tertium_base::{Budget, Diagnostic, SourceFile};
use tertium_model::{Format, Loaded, Model, read_bytes, write_json, write_kmts};

/// Renders a message over the text that it points into; a panic is the finding.
pub fn render_all<'a>(messages: impl IntoIterator<Item = (&'a Diagnostic, Option<&'a SourceFile>)>) {
    for (diagnostic, source) in messages {
        assert!(!diagnostic.message.is_empty());
        let rendered = tertium_base::render::render(diagnostic, source, false);
        assert!(rendered.contains(diagnostic.code));
    }
}

/// Reads a structure; if it is accepted, writes it in both formats and reads it back.
pub fn structure_round_trip(bytes: &[u8], format: Format) {
    let budget = Budget::unlimited().with_memory(Some(1 << 30));
    let Ok(loaded) = read_bytes("input", format, bytes, &budget) else { return };
    render_all(loaded.messages());
    assert_eq!(loaded.model.is_none(), loaded.diagnostics.iter().any(Diagnostic::is_error));
    let Some(model) = &loaded.model else { return };
    let mut text = Vec::new();
    write_kmts(&mut text, model, &loaded.properties).expect("memory takes everything");
    expect_same(&loaded, model, &text, Format::Kmts, &budget);
    let mut text = Vec::new();
    write_json(&mut text, model, &loaded.properties).expect("memory takes everything");
    expect_same(&loaded, model, &text, Format::Json, &budget);
}

fn expect_same(loaded: &Loaded, model: &Model, text: &[u8], format: Format, budget: &Budget) {
    let again = read_bytes("written", format, text, budget).expect("what fitted once fits twice");
    assert_eq!(again.model.as_ref(), Some(model), "{}", String::from_utf8_lossy(text));
    assert_eq!(again.properties.len(), loaded.properties.len());
}
