//! A barrier: a game of life on a ring, in which no cell makes its next step before all have made
//! the last one.
//!
//! Where to look: `t.barrier` asks every member of the group, and its promise has all the replies,
//! in the order of the members. A cell that cannot reply has its error there: the third round goes
//! on without the cell that breaks in it. Try `t.all` in its place: the first error ends the round.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use vivant::prelude::*;
use vivant::{Group, System};

#[derive(Actor)]
struct Cell {
    is_alive: bool,
    is_cracked: bool,
}

#[behaviours]
impl Cell {
    /// Lives if one neighbour does, and tells whether it does.
    fn step(&mut self, neighbours: u32) -> bool {
        assert!(!self.is_cracked, "the cell breaks");
        self.is_alive = neighbours == 1;
        self.is_alive
    }

    fn crack(&mut self) {
        self.is_cracked = true;
    }
}

#[derive(Actor)]
struct Ring {
    cells: Group<Cell>,
    living: Vec<bool>,
}

#[behaviours]
impl Ring {
    /// One round: the step of every cell, and then what the ring looks like.
    fn round(&self, t: &Turn<Self>) -> Promise<String> {
        let mut at = 0;
        let count = self.living.len();
        let step = |cell: &Address<Cell>| {
            let neighbours = [(at + count - 1) % count, (at + 1) % count];
            let living = neighbours.into_iter().filter(|&next| self.living[next]);
            at += 1;
            cell.step(living.count() as u32).into_owned()
        };
        t.barrier(&self.cells.members(), step)
            .then(t.me().all_stepped())
    }

    #[then]
    fn all_stepped(&mut self, cells: Result<Vec<Result<bool, AskError>>, AskError>) -> String {
        let cells = cells.unwrap_or_default();
        self.living = cells.iter().map(|cell| *cell == Ok(true)).collect();
        let shown = |cell: &Result<bool, AskError>| match cell {
            Ok(true) => '#',
            Ok(false) => '.',
            Err(_) => '?',
        };
        cells.iter().map(shown).collect()
    }
}

fn main() -> Result<(), AskError> {
    let system = System::new();
    let living = vec![false, false, true, false, false, false, false];
    let cells: Vec<_> = living
        .iter()
        .map(|&is_alive| {
            system.spawn(Cell {
                is_alive,
                is_cracked: false,
            })
        })
        .collect();
    let group = Group::new();
    cells.iter().for_each(|cell| {
        group.join(cell);
    });
    let ring = system.spawn(Ring {
        cells: group,
        living,
    });
    for expected in [".#.#...", "#...#.."] {
        let round = ring.round().ask_blocking()?;
        println!("{round}");
        assert_eq!(round, expected);
    }
    cells[5].crack().send();
    let broken = ring.round().ask_blocking()?;
    println!("{broken}");
    assert_eq!(broken, ".#.#.?#");
    Ok(())
}
