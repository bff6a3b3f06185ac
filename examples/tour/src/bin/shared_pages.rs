//! Data that many actors share: `Brc`, which costs its owner no atomic operations.
//!
//! A library has pages and lends them out; readers keep references to them. No page is copied. The
//! library's own clones are additions, because the library made the pages; a reference for a reader
//! is in the shared count, where the reader drops it (`Brc::clone_out`). When the library corrects
//! a page that has readers, `Brc::make_mut` copies it for the library alone.
//!
//! Where to look: `Library::lend`, `Library::correct`. Try: `clone` in the place of `clone_out`,
//! and read about the queue on the crate's page; a page as `Arc<str>`, and compare.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use std::collections::BTreeMap;
use vivant::Brc;
use vivant::prelude::*;

#[derive(Actor, Default)]
struct Library {
    pages: BTreeMap<u32, Brc<str>>,
}

#[behaviours]
impl Library {
    /// Takes a page in.
    fn shelve(&mut self, number: u32, text: String) {
        self.pages.insert(number, text.into());
    }

    /// Returns a reference to the page, for another owner to drop.
    fn lend(&mut self, number: u32) -> Option<Brc<str>> {
        self.pages.get(&number).map(Brc::clone_out)
    }

    /// Corrects a page. A reader's reference keeps the old text.
    fn correct(&mut self, number: u32) {
        if let Some(page) = self.pages.get_mut(&number) {
            Brc::make_mut(page).make_ascii_uppercase();
        }
    }

    /// Number of readers of the page.
    fn lent(&mut self, number: u32) -> usize {
        self.pages
            .get(&number)
            .map_or(0, |page| Brc::strong_count(page) - 1)
    }
}

#[derive(Actor, Default)]
struct Reader {
    page: Option<Brc<str>>,
}

#[behaviours]
impl Reader {
    /// Borrows a page.
    fn read(&mut self, t: &Turn<Self>, library: Address<Library>, number: u32) -> Promise<usize> {
        t.ask(library.lend(number)).then(t.me().got())
    }

    #[then]
    fn got(&mut self, page: Result<Option<Brc<str>>, AskError>) -> usize {
        self.page = page.ok().flatten();
        self.page.as_ref().map_or(0, |page| page.len())
    }

    /// The words of the page.
    fn words(&mut self) -> Vec<String> {
        let words = |page: &Brc<str>| page.split(' ').map(str::to_owned).collect();
        self.page.as_ref().map_or_else(Vec::new, words)
    }

    /// Drops the page.
    fn close(&mut self) {
        self.page = None;
    }
}

fn main() -> Result<(), AskError> {
    let system = System::new();
    let library = system.spawn(Library::default());
    library.shelve(1, "call me ishmael".to_owned()).send();

    let readers: Vec<_> = (0..64).map(|_| system.spawn(Reader::default())).collect();
    for reader in &readers {
        assert_eq!(reader.read(library.clone(), 1).ask_blocking()?, 15);
    }
    assert_eq!(library.lent(1).ask_blocking()?, 64);
    println!("64 readers, one page");

    library.correct(1).ask_blocking()?;
    assert_eq!(
        readers[0].words().ask_blocking()?,
        ["call", "me", "ishmael"]
    );
    assert_eq!(library.lent(1).ask_blocking()?, 0);
    println!("corrected: the readers have the old page, the library has the new one");

    for reader in &readers {
        reader.close().ask_blocking()?;
    }
    assert_eq!(readers[0].read(library.clone(), 1).ask_blocking()?, 15);
    assert_eq!(
        readers[0].words().ask_blocking()?,
        ["CALL", "ME", "ISHMAEL"]
    );
    println!("closed: nobody has the old page any more");
    Ok(())
}
