//! One actor deals out boards, and workers send back larger ones or solutions: many small messages
//! through one actor.
//!
//! Protocol: N queens of Savina, with its sizes. Workers get boards from the master by turns. A
//! worker places a queen in the next row in each way that no other queen attacks. While fewer than
//! four rows are occupied it sends these boards to the master, as new work; below that it places
//! all further queens by itself, and sends the master a message for each solution.
//!
//! Timed: from the master's start to the end of the last piece of work. An operation is a
//! board that is dealt out, or a solution.

use super::snapshot_point;
use crate::prelude::*;
use vivant::prelude::*;

pub(in super::super) const NQUEENK: Bench = Bench::new(
    Group::Savina,
    "nqueenk",
    "workers look for the solutions of the queens' problem",
    &[
        Param::count("size", 12, 6, "rows of the board"),
        Param::count("threshold", 4, 2, "rows of a board that is dealt out"),
        Param::count("workers", 20, 4, "workers"),
        Param::count("limit", 1_500_000, 1_000, "solutions that are enough"),
    ],
    run,
)
.saved::<(Master, Worker)>();

/// The columns of the queens, one a row.
type Board = Vec<u8>;

/// The columns of the next row that no queen attacks.
fn free(board: &[u8], size: u8) -> impl Iterator<Item = u8> {
    let attacks = |column: u8| {
        let rows = board.iter().rev().zip(1_u8..);
        rows.map(move |(queen, distance)| (*queen, distance))
            .any(move |(queen, distance)| queen == column || queen.abs_diff(column) == distance)
    };
    (0..size).filter(move |column| !attacks(*column))
}

#[derive(Actor)]
#[actor(saved)]
struct Worker {
    master: Address<Master>,
    size: u8,
    threshold: usize,
}

#[behaviours]
impl Worker {
    /// Answers after the messages that follow from the board.
    fn search(&mut self, t: &Turn<Self>, board: Board) {
        if board.len() < self.threshold && board.len() < usize::from(self.size) {
            for column in free(&board, self.size) {
                let mut next = board.clone();
                next.push(column);
                t.send(self.master.deal(next));
            }
        } else {
            self.search_alone(t, &mut board.clone());
        }
    }

    #[local]
    fn search_alone(&self, t: &Turn<Self>, board: &mut Board) {
        if board.len() == usize::from(self.size) {
            t.send(self.master.solution());
            return;
        }
        let columns: Board = free(board, self.size).collect();
        for column in columns {
            board.push(column);
            self.search_alone(t, board);
            board.pop();
        }
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Master {
    workers: Vec<Address<Worker>>,
    /// The worker that gets the next board.
    next: usize,
    dealt: u64,
    searched: u64,
    solutions: u64,
    limit: u64,
    done: Option<Resolver<(u64, u64)>>,
}

#[behaviours]
impl Master {
    /// Answers with the numbers of solutions and of dealt boards.
    fn solve(
        &mut self,
        t: &Turn<Self>,
        workers: u64,
        size: u8,
        threshold: u64,
    ) -> Promise<(u64, u64)> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        let worker = |_| {
            t.spawn_actor(Worker {
                master: t.me(),
                size,
                threshold: threshold as usize,
            })
        };
        self.workers = (0..workers).map(worker).collect();
        self.deal(t, Board::new());
        snapshot_point(t);
        promise
    }

    fn deal(&mut self, t: &Turn<Self>, board: Board) {
        if self.done.is_none() {
            return;
        }
        let worker = &self.workers[self.next];
        self.next = (self.next + 1) % self.workers.len();
        self.dealt += 1;
        t.ask(worker.search(board)).then_send(t.me().searched());
    }

    fn solution(&mut self) {
        self.solutions += 1;
        if self.solutions == self.limit {
            self.answer();
        }
    }

    /// What follows from the board has come before.
    #[then]
    fn searched(&mut self, _: Result<(), AskError>) {
        self.searched += 1;
        if self.searched == self.dealt {
            self.answer();
        }
    }

    #[local]
    fn answer(&mut self) {
        if let Some(done) = self.done.take() {
            done.resolve((self.solutions, self.dealt));
        }
    }
}

/// The number of solutions, by sets of columns and diagonals as bits.
fn solutions(size: u64) -> u64 {
    fn below(all: u64, columns: u64, left: u64, right: u64) -> u64 {
        if columns == all {
            return 1;
        }
        let mut free = all & !(columns | left | right);
        let mut sum = 0;
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            sum += below(
                all,
                columns | queen,
                (left | queen) << 1,
                (right | queen) >> 1,
            );
        }
        sum
    }
    below((1 << size) - 1, 0, 0, 0)
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (size, limit) = (run.count("size"), run.count("limit"));
    let expected = solutions(size).min(limit);
    let system = run.system();
    let master = system.spawn(Master {
        workers: Vec::new(),
        next: 0,
        dealt: 0,
        searched: 0,
        solutions: 0,
        limit,
        done: None,
    });
    let meter = Meter::start();
    let solve = master.solve(run.count("workers"), size as u8, run.count("threshold"));
    let (found, dealt) = solve.ask_blocking()?;
    let spent = meter.stop();
    let check = run.check("solutions", expected, found)?;
    let mut figures = Figures::new(spent, dealt + found, check);
    figures.add("dealt", dealt);
    Ok(vec![figures])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_solutions() {
        let known = [(4, 2), (8, 92), (9, 352), (10, 724), (11, 2_680)];
        for (size, count) in known {
            assert_eq!(solutions(size), count);
        }
    }

    /// The boards of up to four rows of the default size.
    #[test]
    fn the_number_of_boards_is_savinas() {
        fn boards(board: &mut Board) -> u64 {
            if board.len() == 4 {
                return 1;
            }
            let columns: Board = free(board, 12).collect();
            let below = |column| {
                board.push(column);
                let sum = boards(board);
                board.pop();
                sum
            };
            1 + columns.into_iter().map(below).sum::<u64>()
        }
        assert_eq!(boards(&mut Board::new()), 4_959);
    }
}
