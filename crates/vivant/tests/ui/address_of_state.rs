use vivant::prelude::*;

#[derive(Actor)]
struct CacheState<'gc> {
    pages: gc::HashMap<'gc, String, u64>,
    next: Option<Address<CacheState<'gc>>>,
}

fn main() {}
