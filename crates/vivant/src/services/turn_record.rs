//! [`TurnRecord`]: the turns of a simulation: their number, their signature, and on request a list
//! and a trace.

use crate::failures::catch;
use crate::interned::Name;
use std::fmt::{self, Write};
use std::mem;
use std::time::Duration;

/// Limit of the text of a turn's arguments in a list or a trace, in characters. A longer text is
/// cut: a list of a million turns is in memory.
const ARGUMENTS_CHARS_MAX: usize = 200;

/// A turn that begins.
pub(crate) struct BeginningTurn<'a> {
    pub(crate) actor: u64,
    /// The stable name of the actor's type.
    pub(crate) actor_type: &'static str,
    pub(crate) behaviour: Name,
    pub(crate) arguments: &'a dyn fmt::Display,
}

/// Whether a simulation prints its turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Trace {
    #[default]
    Off,
    /// To the standard error of the process.
    On,
}

/// The part of a turn that the signature hashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Signed {
    #[default]
    ActorAndBehaviour,
    /// The arguments too.
    Arguments,
}

#[derive(Default)]
pub(super) struct TurnRecord {
    turns: u64,
    signature: u64,
    signed: Signed,
    trace: Trace,
    /// The first turns, if they are recorded.
    list: Vec<RecordedTurn>,
    recorded_max: usize,
}

/// A turn in the list of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RecordedTurn {
    actor: u64,
    behaviour: Name,
    /// Cut after `ARGUMENTS_CHARS_MAX`.
    arguments: Box<str>,
    /// A hash of the whole text: arguments that differ behind the cut differ in it.
    arguments_hash: u64,
    at_ns: u64,
}

impl fmt::Display for RecordedTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = Duration::from_nanos(self.at_ns);
        let (behaviour, arguments) = (self.behaviour, &self.arguments);
        write!(f, "actor {}: {behaviour}{arguments} at {at:?}", self.actor)
    }
}

impl TurnRecord {
    pub(super) fn traced(trace: Trace) -> TurnRecord {
        TurnRecord {
            trace,
            ..TurnRecord::default()
        }
    }

    /// Records a turn. Nothing of it needs the arguments' text, as a rule; then it is not made.
    pub(super) fn add(&mut self, turn: &BeginningTurn<'_>, text: Option<&str>, at_ns: u64) {
        self.turns += 1;
        let bytes = turn.behaviour.bytes().chain(turn.actor.to_le_bytes());
        self.signature = bytes.fold(self.signature, fnv1a);
        let Some(text) = text else {
            return;
        };
        if self.signed == Signed::Arguments {
            self.signature = text.bytes().fold(self.signature, fnv1a);
        }
        if self.list.len() < self.recorded_max {
            self.list.push(RecordedTurn {
                actor: turn.actor,
                behaviour: turn.behaviour,
                arguments: cut(text).into(),
                arguments_hash: text.bytes().fold(0, fnv1a),
                at_ns,
            });
        }
    }

    /// Prints a turn that [`add`](TurnRecord::add) has recorded.
    #[allow(
        clippy::print_stderr,
        reason = "a trace is for the reader of a test's output"
    )]
    pub(super) fn print(&self, turn: &BeginningTurn<'_>, path: &str, text: &str, at_ns: u64) {
        let at = Duration::from_nanos(at_ns);
        let (number, behaviour, arguments) = (self.turns, turn.behaviour, cut(text));
        eprintln!("{number:>6} {at:>10?}  {path}  {behaviour}{arguments}");
    }

    /// Whether the text of a turn's arguments is needed.
    pub(super) fn needs_arguments(&self) -> bool {
        self.is_traced() || self.signed == Signed::Arguments || self.list.len() < self.recorded_max
    }

    pub(super) fn is_traced(&self) -> bool {
        self.trace == Trace::On
    }

    /// From here on arguments are part of the signature.
    pub(super) fn sign_arguments(&mut self) {
        self.signed = Signed::Arguments;
    }

    /// Keeps a list of the turns from here on, of at most `turns`.
    pub(super) fn record(&mut self, turns: usize) {
        self.recorded_max = turns;
    }

    pub(super) fn take_list(&mut self) -> Vec<RecordedTurn> {
        mem::take(&mut self.list)
    }

    pub(super) fn signature(&self) -> u64 {
        self.signature
    }

    pub(super) fn turns(&self) -> u64 {
        self.turns
    }
}

/// The text of a turn's arguments. A `Debug` of the program makes it, which may panic.
pub(super) fn text_of(arguments: &dyn fmt::Display) -> String {
    let written = catch(|| {
        let mut text = String::new();
        write!(text, "{arguments}").map(|()| text)
    });
    match written {
        Ok(Ok(text)) => text,
        Ok(Err(fmt::Error)) | Err(_) => "(their `Debug` failed)".to_owned(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(ARGUMENTS_CHARS_MAX) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_owned(),
    }
}

/// Adds one byte to a 64-bit FNV-1a hash.
fn fnv1a(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}
