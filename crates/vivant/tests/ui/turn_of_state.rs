use vivant::prelude::*;

#[derive(Actor)]
struct CacheState<'gc> {
    pages: gc::HashMap<'gc, String, u64>,
}

#[behaviours]
impl<'gc> CacheState<'gc> {
    #[start]
    fn new(others: Vec<Address<Self>>) -> Self {
        drop(others);
        CacheState { pages: gc::HashMap::new() }
    }

    fn put(&mut self, t: &Turn<Self>, page: String) {
        self.pages.insert(t, page, 1);
    }

    fn copy(&mut self, t: &Turn<'gc, CacheState<'gc>>, from: Address<CacheState<'gc>>) {
        t.send(from.put(String::new()));
    }
}

fn main() {
    let system = System::new();
    let cache = Cache::spawn(&system, Vec::new());
    cache.put("home".into()).send();
}
