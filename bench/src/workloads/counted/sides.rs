//! What rows of counted pointers are relative to.

use super::pointers::BASE;
use crate::prelude::*;
use crate::workloads::sides::Side;

/// The parameter that selects the pointer.
pub(super) const POINTER: &str = "pointer";

/// Adds times and memory, relative to the same side with the pointer by which the others are
/// divided, where that was run.
pub(super) fn add_relative(rows: &mut [Figures]) {
    let bases: Vec<_> = rows
        .iter()
        .map(|row| {
            let base = rows.iter().find(|it| is_base_of(&it.params, &row.params))?;
            Some((base.spent, base.peak_rss))
        })
        .collect();
    for (figures, base) in rows.iter_mut().zip(bases) {
        if let Some((spent, peak)) = base {
            figures.add_relative_time(spent);
            let of = |peak: Option<u64>| peak.unwrap_or(0).max(1) as f64;
            figures.add("relative_memory", of(figures.peak_rss) / of(peak));
        }
    }
}

/// Whether this is `other` with the pointer by which the others are divided.
fn is_base_of(side: &Side, other: &Side) -> bool {
    side.iter().zip(other).all(|(mine, its)| {
        *mine == (POINTER, Value::Choice(BASE)) || (mine == its && mine.0 != POINTER)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_has_the_same_parameters_but_the_pointer() {
        let side = |pointer, ratio| {
            vec![
                (POINTER, Value::Choice(pointer)),
                ("ratio", Value::Choice(ratio)),
            ]
        };
        let rc = side("rc", "1");
        assert!(is_base_of(&side(BASE, "1"), &rc));
        assert!(!is_base_of(&side(BASE, "0"), &rc));
        assert!(!is_base_of(&side("rc", "1"), &rc));
        assert!(is_base_of(&side(BASE, "1"), &side(BASE, "1")));
    }
}
