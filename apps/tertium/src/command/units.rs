//! How much time and memory: `60s`, `500ms`, `4G`.

use std::str::FromStr;
use tertium_base::narrow::whole;

/// A limit on time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duration(pub std::time::Duration);

impl FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, unit) = split(text, "a number with a unit such as `60s`")?;
        let seconds = match unit.to_ascii_lowercase().as_str() {
            "ms" => number / 1e3,
            "" | "s" | "sec" => number,
            "m" | "min" => number * 60.0,
            "h" => number * 3600.0,
            "d" => number * 86400.0,
            _ => return Err(format!("`{unit}` is not a unit of time; use ms, s, m, h or d")),
        };
        std::time::Duration::try_from_secs_f64(seconds)
            .map(Self)
            .map_err(|_| "this is more time than there is".to_owned())
    }
}

/// A limit on memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, unit) = split(text, "a number with a unit such as `4G`")?;
        let shift = match unit.to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
            "" => 0,
            "K" => 10,
            "M" => 20,
            "G" => 30,
            "T" => 40,
            _ => return Err(format!("`{unit}` is not a unit of memory; use K, M, G or T")),
        };
        let bytes = number * (1u64 << shift) as f64;
        if bytes < 1.0 || bytes >= usize::MAX as f64 {
            return Err("a limit must be at least one byte and fit the address space".to_owned());
        }
        Ok(Self(whole(bytes)))
    }
}

fn split<'a>(text: &'a str, wanted: &str) -> Result<(f64, &'a str), String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let number: f64 = digits.parse().map_err(|_| format!("expected {wanted}"))?;
    Ok((number, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_units() {
        let time = |text: &str| text.parse::<Duration>().map(|limit| limit.0.as_millis());
        assert_eq!(time("60s"), Ok(60_000));
        assert_eq!(time("1.5"), Ok(1500));
        assert_eq!(time("500ms"), Ok(500));
        assert_eq!(time("2m"), Ok(120_000));
        let size = |text: &str| text.parse::<Size>().map(|limit| limit.0);
        assert_eq!(size("4G"), Ok(4 << 30));
        assert_eq!(size("200MiB"), Ok(200 << 20));
        assert_eq!(size("17"), Ok(17));
    }

    #[test]
    fn refuses_what_is_no_limit() {
        for text in ["", "s", "-1s", "1x", "1e99s", "9".repeat(400).as_str(), "NaN", "inf"] {
            assert!(text.parse::<Duration>().is_err(), "{text}");
        }
        for text in ["", "G", "-1G", "0", "1X", "NaN", "99999999999T"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
