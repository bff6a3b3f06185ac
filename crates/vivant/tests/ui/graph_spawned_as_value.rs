use vivant::prelude::*;

#[derive(Actor)]
struct CacheState<'gc> {
    pages: gc::HashMap<'gc, String, u64>,
}

#[behaviours]
impl<'gc> CacheState<'gc> {
    #[start]
    fn new() -> Self {
        CacheState { pages: gc::HashMap::new() }
    }
}

fn main() {
    System::new().spawn(CacheState { pages: gc::HashMap::new() });
}
