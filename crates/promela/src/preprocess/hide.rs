//! Which macros may a token not be expanded by?
//!
//! A token that came out of a macro must not be expanded by that macro again. The set is a list that tokens of one
//! expansion share.

use std::rc::Rc;

/// A set of macro names.
#[derive(Clone, Debug, Default)]
pub struct Hide(Option<Rc<Node>>);

#[derive(Debug)]
struct Node {
    name: Rc<str>,
    rest: Hide,
}

impl Hide {
    /// Whether the set holds `name`.
    #[must_use]
    pub fn holds(&self, name: &str) -> bool {
        self.iter().any(|held| held == name)
    }

    /// The set and `name`.
    #[must_use]
    pub fn with(&self, name: &Rc<str>) -> Self {
        if self.holds(name) {
            return self.clone();
        }
        Self(Some(Rc::new(Node { name: Rc::clone(name), rest: self.clone() })))
    }

    /// What both sets hold.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut both = Self::default();
        for name in self.names().filter(|name| other.holds(name)) {
            both = both.with(name);
        }
        both
    }

    /// What either set holds.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        // The usual case: what stands in the body of a macro hides nothing by itself.
        if self.0.is_none() {
            return other.clone();
        }
        let mut all = self.clone();
        for name in other.names() {
            all = all.with(name);
        }
        all
    }

    fn names(&self) -> impl Iterator<Item = &Rc<str>> {
        std::iter::successors(self.0.as_ref(), |node| node.rest.0.as_ref()).map(|node| &node.name)
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.names().map(|name| &**name)
    }
}

impl Drop for Node {
    /// Long lists are freed by a loop.
    fn drop(&mut self) {
        let mut next = self.rest.0.take();
        while let Some(node) = next {
            next = Rc::try_unwrap(node).ok().and_then(|mut node| node.rest.0.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_join_and_meet() {
        let ab = Hide::default().with(&"a".into()).with(&"b".into());
        let bc = Hide::default().with(&"b".into()).with(&"c".into());
        assert!(ab.and(&bc).holds("b") && !ab.and(&bc).holds("a"));
        assert!(["a", "b", "c"].iter().all(|name| ab.or(&bc).holds(name)));
    }
}
