//! `cargo test` or its like, for some of the tests of some packages.
//!
//! The integration tests of a package are one binary, `all`, with one module for each subject. A
//! filter that matches no test is an error: a module that is renamed would otherwise leave the
//! check, and the check would pass. A filter that matches a test of another module is one too.

use crate::Failure;
use crate::command::Run;

/// Tests to run. A test runs if it is in one of the modules, or if no module is named, and if its
/// name contains no word of `skipped`.
#[derive(Clone)]
pub(crate) struct Tests {
    /// The command, without `--` and what follows it.
    run: Run,
    modules: Vec<&'static str>,
    skipped: Vec<&'static str>,
    /// Parts of names that some test must have, whether it runs or not.
    known: Vec<&'static str>,
    /// Variables of the run alone, not of the listing.
    env: Vec<(&'static str, String)>,
}

impl Tests {
    pub(crate) fn of(run: Run) -> Self {
        Self {
            run,
            modules: Vec::new(),
            skipped: Vec::new(),
            known: Vec::new(),
            env: Vec::new(),
        }
    }

    /// Adds each word of `line` as a module at the root of the binary.
    pub(crate) fn modules(mut self, line: &'static str) -> Self {
        self.modules.extend(line.split_whitespace());
        self
    }

    /// Adds each word of `line` as a part of names of tests to leave out.
    pub(crate) fn skip(mut self, line: &'static str) -> Self {
        self.skipped.extend(line.split_whitespace());
        self
    }

    /// Adds each word of `line` as a part of a name that some test must have.
    pub(crate) fn know(mut self, line: &'static str) -> Self {
        self.known.extend(line.split_whitespace());
        self
    }

    /// Sets a variable for the run. The tests are listed without it: under Miri's `many-seeds` they
    /// would be listed once for each seed.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// Runs the tests, if each filter matches one.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        self.expect()?;
        self.filtered().run()
    }

    /// Runs the tests, and then sees from their names whether each module had one. No list is made
    /// first: an interpreter compiles all for it. So a word of `skipped` that matches no test is
    /// not found out, which leaves nothing out.
    pub(crate) fn run_unlisted(&self) -> Result<(), Failure> {
        let run = self.timed();
        println!("$ {}", run.line());
        let output = run.output()?;
        let unskipped = Tests {
            skipped: Vec::new(),
            ..self.clone()
        };
        let count = unskipped
            .count(&ran(&output))
            .map_err(|why| run.failed(&why))?;
        println!("$ {}\n{output}# {count} tests, the longest:", run.line());
        for (test, seconds) in longest(&output) {
            println!("# {seconds:>8.1} s  {test}");
        }
        Ok(())
    }

    /// Lists all tests of the command, and fails if there are none, or if a filter matches none or
    /// one of another module.
    fn expect(&self) -> Result<(), Failure> {
        let output = self.run.clone().words("-- --list").output()?;
        let count = self
            .count(&listed(&output))
            .map_err(|why| self.run.failed(&why))?;
        println!("# {count} tests");
        Ok(())
    }

    /// How many of the tests run, or which filter is wrong.
    fn count(&self, tests: &[&str]) -> Result<usize, Failure> {
        if let Some(module) = self
            .modules
            .iter()
            .find(|module| !tests.iter().any(|test| is_in(test, module)))
        {
            return Err(format!("it finds no tests in the module `{module}`"));
        }
        // The harness looks for a filter anywhere in a name.
        let others = |test: &&&str| !self.modules.iter().any(|module| is_in(test, module));
        let caught = |test: &&str| {
            self.modules
                .iter()
                .find(|module| test.contains(&filter(module)))
        };
        if let Some((test, module)) = tests
            .iter()
            .filter(others)
            .find_map(|test| Some((test, caught(test)?)))
        {
            return Err(format!(
                "its filter of the module `{module}` also runs `{test}`: rename one of the two modules"
            ));
        }
        if let Some(word) = self
            .skipped
            .iter()
            .chain(&self.known)
            .find(|word| !tests.iter().any(|test| test.contains(**word)))
        {
            return Err(format!("it finds no tests by the word `{word}`"));
        }
        let chosen = |test: &&&str| {
            (self.modules.is_empty() || self.modules.iter().any(|module| is_in(test, module)))
                && !self.skipped.iter().any(|word| test.contains(word))
        };
        match tests.iter().filter(chosen).count() {
            0 => Err("it finds no tests".into()),
            count => Ok(count),
        }
    }

    /// The command with its filters.
    fn filtered(&self) -> Run {
        match self.modules.is_empty() && self.skipped.is_empty() {
            true => self.in_environment(),
            false => self.choosing(self.in_environment().arg("--")),
        }
    }

    /// The command with its filters, and the harness prints the time of each test, as that of a
    /// nightly toolchain can.
    fn timed(&self) -> Run {
        self.choosing(
            self.in_environment()
                .words("-- -Zunstable-options --report-time"),
        )
    }

    fn in_environment(&self) -> Run {
        let variables = self.env.iter();
        variables.fold(self.run.clone(), |run, (name, value)| run.env(name, value))
    }

    /// `run` with the filters as its last arguments.
    fn choosing(&self, mut run: Run) -> Run {
        for module in &self.modules {
            run = run.arg(filter(module));
        }
        for word in &self.skipped {
            run = run.arg("--skip").arg(*word);
        }
        run
    }
}

/// How many tests `run_unlisted` names with their times.
const LONGEST: usize = 8;

/// The tests that took longest, with their seconds: the harness ends a line with `<1.5s>`.
fn longest(output: &str) -> Vec<(&str, f64)> {
    let mut tests: Vec<(&str, f64)> = output.lines().filter_map(timed).collect();
    tests.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    tests.truncate(LONGEST);
    tests
}

/// The test of a line of output, with its seconds.
fn timed(line: &str) -> Option<(&str, f64)> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let (_, time) = rest.split_once('<')?;
    Some((name, time.strip_suffix("s>")?.parse().ok()?))
}

/// The harness's filter of a module.
fn filter(module: &str) -> String {
    format!("{module}::")
}

fn is_in(test: &str, module: &str) -> bool {
    test.strip_prefix(module)
        .is_some_and(|rest| rest.starts_with("::"))
}

/// The names of the tests in the output of `--list`. Benchmarks are none.
fn listed(output: &str) -> Vec<&str> {
    output
        .lines()
        .filter_map(|line| line.strip_suffix(": test"))
        .collect()
}

/// The names of the tests in the output of a run.
fn ran(output: &str) -> Vec<&str> {
    output
        .lines()
        .filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "))
        .map(|(name, _)| name.split(" - ").next().unwrap_or(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "races::a: test\nraces::model::b: test\nsteps::c: test\nd: benchmark\n\n";

    fn tests() -> Tests {
        Tests::of(Run::cargo("test --test all"))
    }

    #[test]
    fn tests_are_counted_and_benchmarks_are_not() {
        let list = listed(LIST);
        assert_eq!(tests().count(&list), Ok(3));
        assert_eq!(tests().modules("races steps").count(&list), Ok(3));
        assert_eq!(tests().modules("races").skip("model").count(&list), Ok(1));
        assert!(tests().count(&listed("0 tests, 0 benchmarks\n")).is_err());
        assert!(tests().skip("::").count(&list).is_err());
    }

    #[test]
    fn canary_a_filter_that_matches_nothing_is_an_error() {
        let list = listed(LIST);
        let why = |tests: Tests| tests.count(&list).unwrap_err();
        assert!(why(tests().modules("races stages")).contains("module `stages`"));
        // Neither a part of a name nor a module within another one is the module.
        assert!(why(tests().modules("race")).contains("module `race`"));
        assert!(why(tests().modules("model")).contains("module `model`"));
        assert!(why(tests().skip("modal")).contains("word `modal`"));
        assert!(why(tests().know("modal")).contains("word `modal`"));
    }

    #[test]
    fn canary_a_filter_that_matches_a_part_of_another_module_is_an_error() {
        let why = |names: &str| tests().modules("races").count(&listed(names)).unwrap_err();
        for other in ["old_races::a", "steps::races::a"] {
            let names = format!("races::a: test\n{other}: test\n");
            assert!(why(&names).contains(&format!("also runs `{other}`")));
        }
    }

    #[test]
    fn what_ran_is_in_the_output() {
        let output = "\nrunning 2 tests\ntest races::a ... ok\n\
            test steps::c - should panic ... ok\n\ntest result: ok. 2 passed; 0 failed\n";
        assert_eq!(ran(output), ["races::a", "steps::c"]);
        let why = tests().modules("races stages").count(&ran(output));
        assert!(why.unwrap_err().contains("module `stages`"));
        assert!(tests().count(&ran("running 0 tests\n")).is_err());
    }

    #[test]
    fn the_longest_are_named() {
        let output = "test a::b ... ok <0.250s>\ntest c ... ok <12.5s>\ntest d ... ok\n";
        assert_eq!(longest(output), [("c", 12.5), ("a::b", 0.25)]);
        assert_eq!(
            tests().skip("model").timed().line(),
            "cargo test --test all -- -Zunstable-options --report-time --skip model"
        );
    }

    #[test]
    fn filters_follow_the_command() {
        let line = |tests: Tests| tests.filtered().line();
        assert_eq!(line(tests()), "cargo test --test all");
        assert_eq!(
            line(tests().modules("races steps").skip("model")),
            "cargo test --test all -- races:: steps:: --skip model"
        );
    }
}
