//! An index of words that grows between queries: the service times of a shard and of a query.
//!
//! Protocol: `text-search` of the Alligator paper. A shard is a number of documents. They are
//! generated, of 60 random words each, some of them much more frequent than others (Zipf's law, by
//! its inverse); or, with `--corpus FILE`, the lines of a file, which is read before. An index maps
//! a word to its postings: a document, and the word's number of occurrences in it. Before every
//! hundredth shard come ten queries of two words each: the thousand documents in which both
//! together are most frequent. The checksum is over the scores of all answers.
//!
//! Timed: from the first shard to the last. The service times are those of all shards and queries,
//! between two completions. An operation is a posting.

use super::completions::Completions;
use super::texts::Texts;
use super::window::Window;
use crate::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use vivant::heap::Leaf;
use vivant::prelude::*;

pub(in crate::workloads) const TEXT_SEARCH: Bench = Bench::new(
    Group::Large,
    "text_search",
    "an index of words that grows between queries",
    &[
        Param::count("shards", 500, 20, "shards"),
        Param::count("documents", 1_000, 50, "documents of a shard"),
        Param::count("words", 200_000, 500, "words that there are").at_least(2),
        Param::count("every", 100, 5, "shards between queries"),
        PAUSES,
    ],
    run,
);

/// Questions at a time, and documents of an answer.
const QUESTIONS: u64 = 10;
const BEST: usize = 1_000;

/// The scores of the best documents, added up. Of equal ones any are as good.
fn best(scores: impl Iterator<Item = u64>) -> u64 {
    let mut best = BinaryHeap::with_capacity(BEST + 1);
    for score in scores {
        best.push(Reverse(score));
        if best.len() > BEST {
            best.pop();
        }
    }
    best.into_iter().map(|Reverse(score)| score).sum()
}

/// The newest first.
#[derive(Object)]
struct Posting<'gc> {
    document: u64,
    count: u32,
    next: Option<Gc<'gc, Posting<'gc>>>,
}

#[derive(Actor)]
struct IndexState<'gc> {
    postings: gc::HashMap<'gc, u64, Gc<'gc, Posting<'gc>>>,
    texts: Leaf<Texts>,
    times: Leaf<Completions>,
}

/// Documents of a step.
const A_STEP: u64 = 20;

#[behaviours]
impl<'gc> IndexState<'gc> {
    #[start]
    fn new(texts: Texts) -> Self {
        IndexState {
            postings: gc::HashMap::new(),
            texts: Leaf(texts),
            times: Leaf(Completions::all()),
        }
    }

    /// Answers with the number of its postings.
    fn shard(
        &mut self,
        t: &Turn<'gc, Index>,
        shard: u64,
        #[locals] (from, made): (u64, u64),
    ) -> Step<(u64, (u64, u64)), u64> {
        let texts = &self.texts.0;
        let first = texts.first(shard);
        let documents = texts.first(shard + 1) - first;
        let until = documents.min(from + A_STEP);
        let mut made = made;
        for document in first + from..first + until {
            for (word, count) in texts.document(document) {
                let next = self.postings.get(&word).copied();
                let posting = t.alloc(Posting {
                    document,
                    count,
                    next,
                });
                self.postings.insert(t, word, posting);
                made += 1;
            }
        }
        if until < documents {
            return Step::Again((shard, (until, made)));
        }
        self.times.0.one();
        Step::Done(made)
    }

    /// Answers with the sum of the best scores.
    fn ask(&mut self, question: u64) -> u64 {
        let mut scores: HashMap<u64, u64, gc::FixedState> = HashMap::default();
        for word in self.texts.0.question(question) {
            let mut at = self.postings.get(&word).copied();
            while let Some(posting) = at {
                *scores.entry(posting.document).or_default() += u64::from(posting.count);
                at = posting.next;
            }
        }
        let sum = best(scores.into_values());
        self.times.0.one();
        sum
    }

    fn end(&mut self) -> Latencies {
        self.times.0.end()
    }
}

/// The expected result of the index, computed in another way: each text is read again for all later
/// queries.
fn expected(texts: &Texts, shards: u64, every: u64) -> u64 {
    let mut postings: HashMap<u64, Vec<(u64, u64)>> = HashMap::new();
    let rounds = 1..=(shards - 1) / every;
    let questions: Vec<_> = (0..*rounds.end() * QUESTIONS)
        .map(|question| texts.question(question))
        .collect();
    for word in questions.iter().flatten() {
        postings.entry(*word).or_default();
    }
    for document in 0..texts.first(shards) {
        for (word, count) in texts.document(document) {
            if let Some(postings) = postings.get_mut(&word) {
                postings.push((document, count.into()));
            }
        }
    }
    let answer = |(number, words): (usize, &[u64; 2])| {
        let asked = texts.first((number as u64 / QUESTIONS + 1) * every);
        let mut scores: BTreeMap<u64, u64> = BTreeMap::new();
        for (document, count) in words.iter().flat_map(|word| &postings[word]) {
            if *document < asked {
                *scores.entry(*document).or_default() += count;
            }
        }
        let mut scores: Vec<_> = scores.into_values().collect();
        scores.sort_unstable_by_key(|score| Reverse(*score));
        scores.iter().take(BEST).sum::<u64>()
    };
    questions.iter().enumerate().map(answer).sum()
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let documents = run.count("documents");
    let texts = match &run.corpus {
        Some(path) => Texts::read(documents, path)?,
        None => Texts::random(documents, run.count("words")),
    };
    let (shards, every) = (texts.shards(run.count("shards")), run.count("every"));
    let system = run.system();
    let index = Index::spawn(&system, texts.clone());
    let window = Window::begin(run, &system);
    let (mut made, mut questions, mut sum) = (0, 0, 0);
    for shard in 0..shards {
        if shard > 0 && shard % every == 0 {
            for _ in 0..QUESTIONS {
                sum += index.ask(questions).ask_blocking()?;
                questions += 1;
            }
        }
        made += index.shard(shard).ask_blocking()?;
    }
    let seen = window.end();
    let check = run.check(
        "scores of all answers",
        expected(&texts, shards, every),
        sum,
    )?;
    let mut figures = seen.figures(made, check);
    if run.corpus.is_some() {
        figures.params = vec![
            ("shards", Value::Count(shards)),
            ("texts", Value::Choice("corpus")),
        ];
    }
    figures.latency = Some(index.end().ask_blocking()?.quantiles());
    Ok(vec![figures])
}
