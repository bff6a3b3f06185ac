//! A program with synchronizers, for tests of images: tills that move coins in pairs, and a clerk
//! that closes and opens them.

use super::mid_turn::mid_turn;
use crate::Saved;
use crate::api::SavedKinds;
use crate::oracle::Dice;
use crate::prelude::*;
use crate::sync::Arc;
use crate::{Pattern, SavedSynchronizer, Synchronizer, SynchronizerBuilder, SynchronizerKind};

pub(super) const TILLS: usize = 3;

/// A coin leaves this till for the other one, or comes from there.
#[derive(Actor, Default)]
#[actor(saved)]
pub(super) struct Till {
    pub(super) gone: Vec<(usize, u64)>,
    pub(super) come: Vec<(usize, u64)>,
    pub(super) counted: u64,
    wants: bool,
}

#[behaviours]
impl Till {
    #[start]
    fn new() -> Till {
        Till {
            wants: true,
            ..Till::default()
        }
    }

    pub(super) fn go(&mut self, to: usize, coin: u64) {
        mid_turn();
        self.gone.push((to, coin));
        mid_turn();
    }

    /// It takes coins only now and then.
    #[when(self.wants)]
    pub(super) fn come(&mut self, from: usize, coin: u64) {
        mid_turn();
        self.come.push((from, coin));
    }

    pub(super) fn want(&mut self, wants: bool) {
        mid_turn();
        self.wants = wants;
    }

    pub(super) fn count(&mut self) {
        self.counted += 1;
        mid_turn();
    }
}

pub(super) use till_messages::{Come, Count, Go};

/// The two halves of a move happen together, a limited number of times.
#[derive(Saved)]
pub(super) struct Pair {
    pub(super) moved: u64,
    pub(super) limit: u64,
}

impl SavedSynchronizer for Pair {
    type Args = [(usize, Address<Till>); 2];

    fn constrain(args: &Self::Args, it: SynchronizerBuilder<Pair>) -> SynchronizerBuilder<Pair> {
        let [(from_number, from), (to_number, to)] = args;
        let (from_number, to_number) = (*from_number, *to_number);
        let go = || {
            Pattern::<Go<Till>>::at(from).when(move |args| {
                mid_turn();
                args.0 == to_number
            })
        };
        let come = || Pattern::<Come<Till>>::at(to).when(move |args| args.0 == from_number);
        it.atomic((go(), come()))
            .disable(come(), |pair: &Pair| pair.moved >= pair.limit)
            .upon(go(), |_| {
                |pair: &mut Pair| {
                    mid_turn();
                    pair.moved += 1;
                    mid_turn();
                }
            })
            .upon(Pattern::<Count<Till>>::at(from), |()| {
                |pair: &mut Pair| pair.limit += 1
            })
    }
}

/// No coin goes from the till.
#[derive(Saved)]
pub(super) struct Closed;

impl SavedSynchronizer for Closed {
    type Args = Address<Till>;

    fn constrain(
        till: &Address<Till>,
        it: SynchronizerBuilder<Closed>,
    ) -> SynchronizerBuilder<Closed> {
        it.disable(Pattern::<Count<Till>>::at(till), |_| true)
    }
}

/// Closes tills, and opens them.
#[derive(Actor)]
#[actor(saved)]
pub(super) struct Clerk {
    pub(super) closed: Vec<Synchronizer>,
}

#[behaviours]
impl Clerk {
    #[start]
    fn new() -> Clerk {
        Clerk { closed: Vec::new() }
    }

    pub(super) fn close(&mut self, till: Address<Till>) {
        mid_turn();
        let closed = Synchronizer::saved(Closed, till);
        mid_turn();
        self.closed.push(closed.expect("it is alive"));
    }

    pub(super) fn keep(&mut self, closed: Synchronizer) {
        self.closed.push(closed);
    }

    pub(super) fn open(&mut self) {
        mid_turn();
        let opened = self.closed.pop();
        mid_turn();
        drop(opened);
        mid_turn();
    }
}

pub(super) fn kinds() -> Arc<SavedKinds> {
    type All = (
        Till,
        Clerk,
        SynchronizerKind<Pair>,
        SynchronizerKind<Closed>,
    );
    Arc::new(SavedKinds::of::<All>().expect("no two names are equal"))
}

/// The actors of the program.
pub(super) struct Program {
    pub(super) tills: Vec<Address<Till>>,
    pub(super) clerk: Address<Clerk>,
    coins: u64,
}

impl Program {
    pub(super) fn begin(system: &System) -> Program {
        let tills: Vec<_> = (0..TILLS).map(|_| Till::spawn(system)).collect();
        for (from, to) in pairs() {
            let args = [(from, tills[from].clone()), (to, tills[to].clone())];
            let pair = Pair { moved: 0, limit: 2 };
            Synchronizer::saved(pair, args)
                .expect("they are alive")
                .forever();
        }
        let clerk = Clerk::spawn(system);
        Program {
            tills,
            clerk,
            coins: 0,
        }
    }

    /// Something that comes from outside.
    pub(super) fn order(&mut self, dice: &mut Dice) {
        let (from, to) = (dice.below(TILLS), dice.below(TILLS));
        self.coins += 1;
        let coin = self.coins;
        match dice.below(20) {
            0..7 if from != to => self.tills[from].go(to, coin).send(),
            7..14 if from != to => self.tills[to].come(from, coin).send(),
            14..16 => self.tills[to].want(dice.below(3) > 0).send(),
            16 => self.clerk.close(self.tills[to].clone()).send(),
            17 => self.clerk.open().send(),
            18 => {
                let closed = Synchronizer::saved(Closed, self.tills[to].clone());
                self.clerk.keep(closed.expect("it is alive")).send();
            }
            _ => self.tills[from].count().send(),
        }
    }
}

pub(super) fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..TILLS)
        .flat_map(|from| (0..TILLS).map(move |to| (from, to)))
        .filter(|(from, to)| from != to)
}
