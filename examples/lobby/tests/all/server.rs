//! The program as a user starts it: two players over sockets, until SIGTERM.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

struct Player(BufReader<TcpStream>);

impl Player {
    fn new(address: &str, name: &str) -> Player {
        let stream = TcpStream::connect(address).expect("it listens");
        // A test that waits for ever says nothing.
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).expect("it is not zero");
        let mut player = Player(BufReader::new(stream));
        player.hears("welcome");
        player.says(&format!("name {name}"));
        player
    }

    fn says(&mut self, line: &str) {
        writeln!(self.0.get_mut(), "{line}").expect("it reads");
    }

    /// Reads lines until one begins in this way.
    fn hears(&mut self, beginning: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.0.read_line(&mut line).expect("text");
            assert_ne!(read, 0, "closed before {beginning}");
            if line.starts_with(beginning) {
                return line;
            }
        }
    }
}

/// Ends with the test, also if that fails.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

#[test]
fn two_players_play_a_game() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lobby"));
    let command = command.arg("--port=0").stdout(Stdio::piped());
    let mut server = Server(command.spawn().expect("the program was built"));
    let mut output = BufReader::new(server.0.stdout.take().expect("piped"));
    let mut line = String::new();
    while !line.starts_with("listening on ") {
        line.clear();
        assert_ne!(output.read_line(&mut line).expect("text"), 0, "it ended");
    }
    let address = line["listening on ".len()..]
        .split(',')
        .next()
        .expect("an address");
    let (mut ada, mut bob) = (Player::new(address, "Ada"), Player::new(address, "Bob"));
    ada.says("host 5");
    bob.says("join 4");
    bob.says("sing");
    bob.hears("commands: ");
    bob.says("quit");
    let mut bob = Player::new(address, "Bob");
    bob.says("join 5");
    ada.hears("game: Ada against Bob, 5 sticks");
    ada.hears("your turn");
    bob.says("take 1");
    bob.hears("no: it is not your turn");
    ada.says("take 4");
    ada.hears("no: take 1 to 3 sticks");
    ada.says("take 3");
    assert_eq!(ada.hears("ok"), "ok: 2 left\n");
    bob.hears("your turn");
    bob.says("take 2");
    bob.hears("Bob wins");
    ada.hears("idle");
    // A player that disconnects loses.
    ada.says("host 9");
    bob.hears("idle");
    bob.says("join 9");
    bob.hears("game: Ada against Bob, 9 sticks");
    drop(bob);
    ada.hears("Ada wins");
    let id = server.0.id().to_string();
    let sent = Command::new("kill")
        .args(["-TERM", &id])
        .status()
        .expect("kill exists");
    assert!(sent.success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("text");
    assert!(
        rest.contains("room 2: Bob has left\nroom 2: Ada wins\n"),
        "{rest}"
    );
    assert!(server.0.wait().expect("it ends").success(), "{rest}");
}
