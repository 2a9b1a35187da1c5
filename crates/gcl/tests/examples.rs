//! The programs of the corpus are accepted as they stand.

use tertium_base::SourceFile;
use tertium_base::render::render;

fn corpus() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/gcl");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "gcl"));
    assert!(files.len() >= 9);
    files.iter().map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_program_of_the_corpus_is_accepted() {
    for (name, text) in corpus() {
        let compiled = tertium_gcl::compile(&text);
        let source = SourceFile::new(name.clone(), text.clone());
        let messages: Vec<String> = compiled.diagnostics.iter().map(|d| render(d, Some(&source), false)).collect();
        assert_eq!(messages, Vec::<String>::new());
        let program = compiled.program.unwrap();
        assert!(!program.properties.is_empty());
        assert_eq!(program.violations(), Vec::<String>::new(), "{name}");
    }
}
