//! The lists of the first page: the top five by each measure, without actors at zero.

use super::column::Column;
use super::look::{Letters, Look, Row};

/// The number of lines of a list.
pub(crate) const TOP: usize = 5;

/// The five actors with the greatest busy share.
pub(crate) fn busiest(look: &Look) -> Vec<&Row> {
    top(look, Column::Busy, |row| {
        row.busy.is_some_and(|busy| busy > 0.0)
    })
}

/// The five longest mailboxes.
pub(crate) fn longest(look: &Look) -> Vec<&Row> {
    top(look, Column::Depth, |row| row.facts.depth > 0)
}

/// The five actors with the most restarts.
pub(crate) fn restarted(look: &Look) -> Vec<&Row> {
    top(look, Column::Restarts, |row| row.facts.restarts > 0)
}

/// The five kinds of dead letters that grow fastest; ties by count.
pub(crate) fn letters(look: &Look) -> Vec<&Letters> {
    let mut letters: Vec<&Letters> = look.letters.iter().collect();
    letters.sort_by(|a, b| {
        let rate = |letters: &Letters| letters.rate.unwrap_or(0.0);
        let by_rate = rate(b).total_cmp(&rate(a));
        by_rate.then(b.facts.count.cmp(&a.facts.count))
    });
    letters.truncate(TOP);
    letters
}

/// An overloaded actor that mutes others.
#[derive(Debug, PartialEq)]
pub(crate) struct Muting<'l> {
    pub(crate) by: &'l Row,
    /// The muted actors with known names.
    pub(crate) muted: Vec<&'l str>,
}

/// The five actors that mute most others.
pub(crate) fn muting(look: &Look) -> Vec<Muting<'_>> {
    let mut rows: Vec<&Row> = look.rows.iter().filter(|row| row.facts.mutes > 0).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.facts.mutes));
    rows.truncate(TOP);
    let muted = |by: &Row| {
        let is_muted = |row: &&Row| row.facts.muted_by.as_ref() == Some(&by.facts.actor);
        let muted = look.rows.iter().filter(is_muted);
        muted.map(|row| &*row.facts.actor).collect()
    };
    rows.into_iter()
        .map(|by| Muting {
            by,
            muted: muted(by),
        })
        .collect()
}

fn top(look: &Look, sort: Column, matters: fn(&Row) -> bool) -> Vec<&Row> {
    let mut rows: Vec<&Row> = look.rows.iter().filter(|row| matters(row)).collect();
    rows.sort_by(|a, b| sort.compare(a, b));
    rows.truncate(TOP);
    rows
}
