use std::borrow::Cow;
use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    notes: Vec<String>,
}

#[behaviours]
impl Account {
    fn note(&mut self, text: &str, tags: &[String]) {
        self.notes.push(text.into());
        self.notes.extend_from_slice(tags);
    }

    fn merge(&mut self, t: &Turn<Self>, other: &Address<Account>) {
        t.send(other.clear());
    }

    fn clear(&mut self) {}

    fn borrow_some(&mut self, text: Cow<'_, str>) {
        self.notes.push(text.into_owned());
    }

    fn first(&self) -> &str {
        &self.notes[0]
    }
}

fn main() {}
