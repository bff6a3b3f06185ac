//! The program as a user starts it: over a socket, killed, started again, and terminated.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

struct Server {
    process: Child,
    output: BufReader<ChildStdout>,
    /// The version that it had at its start.
    version: u64,
    address: String,
}

impl Server {
    fn start(journal: &Path) -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_documents"))
            .arg("--port=0")
            .arg("--journal")
            .arg(journal)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program was built");
        let mut output = BufReader::new(process.stdout.take().expect("piped"));
        let (mut version, mut address) = (None, None);
        while address.is_none() {
            let mut line = String::new();
            assert_ne!(output.read_line(&mut line).expect("text"), 0, "it ended");
            let word = |after: &str| {
                Some(
                    line.strip_prefix(after)?
                        .split([' ', ','])
                        .next()?
                        .to_owned(),
                )
            };
            version = version.or(word("version "));
            address = word("serving on http://");
        }
        Server {
            process,
            output,
            version: version.expect("it says so").parse().expect("a number"),
            address: address.expect("it says so"),
        }
    }

    /// Returns the status and the body.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).expect("a status").parse();
        (status.expect("a number"), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already, unless a test has failed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn scratch() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("documents-server.journal");
    // There is one, if the test has run before.
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn commits_survive_the_program() {
    let journal = scratch();
    let server = Server::start(&journal);
    assert_eq!(server.version, 0);
    let text = |server: &Server, path: &str| server.ask("GET", path, "");
    assert_eq!(
        text(&server, "/documents/hello"),
        (200, "Hello, world.\n".to_owned())
    );
    let edit = r#"{"base":1,"edits":[{"document":"hello","at":7,"remove":5,"insert":"reader"}]}"#;
    assert_eq!(server.ask("POST", "/commits", edit), (201, "2".to_owned()));
    let conflict = "hello has changed in version 2\n".to_owned();
    assert_eq!(server.ask("POST", "/commits", edit), (409, conflict));
    assert_eq!(server.ask("POST", "/commits", "{}").0, 422);
    assert_eq!(server.ask("PUT", "/names/first", "1").0, 204);
    assert_eq!(
        text(&server, "/documents/hello?name=first").1,
        "Hello, world.\n"
    );
    assert_eq!(text(&server, "/documents/hello?version=9").0, 404);
    // Killed without notice.
    drop(server);
    let mut server = Server::start(&journal);
    assert_eq!(server.version, 2);
    assert_eq!(text(&server, "/documents/hello").1, "Hello, reader.\n");
    assert_eq!(
        text(&server, "/documents/hello?version=1").1,
        "Hello, world.\n"
    );
    assert_eq!(text(&server, "/versions").1, "[0,1,2]");
    let id = server.process.id().to_string();
    let sent = Command::new("kill")
        .args(["-TERM", &id])
        .status()
        .expect("kill exists");
    assert!(sent.success());
    let mut rest = String::new();
    server.output.read_to_string(&mut rest).expect("text");
    assert!(rest.starts_with("0 connections were cut off"), "{rest}");
    assert!(server.process.wait().expect("it ends").success());
}
