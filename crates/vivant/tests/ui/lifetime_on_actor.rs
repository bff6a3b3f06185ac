use vivant::prelude::*;

#[derive(Actor)]
struct Reader<'a> {
    text: &'a str,
}

#[behaviours]
impl<'a> Reader<'a> {
    fn length(&self) -> usize {
        self.text.len()
    }
}

fn main() {}
