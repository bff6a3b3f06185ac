use vivant::prelude::*;

#[derive(Object)]
struct Page {
    text: String,
}

#[derive(Actor)]
struct Reader {
    last: Option<Val<'static, Page>>,
}

#[behaviours]
impl Reader {
    fn read(&mut self, page: Val<'static, Page>) -> usize {
        page.text.len()
    }
}

fn main() {}
