//! [`changed_lines`]: the lines that differ between two texts.

/// Pairs of lines that are compared one by one. Between longer texts, all lines are changed that
/// are not equal at the begin or at the end.
const PAIRS_MAX: usize = 1 << 22;

/// A line that only one of two texts has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change<'t> {
    Gone(&'t str),
    New(&'t str),
}

/// The changes that make `new` of `old`, as few as possible.
pub(super) fn changed_lines<'t>(old: &'t [String], new: &'t [String]) -> Vec<Change<'t>> {
    let equal = |(a, b): &(&String, &String)| a == b;
    let begin = old.iter().zip(new).take_while(equal).count();
    let (old, new) = (&old[begin..], &new[begin..]);
    let end = old.iter().rev().zip(new.iter().rev());
    let end = end.take_while(equal).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    let common = match (old.len() + 1).saturating_mul(new.len() + 1) <= PAIRS_MAX {
        true => common_lines(old, new),
        false => Vec::new(),
    };
    let common = |at: usize, to: usize| common.get(at * (new.len() + 1) + to).copied();
    let (mut at, mut to, mut changes) = (0, 0, Vec::new());
    while at < old.len() || to < new.len() {
        if let (Some(a), Some(b), Some(_)) = (old.get(at), new.get(to), common(at, to))
            && a == b
        {
            (at, to) = (at + 1, to + 1);
        } else if at < old.len() && (to == new.len() || common(at + 1, to) >= common(at, to + 1)) {
            changes.push(Change::Gone(&old[at]));
            at += 1;
        } else {
            changes.push(Change::New(&new[to]));
            to += 1;
        }
    }
    changes
}

/// The length of the longest common subsequence of the rests of both texts, for each pair of
/// positions.
fn common_lines(old: &[String], new: &[String]) -> Vec<u32> {
    let width = new.len() + 1;
    let mut common = vec![0; (old.len() + 1) * width];
    for (at, a) in old.iter().enumerate().rev() {
        for (to, b) in new.iter().enumerate().rev() {
            let here = at * width + to;
            common[here] = match a == b {
                true => common[here + width + 1] + 1,
                false => common[here + width].max(common[here + 1]),
            };
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn changed(old: &str, new: &str) -> String {
        let (old, new) = (lines(old), lines(new));
        let changes = changed_lines(&old, &new).into_iter();
        let changes = changes.map(|change| match change {
            Change::Gone(line) => format!("-{line}"),
            Change::New(line) => format!("+{line}"),
        });
        changes.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_what_differs_is_changed() {
        assert_eq!(changed("a b c", "a b c"), "");
        assert_eq!(changed("", "a b"), "+a +b");
        assert_eq!(changed("a b", ""), "-a -b");
        assert_eq!(changed("a b c d e", "a x c y e"), "-b +x -d +y");
        assert_eq!(changed("a b c d", "b c x d"), "-a +x");
        assert_eq!(changed("a a b", "a b b"), "-a +b");
    }

    #[test]
    fn long_texts_are_changed_as_a_whole() {
        let long = |first: usize| (first..first + 3_000).map(|line| line.to_string());
        let (old, new): (Vec<_>, Vec<_>) = (long(0).collect(), long(1_000).collect());
        let changes = changed_lines(&old, &new);
        assert_eq!(changes.len(), 6_000);
        assert_eq!(changes[2_999], Change::Gone("2999"));
        assert_eq!(changes[3_000], Change::New("1000"));
    }
}
