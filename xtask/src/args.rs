//! Arguments of `cargo xtask`: one verb, then flags (`--long`), options (`--seeds N`) and words
//! (`thread`).
//!
//! A verb takes the arguments that it knows and then calls [`Args::finish`], so that a misspelt
//! flag is an error and never ignored.

use crate::Failure;
use std::collections::VecDeque;

/// The arguments not yet taken.
pub(crate) struct Args {
    rest: VecDeque<String>,
}

impl Args {
    pub(crate) fn from_command_line() -> Self {
        Self {
            rest: std::env::args().skip(1).collect(),
        }
    }

    /// The words of `line`: how a list of steps calls its verbs.
    pub(crate) fn of(line: &str) -> Self {
        Self {
            rest: line.split_whitespace().map(String::from).collect(),
        }
    }

    /// Takes the next argument if it is a word.
    pub(crate) fn positional(&mut self) -> Option<String> {
        if self.rest.front()?.starts_with("--") {
            None
        } else {
            self.rest.pop_front()
        }
    }

    /// Takes the flag `name` and returns whether it was there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.rest.len();
        self.rest.retain(|word| word != name);
        self.rest.len() < before
    }

    /// Takes the option `name` and its value.
    pub(crate) fn option(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let Some(at) = self.rest.iter().position(|word| word == name) else {
            return Ok(None);
        };
        self.rest.remove(at);
        match self.rest.remove(at) {
            Some(value) if !value.starts_with("--") => Ok(Some(value)),
            _ => Err(format!("`{name}` needs a value")),
        }
    }

    /// Fails if an argument is left.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        match self.rest.front() {
            None => Ok(()),
            Some(word) => Err(format!(
                "`{word}` is not understood here; see `cargo xtask help`"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verb_flag_and_option_are_taken_once() {
        let mut args = Args::of("sim --seeds 12 --long");
        assert_eq!(args.positional().as_deref(), Some("sim"));
        assert!(args.flag("--long"));
        assert!(!args.flag("--long"));
        assert_eq!(args.option("--seeds"), Ok(Some("12".into())));
        assert_eq!(args.finish(), Ok(()));
    }

    #[test]
    fn a_misspelt_flag_is_an_error() {
        let mut args = Args::of("miri --lnog");
        assert_eq!(args.positional().as_deref(), Some("miri"));
        assert!(!args.flag("--long"));
        assert!(args.finish().is_err());
    }

    #[test]
    fn an_option_without_value_is_an_error() {
        assert!(Args::of("--seeds").option("--seeds").is_err());
        assert!(Args::of("--seeds --long").option("--seeds").is_err());
    }
}
