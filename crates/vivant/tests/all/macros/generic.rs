//! Actors with parameters.

use super::Outcome;
use std::fmt::Debug;
use vivant::prelude::*;

#[derive(Actor)]
pub(crate) struct Slot<T, const N: usize = 1>
where
    T: Clone,
{
    values: [Option<T>; N],
}

#[behaviours]
impl<T: Clone + Send + 'static, const N: usize> Slot<T, N> {
    #[start]
    fn new(_: &Turn<Self>, first: T) -> Self {
        let mut values = [const { None }; N];
        values[0] = Some(first);
        Slot { values }
    }

    #[when(self.values[at].is_none())]
    pub(crate) fn put(&mut self, at: usize, value: T) {
        self.values[at] = Some(value);
    }

    pub(crate) fn take(&mut self, at: usize) -> Option<T> {
        self.values[at].take()
    }

    fn all(&self) -> [Option<T>; N] {
        self.values.clone()
    }
}

#[behaviours(module = slot_of_numbers)]
impl Slot<u64, 2> {
    fn sum(&self) -> u64 {
        self.values.iter().flatten().sum()
    }
}

#[behaviours(module = slot_of_shown)]
impl<T, const N: usize> Slot<T, N>
where
    T: Debug + Clone + Send + 'static,
{
    fn shown(&self) -> String {
        format!("{:?}", self.values)
    }
}

#[test]
fn generic_actors_run() -> Outcome {
    let system = System::new();
    let slot = Slot::<u64, 2>::spawn(&system, 4);
    let put = slot.put(0, 5).ask();
    assert_eq!(slot.take(0).ask_blocking()?, Some(4));
    system.block_on(put)?;
    slot.put(1, 6).send();
    assert_eq!(slot.sum().ask_blocking()?, 11);
    assert_eq!(slot.all().ask_blocking()?, [Some(5), Some(6)]);
    assert_eq!(slot.shown().ask_blocking()?, "[Some(5), Some(6)]");
    Ok(())
}
