//! Groups are in an image with the members that they had at the line.

use super::image::Image;
use super::mid_turn::{self, mid_turn};
use super::taking::{goes_on_at_every_step, restored, simulated, take_now};
use super::unsaved::Unsaved;
use crate::Group;
use crate::api::SavedKinds;
use crate::injected_fault::{InjectedFault, caught};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::system::System;

#[interface]
trait Hears {
    fn hear(&mut self, word: u64);
}

/// Writes down in which groups it is, and what it hears.
#[derive(Actor)]
#[actor(saved, blocks(dyn Hears))]
struct Player {
    teams: Vec<u64>,
    children: Vec<Address<Player>>,
    words: Vec<u64>,
}

fn team(number: u64) -> String {
    format!("team {number}")
}

#[behaviours]
impl Player {
    #[start]
    fn new() -> Player {
        Player {
            teams: Vec::new(),
            children: Vec::new(),
            words: Vec::new(),
        }
    }

    fn join(&mut self, t: &Turn<Self>, number: u64) {
        mid_turn();
        let team = t.group(&team(number)).expect("it has players");
        if team.join(&t.me()) {
            mid_turn();
            self.teams.push(number);
        }
    }

    fn leave(&mut self, t: &Turn<Self>, number: u64) {
        if let Some(at) = self.teams.iter().position(|own| *own == number) {
            mid_turn();
            let team = t.group::<Player>(&team(number)).expect("it has players");
            assert!(team.leave(&t.me()));
            mid_turn();
            self.teams.remove(at);
        }
    }

    fn call_all(&mut self, t: &Turn<Self>, number: u64) {
        let team = t.group::<Player>(&team(number)).expect("it has players");
        mid_turn();
        team.broadcast(|player| player.hears(number));
    }

    fn hears(&mut self, word: u64) {
        self.words.push(word);
    }

    fn finish(&mut self, t: &Turn<Self>) {
        mid_turn();
        t.stop();
    }

    fn split(&mut self, t: &Turn<Self>, number: u64) {
        let child = Player::spawn(t);
        t.send(child.join(number));
        self.children.push(child);
    }
}

#[behaviours]
impl Hears for Player {
    fn hear(&mut self, word: u64) {
        self.words.push(word);
    }
}

/// Gives orders, one after the other.
#[derive(Actor)]
#[actor(saved)]
struct Coach {
    players: Vec<Address<Player>>,
    team: Group<Player>,
    choir: Group<dyn Hears>,
    seen: Vec<Vec<Address<Player>>>,
}

#[behaviours]
impl Coach {
    #[start]
    fn new(team: Group<Player>, choir: Group<dyn Hears>, players: Vec<Address<Player>>) -> Coach {
        Coach {
            players,
            team,
            choir,
            seen: Vec::new(),
        }
    }

    fn train(&mut self, t: &Turn<Self>, day: u64) {
        let player = &self.players[day as usize * 7 % self.players.len()];
        let singer: Address<dyn Hears> = Address::upcast(player);
        match day % 5 {
            0 | 1 => drop(self.team.join(player)),
            2 => drop(self.choir.join(&singer)),
            3 => drop(self.team.leave(player)),
            _ => drop(self.choir.leave(&singer)),
        }
        self.team.broadcast(|player| player.hears(day));
        self.choir.broadcast(|singer| singer.hear(1_000 + day));
        self.seen.push(self.team.members());
        if day < 12 {
            t.send(t.me().train(day + 1));
        }
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Player, Coach)>().expect("no two names are equal"))
}

/// Calls `body` with each actor of this type.
fn each_state<A: Actor>(
    simulation: &Simulation,
    mut body: impl FnMut(u64, &<A as Actor>::State<'_>),
) {
    for cell in simulation.system().shared().actors() {
        let Ok(mut idle) = cell.hold_idle() else {
            continue;
        };
        let _none = idle.state().look::<A, _>(|state| body(cell.id, state));
        idle.park();
    }
}

fn begin(simulation: &Simulation) -> Address<Coach> {
    let system = simulation.system();
    let players = (0..4).map(|_| Player::spawn(system)).collect();
    let (team, choir) = (system.group("team"), system.group("choir"));
    let coach = Coach::spawn(
        system,
        team.expect("it is new"),
        choir.expect("it is new"),
        players,
    );
    coach.train(0).send();
    system.keep(&coach);
    coach
}

fn end(simulation: &Simulation) -> Vec<Vec<u64>> {
    simulation.run();
    let mut logs = Vec::new();
    each_state::<Player>(simulation, |_, player| logs.push(player.words.clone()));
    each_state::<Coach>(simulation, |_, coach| {
        let seen = coach.seen.iter();
        logs.extend(seen.map(|all| all.iter().map(|it| Address::counted(it).id).collect()));
    });
    logs
}

#[test]
fn a_broadcast_reaches_the_same_members_after_a_restore() {
    let images = goes_on_at_every_step(20, &kinds(), begin, end);
    assert!(images > 5, "{images} images");
}

/// Something that comes from outside.
fn order(system: &System, players: &[Address<Player>], dice: &mut Dice) {
    let player = &players[dice.below(players.len())];
    let number = dice.below(4) as u64;
    match dice.below(12) {
        0..4 => player.join(number).send(),
        4..6 => player.leave(number).send(),
        6..8 => player.call_all(number).send(),
        8 => player.split(number).send(),
        9 => player.finish().send(),
        _ => {
            let number = 10 + number;
            let group = system.group(&team(number)).expect("it has players");
            let player: Address<dyn Hears> = Address::upcast(player);
            if group.join(&player) {
                player.hear(number).send();
            }
        }
    }
}

fn images(seed: u64) -> Vec<Image> {
    let simulation = simulated(&kinds(), seed);
    let system = simulation.system();
    let players: Vec<_> = (0..4).map(|_| Player::spawn(system)).collect();
    mid_turn::begin(&simulation, seed);
    let mut dice = Dice::new(!seed);
    for _ in 0..300 {
        match dice.below(6) {
            0 => order(system, &players, &mut dice),
            1..3 => mid_turn::step(),
            _ => {
                simulation.step();
            }
        }
    }
    mid_turn::end()
}

/// The members of a group are the actors that have written it down, or will do so.
fn check(image: &Image, seed: u64) {
    let (simulation, actors) = restored(image, seed, &kinds());
    assert_eq!(take_now(&simulation), *image, "seed {seed}");
    let groups = image.shared.tables.groups.iter();
    let own = groups.filter(|group| group.joined_as.ends_with("Player"));
    let mut members: Vec<(String, u64)> = own
        .flat_map(|group| group.members.iter().map(|id| (group.name.clone(), *id)))
        .collect();
    members.sort();
    let mut written = Vec::new();
    let system = simulation.system().shared();
    let mut look = |idle: &mut crate::run::Idle| {
        let id = idle.id;
        let _none = idle.state().look::<Player, _>(|player| {
            let teams = player.teams.iter();
            written.extend(teams.map(|number| (team(*number), id)));
        });
    };
    for actor in actors.values() {
        if let Ok(mut idle) = actor.cell().hold_idle() {
            look(&mut idle);
            idle.park();
        }
    }
    system.scheduler.each_queued(&mut |actor| {
        let mut idle = crate::run::Idle::between_runs(actor);
        look(&mut idle);
        idle.into_runnable()
    });
    written.sort();
    assert_eq!(members, written, "seed {seed}");

    simulation.run();
    let system = simulation.system();
    each_state::<Player>(&simulation, |id, player| {
        for number in player.words.iter().filter(|word| **word >= 10) {
            let group = system.group::<dyn Hears>(&team(*number));
            let group = group.expect("it has members").members();
            let mut ids = group.iter().map(|member| Address::counted(member).id);
            assert!(
                ids.any(|member| member == id),
                "seed {seed}: it joined before the message was sent"
            );
        }
    });
}

const SEEDS: u64 = if cfg!(miri) { 2 } else { 150 };

fn members_are_those_of_the_line() {
    let mut checked = 0;
    for seed in 0..SEEDS {
        for image in images(seed) {
            check(&image, seed);
            checked += usize::from(!image.shared.tables.groups.is_empty());
        }
    }
    assert!(checked as u64 > SEEDS / 2, "{checked} images with groups");
}

#[test]
fn an_actor_is_in_a_group_if_it_joined_before_the_line() {
    members_are_those_of_the_line();
}

/// An actor that joined behind the line, or left behind it.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_member_seen_across_the_line_is_noticed() {
    for fault in [
        InjectedFault::NewerEntryRecorded,
        InjectedFault::EntryTakenUnrecorded,
    ] {
        let said = caught(fault, members_are_those_of_the_line);
        assert!(said.contains("seed"), "{fault:?}: {said}");
    }
}

#[test]
fn a_group_without_a_name_is_not_saved() {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let player = Player::spawn(system);
    let unnamed = Group::new();
    assert!(unnamed.join(&player));
    simulation.run();
    // Only this thread has it, so it is outside.
    let image = take_now(&simulation);
    assert!(image.shared.tables.groups.is_empty());

    let choir = system.group("choir").expect("it is new");
    let _coach = Coach::spawn(system, unnamed, choir, vec![player]);
    simulation.run();
    let mut dice = Dice::new(1);
    let error = super::taking::take(&simulation, &mut dice).expect_err("it has no name");
    assert!(matches!(error, Unsaved::Value { .. }), "{error}");
    let error = error.to_string();
    assert!(error.contains("a group without a name"), "{error}");
}
