use vivant::prelude::*;

#[derive(Actor)]
struct CacheState<'gc> {
    pages: gc::HashMap<'gc, String, u64>,
}

#[behaviours]
impl<'gc> CacheState<'gc> {
    fn pages(&self) -> u64 {
        self.pages.len() as u64
    }
}

fn main() {
    let system = System::new();
    let cache = Cache::spawn(&system);
    cache.pages().send();
}
