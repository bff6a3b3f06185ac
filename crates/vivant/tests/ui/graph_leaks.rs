use std::cell::RefCell;
use vivant::prelude::*;

#[derive(Actor)]
struct CacheState<'gc> {
    first: Gc<'gc, Mut<u64>>,
}

thread_local! {
    static ASIDE: RefCell<Vec<Gc<'static, Mut<u64>>>> = const { RefCell::new(Vec::new()) };
}

#[behaviours]
impl<'gc> CacheState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Cache>) -> Self {
        CacheState { first: t.alloc(Mut::new(1)) }
    }

    fn into_a_future(&self, t: &Turn<'gc, Cache>) -> Promise<u64> {
        let first = self.first;
        t.spawn(async move { *first.borrow() })
    }

    fn into_a_continuation(&self, t: &Turn<'gc, Cache>, of: Address<Cache>) -> Promise<u64> {
        let first = self.first;
        t.ask(of.look()).then_local(t, move |_, _, _| *first.borrow())
    }

    fn into_another_actor(&self, t: &Turn<'gc, Cache>) {
        let first = self.first;
        t.spawn_with::<Cache>(move |_| CacheState { first });
    }

    fn aside(&self) {
        ASIDE.with_borrow_mut(|aside| aside.push(self.first));
    }

    fn of_another_turn(&mut self, t: &Turn<'_, Cache>) {
        self.first = t.alloc(Mut::new(2));
    }

    fn look(&self) -> u64 {
        *self.first.borrow()
    }
}

fn main() {}
