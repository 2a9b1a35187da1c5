//! Does the linker find the solver's library?
//!
//! The bindings ask the linker for it. Where this crate loads the library when it is first needed (`src/loading`), nothing of it is linked, and an empty
//! archive of its name will do: the project is then built without any Z3. Elsewhere the library has to be there, and who lacks it is told what to do.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    if is_loaded_at_run_time() {
        lay_down_archive();
    } else if !is_in_named_folder() {
        println!(
            "cargo:warning=the solver Z3 is linked on this system; if the linker does not find it, install Z3 5.4, or set \
             Z3_LIBRARY_PATH_OVERRIDE to the folder of its library and Z3_SYS_Z3_VERSION to its version"
        );
    }
}

/// The same condition as in `src/loading/mod.rs`.
fn is_loaded_at_run_time() -> bool {
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    target("OS") == "linux" && target("ENV") == "gnu" && ["x86_64", "aarch64"].contains(&target("ARCH").as_str())
}

/// An archive without members, where the linker looks.
fn lay_down_archive() {
    let Some(folder) = std::env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    if let Err(error) = std::fs::write(folder.join("libz3.a"), b"!<arch>\n") {
        println!("cargo:warning=an empty libz3.a could not be written: {error}");
    }
    println!("cargo:rustc-link-search=native={}", folder.display());
}

fn is_in_named_folder() -> bool {
    let named = std::env::var_os("Z3_LIBRARY_PATH_OVERRIDE");
    let entries = named.and_then(|folder| std::fs::read_dir(Path::new(&folder)).ok()).into_iter().flatten();
    entries.filter_map(Result::ok).any(|entry| entry.file_name().to_string_lossy().starts_with("libz3."))
}
