use vivant::prelude::*;

struct Page<'gc> {
    text: String,
    next: Option<Gc<'gc, Mut<Page<'gc>>>>,
}

#[derive(Object)]
struct Shelf<'gc> {
    first: Option<Gc<'gc, Mut<Page<'gc>>>>,
    all: Vec<Gc<'gc, Mut<Page<'gc>>>>,
}

#[derive(Actor)]
struct CacheState<'gc> {
    pages: gc::HashMap<'gc, String, Gc<'gc, Mut<Page<'gc>>>>,
    newest: Option<Gc<'gc, Mut<Page<'gc>>>>,
    shelves: gc::Vec<'gc, Gc<'gc, Shelf<'gc>>>,
    spare: Page<'gc>,
}

#[behaviours]
impl<'gc> CacheState<'gc> {
    #[start]
    fn new() -> Self {
        let spare = Page { text: String::new(), next: None };
        CacheState { pages: gc::HashMap::new(), newest: None, shelves: gc::Vec::new(), spare }
    }

    fn put(&mut self, t: &Turn<'gc, Cache>, name: String, text: String) {
        let page = t.alloc(Mut::new(Page { text, next: self.newest }));
        self.newest = Some(page);
        self.pages.insert(t, name, page);
    }

    fn rename(&mut self, t: &Turn<'gc, Cache>, name: String, text: String) {
        if let Some(page) = self.pages.get(&name) {
            page.borrow_mut(t).text = text;
        }
    }

    fn text(&self, name: String) -> Option<String> {
        self.pages.get(&name).map(|page| page.borrow().text.clone())
    }

    fn newest(&self) -> Option<String> {
        self.newest.map(|page| page.borrow().text.clone())
    }
}

fn main() {
    let system = System::new();
    let cache = Cache::spawn(&system);
    cache.put("a".into(), "b".into()).send();
}
