use vivant::prelude::*;

#[derive(Actor)]
struct CacheState<'gc> {
    first: Option<Gc<'gc, Mut<u64>>>,
}

#[behaviours]
impl<'gc> CacheState<'gc> {
    fn put(&mut self, first: Gc<'gc, Mut<u64>>) {
        self.first = Some(first);
    }

    fn get(&self) -> Option<Gc<'gc, Mut<u64>>> {
        self.first
    }

    fn named(&self) -> Option<Gc<'static, u64>> {
        None
    }
}

fn main() {}
