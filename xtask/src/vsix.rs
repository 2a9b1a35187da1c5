//! Which file does Visual Studio Code install?
//!
//! `xtask vsix FOLDER` packs `editors/vscode` as `tertium-VERSION.vsix`: a ZIP file with a manifest, as the packaging tool of the editor writes it, made
//! without that tool, since the extension needs no packages. Entries are stored as they are and have no date, so that the same files make the same bytes.
//! ZIP: PKWARE's APPNOTE, sections 4.3 and 4.4.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

pub const HELP: &str = "vsix FOLDER";

/// 1 January 1980, the first day that a ZIP file knows.
const DATE: u16 = 0x21;

/// Runs the command.
pub fn command(mut words: impl Iterator<Item = String>) -> ExitCode {
    let (Some(out), None) = (words.next(), words.next()) else {
        eprintln!("usage: xtask {HELP}");
        return ExitCode::from(2);
    };
    match write(Path::new(&out)) {
        Ok(path) => {
            println!("{}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("vsix: {error}");
            ExitCode::FAILURE
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn write(out: &Path) -> Result<PathBuf, String> {
    let entries = entries(&root())?;
    let version = manifest_of(&entries)?["version"].as_str().unwrap_or_default().to_owned();
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let path = out.join(format!("tertium-{version}.vsix"));
    std::fs::write(&path, zip(&entries)?).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// A file in the package: its name and its bytes.
type Entry = (String, Vec<u8>);

/// Everything that the package holds.
fn entries(root: &Path) -> Result<Vec<Entry>, String> {
    let extension = root.join("editors/vscode");
    let mut files = Vec::new();
    collect(&extension, "extension", &mut files)?;
    for (from, to) in [
        ("LICENSE-MIT", "LICENSE-MIT.txt"),
        ("LICENSE-APACHE", "LICENSE-APACHE.txt"),
        ("editors/README.md", "README.md"),
    ] {
        files.push((format!("extension/{to}"), read(&root.join(from))?));
    }
    files.sort();
    let package = manifest_of(&files)?;
    let mut all = vec![
        ("extension.vsixmanifest".to_owned(), manifest(&package).into_bytes()),
        ("[Content_Types].xml".to_owned(), content_types(&files).into_bytes()),
    ];
    all.extend(files);
    Ok(all)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files of a folder that belong to an extension; what a package manager has put there does not.
fn collect(folder: &Path, name: &str, files: &mut Vec<Entry>) -> Result<(), String> {
    let listed = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in listed {
        let path = entry.map_err(|error| error.to_string())?.path();
        let own = path.file_name().and_then(|own| own.to_str()).unwrap_or_default().to_owned();
        if own.starts_with('.') || own == "node_modules" || own.ends_with(".vsix") || own == "package-lock.json" {
            continue;
        }
        let inside = format!("{name}/{own}");
        if path.is_dir() {
            collect(&path, &inside, files)?;
        } else {
            files.push((inside, read(&path)?));
        }
    }
    Ok(())
}

fn manifest_of(entries: &[Entry]) -> Result<Value, String> {
    let package =
        entries.iter().find(|(name, _)| name == "extension/package.json").ok_or("there is no package.json")?;
    let package: Value = serde_json::from_slice(&package.1).map_err(|error| format!("package.json: {error}"))?;
    if package.get("dependencies").is_some() {
        return Err("package.json: a dependency would have to be packed, too".to_owned());
    }
    Ok(package)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What the editor reads of the package before it unpacks it.
fn manifest(package: &Value) -> String {
    let field = |name: &str| escaped(package.pointer(name).and_then(Value::as_str).unwrap_or_default());
    let categories: Vec<String> =
        package["categories"].as_array().into_iter().flatten().filter_map(Value::as_str).map(escaped).collect();
    format!(
        r#"<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id="{}" Version="{}" Publisher="{}"/>
    <DisplayName>{}</DisplayName>
    <Description xml:space="preserve">{}</Description>
    <Tags>gcl,promela,kmts,model checking,language-server</Tags>
    <Categories>{}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <License>extension/LICENSE-MIT.txt</License>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="{}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE-MIT.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
"#,
        field("/name"),
        field("/version"),
        field("/publisher"),
        field("/displayName"),
        field("/description"),
        categories.join(","),
        field("/engines/vscode"),
    )
}

/// The kinds of the files, by how their names end.
fn content_types(files: &[Entry]) -> String {
    let mut endings: Vec<&str> =
        files.iter().filter_map(|(name, _)| name.rsplit_once('.')).map(|(_, end)| end).collect();
    endings.push("vsixmanifest");
    endings.sort_unstable();
    endings.dedup();
    let kind = |ending: &str| match ending {
        "json" => "application/json",
        "js" => "application/javascript",
        "md" => "text/markdown",
        "txt" => "text/plain",
        _ => "text/xml",
    };
    let lines: Vec<String> = endings
        .iter()
        .map(|ending| format!("  <Default Extension=\".{ending}\" ContentType=\"{}\"/>\n", kind(ending)))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\n{}</Types>\n",
        lines.concat()
    )
}

/// The cyclic redundancy check of ZIP, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            let low = crc & 1;
            crc = (crc >> 1) ^ (0xEDB8_8320 * low);
        }
    }
    !crc
}

/// The part that a file's two headers share: version, flags (names are UTF-8), stored, date, check, sizes, length of the name.
fn header(name: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let size = u32::try_from(bytes.len()).map_err(|_| format!("{name} is too large"))?;
    let length = u16::try_from(name.len()).map_err(|_| format!("{name} is too long"))?;
    let mut header = Vec::new();
    for word in [20, 1 << 11, 0, 0, DATE] {
        header.extend_from_slice(&u16::to_le_bytes(word));
    }
    for number in [crc32(bytes), size, size] {
        header.extend_from_slice(&number.to_le_bytes());
    }
    header.extend_from_slice(&length.to_le_bytes());
    header.extend_from_slice(&[0, 0]);
    Ok(header)
}

/// The entries as a ZIP file.
fn zip(entries: &[Entry]) -> Result<Vec<u8>, String> {
    let offset = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| "the package is too large".to_owned());
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in entries {
        let (at, header) = (offset(&file)?, header(name, bytes)?);
        file.extend_from_slice(b"PK\x03\x04");
        file.extend_from_slice(&header);
        file.extend_from_slice(name.as_bytes());
        file.extend_from_slice(bytes);
        // Made by: version 2.0 on Unix; then comment, disk, attributes, place.
        directory.extend_from_slice(b"PK\x01\x02\x14\x03");
        directory.extend_from_slice(&header);
        directory.extend_from_slice(&[0; 6]);
        directory.extend_from_slice(&(0o100_644_u32 << 16).to_le_bytes());
        directory.extend_from_slice(&at.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let count = u16::try_from(entries.len()).map_err(|_| "there are too many files".to_owned())?;
    let (at, size) = (offset(&file)?, offset(&directory)?);
    file.extend_from_slice(&directory);
    file.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    file.extend_from_slice(&count.to_le_bytes());
    file.extend_from_slice(&count.to_le_bytes());
    file.extend_from_slice(&size.to_le_bytes());
    file.extend_from_slice(&at.to_le_bytes());
    file.extend_from_slice(&[0, 0]);
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_those_of_zip() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    /// What another program reads of the package: all files that the manifest and `package.json` name, undamaged.
    #[test]
    fn another_program_unpacks_it() {
        let entries = entries(&root()).unwrap_or_else(|error| panic!("{error}"));
        let package = manifest_of(&entries).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
        let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        for wanted in ["extension/extension.js", "extension/client.js", "extension/syntaxes/gcl.tmLanguage.json"] {
            assert!(names.contains(&wanted), "{names:?}");
        }
        let written = zip(&entries).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(written, zip(&entries).unwrap_or_default(), "the same files make the same bytes");
        let path = std::env::temp_dir().join(format!("tertium-vsix-{}.zip", std::process::id()));
        std::fs::write(&path, &written).unwrap_or_else(|error| panic!("{error}"));
        let script = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint('\\n'.join(z.namelist()))";
        match std::process::Command::new("python3").args(["-c", script]).arg(&path).output() {
            Ok(output) => {
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                assert_eq!(String::from_utf8_lossy(&output.stdout).lines().collect::<Vec<_>>(), names);
            }
            Err(_) => println!("skipped: there is no python3 to unpack it"),
        }
        let _ = std::fs::remove_file(path);
    }
}
