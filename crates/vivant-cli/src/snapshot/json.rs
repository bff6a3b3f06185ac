//! [`Json`]: values as JSON, by the shapes of their file. The README of this crate says how.

use super::budget::Budget;
use super::contents::Contents;
use super::parts::Parts;
use super::problem::Problem;
use std::fmt::{Display, Write};
use vivant_codec::{Event, Group, ShapeId};

/// Integers beyond are strings: programs that read JSON numbers as `f64` would change them.
const EXACT_MAX: u128 = 1 << 53;

/// A value that is being written.
#[derive(Default)]
struct Json {
    out: String,
    groups: Vec<Open>,
}

/// A group that has begun.
struct Open {
    form: Form,
    parts: usize,
    /// What ends it.
    end: &'static str,
}

/// What stands around the parts of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A struct before its first field: the name of that says which form it has.
    Structure,
    /// The same of a variant, of which the object begins there in the text.
    Variant {
        begin: usize,
    },
    Array,
    /// Its parts stand behind names.
    Object,
    /// A pair of a map.
    Pair,
}

/// Parts of a record as JSON, with the values in them.
pub(super) fn json<'c>(
    contents: &'c Contents<'_>,
    budget: &mut Budget,
    parts: Parts<'c>,
) -> Result<String, Problem> {
    written(budget, |budget, visit| contents.visit(budget, parts, visit))
}

/// A value of a record as JSON.
pub(super) fn encoded_json<'c>(
    contents: &'c Contents<'_>,
    budget: &mut Budget,
    value: (ShapeId, &'c [u8]),
) -> Result<String, Problem> {
    written(budget, |budget, visit| {
        contents.file.walk(budget, value, visit)
    })
}

/// What `walk` meets as JSON, as far as the budget of the record allows.
fn written<'c>(
    budget: &mut Budget,
    walk: impl FnOnce(&mut Budget, &mut dyn FnMut(Event<'c, 'c>) -> bool) -> Result<(), Problem>,
) -> Result<String, Problem> {
    let mut json = Json::default();
    let bytes_max = budget.text();
    let walked = walk(budget, &mut |event| {
        json.event(&event);
        json.out.len() <= bytes_max
    });
    // If it was too long, nothing is left.
    budget.take_text(json.out.len());
    walked.map(|()| json.out)
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Bytes as digits of base 16, two for each.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or('0');
        text.extend([digit(byte >> 4), digit(byte & 15)]);
    }
    text
}

impl Json {
    fn event(&mut self, event: &Event<'_, '_>) {
        match *event {
            Event::Field(name) => self.field(name),
            Event::Key => {
                self.end_pair();
                self.part();
                self.begin(Form::Pair, "[", "]");
            }
            Event::Value => {}
            // Its value stands in its place.
            Event::Begin(Group::Some) | Event::End(Group::Some) => {}
            Event::Begin(group) => {
                self.part();
                self.begin_group(group);
            }
            Event::End(_) => self.end_group(),
            value => {
                self.part();
                self.value(&value);
            }
        }
    }

    fn value(&mut self, value: &Event<'_, '_>) {
        match *value {
            Event::Bool(value) => self.plain(value),
            Event::Unsigned(value) if value <= EXACT_MAX => self.plain(value),
            Event::Unsigned(value) => self.text(&value.to_string()),
            Event::Signed(value) if value.unsigned_abs() <= EXACT_MAX => self.plain(value),
            Event::Signed(value) => self.text(&value.to_string()),
            // Debug has an exponent where the number is long.
            Event::F32(value) if value.is_finite() => self.plain(format_args!("{value:?}")),
            Event::F32(value) => self.text(&value.to_string()),
            Event::F64(value) if value.is_finite() => self.plain(format_args!("{value:?}")),
            Event::F64(value) => self.text(&value.to_string()),
            Event::Char(value) => self.text(value.encode_utf8(&mut [0; 4])),
            Event::Text(text) => self.text(text),
            Event::Bytes(bytes) | Event::Opaque(bytes) => self.text(&hexadecimal(bytes)),
            _ => self.plain("null"),
        }
    }

    fn plain(&mut self, value: impl Display) {
        // Writing to a string does not fail.
        let _ = write!(self.out, "{value}");
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(&quoted(text));
    }

    fn field(&mut self, name: &str) {
        let Some(open) = self.groups.last_mut() else {
            return;
        };
        // Fields without names are numbered from 0 on.
        let is_unnamed = name == "0";
        match (open.form, is_unnamed) {
            (Form::Structure, true) => self.turn_into(Form::Array, "[", "]"),
            (Form::Structure, false) => self.turn_into(Form::Object, "{", "}"),
            (Form::Variant { .. }, true) => self.turn_into(Form::Array, "[", "]}"),
            (Form::Variant { .. }, false) => self.turn_into(Form::Object, "{", "}}"),
            _ => {}
        }
        if self.form() == Some(Form::Object) {
            self.comma();
            self.text(name);
            self.out.push(':');
        }
    }

    fn turn_into(&mut self, form: Form, begin: &str, end: &'static str) {
        self.groups.pop();
        self.begin(form, begin, end);
    }

    fn begin_group(&mut self, group: Group<'_>) {
        match group {
            Group::Structure(_) => self.begin(Form::Structure, "", "{}"),
            Group::Variant { variant, .. } => {
                let begin = self.out.len();
                self.begin(Form::Variant { begin }, "{", "");
                self.text(variant);
                self.out.push(':');
            }
            Group::Reference(name) => {
                self.begin(Form::Object, "{\"reference\":", "}");
                self.text(name);
                self.out.push_str(",\"to\":");
            }
            Group::Some | Group::Row | Group::Sequence | Group::Map | Group::Tuple => {
                self.begin(Form::Array, "[", "]");
            }
        }
    }

    fn end_group(&mut self) {
        self.end_pair();
        let Some(open) = self.groups.pop() else {
            return;
        };
        if let Form::Variant { begin } = open.form {
            // Without fields it is its name.
            self.out.pop();
            self.out.remove(begin);
        }
        self.out.push_str(open.end);
    }
    fn end_pair(&mut self) {
        if self.form() == Some(Form::Pair) {
            self.groups.pop();
            self.out.push(']');
        }
    }

    fn begin(&mut self, form: Form, begin: &str, end: &'static str) {
        self.out.push_str(begin);
        let parts = 0;
        self.groups.push(Open { form, parts, end });
    }

    fn form(&self) -> Option<Form> {
        Some(self.groups.last()?.form)
    }

    /// A part of the innermost group begins. Parts of an object stand behind their names.
    fn part(&mut self) {
        if matches!(self.form(), Some(Form::Array | Form::Pair)) {
            self.comma();
        }
    }

    fn comma(&mut self) {
        if let Some(open) = self.groups.last_mut() {
            open.parts += 1;
            if open.parts > 1 {
                self.out.push(',');
            }
        }
    }
}
