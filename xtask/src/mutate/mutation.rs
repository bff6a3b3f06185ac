//! [`Mutation`]: a change of one place of the sources, and the test that must notice it.

use crate::{Failure, workspace};
use std::fs;
use toml::{Table, Value};

/// The folder of the lists.
const LISTS: &str = "verify/mutations";

/// One entry of a list.
#[derive(Clone, Debug)]
pub(super) struct Mutation {
    /// What the mutated code does wrong.
    pub(super) name: String,
    /// From the root.
    pub(super) file: String,
    /// Stands in the file once.
    from: String,
    to: String,
    pub(super) tests: TestBinary,
    pub(super) expected: Expected,
}

/// The tests of a package that are one binary.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TestBinary {
    pub(super) package: String,
    /// `lib`, or the name of an integration test.
    target: String,
}

/// What must happen to a mutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// This test fails.
    KilledBy(String),
    /// No test notices it, for this reason.
    Survives(String),
}

impl TestBinary {
    /// The arguments by which cargo selects it.
    pub(super) fn arguments(&self) -> String {
        match self.target.as_str() {
            "lib" => format!("-p {} --lib", self.package),
            target => format!("-p {} --test {target}", self.package),
        }
    }
}

impl Mutation {
    /// The text of its file with the change.
    pub(super) fn apply(&self, text: &str) -> Result<String, Failure> {
        match text.matches(&self.from).count() {
            1 => Ok(text.replacen(&self.from, &self.to, 1)),
            count => Err(format!(
                "mutation `{}`: its text stands {count} times in {}, and must stand there once; \
                 the code has changed, so change {LISTS}/*.toml with it",
                self.name, self.file
            )),
        }
    }
}

/// All mutations, in the order of the lists' names.
pub(super) fn load() -> Result<Vec<Mutation>, Failure> {
    let folder = workspace::root().join(LISTS);
    let entries = fs::read_dir(&folder).map_err(|error| format!("{LISTS}: {error}"))?;
    let mut names: Vec<_> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let mut mutations = Vec::new();
    for name in names {
        let path = format!("{LISTS}/{name}");
        mutations.extend(parse(&workspace::read(&path)?).map_err(|why| format!("{path}: {why}"))?);
    }
    match mutations.is_empty() {
        true => Err(format!("{LISTS}: no mutation")),
        false => Ok(mutations),
    }
}

fn parse(text: &str) -> Result<Vec<Mutation>, Failure> {
    let table: Table = text.parse().map_err(|error| format!("{error}"))?;
    let list = table.get("mutation").and_then(Value::as_array);
    let list = list.ok_or("no `[[mutation]]`")?;
    list.iter().map(mutation).collect()
}

fn mutation(entry: &Value) -> Result<Mutation, Failure> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(String::from);
    let name = text("name").ok_or("a mutation without `name`")?;
    let needed = |key: &str| text(key).ok_or(format!("mutation `{name}`: no `{key}`"));
    let tests = needed("tests")?;
    let (package, target) = tests.split_once(' ').ok_or(format!(
        "mutation `{name}`: `tests` is a package and `lib`, or an integration test"
    ))?;
    let expected = match (text("killed_by"), text("survives")) {
        (Some(test), None) if !test.is_empty() => Expected::KilledBy(test),
        (None, Some(reason)) if !reason.is_empty() => Expected::Survives(reason),
        _ => {
            return Err(format!(
                "mutation `{name}`: either `killed_by` or `survives`"
            ));
        }
    };
    Ok(Mutation {
        file: needed("file")?,
        from: needed("from")?,
        to: needed("to")?,
        tests: TestBinary {
            package: package.to_owned(),
            target: target.to_owned(),
        },
        expected,
        name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_mutation_has_a_name_of_its_own_and_changes_one_place() {
        let mutations = load().unwrap();
        let names: BTreeSet<_> = mutations.iter().map(|it| &it.name).collect();
        assert_eq!(names.len(), mutations.len(), "a name stands twice");
        for mutation in &mutations {
            let text = workspace::read(&mutation.file).unwrap();
            assert_ne!(mutation.apply(&text).unwrap(), text);
        }
    }

    const ENTRY: &str = r#"
        [[mutation]]
        name = "a"
        file = "b.rs"
        from = "x < 1"
        to = "x <= 1"
        tests = "vivant lib"
    "#;

    #[test]
    fn a_text_that_stands_twice_or_not_at_all_is_refused() {
        let list = parse(&format!("{ENTRY}killed_by = \"c\"")).unwrap();
        assert_eq!(list[0].apply("if x < 1").unwrap(), "if x <= 1");
        assert!(list[0].apply("x < 1 && x < 1").is_err());
        assert!(list[0].apply("x > 1").is_err());
    }

    #[test]
    fn a_mutation_without_a_test_or_a_reason_is_refused() {
        assert!(parse(ENTRY).is_err());
        assert!(parse(&format!("{ENTRY}killed_by = \"\"")).is_err());
        assert!(parse(&format!("{ENTRY}survives = \"\"")).is_err());
        let list = parse(&format!("{ENTRY}survives = \"it is the same code\"")).unwrap();
        assert_eq!(
            list[0].expected,
            Expected::Survives("it is the same code".into())
        );
    }
}
