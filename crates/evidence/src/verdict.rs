//! What did one run find out about one property?
//!
//! [`Verdict`] is the one type that engines, strategy and reports speak. A definite verdict has its evidence with it, and nothing else has any: there is no
//! false without what shows it beside an unknown with reasons. Two kinds of not knowing never share a variant: what the model leaves
//! open ([`Verdict::Indefinite`]) is a fact about the model, a limit that was reached ([`Verdict::Stopped`]) one about the run.

use tertium_base::StopReason;
use tertium_lattice::Belnap;

/// What one run found out about one property: `E` is what shows a definite answer, `R` a reason why it is open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Verdict<E, R> {
    /// It holds.
    Holds(E),
    /// It fails.
    Fails(E),
    /// It is open: for each reason something is missing in the model, the abstraction or the engine. Refinement may settle it.
    Indefinite(Vec<R>),
    /// Four-valued models only: there is evidence for both.
    Conflicting(E),
    /// A limit was reached; what had been in the way until then.
    Stopped(StopReason, Vec<R>),
}

impl<E, R> Default for Verdict<E, R> {
    /// Nothing is known yet.
    fn default() -> Self {
        Self::Indefinite(Vec::new())
    }
}

impl<E, R> Verdict<E, R> {
    /// The value that stands in reports.
    #[must_use]
    pub const fn value(&self) -> Belnap {
        match self {
            Self::Holds(_) => Belnap::True,
            Self::Fails(_) => Belnap::False,
            Self::Indefinite(_) | Self::Stopped(..) => Belnap::Unknown,
            Self::Conflicting(_) => Belnap::Both,
        }
    }

    /// Whether it is true or false.
    #[must_use]
    pub const fn is_definite(&self) -> bool {
        matches!(self, Self::Holds(_) | Self::Fails(_))
    }

    /// Whether nothing is known, for whatever reason.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Indefinite(_) | Self::Stopped(..))
    }

    /// The limit that was reached, if one was.
    #[must_use]
    pub const fn stopped(&self) -> Option<StopReason> {
        match self {
            Self::Stopped(limit, _) => Some(*limit),
            _ => None,
        }
    }

    /// What shows it.
    #[must_use]
    pub const fn evidence(&self) -> Option<&E> {
        match self {
            Self::Holds(evidence) | Self::Fails(evidence) | Self::Conflicting(evidence) => Some(evidence),
            Self::Indefinite(_) | Self::Stopped(..) => None,
        }
    }

    /// What shows it, to be completed.
    #[must_use]
    pub const fn evidence_mut(&mut self) -> Option<&mut E> {
        match self {
            Self::Holds(evidence) | Self::Fails(evidence) | Self::Conflicting(evidence) => Some(evidence),
            Self::Indefinite(_) | Self::Stopped(..) => None,
        }
    }

    /// Why it is open; nothing if it is not.
    #[must_use]
    pub fn reasons(&self) -> &[R] {
        match self {
            Self::Indefinite(reasons) | Self::Stopped(_, reasons) => reasons,
            Self::Holds(_) | Self::Fails(_) | Self::Conflicting(_) => &[],
        }
    }

    /// The same verdict for someone else: its evidence and each of its reasons told in their words.
    pub fn told<F, S>(&self, evidence: impl FnOnce(&E) -> F, reasons: impl FnMut(&R) -> Vec<S>) -> Verdict<F, S> {
        match self {
            Self::Holds(shown) => Verdict::Holds(evidence(shown)),
            Self::Fails(shown) => Verdict::Fails(evidence(shown)),
            Self::Conflicting(shown) => Verdict::Conflicting(evidence(shown)),
            Self::Indefinite(open) => Verdict::Indefinite(open.iter().flat_map(reasons).collect()),
            Self::Stopped(limit, open) => Verdict::Stopped(*limit, open.iter().flat_map(reasons).collect()),
        }
    }

    /// One more reason why it is open. What is known stays known.
    pub fn leave_open(&mut self, reason: R) {
        if let Self::Indefinite(reasons) | Self::Stopped(_, reasons) = self {
            reasons.push(reason);
        }
    }

    /// A limit was reached. What is known stays known, and so do reasons.
    pub fn stop(&mut self, limit: StopReason) {
        if let Self::Indefinite(reasons) | Self::Stopped(_, reasons) = self {
            *self = Self::Stopped(limit, std::mem::take(reasons));
        }
    }

    /// It is not known after all, for this reason.
    pub fn withdraw(&mut self, reason: R) {
        *self = Self::Indefinite(vec![reason]);
    }
}

impl<E: Default, R> Verdict<E, R> {
    /// The verdict with this value, its evidence still to come; open for no reason that is known yet where the value is unknown.
    pub fn of(value: Belnap) -> Self {
        match value {
            Belnap::True => Self::Holds(E::default()),
            Belnap::False => Self::Fails(E::default()),
            Belnap::Both => Self::Conflicting(E::default()),
            Belnap::Unknown => Self::default(),
        }
    }

    /// Settles a value: evidence that is there already is kept, reasons are kept only by what stays open.
    pub fn settle(&mut self, value: Belnap) {
        let evidence = |this: &mut Self| this.evidence_mut().map(std::mem::take).unwrap_or_default();
        match value {
            Belnap::True => *self = Self::Holds(evidence(self)),
            Belnap::False => *self = Self::Fails(evidence(self)),
            Belnap::Both => *self = Self::Conflicting(evidence(self)),
            Belnap::Unknown if self.is_open() => {}
            Belnap::Unknown => *self = Self::default(),
        }
    }

    /// The verdict about the negation.
    pub fn negated(self) -> Self {
        match self {
            Self::Holds(evidence) => Self::Fails(evidence),
            Self::Fails(evidence) => Self::Holds(evidence),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Plain = Verdict<Option<u8>, &'static str>;

    #[test]
    fn what_is_known_is_not_lost_and_what_is_open_has_no_evidence() {
        let mut verdict = Plain::default();
        verdict.leave_open("first");
        verdict.stop(StopReason::Time);
        verdict.leave_open("second");
        assert_eq!(verdict, Verdict::Stopped(StopReason::Time, vec!["first", "second"]));
        assert_eq!((verdict.value(), verdict.evidence()), (Belnap::Unknown, None));
        verdict.settle(Belnap::False);
        assert_eq!((verdict.reasons(), verdict.stopped()), (&[][..], None));
        *verdict.evidence_mut().expect("false has evidence") = Some(7);
        verdict.stop(StopReason::Memory);
        verdict.leave_open("third");
        assert_eq!(verdict, Verdict::Fails(Some(7)), "a limit takes nothing back");
        assert_eq!(verdict.clone().negated(), Verdict::Holds(Some(7)));
        verdict.settle(Belnap::Unknown);
        assert_eq!(verdict, Verdict::Indefinite(Vec::new()));
    }

    #[test]
    fn values_are_those_of_reports() {
        for value in [Belnap::True, Belnap::False, Belnap::Unknown, Belnap::Both] {
            let verdict = Plain::of(value);
            assert_eq!(verdict.value(), value);
            assert_eq!(verdict.is_definite(), matches!(value, Belnap::True | Belnap::False));
            assert_eq!(verdict.is_open(), value == Belnap::Unknown);
        }
    }
}
