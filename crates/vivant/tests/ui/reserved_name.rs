use vivant::prelude::*;

#[derive(Actor)]
struct Page {
    text: String,
}

#[behaviours]
impl Page {
    fn clone(&mut self) -> Page {
        Page { text: self.text.clone() }
    }

    fn max(&self) -> usize {
        self.text.len()
    }

    fn to_string(&self) -> String {
        self.text.clone()
    }
}

fn main() {}
