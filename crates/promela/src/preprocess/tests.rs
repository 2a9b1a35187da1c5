//! Does the preprocessor do what C's does, and say where it cannot?

use std::collections::BTreeMap;

use super::*;

/// The tokens that are left, one blank between; the messages if there are any.
fn run(text: &str, files: &[(&str, &str)], defines: &[(&str, &str)]) -> String {
    let files: BTreeMap<String, String> = files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
    let load = |_: &Path, path: &Path| {
        files
            .get(&path.display().to_string())
            .cloned()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file"))
    };
    let defines = defines.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let done = preprocess("dir/m.pml", text, &Options { defines, load: &load });
    if !done.diagnostics.is_empty() {
        return done
            .diagnostics
            .iter()
            .map(|diagnostic| {
                let (file, line, column) =
                    done.sources.place(diagnostic.primary.as_ref().map_or(Span::default(), |label| label.span));
                format!("{file}:{line}:{column} {} {}", diagnostic.code, diagnostic.message)
            })
            .collect::<Vec<_>>()
            .join("\n");
    }
    shown(&done.tokens).trim().to_owned()
}

fn plain(text: &str) -> String {
    run(text, &[], &[])
}

#[test]
fn a_text_that_defines_what_was_given_is_warned_about() {
    let with = |text| run(text, &[], &[("N", "3"), ("M(a)", "a + 1")]);
    assert_eq!(with("#ifndef N\n#define N 5\n#endif\nx = N;"), "x = 3;");
    assert_eq!(with("#define N 3\nx = N;"), "x = 3;");
    assert_eq!(
        with("x = N;\n#define N 5\ny = N"),
        "dir/m.pml:2:1 W0508 `-D N=3` has no effect from here on: the text defines `N` again"
    );
    assert_eq!(
        with("#undef M\n#define M(a) a"),
        "dir/m.pml:2:1 W0508 `-D M(a)=a + 1` has no effect from here on: the text defines `M` again"
    );
    assert!(!with("#define N 5\n#define N 6\n").contains('\n'), "once is enough");
}

#[test]
fn macros_are_expanded_as_c_does() {
    assert_eq!(plain("#define N 3\n#define M (N + 1)\nx = M;"), "x = (3 + 1);");
    assert_eq!(plain("#define f(a, b) a*b\nf(1, (2, 3)) f"), "1*(2, 3) f");
    assert_eq!(plain("#define f(x) (x)\n#define g f\ng(f(f(y)))"), "(((y)))");
    assert_eq!(plain("#define a a + b\n#define b a\na"), "a + a");
    assert_eq!(plain("#define cat(a, b) a ## b\n#define str(a) #a\ncat(x, 1) str(a  \"b\")"), "x1 \"a \\\"b\\\"\"");
    assert_eq!(plain("#define p(...) printf(__VA_ARGS__)\np(\"%d\", 1 , 2)"), "printf(\"%d\", 1, 2)");
    assert_eq!(plain("#define e()\n#define z\n[e()z]"), "[]");
    assert_eq!(plain("#define f(x) x x\nf(1\n+ 2)"), "1 + 2 1 + 2");
    // The classic example of the C standard.
    let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
        #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n\
        f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m(f)^m(m);";
    let expected = "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1); f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) \
        & f(2 * (0,1))^m(0,1);";
    assert_eq!(plain(text), expected);
}

#[test]
fn conditions_choose_lines() {
    let text = "#ifdef A\na\n#elif B > 2 && defined(C)\nb\n#else\nc ' \" $\n#endif\n#ifndef A\nd\n#endif";
    assert_eq!(run(text, &[], &[("A", "")]), "a");
    assert_eq!(run(text, &[], &[("B", "3"), ("C", "")]), "b d");
    assert_eq!(plain("#if 0\n#if 1\nx\n#else\ny\n#endif\n#else\nz\n#endif"), "z");
    assert_eq!(plain("#if (0x10 == 16) ? 1 << 2 : 0\nyes\n#endif"), "yes");
    assert_eq!(plain("#if !defined X && -1 < 0 && 7 / 2 == 3\nyes\n#endif"), "yes");
}

#[test]
fn files_are_included_beside_the_file() {
    let files = [("dir/a.h", "#include \"sub/b.h\"\na"), ("dir/sub/b.h", "b"), ("dir/loop.h", "#include \"loop.h\"\n")];
    assert_eq!(run("#include \"a.h\"\nm", &files, &[]), "b a m");
    assert_eq!(run("#include <a.h>\nm", &files, &[]), "b a m");
    let looped = run("#include \"loop.h\"\n", &files, &[]);
    assert_eq!(looped, "dir/loop.h:1:1 E0503 files include each other more than 40 levels deep");
    let missing = run("\n#include \"c.h\"\n", &files, &[]);
    assert_eq!(missing, "dir/m.pml:2:1 E0503 cannot read `dir/c.h`: no such file");
}

#[test]
fn a_file_that_includes_itself_twice_comes_to_an_end() {
    let files = [("dir/loop.h", "#include \"loop.h\"\n#include \"loop.h\"\n")];
    assert!(run("#include \"loop.h\"\n", &files, &[]).contains("too much is included"));
}

#[test]
fn line_markers_are_obeyed() {
    assert_eq!(plain("x\n# 40 \"old.pml\"\n\n#bogus\n"), "old.pml:41:1 E0502 `#bogus` is no directive");
    assert_eq!(plain("#line 9\n#endif"), "dir/m.pml:9:1 E0502 this `#endif` has no `#if`");
}

#[test]
fn mistakes_have_places() {
    assert_eq!(plain("\n#if 1\nx"), "dir/m.pml:2:1 E0502 this `#if` has no `#endif`");
    assert_eq!(plain("#if 1 +\n#endif"), "dir/m.pml:1:8 E0502 this condition is not complete");
    assert_eq!(plain("#define f(x) x\n f(1, 2)"), "dir/m.pml:2:2 E0504 macro `f` has 1 parameters, but 2 are given");
    assert_eq!(plain("#define f(x) x\n f(1"), "dir/m.pml:2:2 E0504 the arguments of macro `f` do not end");
    assert_eq!(plain("#defin X"), "dir/m.pml:1:1 E0502 `#defin` is no directive");
}

#[test]
fn macros_that_double_themselves_come_to_an_end() {
    let mut text = String::from("#define m0 x x\n");
    for level in 1..40 {
        text += &format!("#define m{level} m{} m{}\n", level - 1, level - 1);
    }
    assert!(plain(&(text + "m39")).starts_with("dir/m.pml:41:1 E0504 macros make more than"));
}
