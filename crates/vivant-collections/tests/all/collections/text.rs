//! `gc::String`.

use super::{Pair, run, with_seeds};
use fastrand::Rng;
use std::fmt::Write;
use std::hash::BuildHasher;
use vivant_collections::gc;
use vivant_heap::Mutator;

struct Texts(String);

root!(State = gc::String<'gc>);

fn text(random: &mut Rng) -> String {
    // Long texts span several chunks, but an interpreter is slow for each character.
    let long = if cfg!(miri) { 200 } else { 3000 };
    let most = if random.usize(..6) == 0 { long } else { 20 };
    let character = |random: &mut Rng| ['a', '\'', 'ß', '€', '𝄞'][random.usize(..5)];
    (0..random.usize(..most))
        .map(|_| character(random))
        .collect()
}

impl Pair for Texts {
    type State = State;

    fn operate<'gc>(&mut self, m: &Mutator<'gc>, text: &mut gc::String<'gc>, random: &mut Rng) {
        match random.usize(..9) {
            0..4 => {
                // Without memory a part of the text may have been appended: so this one is appended
                // character by character.
                for character in self::text(random).chars() {
                    text.push(m, character);
                    self.0.push(character);
                }
            }
            4 => {
                let (before, more) = (text.len(), self::text(random));
                let pushed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    text.push_str(m, &more);
                }));
                self.0.push_str(&more[..text.len() - before]);
                pushed.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
            5 | 6 => {
                for _ in 0..random.usize(..50) {
                    assert_eq!(text.pop(m), self.0.pop());
                }
            }
            7 => {
                let mut len = random.usize(..self.0.len() + 1);
                while !self.0.is_char_boundary(len) {
                    len -= 1;
                }
                text.truncate(m, len);
                self.0.truncate(len);
            }
            _ if random.usize(..8) == 0 => {
                text.clear();
                self.0.clear();
            }
            _ => {
                let number = random.usize(..1000);
                let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    write!(text.writer(m), "{number:03}").unwrap();
                }));
                let more = format!("{number:03}");
                self.0.push_str(&more[..text.len() - self.0.len()]);
                written.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
        }
    }

    fn compare<'gc>(&self, text: &gc::String<'gc>) {
        assert_eq!(text.len(), self.0.len());
        assert!(*text == *self.0.as_str());
        assert!(text.chars().eq(self.0.chars()));
        assert!(text.chars().rev().eq(self.0.chars().rev()));
        assert_eq!(text.to_string(), self.0);
        assert_eq!(format!("{text:?}"), format!("{:?}", self.0));
    }
}

#[test]
fn seeded_texts_are_those_of_std() {
    with_seeds(|seed| run(Texts(String::new()), seed, |_| gc::String::new()));
}

root!(Two = (gc::String<'gc>, gc::String<'gc>));

#[test]
fn the_same_text_is_equal_and_hashes_alike_wherever_its_chunks_end() {
    let source = std::sync::Arc::new(vivant_heap::PageSource::new());
    let pacing = vivant_heap::Pacing::default();
    let mut heap = vivant_heap::Heap::<Two>::new(&source, pacing, |_| Default::default());
    heap.turn(|m, (one, other)| {
        one.push_str(m, &"a".repeat(2000));
        // Its first chunk has room for one more byte, which is not used.
        other.push_str(m, &"a".repeat(1023));
        other.push(m, '€');
        other.pop(m);
        other.push_str(m, &"a".repeat(977));
        assert!(one.chunks().ne(other.chunks()));
        assert!(one == other && (*one).cmp(other).is_eq());
        let hash = |text: &gc::String<'_>| gc::FixedState.hash_one(text);
        assert_eq!(hash(one), hash(other));
        one.push(m, 'a');
        assert!(one != other && *one > *other && hash(one) != hash(other));
    });
}
