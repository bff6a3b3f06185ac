//! The restart budget of a supervisor, and the back-off before each restart.

use std::collections::VecDeque;

/// The limit of failures in any window of this length. All times are nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct RestartIntensity {
    pub(super) failures: usize,
    pub(super) within_ns: u64,
}

/// The times of the failures that still count.
#[derive(Debug, Default)]
pub(super) struct FailureWindow(pub(super) VecDeque<u64>);

/// Whether the budget allows a restart after a failure.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum BudgetCheck {
    Allowed,
    /// One failure too many; the number of failures in the window.
    Exceeded(usize),
}

impl FailureWindow {
    /// Counts one more failure.
    pub(super) fn count(&mut self, budget: RestartIntensity, now_ns: u64) -> BudgetCheck {
        let counts = |&at_ns: &u64| now_ns.saturating_sub(at_ns) < budget.within_ns;
        while self.0.front().is_some_and(|at_ns| !counts(at_ns)) {
            self.0.pop_front();
        }
        self.0.push_back(now_ns);
        let one_more = usize::from(allows_one_more());
        if self.0.len() > budget.failures + one_more {
            BudgetCheck::Exceeded(self.0.len())
        } else {
            BudgetCheck::Allowed
        }
    }
}

fn allows_one_more() -> bool {
    #[cfg(test)]
    return crate::injected_fault::is_planted(crate::injected_fault::InjectedFault::OverBudget);
    #[cfg(not(test))]
    false
}

/// The wait before a child is restarted: `least` at first, twice as long after each further failure
/// in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct BackOff {
    pub(super) least_ns: u64,
    pub(super) most_ns: u64,
}

impl BackOff {
    /// Returns the wait after the `failures_in_a_row` failure in a row, counted from one.
    pub(super) fn delay_ns(self, failures_in_a_row: u32) -> u64 {
        let doublings = failures_in_a_row.saturating_sub(1).min(63);
        let delay_ns = u128::from(self.least_ns) << doublings;
        u64::try_from(delay_ns)
            .unwrap_or(u64::MAX)
            .min(self.most_ns)
    }

    /// Returns the time up after which a child's next failure counts as the first in a row.
    pub(super) fn reset_after_ns(self) -> u64 {
        self.most_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_outside_the_window_do_not_count() {
        let budget = RestartIntensity {
            failures: 2,
            within_ns: 10,
        };
        let mut failures = FailureWindow::default();
        assert_eq!(failures.count(budget, 0), BudgetCheck::Allowed);
        assert_eq!(failures.count(budget, 5), BudgetCheck::Allowed);
        assert_eq!(failures.count(budget, 10), BudgetCheck::Allowed);
        assert_eq!(failures.count(budget, 14), BudgetCheck::Exceeded(3));
    }

    #[test]
    fn delays_double_up_to_a_limit() {
        let back_off = BackOff {
            least_ns: 10,
            most_ns: 35,
        };
        let delays: Vec<u64> = (1..6)
            .map(|failures_in_a_row| back_off.delay_ns(failures_in_a_row))
            .collect();
        assert_eq!(delays, [10, 20, 35, 35, 35]);
        assert_eq!(back_off.delay_ns(u32::MAX), 35);
    }
}
