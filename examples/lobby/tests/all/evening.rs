//! An evening: players come, play, are late, break rules and leave, while rooms crash.

use crate::client::Client;
use crate::referee::Referee;
use futures_util::future::join_all;
use lobby::connection::Connection;
use lobby::house::House;
use lobby::lobby::Lobby;
use lobby::planted::Planted;
use lobby::room::Room;
use std::time::Duration;
use vivant::simulation::{self, Faults, Seeds, Simulation};

const PLAYERS: u64 = 5;
const TURN_LIMIT: Duration = Duration::from_secs(10);

/// Rooms and the lobby are late and slow, and panic now and then.
fn faults() -> Faults {
    Faults::none()
        .delays(100_000, Duration::from_millis(300))
        .slow_turns(50_000, Duration::from_millis(300))
        .panics(20_000)
        .only::<Room>()
        .only::<Lobby>()
}

fn run(simulation: &Simulation, planted: Planted) -> Result<u64, String> {
    let system = simulation.system();
    let house = House::with(system, TURN_LIMIT, planted);
    let referee = Referee::spawn(system, house.events.clone(), TURN_LIMIT);
    // It has subscribed once it answers.
    let silent = referee.verdict().ask_blocking();
    assert_eq!(silent, Ok((None, 0, 0)));
    let clients = (0..PLAYERS).map(|number| {
        let (ours, theirs) = tokio::io::duplex(256);
        let (reader, writer) = tokio::io::split(theirs);
        house.admit(Connection::new(reader, writer));
        let seed = simulation.seed() * PLAYERS + number;
        let client = Client::new(system, ours, seed);
        async move { client.play(&format!("player{number}"), 3).await }
    });
    for played in system.block_on(join_all(clients)) {
        played?;
    }
    simulation.calm();
    simulation.run();
    let verdict = referee.verdict().ask_blocking();
    let (fault, finished, unfinished) = verdict.map_err(|error| error.to_string())?;
    if let Some(fault) = fault {
        return Err(fault);
    }
    let actors = system.inspect().actors;
    let left: Vec<_> = actors
        .iter()
        .map(|it| it.actor.as_str())
        .filter(|it| it.contains("Room") || it.contains("Player"))
        .collect();
    match unfinished == 0 && left.is_empty() {
        true => Ok(finished),
        false => Err(format!(
            "{unfinished} games are not finished; left: {left:?}"
        )),
    }
}

#[vivant::test(seeds = 200, faults = faults())]
fn each_game_is_played_by_the_rules(simulation: &Simulation) {
    run(simulation, Planted::Nothing).expect("no fault");
}

#[test]
fn games_are_played() {
    let finished = (0..20).map(|seed| run(&Simulation::new(seed), Planted::Nothing));
    let finished: u64 = finished.map(|it| it.expect("no fault")).sum();
    assert!(finished > 60, "{finished}");
}

/// Self-test: some seed finds the planted bug.
fn finds(planted: Planted, fault: &str) {
    simulation::check_fails(Seeds(400), &faults(), fault, |simulation| {
        run(simulation, planted).expect("no fault");
    });
}

#[test]
fn canary_a_stale_timer_is_found() {
    finds(Planted::StaleTimer, "not late");
}

#[test]
fn canary_two_requests_are_found() {
    finds(Planted::TwoRequests, "a player is in two games");
}

#[test]
fn canary_numbers_that_begin_anew_are_found() {
    finds(Planted::NumbersTwice, "other players after a restart");
}
