//! The program as a user starts it: over a socket, until SIGTERM.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

struct Server {
    process: Child,
    output: BufReader<ChildStdout>,
    address: String,
}

impl Server {
    fn start() -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_social"))
            .args(["--port=0", "--people=40", "--shards=3"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program was built");
        let mut output = BufReader::new(process.stdout.take().expect("piped"));
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert_ne!(output.read_line(&mut line).expect("text"), 0, "it ended");
            if let Some(rest) = line.strip_prefix("serving on http://") {
                break rest.split(',').next().expect("an address").to_owned();
            }
        };
        Server {
            process,
            output,
            address,
        }
    }

    /// Returns the status and the body.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n{body}"
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
    }
}

#[test]
fn it_serves_until_it_is_terminated() {
    let mut server = Server::start();
    assert_eq!(server.ask("POST", "/people", "Zoe"), (201, "40".to_owned()));
    assert_eq!(server.ask("PUT", "/people/40/follows/7", "").0, 204);
    assert_eq!(server.ask("PUT", "/people/40/follows/40", "").0, 422);
    assert_eq!(server.ask("PUT", "/people/40/follows/4000", "").0, 404);
    assert_eq!(server.ask("POST", "/people/x/posts", "hello").0, 400);
    let (status, readers) = server.ask("POST", "/people/7/posts", "it rains");
    assert!(status == 200 && readers.parse::<u64>().expect("a number") >= 1);
    let (status, feed) = server.ask("GET", "/people/40/feed", "");
    assert!(
        status == 200 && feed.contains("\"text\":\"it rains\"}\n"),
        "{feed}"
    );
    let (status, suggested) = server.ask("GET", "/people/40/suggestions", "");
    assert!(
        status == 200 && suggested.contains("\"complete\":true"),
        "{suggested}"
    );
    assert_eq!(server.ask("DELETE", "/people/7", "").0, 204);
    let (_, profile) = server.ask("GET", "/people/40", "");
    assert_eq!(
        profile,
        r#"{"id":40,"name":"Zoe","follows":0,"followers":0}"#
    );
    assert_eq!(server.ask("GET", "/people/7", "").0, 404);
    let (_, census) = server.ask("GET", "/census", "");
    assert!(census.starts_with("{\"people\":40,"), "{census}");
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
