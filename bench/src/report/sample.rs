//! The values of one measure over several runs.
//!
//! A run is quiet if the rest of the machine used less than 0.15 of a processor meanwhile. Where
//! there are quiet runs, only these count.

/// Processors that others may use during a quiet run.
const QUIET: f64 = 0.15;

/// One figure of several runs, of which some were quiet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Runs {
    all: Sample,
    quiet: Sample,
}

impl Runs {
    /// A value of a run, and the number of processors that other programs used during it, if known.
    pub(super) fn push(&mut self, value: f64, others_busy: Option<f64>) {
        self.all.push(value);
        if others_busy.is_some_and(|busy| busy < QUIET) {
            self.quiet.push(value);
        }
    }

    /// Those that count.
    pub(super) fn counted(&self) -> &Sample {
        if self.quiet.is_empty() {
            &self.all
        } else {
            &self.quiet
        }
    }
}

/// Several values of the same thing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample(Vec<f64>);

impl Sample {
    pub(super) fn push(&mut self, value: f64) {
        let at = self.0.partition_point(|other| *other < value);
        self.0.insert(at, value);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The middle one, or between the middle two. NaN when there is none.
    pub(super) fn median(&self) -> f64 {
        let middle = self.0.len() / 2;
        match self.0.len() {
            0 => f64::NAN,
            odd if odd % 2 == 1 => self.0[middle],
            _ => f64::midpoint(self.0[middle - 1], self.0[middle]),
        }
    }

    /// From the least to the largest.
    pub(super) fn range(&self) -> (f64, f64) {
        let end = |value: Option<&f64>| value.copied().unwrap_or(f64::NAN);
        (end(self.0.first()), end(self.0.last()))
    }

    /// Every value multiplied.
    pub(super) fn times(&self, factor: f64) -> Sample {
        Sample(self.0.iter().map(|value| value * factor).collect())
    }
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Sample {
        let mut sample = Sample::default();
        values.into_iter().for_each(|value| sample.push(value));
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::{Runs, Sample};

    #[test]
    fn quiet_runs_are_preferred() {
        let mut runs = Runs::default();
        runs.push(9.0, Some(0.9));
        runs.push(8.0, None);
        assert_eq!(runs.counted().median(), 8.5);
        runs.push(4.0, Some(0.1));
        assert_eq!(runs.counted().median(), 4.0);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        let odd: Sample = [5.0, 1.0, 3.0].into_iter().collect();
        assert_eq!((odd.median(), odd.range()), (3.0, (1.0, 5.0)));
        let even: Sample = [4.0, 1.0, 3.0, 2.0].into_iter().collect();
        assert_eq!(even.median(), 2.5);
        assert_eq!(even.times(2.0).median(), 5.0);
        assert!(Sample::default().median().is_nan());
    }
}
