//! A client that reads nothing holds up no room, and is disconnected in the end.

use lobby::connection::Connection;
use lobby::house::House;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
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
