//! A client at the other end of a pipe, which plays by chance.

use fastrand::Rng;
use futures_util::future::{Either, select};
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use vivant::System;

/// For how long a client waits for a line.
const PATIENCE: Duration = Duration::from_secs(200);

pub(crate) struct Client {
    system: System,
    chance: Rng,
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    moves: usize,
    answers: usize,
}

impl Client {
    pub(crate) fn new(system: &System, pipe: DuplexStream, seed: u64) -> Client {
        let (reader, writer) = tokio::io::split(pipe);
        Client {
            system: system.clone(),
            chance: Rng::with_seed(seed),
            reader: BufReader::new(reader),
            writer,
            moves: 0,
            answers: 0,
        }
    }

    async fn say(&mut self, line: &str) {
        // After the server has closed the pipe, the next read finds its end.
        let _ = self.writer.write_all(format!("{line}\n").as_bytes()).await;
    }

    async fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        let time_out = self.system.clock().sleep(PATIENCE);
        match select(pin!(self.reader.read_line(&mut line)), time_out).await {
            Either::Left((Ok(1..), _)) => Some(line),
            _ => None,
        }
    }

    async fn ask_for_game(&mut self) {
        let sticks = self.chance.u32(1..12);
        match self.chance.bool() {
            true => self.say(&format!("host {sticks}")).await,
            false => self.say(&format!("join {}", sticks + 6)).await,
        }
    }

    /// Moves, is late, moves against the rules or twice. Returns false to disconnect.
    async fn moves(&mut self) -> bool {
        let (times, taken) = match self.chance.u8(..20) {
            0 => return false,
            1..4 => (0, 0),
            4..6 => (1, 7),
            6..8 => (2, 1),
            8..11 => {
                // About as long as a turn.
                let pause = Duration::from_millis(9_900 + self.chance.u64(..200));
                self.system.clock().sleep(pause).await;
                (1, 2)
            }
            _ => (1, self.chance.u32(1..4)),
        };
        for _ in 0..times {
            self.say(&format!("take {taken}")).await;
            self.moves += 1;
        }
        true
    }

    /// Plays a few games. Returns a fault: a move without an answer, or with two.
    pub(crate) async fn play(mut self, name: &str, games: usize) -> Result<(), String> {
        self.say(&format!("name {name}")).await;
        let mut asked = 0;
        while let Some(line) = self.hear().await {
            match line
                .split([' ', ':', ';'])
                .next()
                .unwrap_or_default()
                .trim()
            {
                "welcome" | "idle" if asked < games => {
                    asked += 1;
                    self.ask_for_game().await;
                    // A second request is refused, and has no effect.
                    self.ask_for_game().await;
                }
                "idle" => break,
                "your" if !self.moves().await => return Ok(()),
                "ok" | "no" => self.answers += 1,
                _ => {}
            }
        }
        while self.answers < self.moves {
            match self.hear().await {
                Some(line) if line.starts_with("ok") || line.starts_with("no") => self.answers += 1,
                Some(_) => {}
                None => break,
            }
        }
        self.say("quit").await;
        // What is left until the pipe is closed: no move has a second answer.
        while let Some(line) = self.hear().await {
            self.answers += usize::from(line.starts_with("ok") || line.starts_with("no"));
        }
        match self.answers == self.moves {
            true => Ok(()),
            false => Err(format!(
                "{} answers to {} moves of {name}",
                self.answers, self.moves
            )),
        }
    }
}
