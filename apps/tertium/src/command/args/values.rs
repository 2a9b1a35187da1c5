//! How are values read that have a form of their own?
//!
//! Not here: times and sizes (`units`).

/// `NAME` or `NAME=VALUE`.
pub fn definition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if name.is_empty() || !plain || name.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Err(format!("`{name}` is no name for a macro"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// A number of threads.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(number) if (1..=256).contains(&number) => Ok(number),
        _ => Err("a number from 1 to 256 is wanted".to_owned()),
    }
}
