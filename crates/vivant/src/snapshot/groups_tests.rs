//! Groups are in an image with the members that they had at the line.

use super::image::Image;
use super::mid_turn::{self, mid_turn};
use super::taking::{goes_on_at_every_step, restored, simulated, take_now};
use crate::Group;
use crate::api::{SavedKinds, Target};
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

/// Whether the groups of a program have names.
#[derive(Clone, Copy, Debug)]
enum Groups {
    Named,
    Unnamed,
}

impl Groups {
    fn make<T: ?Sized + Target>(self, system: &System, name: &str) -> Group<T> {
        match self {
            Groups::Named => system.group(name).expect("it is new"),
            Groups::Unnamed => Group::new(),
        }
    }
}

/// Has the groups of the players. It is the last actor of which a cut learns them.
#[derive(Actor)]
#[actor(saved)]
struct Club {
    teams: Vec<Group<Player>>,
    choirs: Vec<Group<dyn Hears>>,
}

#[behaviours]
impl Club {}

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

    fn join(&mut self, t: &Turn<Self>, team: Group<Player>, number: u64) {
        mid_turn();
        if team.join(&t.me()) {
            mid_turn();
            self.teams.push(number);
        }
    }

    fn leave(&mut self, t: &Turn<Self>, team: Group<Player>, number: u64) {
        if let Some(at) = self.teams.iter().position(|own| *own == number) {
            mid_turn();
            assert!(team.leave(&t.me()));
            mid_turn();
            self.teams.remove(at);
        }
    }

    fn call_all(&mut self, team: Group<Player>, number: u64) {
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

    fn split(&mut self, t: &Turn<Self>, team: Group<Player>, number: u64) {
        let child = Player::spawn(t);
        t.send(child.join(team, number));
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
    Arc::new(SavedKinds::of::<(Player, Coach, Club)>().expect("no two names are equal"))
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

fn begin(simulation: &Simulation, groups: Groups) -> Address<Coach> {
    let system = simulation.system();
    let players = (0..4).map(|_| Player::spawn(system)).collect();
    let (team, choir) = (groups.make(system, "team"), groups.make(system, "choir"));
    let coach = Coach::spawn(system, team, choir, players);
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
    for groups in [Groups::Named, Groups::Unnamed] {
        let begin = |simulation: &Simulation| begin(simulation, groups);
        let images = goes_on_at_every_step(4, &kinds(), begin, end);
        assert!(images > 5, "{images} images");
    }
}

/// What a program has outside.
struct Outside {
    players: Vec<Address<Player>>,
    teams: Vec<Group<Player>>,
    choirs: Vec<Group<dyn Hears>>,
}

/// Something that comes from outside.
fn order(outside: &Outside, dice: &mut Dice) {
    let Outside {
        players,
        teams,
        choirs,
    } = outside;
    let player = &players[dice.below(players.len())];
    let number = dice.below(4);
    let (team, number) = (teams[number].clone(), number as u64);
    match dice.below(12) {
        0..4 => player.join(team, number).send(),
        4..6 => player.leave(team, number).send(),
        6..8 => player.call_all(team, number).send(),
        8 => player.split(team, number).send(),
        9 => player.finish().send(),
        _ => {
            let singer: Address<dyn Hears> = Address::upcast(player);
            if choirs[number as usize].join(&singer) {
                singer.hear(10 + number).send();
            }
        }
    }
}

fn images(seed: u64, groups: Groups) -> Vec<Image> {
    let simulation = simulated(&kinds(), seed);
    let system = simulation.system();
    let outside = Outside {
        players: (0..4).map(|_| Player::spawn(system)).collect(),
        teams: (0..4)
            .map(|number| groups.make(system, &format!("team {number}")))
            .collect(),
        choirs: (0..4)
            .map(|number| groups.make(system, &format!("choir {number}")))
            .collect(),
    };
    let _club = system.spawn(Club {
        teams: outside.teams.clone(),
        choirs: outside.choirs.clone(),
    });
    mid_turn::begin(&simulation, seed);
    let mut dice = Dice::new(!seed);
    for _ in 0..300 {
        match dice.below(6) {
            0 => order(&outside, &mut dice),
            1..3 => mid_turn::step(),
            _ => {
                simulation.step();
            }
        }
    }
    mid_turn::end()
}

/// The numbers of the members.
fn ids<T: ?Sized + Target>(group: &Group<T>) -> Vec<u64> {
    let members = group.members();
    members.iter().map(|it| Address::counted(it).id).collect()
}

/// The members of a group are the actors that have written it down, or will do so. Returns the
/// number of members.
fn check(image: &Image, seed: u64) -> usize {
    let (simulation, actors) = restored(image, seed, &kinds());
    assert_eq!(take_now(&simulation), *image, "seed {seed}");
    let (mut members, mut written) = (Vec::new(), Vec::new());
    let system = simulation.system().shared();
    let mut look = |idle: &mut crate::run::Idle| {
        let id = idle.id;
        let _none = idle.state().look::<Player, _>(|player| {
            written.extend(player.teams.iter().map(|number| (*number, id)));
        });
        let _none = idle.state().look::<Club, _>(|club| {
            for (number, team) in (0..).zip(&club.teams) {
                members.extend(ids(team).into_iter().map(|id| (number, id)));
            }
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
    members.sort_unstable();
    written.sort_unstable();
    assert_eq!(members, written, "seed {seed}");

    simulation.run();
    let mut choirs = Vec::new();
    each_state::<Club>(&simulation, |_, club| {
        choirs = club.choirs.iter().map(ids).collect();
    });
    each_state::<Player>(&simulation, |id, player| {
        for number in player.words.iter().filter(|word| **word >= 10) {
            assert!(
                choirs[*number as usize - 10].contains(&id),
                "seed {seed}: it joined before the message was sent"
            );
        }
    });
    members.len()
}

const SEEDS: u64 = if cfg!(miri) { 2 } else { 150 };

fn members_are_those_of_the_line(groups: Groups) {
    let mut checked = 0;
    for seed in 0..SEEDS {
        for image in images(seed, groups) {
            checked += usize::from(check(&image, seed) > 0);
        }
    }
    assert!(checked as u64 > SEEDS / 2, "{checked} images with groups");
}

#[test]
fn an_actor_is_in_a_group_if_it_joined_before_the_line() {
    members_are_those_of_the_line(Groups::Named);
}

#[test]
fn an_actor_is_in_a_group_without_a_name_if_it_joined_before_the_line() {
    members_are_those_of_the_line(Groups::Unnamed);
}

/// An actor that joined behind the line, or left behind it.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_member_seen_across_the_line_is_noticed() {
    for (fault, groups) in [
        (InjectedFault::NewerEntryRecorded, Groups::Named),
        (InjectedFault::EntryTakenUnrecorded, Groups::Named),
        (InjectedFault::NewerEntryRecorded, Groups::Unnamed),
        (InjectedFault::EntryTakenUnrecorded, Groups::Unnamed),
        (InjectedFault::UnfoundEntryForgotten, Groups::Unnamed),
    ] {
        let said = caught(fault, || members_are_those_of_the_line(groups));
        let is_noticed = said.contains("seed") || said.contains("the image is whole");
        assert!(is_noticed, "{fault:?}: {said}");
    }
}

/// Only a thread has it.
#[test]
fn a_group_without_a_name_is_in_the_image_if_a_handle_of_it_is() {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let player = Player::spawn(system);
    let (outside, inside) = (Group::new(), Group::new());
    assert!(outside.join(&player) && inside.join(&player));
    simulation.run();
    assert!(take_now(&simulation).shared.tables.groups.is_empty());

    let choir = system.group("choir").expect("it is new");
    let _coach = Coach::spawn(system, inside, choir, vec![player]);
    simulation.run();
    let image = take_now(&simulation);
    assert_eq!(image.shared.tables.groups.len(), 1);
    let (simulation, _actors) = restored(&image, 1, &kinds());
    assert_eq!(take_now(&simulation), image);
}

/// Two actors have handles of one group.
#[test]
fn handles_of_one_number_are_one_group() {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let player = Player::spawn(system);
    let (team, choir) = (Group::new(), Group::new());
    let clubs: Vec<_> = (0..2)
        .map(|_| {
            system.spawn(Club {
                teams: vec![team.clone()],
                choirs: vec![choir.clone()],
            })
        })
        .collect();
    simulation.run();
    let image = take_now(&simulation);
    assert!(image.shared.tables.groups.is_empty(), "it has no members");
    assert_eq!(image.shared.tables.next_table, 2);
    drop((clubs, player));

    let (simulation, _actors) = restored(&image, 1, &kinds());
    let mut teams = Vec::new();
    each_state::<Club>(&simulation, |_, club| teams.push(club.teams[0].clone()));
    let player = Player::spawn(simulation.system());
    assert!(teams[0].join(&player));
    assert_eq!(ids(&teams[1]), ids(&teams[0]));
    let new = Group::new();
    assert!(new.join(&player));
    let _club = simulation.system().spawn(Club {
        teams: vec![new],
        choirs: Vec::new(),
    });
    simulation.run();
    let names: Vec<_> = take_now(&simulation).shared.tables.groups;
    let names: Vec<_> = names.iter().map(|it| it.name.number()).collect();
    assert_eq!(names, [Some(0), Some(2)], "numbers are given once");
}

#[test]
fn a_group_of_two_systems_is_in_the_images_of_both() {
    let simulations = [1, 2].map(|seed| simulated(&kinds(), seed));
    let team = Group::new();
    for simulation in &simulations {
        let system = simulation.system();
        let player = Player::spawn(system);
        assert!(team.join(&player));
        system.keep(&player);
        system.keep(&system.spawn(Club {
            teams: vec![team.clone()],
            choirs: Vec::new(),
        }));
        simulation.run();
    }
    for simulation in &simulations {
        let image = take_now(simulation);
        let groups = &image.shared.tables.groups;
        assert_eq!((groups.len(), groups[0].members.len()), (1, 1));
        let (simulation, _actors) = restored(&image, 1, &kinds());
        assert_eq!(take_now(&simulation), image);
    }
}
