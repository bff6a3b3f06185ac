//! JSON documents that are built, queried, changed and printed.
//!
//! Protocol: our own, in the manner of SwiftyJSON, which the PACT paper measures: a value is cheap
//! to copy and owns a part of the tree; the access to a field or an element returns a value; a
//! change makes a new tree that shares all other parts with the old one. The names of fields are
//! the same pointers everywhere, and so are addresses, of which there are sixteen.
//!
//! A document is a list of records. It is built; every record gets four queries; a third of the
//! records is changed; and the whole is printed.

use super::{Ptr, SEED, digest};
use crate::run::Run;
use fastrand::Rng;
use std::fmt::{self, Write};

/// A value, with what is below it.
#[derive(Clone)]
enum Json {
    Null,
    Bool(bool),
    Number(i64),
    Text(Ptr<str>),
    List(Ptr<Vec<Json>>),
    Object(Ptr<Vec<(Ptr<str>, Json)>>),
}

impl Json {
    fn text(text: &str) -> Json {
        Json::Text(Ptr::from(text))
    }

    fn list(elements: Vec<Json>) -> Json {
        Json::List(Ptr::new(elements))
    }

    fn object(fields: Vec<(Ptr<str>, Json)>) -> Json {
        Json::Object(Ptr::new(fields))
    }

    /// The field of this name; null where there is none.
    fn field(&self, name: &str) -> Json {
        let Json::Object(fields) = self else {
            return Json::Null;
        };
        let field = fields.iter().find(|(its, _)| **its == *name);
        field.map_or(Json::Null, |(_, value)| value.clone())
    }

    /// The element at this place; null where there is none.
    fn at(&self, index: usize) -> Json {
        match self {
            Json::List(elements) => elements.get(index).cloned().unwrap_or(Json::Null),
            _ => Json::Null,
        }
    }

    fn len(&self) -> usize {
        match self {
            Json::List(elements) => elements.len(),
            Json::Object(fields) => fields.len(),
            Json::Text(text) => text.len(),
            _ => 0,
        }
    }

    /// The same with another value in this field.
    fn with(&self, name: &str, value: Json) -> Json {
        let Json::Object(fields) = self else {
            return self.clone();
        };
        let mut fields = Vec::clone(fields);
        if let Some(field) = fields.iter_mut().find(|(its, _)| **its == *name) {
            field.1 = value;
        }
        Json::object(fields)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(value) => write!(f, "{value}"),
            Json::Text(text) => quoted(f, text),
            Json::List(elements) => {
                for (at, element) in elements.iter().enumerate() {
                    f.write_char(if at == 0 { '[' } else { ',' })?;
                    element.fmt(f)?;
                }
                f.write_str(if elements.is_empty() { "[]" } else { "]" })
            }
            Json::Object(fields) => {
                for (at, (name, value)) in fields.iter().enumerate() {
                    f.write_char(if at == 0 { '{' } else { ',' })?;
                    quoted(f, name)?;
                    f.write_char(':')?;
                    value.fmt(f)?;
                }
                f.write_str(if fields.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

/// The texts here need no escapes but these.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\\']) {
        f.write_str(&rest[..at])?;
        write!(f, "\\{}", &rest[at..=at])?;
        rest = &rest[at + 1..];
    }
    f.write_str(rest)?;
    f.write_char('"')
}

/// What all records share.
struct Shared {
    names: [Ptr<str>; 8],
    addresses: Vec<Json>,
    tags: Vec<Json>,
}

impl Shared {
    fn new() -> Shared {
        let names = [
            "id", "name", "active", "score", "address", "tags", "friend", "note",
        ];
        let [city, street] = ["city", "street"].map(Ptr::<str>::from);
        let address = |n: u32| {
            Json::object(vec![
                (city.clone(), Json::text(&format!("city {n}"))),
                (street.clone(), Json::text(&format!("street \"{n}\""))),
            ])
        };
        let words = ["red", "green", "blue", "loud", "quiet", "new", "old", "odd"];
        Shared {
            names: names.map(Ptr::from),
            addresses: (0..16).map(address).collect(),
            tags: words.map(Json::text).to_vec(),
        }
    }

    fn record(&self, id: i64, chance: &mut Rng) -> Json {
        let mut one_of = |of: &[Json]| of[chance.usize(..of.len())].clone();
        let address = one_of(&self.addresses);
        let tags = Json::list((0..4).map(|_| one_of(&self.tags)).collect());
        let note = one_of(&self.tags);
        let values = [
            Json::Number(id),
            Json::text("somebody"),
            Json::Bool(id % 2 == 0),
            Json::Number(chance.i64(0..1_000)),
            address,
            tags,
            Json::Null,
            note,
        ];
        Json::object(self.names.iter().cloned().zip(values).collect())
    }
}

/// The total length of four queries' results.
fn ask(record: &Json) -> usize {
    let tags = record.field("tags");
    record.field("address").field("city").len()
        + record.field("name").len()
        + (0..tags.len()).map(|at| tags.at(at).len()).sum::<usize>()
        + record.field("note").len()
}

/// Every third record names the next one's address as its friend's.
fn change(document: &Json) -> Json {
    let record = |at| {
        let record = document.at(at);
        if at % 3 == 0 {
            record.with("friend", document.at(at + 1).field("address"))
        } else {
            record
        }
    };
    Json::list((0..document.len()).map(record).collect())
}

pub(super) fn run(run: &Run) -> u64 {
    let shared = Shared::new();
    let mut chance = Rng::with_seed(SEED);
    let mut printed = String::new();
    (0..run.count("documents")).fold(0, |state, _| {
        let records = 0..run.count("records") as i64;
        let document = Json::list(records.map(|id| shared.record(id, &mut chance)).collect());
        let lengths: usize = (0..document.len()).map(|at| ask(&document.at(at))).sum();
        let changed = change(&document);
        printed.clear();
        write!(printed, "{changed}").expect("a string takes all");
        digest(state ^ lengths as u64, printed.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_json() {
        let shared = Shared::new();
        let record = shared.record(3, &mut Rng::with_seed(SEED));
        let document = change(&Json::list(vec![record.clone(), record]));
        let printed = document.to_string();
        let read: serde_json::Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(read[0]["friend"], read[1]["address"]);
        assert_eq!(read[1]["friend"], serde_json::Value::Null);
        assert_eq!(read[0]["tags"].as_array().unwrap().len(), 4);
        assert!(read[0]["address"]["street"].as_str().unwrap().contains('"'));
    }
}
