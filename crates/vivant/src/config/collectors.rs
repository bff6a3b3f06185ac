//! [`Collectors`]: how the heaps of a system are marked, as configured when it was built.

use crate::sync::{AtomicBool, Ordering};
use std::env::{self, VarError};
use std::error::Error;
use std::fmt;
use vivant_heap::{Marking, Pacing};

/// The environment variable that [`SystemBuilder::build`](crate::SystemBuilder::build) reads.
pub(super) const VARIABLE: &str = "VIVANT_COLLECTOR";

/// Between two entries of a text.
const SEPARATOR: char = ',';

/// The settings, by origin. The environment overrides the program; within each, an entry for the
/// type overrides the one for all types.
#[derive(Default)]
pub(crate) struct Collectors {
    environment: MarkingChoice,
    program: MarkingChoice,
}

/// The settings of one origin.
#[derive(Default)]
struct MarkingChoice {
    all: Option<Marking>,
    of_types: Vec<TypeMarking>,
}

/// A setting for the actors of one type.
struct TypeMarking {
    /// Its stable name, or the end of it.
    name: String,
    marking: Marking,
    /// The origin of the name: a name in a text may be mistyped.
    origin: SettingOrigin,
    /// Whether an actor with this name was started.
    used: AtomicBool,
}

#[derive(Clone, Copy)]
enum SettingOrigin {
    /// The type itself.
    Type,
    /// A text from this place.
    Text(&'static str),
}

/// An invalid configuration text of marking modes
/// ([`SystemBuilder::collectors`](crate::SystemBuilder::collectors)).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadCollectors {
    text: String,
    what: String,
}

impl fmt::Display for BadCollectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "in {:?}: {}; an example: \"at-once,bank::Account=never\"",
            self.text, self.what
        )
    }
}

impl Error for BadCollectors {}

impl Collectors {
    pub(crate) fn set_all(&mut self, marking: Marking) {
        self.program.all = Some(marking);
    }

    pub(crate) fn set_for_type(&mut self, name: &str, marking: Marking) {
        self.program
            .of_types
            .push(TypeMarking::new(name, marking, SettingOrigin::Type));
    }

    /// Adds the settings of a text.
    pub(crate) fn add_text(&mut self, text: &str) -> Result<(), BadCollectors> {
        let settings = MarkingChoice::read(text, "SystemBuilder::collectors")?;
        self.program.all = settings.all.or(self.program.all);
        self.program.of_types.extend(settings.of_types);
        Ok(())
    }

    /// Reads the settings of the environment, if there are any.
    ///
    /// # Panics
    ///
    /// If they are invalid: the operator relies on them.
    pub(crate) fn read_environment(&mut self) {
        let settings = match env::var(VARIABLE) {
            Ok(text) => MarkingChoice::read(&text, VARIABLE),
            Err(VarError::NotPresent) => return,
            Err(VarError::NotUnicode(text)) => Err(BadCollectors {
                text: text.to_string_lossy().into_owned(),
                what: "this is not Unicode".to_owned(),
            }),
        };
        match settings {
            Ok(settings) => self.environment = settings,
            Err(bad) => panic!(
                "the environment variable {VARIABLE} cannot be read: {bad}. Correct it or unset it"
            ),
        }
    }

    /// The pacing of the heap of an actor of this type; `pacing` is the one without these settings.
    pub(crate) fn pacing(&self, name: &str, pacing: Pacing) -> Pacing {
        let chosen = self.environment.of(name).or_else(|| self.program.of(name));
        chosen.map_or(pacing, |marking| pacing.marking(marking))
    }

    /// The names in texts that matched no actor, with the place and the mode: they may be mistyped.
    pub(crate) fn unused(&self) -> impl Iterator<Item = (&'static str, &str, Marking)> {
        let all = [&self.environment, &self.program];
        let named = all.into_iter().flat_map(|choice| &choice.of_types);
        named.filter_map(|one| match one.origin {
            // Relaxed: the actors have ended, and their end happens before this load.
            SettingOrigin::Text(place) if !one.used.load(Ordering::Relaxed) => {
                Some((place, one.name.as_str(), one.marking))
            }
            SettingOrigin::Text(_) | SettingOrigin::Type => None,
        })
    }
}

impl MarkingChoice {
    fn of(&self, name: &str) -> Option<Marking> {
        let named = self.of_types.iter().filter(|one| one.is_of(name));
        // The longest name is the most exact. Of equals the last, as in a builder.
        let best = named
            .inspect(|one| one.used.store(true, Ordering::Relaxed))
            .max_by_key(|one| one.name.len());
        best.map(|one| one.marking).or(self.all)
    }

    /// Parses `text`, which comes from `place`.
    fn read(text: &str, place: &'static str) -> Result<MarkingChoice, BadCollectors> {
        let bad = |what: String| BadCollectors {
            text: text.to_owned(),
            what,
        };
        let mut choice = MarkingChoice::default();
        for entry in text.split(SEPARATOR).map(str::trim) {
            // A separator too many, or an empty text.
            if entry.is_empty() {
                continue;
            }
            let (name, marking) = match entry.split_once('=') {
                Some((name, marking)) => (Some(name.trim()), marking.trim()),
                None => (None, entry),
            };
            let marking: Marking = marking
                .parse()
                .map_err(|unknown| bad(format!("{unknown}")))?;
            let Some(name) = name else {
                if choice.all.replace(marking).is_some() {
                    return Err(bad("it says twice how all heaps are marked".to_owned()));
                }
                continue;
            };
            if name.is_empty() {
                return Err(bad(format!("there is no actor type before {entry:?}")));
            }
            if choice.of_types.iter().any(|one| one.name == name) {
                return Err(bad(format!("it says twice how heaps of {name} are marked")));
            }
            let of_type = TypeMarking::new(name, marking, SettingOrigin::Text(place));
            choice.of_types.push(of_type);
        }
        Ok(choice)
    }
}

impl TypeMarking {
    fn new(name: &str, marking: Marking, origin: SettingOrigin) -> TypeMarking {
        TypeMarking {
            name: name.to_owned(),
            marking,
            origin,
            used: AtomicBool::new(false),
        }
    }

    /// Whether it is for actors of the type with this stable name: it is the name, or in a text its
    /// end from `::` on.
    fn is_of(&self, name: &str) -> bool {
        let before = name.strip_suffix(&self.name);
        before.is_some_and(|before| match self.origin {
            SettingOrigin::Type => before.is_empty(),
            SettingOrigin::Text(_) => before.is_empty() || before.ends_with("::"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marking(collectors: &Collectors, name: &str) -> Marking {
        collectors.pacing(name, Pacing::new()).marking
    }

    fn from_text(text: &str) -> Collectors {
        let mut collectors = Collectors::default();
        collectors.add_text(text).unwrap();
        collectors
    }

    #[test]
    fn a_type_overrides_all_types_and_a_longer_name_a_shorter_one() {
        let collectors = from_text(" at-once, Account=never ,bank::Account=concurrent,");
        assert_eq!(marking(&collectors, "shop::Till"), Marking::AtOnce);
        assert_eq!(marking(&collectors, "shop::Account"), Marking::Never);
        assert_eq!(marking(&collectors, "bank::Account"), Marking::Concurrent);
        assert_eq!(
            marking(&collectors, "big::bank::Account"),
            Marking::Concurrent
        );
        assert_eq!(marking(&collectors, "bank::OldAccount"), Marking::AtOnce);
    }

    #[test]
    fn the_environment_overrides_the_program_and_later_settings_earlier_ones() {
        let mut collectors = from_text("never");
        collectors.set_for_type("bank::Account", Marking::Never);
        collectors.set_for_type("bank::Account", Marking::AtOnce);
        assert_eq!(marking(&collectors, "bank::Account"), Marking::AtOnce);
        assert_eq!(marking(&collectors, "shop::Till"), Marking::Never);
        collectors.set_all(Marking::AtOnce);
        assert_eq!(marking(&collectors, "shop::Till"), Marking::AtOnce);
        collectors.environment = MarkingChoice::read("concurrent", VARIABLE).unwrap();
        assert_eq!(marking(&collectors, "bank::Account"), Marking::Concurrent);
        let named = MarkingChoice::read("never,Account=at-once", VARIABLE).unwrap();
        collectors.environment = named;
        assert_eq!(marking(&collectors, "bank::Account"), Marking::AtOnce);
        assert_eq!(marking(&collectors, "shop::Till"), Marking::Never);
    }

    #[test]
    fn a_type_does_not_match_another_type() {
        let mut collectors = Collectors::default();
        collectors.set_for_type("Account", Marking::Never);
        assert_eq!(marking(&collectors, "Account"), Marking::Never);
        assert_eq!(marking(&collectors, "bank::Account"), Marking::Concurrent);
    }

    #[test]
    fn without_settings_the_pacing_is_unchanged() {
        let collectors = from_text(" ,");
        let pacing = Pacing::new().marking(Marking::Never);
        assert_eq!(collectors.pacing("A", pacing).marking, Marking::Never);
        assert_eq!(marking(&from_text("B=never"), "A"), Marking::Concurrent);
    }

    #[test]
    fn errors_name_the_mistake_and_the_text() {
        let all_wrong = [
            ("A=nevr", "\"nevr\" is no way of marking"),
            ("A", "\"A\" is no way of marking"),
            ("A=", "\"\" is no way of marking"),
            ("=never", "there is no actor type before \"=never\""),
            ("never,at-once", "it says twice how all heaps are marked"),
            ("A=never,A=never", "it says twice how heaps of A are marked"),
        ];
        for (text, what) in all_wrong {
            let bad = Collectors::default().add_text(text).unwrap_err();
            let settings = bad.to_string();
            assert!(settings.contains(what), "{settings}");
            assert!(settings.contains(&format!("in {text:?}")), "{settings}");
        }
    }
}
