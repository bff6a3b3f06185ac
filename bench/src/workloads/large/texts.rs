//! The texts of `text_search`: generated, or those of a file.

use super::chance::mixed;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Words of a generated document, and of a query.
const WORDS: u64 = 60;
const ASKED: u64 = 2;

/// Documents, in shards. A word is a number.
#[derive(Clone)]
pub(super) struct Texts {
    /// Documents of a shard.
    documents: u64,
    source: Source,
}

#[derive(Clone)]
enum Source {
    /// Random words, of which there are so many.
    Random { words: u64 },
    /// The words of each document of a file.
    Corpus(Arc<Vec<Vec<u64>>>),
}

impl Texts {
    pub(super) fn random(documents: u64, words: u64) -> Texts {
        let source = Source::Random { words };
        Texts { documents, source }
    }

    /// A line of the file is a document. A word is a run of letters, in lower case.
    pub(super) fn read(documents: u64, path: &Path) -> io::Result<Texts> {
        Ok(Texts::of(documents, &fs::read_to_string(path)?))
    }

    fn of(documents: u64, text: &str) -> Texts {
        let mut numbers = HashMap::new();
        let mut number = |word: &str| {
            let next = numbers.len() as u64;
            *numbers.entry(word.to_lowercase()).or_insert(next)
        };
        let mut words = |line: &str| {
            let words = line.split(|letter: char| !letter.is_alphabetic());
            let words = words.filter(|word| !word.is_empty());
            words.map(&mut number).collect::<Vec<_>>()
        };
        let lines = text.lines().map(&mut words);
        let all = lines.filter(|words| !words.is_empty()).collect();
        let source = Source::Corpus(Arc::new(all));
        Texts { documents, source }
    }

    /// The number of shards: `most`, or those of the file.
    pub(super) fn shards(&self, most: u64) -> u64 {
        match &self.source {
            Source::Random { .. } => most,
            Source::Corpus(all) => most.min((all.len() as u64).div_ceil(self.documents)),
        }
    }

    /// The number of the first document of a shard.
    pub(super) fn first(&self, shard: u64) -> u64 {
        let first = shard * self.documents;
        match &self.source {
            Source::Random { .. } => first,
            Source::Corpus(all) => first.min(all.len() as u64),
        }
    }

    /// The words of a document, each once, with its number of occurrences.
    pub(super) fn document(&self, document: u64) -> BTreeMap<u64, u32> {
        let mut counts = BTreeMap::new();
        let mut one = |word| *counts.entry(word).or_default() += 1;
        match &self.source {
            Source::Random { words } => {
                (0..WORDS).for_each(|at| one(random_word(*words, document * WORDS + at)));
            }
            Source::Corpus(all) => all[document as usize].iter().copied().for_each(one),
        }
        counts
    }

    /// The words of a query. Those of a file are drawn by their frequency in it.
    pub(super) fn question(&self, question: u64) -> [u64; ASKED as usize] {
        [0, 1].map(|at| {
            let number = (1 << 40) + question * ASKED + at;
            match &self.source {
                Source::Random { words } => random_word(*words, number),
                Source::Corpus(all) => {
                    let chance = mixed(number);
                    let document = &all[(chance % all.len() as u64) as usize];
                    document[((chance >> 32) % document.len() as u64) as usize]
                }
            }
        })
    }
}

/// The word of rank r comes with a frequency of about 1/r, because as many ranks have numbers of
/// the same bit length.
fn random_word(words: u64, number: u64) -> u64 {
    let chance = mixed(number);
    let bits = u64::from(words.ilog2()) + 1;
    let octave = 1 << ((chance >> 40) % bits);
    (octave + (chance & 0xFF_FFFF_FFFF) % octave - 1) % words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_document_and_a_word_is_a_run_of_letters() {
        let texts = Texts::of(2, "1. The end: the END.\n\n2.\nend\nof all\n");
        assert_eq!((texts.shards(9), texts.first(1), texts.first(2)), (2, 2, 3));
        assert_eq!(texts.document(0), BTreeMap::from([(0, 2), (1, 2)]));
        assert_eq!(texts.document(1), BTreeMap::from([(1, 1)]));
        assert_eq!(texts.document(2).len(), 2);
        assert!(texts.question(3).iter().all(|word| *word < 4));
    }
}
