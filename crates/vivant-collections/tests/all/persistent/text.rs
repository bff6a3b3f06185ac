//! `val::String`.

use super::{Pair, run, with_seeds};
use fastrand::Rng;
use std::hash::BuildHasher;
use vivant_collections::val;
use vivant_heap::{FixedState, Mutator};

struct Texts;

/// The largest length of a text, and of a part of it that is added at once.
const LONGEST: usize = if cfg!(miri) { 1_000 } else { 100_000 };
const PART: usize = if cfg!(miri) { 300 } else { 5_000 };

/// Text of characters of one to four bytes.
fn part(random: &mut Rng) -> String {
    let most = [4, 40, PART][random.usize(..3)];
    let characters = ['a', 'b', 'é', '→', '😀'];
    let count = random.usize(..most);
    let character = |_| characters[random.usize(..characters.len())];
    (0..count).map(character).collect()
}

/// The beginning of a character, at this byte or before.
fn border(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl Pair for Texts {
    type Of<'gc> = val::String<'gc>;
    type Model = String;

    fn new<'gc>() -> val::String<'gc> {
        val::String::new()
    }

    fn update<'gc>(
        m: &Mutator<'gc>,
        versions: &[val::String<'gc>],
        models: &[String],
        random: &mut Rng,
    ) -> (val::String<'gc>, String) {
        let mut place = || random.usize(..versions.len());
        let (one, other) = (place(), place());
        let (mut text, mut model) = (versions[one], models[one].clone());
        match random.usize(..7) {
            0 | 1 if model.len() < LONGEST => {
                text = text.concat(m, versions[other]);
                model += &models[other];
            }
            2 if model.len() < LONGEST => {
                text = val::String::from_str(m, &models[other]).concat(m, text);
                model = models[other].clone() + &model;
            }
            3 | 4 => {
                let mut ends = [(); 2].map(|()| border(&model, random.usize(..model.len() + 1)));
                ends.sort_unstable();
                let [from, to] = ends;
                text = text.slice(m, from..to).unwrap();
                model = model[from..to].to_owned();
            }
            _ => {
                for _ in 0..random.usize(..4) {
                    let part = part(random);
                    text = text.push_str(m, &part);
                    model += &part;
                }
            }
        }
        let at = random.usize(..model.len() + 4);
        assert_eq!(text.is_char_boundary(at), model.is_char_boundary(at));
        let there = text.slice(m, at..).is_some();
        assert_eq!(there, model.get(at..).is_some());
        let again = val::String::from_str(m, &model);
        assert_eq!(again, text);
        assert_eq!(FixedState.hash_one(again), FixedState.hash_one(text));
        let cut = &models[other];
        assert_eq!(text.cmp(&versions[other]), model.as_str().cmp(cut));
        (text, model)
    }

    fn compare(text: val::String<'_>, model: &String) {
        text.verify().unwrap();
        assert_eq!(text.len(), model.len());
        assert_eq!(text, **model);
        assert!(text.chunks().rev().flat_map(str::bytes).count() == model.len());
        assert!(
            text.chars()
                .rev()
                .take(1000)
                .eq(model.chars().rev().take(1000))
        );
    }
}

#[test]
fn seeded_text_is_that_of_std() {
    with_seeds(run::<Texts>);
}

#[test]
fn text_grows_by_characters_and_is_shown() {
    use std::sync::Arc;
    use vivant_heap::{Heap, Pacing, PageSource};
    root!(State = val::String<'gc>);
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| val::String::new());
    let count = if cfg!(miri) { 100 } else { 10_000 };
    for number in 0..count {
        heap.turn(|m, text| *text = text.push_str(m, ["é", "\"", "x"][number % 3]));
        heap.pace();
    }
    heap.turn(|m, text| {
        text.verify().unwrap();
        let expected = "é\"x".repeat(count / 3 + 1);
        let expected = &expected[..text.len()];
        assert_eq!(text.to_string(), expected);
        assert_eq!(format!("{text:?}"), format!("{expected:?}"));
        assert!(text.slice(m, 1..).is_none(), "within a character");
        assert!(text.slice(m, 2..text.len() + 1).is_none());
        assert!(text.slice(m, ..).unwrap().ptr_eq(*text));
        assert!(text.slice(m, 4..4).unwrap().is_empty());
    });
}
