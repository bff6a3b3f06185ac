//! A simple list as the model of a cache, and small pages.

use cache::page::Pages;
use cache::store::Found;
use std::collections::VecDeque;

pub(crate) const PAGES: Pages = Pages {
    seed: 1,
    mean_bytes: 400,
};

/// The content of a cache: titles, the newest first.
#[derive(Debug)]
pub(crate) struct Model {
    capacity: usize,
    pub(crate) titles: VecDeque<u64>,
}

impl Model {
    pub(crate) fn new(capacity: usize) -> Model {
        Model {
            capacity,
            titles: VecDeque::new(),
        }
    }

    pub(crate) fn get(&mut self, title: u64) -> Found {
        let at = self.titles.iter().position(|it| *it == title);
        if let Some(at) = at {
            self.titles.remove(at);
        }
        self.titles.push_front(title);
        self.titles.truncate(self.capacity);
        match at {
            Some(_) => Found::Hit,
            None => Found::Miss,
        }
    }
}
