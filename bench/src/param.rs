//! Parameters: a table for each bench, and the values of one run.

use serde::Serialize;
use std::collections::BTreeMap;

/// One parameter of a bench.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// `--name` on the command line.
    pub name: &'static str,
    /// Its description, for `list`.
    pub meaning: &'static str,
    /// Its possible values.
    pub kind: Kind,
}

/// The possible values of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number.
    Count {
        /// The smallest with which the bench makes sense.
        least: u64,
        /// The size at which platforms are compared.
        default: u64,
        /// The size of a test.
        tiny: u64,
    },
    /// One of these words; the first is the default.
    Choice(&'static [&'static str]),
}

impl Param {
    pub(crate) const fn count(
        name: &'static str,
        default: u64,
        tiny: u64,
        meaning: &'static str,
    ) -> Param {
        let kind = Kind::Count {
            least: 1,
            default,
            tiny,
        };
        Param {
            name,
            meaning,
            kind,
        }
    }

    /// A number that must not be smaller than this; otherwise 1 is the least.
    pub(crate) const fn at_least(mut self, least: u64) -> Param {
        if let Kind::Count { default, tiny, .. } = self.kind {
            assert!(default >= least && tiny >= least);
            self.kind = Kind::Count {
                least,
                default,
                tiny,
            };
        }
        self
    }

    pub(crate) const fn choice(
        name: &'static str,
        words: &'static [&'static str],
        meaning: &'static str,
    ) -> Param {
        Param {
            name,
            meaning,
            kind: Kind::Choice(words),
        }
    }
}

/// The value of a parameter in one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Of a [`Kind::Count`].
    Count(u64),
    /// Of a [`Kind::Choice`].
    Choice(&'static str),
}

/// The values of one run, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Params(BTreeMap<&'static str, Value>);

impl Params {
    /// What `list` shows as defaults.
    pub fn defaults(table: &[Param]) -> Params {
        Params::of(table, |default, _| default)
    }

    /// Sizes for tests.
    pub fn tiny(table: &[Param]) -> Params {
        Params::of(table, |_, tiny| tiny)
    }

    fn of(table: &[Param], size: fn(u64, u64) -> u64) -> Params {
        let value = |param: &Param| match param.kind {
            Kind::Count { default, tiny, .. } => Value::Count(size(default, tiny)),
            Kind::Choice(words) => Value::Choice(words[0]),
        };
        Params(
            table
                .iter()
                .map(|param| (param.name, value(param)))
                .collect(),
        )
    }

    /// Chooses a value.
    pub fn set(&mut self, name: &'static str, value: Value) {
        self.0.insert(name, value);
    }

    /// By name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Value)> {
        self.0.iter().map(|(name, value)| (*name, *value))
    }

    /// # Panics
    ///
    /// If the bench's table has no such number.
    pub(crate) fn count(&self, name: &str) -> u64 {
        match self.0.get(name) {
            Some(Value::Count(count)) => *count,
            other => panic!("the table says {other:?} of `{name}`, the bench wants a number"),
        }
    }

    /// # Panics
    ///
    /// If the bench's table has no such word.
    pub(crate) fn choice(&self, name: &str) -> &'static str {
        match self.0.get(name) {
            Some(Value::Choice(word)) => word,
            other => panic!("the table says {other:?} of `{name}`, the bench wants a word"),
        }
    }
}
