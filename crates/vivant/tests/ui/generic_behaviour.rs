use std::fmt::Display;
use vivant::prelude::*;

#[derive(Actor)]
struct Printer;

#[behaviours]
impl Printer {
    fn print<T: Display>(&mut self, value: T) {
        let _ = value.to_string();
    }

    fn show(&mut self, value: impl Display) {
        let _ = value.to_string();
    }
}

fn main() {}
