//! Who takes part: one address a line, as timely dataflow has it.

use crate::failure::ClusterFailure;

/// More processes than this are not a cluster but a mistake.
const MOST_PROCESSES: usize = 1024;

/// The addresses in the text of a hosts file: `host:port`, one a line; empty lines and what follows a `#` are left out.
///
/// # Errors
/// If a line is no address, or there are none.
pub fn addresses(text: &str) -> Result<Vec<String>, ClusterFailure> {
    let unable = |cause: String| ClusterFailure::Unable { cause };
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let port = line.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port);
        if port.and_then(|port| port.parse::<u16>().ok()).is_none() || line.contains(char::is_whitespace) {
            return Err(unable(format!("line {} of the hosts is no `host:port`: `{line}`", number + 1)));
        }
        if found.iter().any(|known| known == line) {
            return Err(unable(format!("line {} of the hosts repeats `{line}`", number + 1)));
        }
        found.push(line.to_owned());
    }
    match found.len() {
        0 => Err(unable("the hosts are none".to_owned())),
        count if count > MOST_PROCESSES => Err(unable(format!("{count} hosts are more than {MOST_PROCESSES}"))),
        _ => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_a_line() {
        let text = "# ours\n10.0.0.1:2101\n\n  node-b:2102 # the other\n[::1]:7\n";
        assert_eq!(addresses(text), Ok(vec!["10.0.0.1:2101".into(), "node-b:2102".into(), "[::1]:7".into()]));
        for wrong in ["", "#", "node", "node:", "node:x", ":17", "a:1\na:1", "node:70000", "a b:3"] {
            assert!(addresses(wrong).is_err(), "{wrong:?}");
        }
    }
}
