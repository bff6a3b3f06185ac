use vivant::prelude::*;

#[derive(Actor)]
struct Walker;

#[behaviours]
impl Walker {
    fn one_step(&mut self, #[locals] sum: u64) -> u64 {
        sum
    }

    fn two_locals(&mut self, #[locals] sum: u64, #[locals] more: u64) -> Step<(u64, u64), u64> {
        Step::Done(sum + more)
    }

    fn forgotten(&mut self, left: u64, #[locals] sum: u64) -> Step<u64, u64> {
        Step::Again(left + sum)
    }

    fn no_beginning(&mut self, #[locals] at: std::num::NonZeroU64) -> Step<std::num::NonZeroU64, u64> {
        Step::Done(at.get())
    }
}

#[interface]
trait Walks {
    fn walk(&mut self) -> Step<(), u64>;
}

fn main() {}
