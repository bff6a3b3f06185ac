//! A command that has ended, for tests: what it printed, and checks of that.

use serde_json::Value;
use std::net::TcpListener;
use std::process::{Command, Output};

/// What a command printed, and how it ended. The checks panic where they do not hold.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Ended {
    /// Runs a command with these words as arguments to its end.
    #[must_use]
    pub fn run(command: &mut Command, words: &str) -> Ended {
        let output = command.args(words.split_whitespace()).output();
        let Output {
            status,
            stdout,
            stderr,
        } = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let text = |bytes| String::from_utf8(bytes).expect("commands print UTF-8");
        Ended {
            code: status.code(),
            stdout: text(stdout),
            stderr: text(stderr),
        }
    }

    /// Checks that it ended well and printed nothing on standard error.
    #[must_use]
    pub fn well(self) -> Ended {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        self
    }

    /// Checks that it ended with 1, and that standard error has this.
    pub fn failed(&self, reason: &str) {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert!(self.stderr.contains(reason), "{self:?}");
    }

    /// Checks that each of these command lines is refused; a bar is between them.
    pub fn refused(run: impl Fn(&str) -> Ended, lines: &str) {
        for words in lines.split('|') {
            assert_eq!(run(words).code, Some(2), "{words}");
        }
    }

    /// Checks that standard output has these words.
    pub fn shows(&self, words: &[&str]) {
        for word in words {
            let table = &self.stdout;
            assert!(table.contains(word), "{word} is not in\n{table}");
        }
    }

    /// Returns its last line, which is JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let line = self.stdout.lines().last();
        serde_json::from_str(line.unwrap_or_default()).expect("the last line is JSON")
    }

    /// Checks that a server with a port in use prints what to do.
    pub fn port_in_use(serve: impl FnOnce(String) -> Ended) {
        let taken = TcpListener::bind(("127.0.0.1", 0)).expect("port 0 can always be had");
        let port = taken.local_addr().expect("it is bound").port();
        let ended = serve(format!("--port={port}"));
        ended.failed(&format!("port {port} is in use"));
        ended.failed("choose another port with --port");
    }
}
