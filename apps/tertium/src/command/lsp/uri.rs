//! Which file does an address mean?

use std::path::{Path, PathBuf};

/// The path of a `file:` address; none for others, which have no file.
pub fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let bytes = decoded(path);
    let text = String::from_utf8(bytes).ok()?;
    // `/c:/x` is how Windows paths are written.
    let drive = text.as_bytes().get(2) == Some(&b':') && text.as_bytes()[1].is_ascii_alphabetic();
    Some(PathBuf::from(if drive { &text[1..] } else { &text }))
}

fn decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                result.push(byte);
                at += 3;
            }
            _ => {
                result.push(bytes[at]);
                at += 1;
            }
        }
    }
    result
}

/// The address of a file.
pub fn of_path(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let text = absolute.to_string_lossy().replace('\\', "/");
    let mut uri = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            uri.push(byte as char);
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_way_there_and_back() {
        for path in ["/a/b.gcl", "/with space/ü𝔘%.pml", "/x#y?z"] {
            assert_eq!(to_path(&of_path(Path::new(path))), Some(PathBuf::from(path)));
        }
        assert_eq!(to_path("file:///c%3A/x.gcl"), Some(PathBuf::from("c:/x.gcl")));
        assert_eq!(to_path("file://host/x%zz%4"), Some(PathBuf::from("/x%zz%4")));
        assert_eq!(to_path("untitled:Untitled-1"), None);
    }
}
