//! [`Tree`]: a copy of the workspace, in which files are changed, built and tested.

use super::mutation::TestBinary;
use crate::command::Run;
use crate::{Failure, workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A test that fails does so within a minute: some wait for that long, and then say what did not
/// come.
const LIMIT: Duration = Duration::from_secs(300);

/// How often a test that runs is looked at.
const POLL: Duration = Duration::from_millis(50);

/// The end of some tests of a binary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TestsEnd {
    Passed,
    Failed,
    /// They were killed at the time limit.
    TimeLimit,
}

pub(super) struct Tree {
    root: PathBuf,
    build: PathBuf,
}

impl Tree {
    /// Copies all files of the workspace that git knows.
    pub(super) fn copy() -> Result<Tree, Failure> {
        let tree = Tree {
            root: workspace::target_dir("mutate").join("tree"),
            build: workspace::target_dir("mutate").join("build"),
        };
        if tree.root.exists() {
            fs::remove_dir_all(&tree.root).map_err(|error| at(&tree.root, &error))?;
        }
        for file in workspace::files()? {
            let (from, to) = (workspace::root().join(&file), tree.root.join(&file));
            let folder = to.parent().expect("a file has a folder");
            fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
            fs::copy(from, &to).map_err(|error| at(&to, &error))?;
        }
        Ok(tree)
    }

    pub(super) fn read(&self, file: &str) -> Result<String, Failure> {
        let path = self.root.join(file);
        fs::read_to_string(&path).map_err(|error| at(&path, &error))
    }

    pub(super) fn write(&self, file: &str, text: &str) -> Result<(), Failure> {
        let path = self.root.join(file);
        fs::write(&path, text).map_err(|error| at(&path, &error))
    }

    /// Builds a binary of tests. Returns its path.
    pub(super) fn build(&self, tests: &TestBinary) -> Result<PathBuf, Failure> {
        let run = Run::cargo("test --no-run")
            .words(&tests.arguments())
            .arg("--target-dir")
            .arg(&self.build)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .directory(&self.root);
        let said = run.errors()?;
        let path = said.lines().find_map(|line| {
            let line = line.trim_start().strip_prefix("Executable ")?;
            line.rsplit_once('(')?.1.strip_suffix(')')
        });
        // Cargo prints it from the folder in which it runs.
        path.map(|path| self.root.join(path))
            .ok_or_else(|| run.failed("it named no executable"))
    }

    /// Runs some tests, each by its full name.
    pub(super) fn test(
        &self,
        tests: &TestBinary,
        binary: &Path,
        names: &[&str],
    ) -> Result<TestsEnd, Failure> {
        let mut run = Run::new(binary).words("--exact");
        for name in names {
            run = run.arg(*name);
        }
        let folder = self.folder(&tests.package);
        let child = run.directory(&folder).start(Stdio::piped())?;
        self.wait(child, names.len())
    }

    /// The folder of a package, in which cargo runs its tests.
    fn folder(&self, package: &str) -> PathBuf {
        let library = self.root.join("crates").join(package);
        match library.exists() {
            true => library,
            false => self.root.join(package),
        }
    }

    fn wait(&self, mut child: Child, count: usize) -> Result<TestsEnd, Failure> {
        let began = Instant::now();
        let reader = child.stdout.take().map(|output| {
            thread::spawn(move || std::io::read_to_string(output).unwrap_or_default())
        });
        let status = loop {
            match child.try_wait().map_err(|error| error.to_string())? {
                Some(status) => break Some(status),
                None if began.elapsed() > LIMIT => {
                    child.kill().map_err(|error| error.to_string())?;
                    child.wait().map_err(|error| error.to_string())?;
                    break None;
                }
                None => thread::sleep(POLL),
            }
        };
        let said = reader.map(|reader| reader.join().expect("the reader does not panic"));
        let said = said.unwrap_or_default();
        match status {
            None => Ok(TestsEnd::TimeLimit),
            // A name that matches no test would pass for ever.
            Some(status) if status.success() => match said.contains(&format!(" {count} passed")) {
                true => Ok(TestsEnd::Passed),
                false => Err(format!("not all of {count} tests exist:\n{said}")),
            },
            Some(_) => Ok(TestsEnd::Failed),
        }
    }
}

fn at(path: &Path, error: &std::io::Error) -> Failure {
    format!("{}: {error}", path.display())
}
