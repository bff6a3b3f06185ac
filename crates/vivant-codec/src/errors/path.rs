//! [`Path`]: the way from a value to the part at which saving or loading failed.

use std::borrow::Cow;
use std::fmt;

/// Steps that a path keeps. Of a longer one it keeps those next to the failure.
const STEPS_MAX: usize = 16;

/// The way from a value to one of its parts, the innermost step first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    steps: Vec<Step>,
    /// The path has steps that were not kept.
    is_cut: bool,
}

/// A member of a type: a field or a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    type_name: Cow<'static, str>,
    member: Cow<'static, str>,
}

impl Path {
    pub(crate) fn push(
        &mut self,
        type_name: impl Into<Cow<'static, str>>,
        member: impl Into<Cow<'static, str>>,
    ) {
        match self.steps.len() < STEPS_MAX {
            true => self.steps.push(Step {
                type_name: type_name.into(),
                member: member.into(),
            }),
            false => self.is_cut = true,
        }
    }

    /// Type and member of the innermost step.
    pub(crate) fn innermost(&self) -> Option<(&str, &str)> {
        let step = self.steps.first()?;
        Some((&step.type_name, &step.member))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// The outermost step first: `bank::Account.owner, bank::Person.name`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_cut {
            write!(f, "…, ")?;
        }
        for (i, step) in self.steps.iter().rev().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}.{}", step.type_name, step.member)?;
        }
        Ok(())
    }
}
