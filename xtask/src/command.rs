//! Runs another program, from the root of the workspace if nothing else is said. The command is
//! printed before it starts, and its output is used only if it succeeds.

use crate::{Failure, workspace};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A program to run, its arguments, and the variables set for it.
#[derive(Clone)]
pub(crate) struct Run {
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(&'static str, OsString)>,
    directory: PathBuf,
}

impl Run {
    pub(crate) fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            directory: workspace::root().to_owned(),
        }
    }

    /// `cargo`, of the toolchain in use.
    pub(crate) fn cargo(line: &str) -> Self {
        Self::new("cargo").words(line)
    }

    /// `cargo +toolchain`.
    pub(crate) fn cargo_of(toolchain: &str, line: &str) -> Self {
        Self::new("cargo").arg(format!("+{toolchain}")).words(line)
    }

    /// Adds each word of `line` as an argument.
    pub(crate) fn words(mut self, line: &str) -> Self {
        self.args
            .extend(line.split_whitespace().map(OsString::from));
        self
    }

    pub(crate) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Runs it there, and not at the root of the workspace.
    pub(crate) fn directory(mut self, directory: &Path) -> Self {
        directory.clone_into(&mut self.directory);
        self
    }

    /// Sets a variable; the last value counts.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.env.retain(|(other, _)| *other != name);
        self.env.push((name, value.into()));
        self
    }

    /// Runs to the end; its output goes to ours.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        println!("$ {}", self.line());
        let status = self
            .command()
            .status()
            .map_err(|error| self.failed(&error.to_string()))?;
        if status.success() {
            Ok(())
        } else {
            Err(self.failed(&status.to_string()))
        }
    }

    /// Runs to the end and returns its standard output.
    pub(crate) fn output(&self) -> Result<String, Failure> {
        let output = self
            .command()
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| self.failed(&error.to_string()))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            // A test harness prints the reason of a failure on its standard output.
            print!("{}", String::from_utf8_lossy(&output.stdout));
            Err(self.failed(&output.status.to_string()))
        }
    }

    /// Runs to the end and returns what it printed on its standard error.
    pub(crate) fn errors(&self) -> Result<String, Failure> {
        println!("$ {}", self.line());
        let output = self.command().stdout(Stdio::inherit()).output();
        let output = output.map_err(|error| self.failed(&error.to_string()))?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            Ok(errors)
        } else {
            print!("{errors}");
            Err(self.failed(&output.status.to_string()))
        }
    }

    /// Starts it; its standard output goes where it is told.
    pub(crate) fn start(&self, output: Stdio) -> Result<Child, Failure> {
        println!("$ {}", self.line());
        let child = self.command().stdout(output).spawn();
        child.map_err(|error| self.failed(&error.to_string()))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.directory).args(&self.args);
        // Variables that `cargo run` set for this package must not reach builds of other packages
        // or toolchains. (`CARGO` would make a second toolchain call the first one's cargo.)
        for (name, _) in std::env::vars_os() {
            if is_of_cargo_run(&name) {
                command.env_remove(name);
            }
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn failed(&self, why: &str) -> Failure {
        format!("`{}` failed: {why}", self.line())
    }

    /// The command as one could type it.
    pub(crate) fn line(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        for (name, value) in &self.env {
            words.push(format!("{name}={}", quoted(value)));
        }
        words.push(quoted(&self.program));
        words.extend(self.args.iter().map(|arg| quoted(arg)));
        words.join(" ")
    }
}

fn is_of_cargo_run(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        name == "CARGO" || name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_")
    })
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.contains(' ') {
        format!("'{word}'")
    } else {
        word.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_typed() {
        let run = Run::cargo("test -p a").env("FLAGS", "-x -y");
        assert_eq!(run.line(), "FLAGS='-x -y' cargo test -p a");
    }

    #[test]
    fn a_failing_command_is_a_failure() {
        assert!(Run::new("a-program-that-does-not-exist").run().is_err());
        let nothing = "rev-parse --quiet --verify no-such-branch";
        assert!(Run::new("git").words(nothing).output().is_err());
    }
}
