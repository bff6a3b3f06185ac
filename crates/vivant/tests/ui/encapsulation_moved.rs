use vivant::prelude::*;

#[derive(Object)]
struct Page {
    text: String,
}

#[derive(Actor)]
struct ShelfState<'gc> {
    pages: gc::Vec<'gc, Page>,
}

#[behaviours]
impl<'gc> ShelfState<'gc> {
    #[start]
    fn new() -> Self {
        ShelfState { pages: gc::Vec::new() }
    }

    fn put(&mut self, t: &Turn<'gc, Shelf>, page: Iso<Page>) {
        self.pages.push(t, page.merge(t));
    }

    fn give(&mut self, t: &Turn<'gc, Shelf>, to: Address<Shelf>) {
        let mut page: Iso<Page> = t.iso(|_| Page { text: "draft".into() });
        t.send(to.put(page));
        page.open(|_, page| page.text.push_str(", changed behind the shelf's back"));
    }
}

fn main() {}
