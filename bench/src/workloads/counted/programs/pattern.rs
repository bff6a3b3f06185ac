//! Patterns: sequences of sets of letters, as regular expressions write them. What is found is
//! counted or replaced.

use super::slice::Slice;

/// One of several sequences of sets of letters.
pub(super) struct Pattern {
    /// By place, which letters each sequence takes there.
    sequences: Vec<Vec<[bool; 256]>>,
    /// Letters with which any of them begins.
    first: [bool; 256],
}

impl Pattern {
    pub(super) fn new(alternatives: &[&str]) -> Pattern {
        let sequences: Vec<_> = alternatives.iter().map(|it| sets(it.as_bytes())).collect();
        let mut first = [false; 256];
        for sequence in &sequences {
            for (all, its) in first.iter_mut().zip(sequence[0]) {
                *all |= its;
            }
        }
        Pattern { sequences, first }
    }

    /// The next match, from `start` on: where it begins and where it ends.
    fn find(&self, bytes: &[u8], start: usize) -> Option<(usize, usize)> {
        (start..bytes.len())
            .filter(|at| self.first[usize::from(bytes[*at])])
            .find_map(|at| {
                let rest = &bytes[at..];
                let fits = |sequence: &&Vec<[bool; 256]>| {
                    sequence.len() <= rest.len()
                        && sequence
                            .iter()
                            .zip(rest)
                            .all(|(set, it)| set[usize::from(*it)])
                };
                let sequence = self.sequences.iter().find(fits)?;
                Some((at, at + sequence.len()))
            })
    }

    pub(super) fn count(&self, bytes: &[u8]) -> u64 {
        let (mut at, mut count) = (0, 0);
        while let Some((_, end)) = self.find(bytes, at) {
            (at, count) = (end, count + 1);
        }
        count
    }

    /// Slices like these, with `by` for each match.
    pub(super) fn replace(&self, slices: &[Slice], by: &Slice) -> Vec<Slice> {
        let mut result = Vec::with_capacity(slices.len());
        for slice in slices {
            let bytes = slice.bytes();
            let mut done = 0;
            while let Some((from, to)) = self.find(bytes, done) {
                if from > done {
                    result.push(slice.part(done, from));
                }
                result.push(by.clone());
                done = to;
            }
            if done < bytes.len() {
                result.push(slice.part(done, bytes.len()));
            }
        }
        result
    }
}

/// Letters, and sets of them in brackets.
fn sets(pattern: &[u8]) -> Vec<[bool; 256]> {
    let mut sets = Vec::new();
    let mut open: Option<[bool; 256]> = None;
    for letter in pattern {
        match (letter, &mut open) {
            (b'[', _) => open = Some([false; 256]),
            (b']', _) => sets.extend(open.take()),
            (_, Some(set)) => set[usize::from(*letter)] = true,
            (_, None) => {
                let mut set = [false; 256];
                set[usize::from(*letter)] = true;
                sets.push(set);
            }
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_counted_together() {
        let pattern = Pattern::new(&["a[ct]g", "tt"]);
        assert_eq!(pattern.count(b"acgaagtttatg"), 3);
    }
}
