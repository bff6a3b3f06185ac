//! `quick`: an answer within a minute while one works on a package. It is no substitute for `ci`:
//! it leaves out programs for the compiler, all but a few seeds, canaries, other packages and the
//! documentation.

use crate::ci::seconds;
use crate::command::Run;
use crate::{Failure, manifest, tidy, toolchain, workspace};
use std::collections::BTreeSet;
use std::time::Instant;

/// Random programs of each kind: with fewer, some tests see too little happen. Canaries are left
/// out: these programs are too few to find each fault.
const SEEDS: &str = "20";

/// Models that take minutes; they are compiled only. `cargo xtask loom` runs them.
const MODELS: &str = "vivant-loom";

/// A package of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    /// From the root, with `/` at its end.
    folder: String,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// This package, changed or not
    #[arg(short, long = "package")]
    package: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let name = &options.package;
    let files = workspace::files()?;
    let packages = packages(&files)?;
    let chosen: BTreeSet<&Package> = match name {
        Some(name) => packages.iter().filter(|it| it.name == *name).collect(),
        None => changed(&packages, &workspace::changed()?),
    };
    if let (Some(name), true) = (name, chosen.is_empty()) {
        return Err(format!("no package `{name}` in this workspace"));
    }
    toolchain::ensure_components_in_use(&["rustfmt", "clippy"])?;
    let start = Instant::now();
    let named: String = chosen.iter().map(|it| format!(" -p {}", it.name)).collect();
    if !chosen.is_empty() {
        timed("fmt", || Run::cargo("fmt --check").words(&named).run())?;
    }
    timed("tidy", || tidy::run(&tidy::Options::default()))?;
    if !chosen.is_empty() {
        let clippy = built("clippy").words(&named).words("-- -D warnings");
        timed("clippy", || clippy.run())?;
    }
    for package in &chosen {
        for tests in tests(package, &files) {
            timed(&package.name, || tests.run())?;
        }
    }
    println!("\n==== passed in {} ====", seconds(start.elapsed()));
    if chosen.is_empty() {
        println!("no file of a package has changed; `-p NAME` checks one all the same");
    }
    Ok(())
}

fn timed(what: &str, step: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let start = Instant::now();
    step()?;
    println!("---- {what}: passed in {}", seconds(start.elapsed()));
    Ok(())
}

/// Every change builds a little: incrementally, in a folder of its own, so that a build with other
/// settings undoes nothing.
fn built(line: &str) -> Run {
    Run::cargo(line)
        .arg("--target-dir")
        .arg(workspace::target_dir("quick"))
        .env("CARGO_INCREMENTAL", "1")
        .env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only")
}

/// The unit tests, and the integration tests of the binary `all`, or all binaries of a package
/// without it.
fn tests(package: &Package, files: &[String]) -> Vec<Run> {
    let there = |path: &str| files.contains(&format!("{}{path}", package.folder));
    let run = built("test").arg("-p").arg(&package.name);
    if package.name == MODELS {
        return vec![run.words("--tests --no-run")];
    }
    let targets = match (there("src/lib.rs"), there("tests/all/main.rs")) {
        (true, true) => "--lib --bins --test all",
        (true, false) => "--lib --bins --tests",
        (false, _) => "--bins --tests",
    };
    vec![
        run.words(targets)
            .words("-- --skip compile_fail --skip canar")
            .env("VIVANT_SEEDS", SEEDS),
    ]
}

/// The packages of the workspace among its files.
fn packages(files: &[String]) -> Result<Vec<Package>, Failure> {
    let root = manifest::read("Cargo.toml")?;
    let excluded = manifest::value(&root, &["workspace"], "exclude").and_then(|it| it.as_array());
    let excluded: Vec<&str> = excluded
        .into_iter()
        .flatten()
        .filter_map(|it| it.as_str())
        .collect();
    let mut packages = Vec::new();
    for path in files {
        let Some(folder) = path.strip_suffix("Cargo.toml") else {
            continue;
        };
        let outside = excluded.iter().any(|it| folder.starts_with(it));
        if outside || !folder.ends_with('/') {
            continue;
        }
        let manifest = manifest::read(path)?;
        let name = manifest::value(&manifest, &["package"], "name").and_then(|it| it.as_str());
        packages.push(Package {
            name: name.ok_or(format!("{path}: no name in [package]"))?.into(),
            folder: folder.into(),
        });
    }
    Ok(packages)
}

/// The packages that hold a changed file.
fn changed<'a>(packages: &'a [Package], paths: &[String]) -> BTreeSet<&'a Package> {
    let holds = |package: &&Package| paths.iter().any(|path| path.starts_with(&package.folder));
    packages.iter().filter(holds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str) -> Package {
        Package {
            name: name.into(),
            folder: format!("crates/{name}/"),
        }
    }

    #[test]
    fn a_changed_file_chooses_its_package() {
        let packages = ["vivant", "vivant-heap"].map(package);
        let chosen = |path: &str| changed(&packages, &[path.into()]);
        assert_eq!(
            chosen("crates/vivant-heap/src/lib.rs"),
            BTreeSet::from([&packages[1]])
        );
        assert_eq!(
            chosen("crates/vivant/README.md"),
            BTreeSet::from([&packages[0]])
        );
        assert!(chosen("docs/DESIGN.md").is_empty());
    }

    #[test]
    fn the_workspace_has_packages_and_no_excluded_one() {
        let packages = packages(&workspace::files().unwrap()).unwrap();
        assert!(packages.contains(&package("vivant")));
        let peers = |it: &Package| it.folder.starts_with("bench/peers");
        assert!(!packages.iter().any(peers));
    }

    #[test]
    fn unit_tests_run_with_the_binary_that_is_there() {
        let line = |files: &[String]| super::tests(&package("a"), files)[0].line();
        assert!(line(&[]).contains(" -p a "));
        let files = ["src/lib.rs", "tests/all/main.rs"].map(|it| format!("crates/a/{it}"));
        assert!(line(&files).contains("--lib --bins --test all"));
        assert!(line(&files[..1]).contains("--lib --bins --tests"));
        assert!(!line(&[]).contains("--lib"));
    }
}
