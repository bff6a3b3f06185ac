//! A referee: checks the events of all rooms against the rules.

use lobby::event::{Event, What};
use std::collections::BTreeMap;
use std::time::Duration;
use vivant::prelude::*;
use vivant::{Lagged, Subscription, Topic};

/// A game in progress.
struct Game {
    players: [String; 2],
    sticks: u32,
    turn: usize,
    turn_began: Duration,
    /// The player that was just late: a stick is taken for it.
    late: bool,
    winner: Option<String>,
}

/// The rules.
#[derive(Default)]
struct Rules {
    games: BTreeMap<u64, Game>,
    finished: u64,
}

impl Rules {
    fn apply(&mut self, turn_limit: Duration, event: &Event) -> Result<(), String> {
        let wrong = |why: &str| Err(format!("{why}: {event:?}"));
        if let What::Began { players, sticks } = &event.what {
            let again = self.games.get(&event.room);
            if again.is_some_and(|game| game.players != *players) {
                return wrong("other players after a restart");
            }
            let mut others = self.games.iter().filter(|(room, _)| **room != event.room);
            if others.any(|(_, game)| game.players.iter().any(|it| players.contains(it)))
                || players[0] == players[1]
            {
                return wrong("a player is in two games");
            }
            let game = Game {
                players: players.clone(),
                sticks: *sticks,
                turn: 0,
                turn_began: event.at,
                late: false,
                winner: None,
            };
            self.games.insert(event.room, game);
            return Ok(());
        }
        let Some(game) = self.games.get_mut(&event.room) else {
            return wrong("no game is played there");
        };
        match &event.what {
            What::Took {
                player,
                taken,
                left,
            } => {
                if *player != game.players[game.turn] || game.winner.is_some() {
                    return wrong("not its turn");
                }
                let legal =
                    (1..=3).contains(taken) && game.sticks.checked_sub(*taken) == Some(*left);
                if !legal || (game.late && *taken != 1) {
                    return wrong("against the rules");
                }
                game.winner = (*left == 0).then(|| player.clone());
                (game.sticks, game.turn, game.turn_began, game.late) =
                    (*left, 1 - game.turn, event.at, false);
            }
            What::Late { player } => {
                if *player != game.players[game.turn] || event.at - game.turn_began < turn_limit {
                    return wrong("not late");
                }
                game.late = true;
            }
            What::Left { player } => {
                game.winner = game.players.iter().find(|it| *it != player).cloned();
            }
            What::Won { player } => {
                if game.winner.as_ref() != Some(player) {
                    return wrong("not the winner");
                }
                self.games.remove(&event.room);
                self.finished += 1;
            }
            What::Began { .. } => {}
        }
        Ok(())
    }
}

/// An actor that watches all rooms.
#[derive(Actor)]
pub(crate) struct Referee {
    _events: Subscription,
    turn_limit: Duration,
    rules: Rules,
    fault: Option<String>,
}

#[behaviours]
impl Referee {
    #[start]
    pub(crate) fn new(t: &Turn<Self>, events: Topic<Event>, turn_limit: Duration) -> Self {
        Referee {
            _events: events.subscribe(t.me().event()),
            turn_limit,
            rules: Rules::default(),
            fault: None,
        }
    }

    #[then]
    fn event(&mut self, event: Result<Event, Lagged>) {
        let judged = match &event {
            Ok(event) => self.rules.apply(self.turn_limit, event),
            Err(lagged) => Err(format!("{} events missed", lagged.missed)),
        };
        if self.fault.is_none() {
            self.fault = judged.err();
        }
    }

    /// The first fault, and the numbers of finished games and of others.
    pub(crate) fn verdict(&self) -> (Option<String>, u64, usize) {
        (
            self.fault.clone(),
            self.rules.finished,
            self.rules.games.len(),
        )
    }
}
