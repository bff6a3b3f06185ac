//! Patterns in DNA are counted and replaced, without a copy of the text.
//!
//! Protocol: regex-redux of the Computer Language Benchmarks Game, on its random sequence, with
//! slices: a slice owns, with others, the text that it is a part of. Variants of a pattern are
//! counted, line for line; then four patterns are replaced, one after the other. What a replacement
//! leaves is a list of slices, of the text between the matches and of what stands for them; the
//! next works on these. In the end the slices are set in lines of 60. The matcher is our own, for
//! sequences of sets of letters; the game's fifth pattern, which reaches over several slices, is
//! left out.
//!
//! Added to the game: the text is read as genes, in each of the three frames. A gene is a list of
//! codons, three letters each, from a start to a stop; a codon owns its slice and the name of what
//! it stands for. The longest gene of each frame is kept.

use super::genes::Code;
use super::pattern::Pattern;
use super::slice::Slice;
use super::{SEED, digest};
use crate::run::Run;
use fastrand::Rng;
use std::iter;

/// Of a line.
const WIDTH: usize = 60;

/// Letters as often as the game has them: of a thousand.
const LETTERS: [(u8, usize); 15] = [
    (b'a', 270),
    (b'c', 120),
    (b'g', 120),
    (b't', 270),
    (b'B', 20),
    (b'D', 20),
    (b'H', 20),
    (b'K', 20),
    (b'M', 20),
    (b'N', 20),
    (b'R', 20),
    (b'S', 20),
    (b'V', 20),
    (b'W', 20),
    (b'Y', 20),
];

/// The counted patterns: in each, one place may be one of several letters, from either side.
const COUNTED: [&[&str]; 3] = [
    &["agggtaaa", "tttaccct"],
    &["[cgt]gggtaaa", "tttaccc[acg]"],
    &["a[act]ggtaaa", "tttacc[agt]t"],
];

/// The replaced patterns and their replacements, in this order.
const REPLACED: [(&[&str], &str); 4] = [
    (&["tHa[Nt]"], "<4>"),
    (&["aND", "caN", "Ha[DS]", "WaS"], "<3>"),
    (&["a[NSt]", "BY"], "<2>"),
    (&["<[234]>"], "|"),
];

/// A text of chance.
fn text(letters: u64) -> String {
    let of_thousand: Vec<char> = LETTERS
        .iter()
        .flat_map(|(letter, often)| iter::repeat_n(char::from(*letter), *often))
        .collect();
    let mut chance = Rng::with_seed(SEED);
    (0..letters)
        .map(|_| of_thousand[chance.usize(..1_000)])
        .collect()
}

/// The same slices in lines.
fn lines(slices: &[Slice]) -> Vec<Vec<Slice>> {
    let (mut lines, mut line, mut room) = (Vec::new(), Vec::new(), WIDTH);
    for slice in slices {
        let mut done = 0;
        while done < slice.len() {
            let now = room.min(slice.len() - done);
            line.push(slice.part(done, done + now));
            (done, room) = (done + now, room - now);
            if room == 0 {
                lines.push(std::mem::take(&mut line));
                room = WIDTH;
            }
        }
    }
    lines.push(line);
    lines
}

pub(super) fn run(run: &Run) -> u64 {
    let whole = [Slice::whole(&text(run.count("letters")))];
    let unbroken = lines(&whole);
    let mut state = 0;
    for alternatives in COUNTED {
        let pattern = Pattern::new(alternatives);
        let counts = unbroken
            .iter()
            .flatten()
            .map(|it| pattern.count(it.bytes()));
        state = state * 1_000 + counts.sum::<u64>();
    }
    let replaced = REPLACED
        .iter()
        .fold(whole.to_vec(), |slices, (pattern, by)| {
            Pattern::new(pattern).replace(&slices, &Slice::whole(by))
        });
    let slices = lines(&replaced).into_iter().flatten();
    let state = slices.fold(state, |state, slice| digest(state, slice.bytes()));
    let code = Code::new();
    let genes = (0..3).flat_map(|frame| code.longest(&whole[0], frame));
    genes.fold(state, |state, codon| {
        digest(digest(state, codon.letters.bytes()), codon.name.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str) -> String {
        let slices = REPLACED
            .iter()
            .fold(vec![Slice::whole(text)], |slices, (pattern, by)| {
                Pattern::new(pattern).replace(&slices, &Slice::whole(by))
            });
        let bytes: Vec<u8> = slices.iter().flat_map(|it| it.bytes().to_vec()).collect();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn matches_are_replaced_and_the_rest_stays() {
        assert_eq!(replaced("cctHaNcc"), "cc|cc");
        assert_eq!(replaced("aNDBYg"), "||g");
        assert_eq!(replaced("ccc"), "ccc");
        assert_eq!(replaced("gaSga"), "g|ga");
    }

    #[test]
    fn lines_have_all_letters() {
        let slices = [Slice::whole(&text(100)), Slice::whole(&text(50))];
        let lines = lines(&slices);
        let lengths: Vec<usize> = lines
            .iter()
            .map(|it| it.iter().map(Slice::len).sum())
            .collect();
        assert_eq!(lengths, [60, 60, 30]);
    }
}
