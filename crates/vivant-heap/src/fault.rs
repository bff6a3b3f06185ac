//! [`Fault`]: what a verifier finds.

use std::fmt;

/// A rule that a heap breaks: a defect of this crate, or of an `unsafe impl Object`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Fault {
    /// The rule, as the READMEs of this crate number it.
    pub rule: &'static str,
    /// The defect.
    pub what: &'static str,
    /// The address of the object, block or page.
    pub address: usize,
    /// The type of the object that refers to it, if an object does.
    pub from: Option<&'static str>,
}

impl Fault {
    /// A rule that the object at an address breaks. For verifiers of containers
    /// ([`raw`](crate::raw)).
    #[must_use]
    pub const fn new(rule: &'static str, what: &'static str, address: usize) -> Fault {
        Fault {
            rule,
            what,
            address,
            from: None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
            rule,
            what,
            address,
            from,
        } = self;
        write!(f, "{rule} is broken at {address:#x}: {what}")?;
        match from {
            Some(name) => write!(f, " (met from an object of type `{name}`)"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}
