use vivant::prelude::*;

#[derive(Object)]
struct Page {
    text: String,
}

#[derive(Actor)]
struct ShelfState<'gc> {
    newest: Option<Gc<'gc, Mut<Page>>>,
}

#[behaviours]
impl<'gc> ShelfState<'gc> {
    #[start]
    fn new() -> Self {
        ShelfState { newest: None }
    }

    fn put(&mut self, page: Gc<'gc, Mut<Page>>) {
        self.newest = Some(page);
    }
}

fn main() {}
