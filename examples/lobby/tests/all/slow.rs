//! Clients that read nothing, send too fast, or leave while they wait.

use lobby::connection::Connection;
use lobby::house::House;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use vivant::simulation::Simulation;

#[vivant::test(seeds = 50)]
fn a_client_that_reads_nothing_stalls_no_game(simulation: &Simulation) {
    let system = simulation.system();
    let house = House::open(system, Duration::from_secs(10));
    let mut pipes = [8, 4096].map(|room| {
        let (ours, theirs) = tokio::io::duplex(room);
        let (reader, writer) = tokio::io::split(theirs);
        house.admit(Connection::new(reader, writer));
        ours
    });
    let heard = system.block_on(async {
        let [silent, other] = &mut pipes;
        silent.write_all(b"host 40\n").await.expect("it is there");
        other
            .write_all(b"name Bob\njoin 40\n")
            .await
            .expect("it is there");
        let mut heard = Vec::new();
        let mut lines = BufReader::new(other).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if line == "your turn" {
                lines
                    .get_mut()
                    .write_all(b"take 1\n")
                    .await
                    .expect("it is there");
            }
            let is_won = line.ends_with("wins");
            heard.push(line);
            if is_won {
                break;
            }
        }
        heard
    });
    // The silent player is late a few times, and then gone.
    assert_eq!(heard.last().map(String::as_str), Some("Bob wins"));
    assert!(
        heard.iter().any(|line| line.ends_with("has left")),
        "{heard:?}"
    );
    assert!(
        heard
            .iter()
            .filter(|line| line.ends_with("is late"))
            .count()
            >= 3
    );
    assert!(simulation.now() < Duration::from_secs(120));
}

/// Requests of players that have left do not stay in the lobby, and hold up no game.
#[vivant::test(seeds = 50)]
fn players_that_left_while_they_waited_are_forgotten(simulation: &Simulation) {
    let system = simulation.system();
    let house = House::open(system, Duration::from_secs(10));
    let connect = || {
        let (ours, theirs) = tokio::io::duplex(4096);
        let (reader, writer) = tokio::io::split(theirs);
        house.admit(Connection::new(reader, writer));
        ours
    };
    let say = |mut pipe: DuplexStream, line: &str| {
        let said = system.block_on(pipe.write_all(line.as_bytes()));
        said.expect("it is there");
        simulation.run_for(Duration::from_secs(1));
        pipe
    };
    // More sticks than anyone else wants.
    (0..10).for_each(|_| drop(say(connect(), "host 1000\n")));
    let host = say(connect(), "host 5\n");
    let waiting = || {
        let actors = system.inspect().actors;
        let lobby = actors.iter().find(|it| it.actor.contains("::Lobby/"));
        lobby.expect("it lives").deferred
    };
    assert_eq!(waiting(), 11);
    let guest = say(connect(), "join 5\n");
    assert_eq!(waiting(), 0);
    let mut lines = BufReader::new(host).lines();
    let line = system.block_on(async {
        lines.next_line().await.expect("a welcome");
        lines.next_line().await.expect("a game")
    });
    assert!(line.is_some_and(|line| line.starts_with("game: ")));
    drop(guest);
}

/// A client that sends many moves at once has each of them answered, and overloads no room.
#[vivant::test(seeds = 50)]
fn a_client_that_sends_faster_than_it_is_answered_waits(simulation: &Simulation) {
    const MOVES: usize = 300;
    let system = simulation.system();
    let house = House::open(system, Duration::from_secs(10));
    let [mut hasty, mut other] = [(); 2].map(|()| {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(theirs);
        house.admit(Connection::new(reader, writer));
        ours
    });
    let answers = system.block_on(async {
        other.write_all(b"host 9\n").await.expect("it is there");
        hasty.write_all(b"join 9\n").await.expect("it is there");
        let mut lines = BufReader::new(hasty).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if line.starts_with("game: ") {
                break;
            }
        }
        let moves = "take 9\n".repeat(MOVES);
        let pipe = lines.get_mut();
        pipe.write_all(moves.as_bytes()).await.expect("it has room");
        let mut answers = 0;
        while answers < MOVES {
            match lines.next_line().await {
                Ok(Some(line)) => answers += usize::from(line.starts_with("no: ")),
                _ => break,
            }
        }
        answers
    });
    assert_eq!(answers, MOVES);
    assert_eq!(system.dead_letters().total(), 0);
    drop(other);
}
