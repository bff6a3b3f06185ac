//! Places: a limit of open connections that peers share fairly.
//!
//! A *place* is the right to one open connection. All users of a machine can connect, so a limit
//! alone would let one of them hold every place. A *newcomer* is a client that wants a place.
//!
//! - **P1** At most `max` places are taken, and one peer may hold all of them.
//! - **P2** A peer that holds no place is not refused.
//! - **P3** A peer is not refused while another peer holds at least two places more.
//! - **P4** A newcomer takes a place only when none is free: the oldest place of the peer that
//!   holds the most. A peer that holds a place already takes one only by **P3**, so that two peers
//!   do not take the same place from each other again and again.
//!
//! A client that loses its place must be disconnected by the caller. A user with several user ids
//! is several peers.

use crate::peer::Peer;

/// The places of one kind of clients.
pub(crate) struct Places {
    max: usize,
    /// The oldest first. Few, so every step goes through all of them.
    taken: Vec<Place>,
}

struct Place {
    client: u64,
    peer: Peer,
}

/// The answer to a newcomer.
#[must_use = "a client that lost its place must be disconnected"]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The newcomer has a place that was free.
    Free,
    /// The newcomer has the place of this client.
    TakenFrom(u64),
    /// The newcomer has no place.
    Refused,
}

impl Places {
    pub(crate) fn new(max: usize) -> Places {
        Places {
            max,
            taken: Vec::new(),
        }
    }

    /// Gives `client`, a newcomer of `peer`, a place if the rules allow it.
    pub(crate) fn enter(&mut self, client: u64, peer: Peer) -> Entry {
        let entry = if self.taken.len() < self.max {
            Entry::Free
        } else if let Some(at) = self.place_for(peer) {
            Entry::TakenFrom(self.taken.remove(at).client)
        } else {
            return Entry::Refused;
        };
        self.taken.push(Place { client, peer });
        entry
    }

    /// Frees the place of `client`, if it has one.
    pub(crate) fn leave(&mut self, client: u64) {
        self.taken.retain(|place| place.client != client);
    }

    /// The position of the place that a newcomer of `peer` may take.
    fn place_for(&self, peer: Peer) -> Option<usize> {
        let held = |peer| self.taken.iter().filter(|place| place.peer == peer).count();
        let most = self.taken.iter().map(|place| held(place.peer)).max()?;
        let own = held(peer);
        if own > 0 && most < own + 2 {
            return None;
        }
        self.taken.iter().position(|place| held(place.peer) == most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Peer = Peer::User(1);
    const BEN: Peer = Peer::User(2);
    const CAT: Peer = Peer::User(3);

    /// Full places: the clients are 0, 1, 2 …, in the order of `peers`.
    fn full(peers: &[Peer]) -> Places {
        let mut places = Places::new(peers.len());
        for (client, peer) in (0..).zip(peers) {
            assert_eq!(places.enter(client, *peer), Entry::Free);
        }
        places
    }

    #[test]
    fn a_peer_alone_may_hold_all_places_and_not_one_more() {
        let mut places = full(&[ANN; 4]);
        assert_eq!(places.enter(4, ANN), Entry::Refused, "P1");
        places.leave(2);
        assert_eq!(places.enter(5, ANN), Entry::Free);
        assert_eq!(places.enter(6, ANN), Entry::Refused, "P1");
    }

    #[test]
    fn a_newcomer_takes_the_oldest_place_of_the_peer_that_holds_the_most() {
        let mut places = full(&[BEN, ANN, ANN, ANN]);
        assert_eq!(places.enter(4, CAT), Entry::TakenFrom(1), "P4");
        assert_eq!(
            places.enter(5, CAT),
            Entry::Refused,
            "Ann has only one more"
        );
    }

    #[test]
    fn a_peer_without_a_place_is_not_refused() {
        let mut places = full(&[ANN, BEN]);
        assert_eq!(places.enter(2, CAT), Entry::TakenFrom(0), "P2");
        assert_eq!(places.enter(3, ANN), Entry::TakenFrom(1), "P2");
    }

    #[test]
    fn peers_that_hold_places_come_to_rest() {
        let mut places = full(&[ANN, ANN, ANN]);
        assert_eq!(places.enter(3, BEN), Entry::TakenFrom(0), "P3");
        for client in 4..100 {
            let peer = if client % 2 == 0 { ANN } else { BEN };
            assert_eq!(places.enter(client, peer), Entry::Refused, "P4");
        }
    }

    #[test]
    fn clients_of_unknown_users_are_one_peer() {
        let mut places = full(&[Peer::Unknown; 2]);
        assert_eq!(places.enter(2, Peer::Unknown), Entry::Refused, "P1");
        assert_eq!(places.enter(3, ANN), Entry::TakenFrom(0), "P3");
    }

    #[test]
    fn seeded_places_are_shared_fairly() {
        for seed in 0..500 {
            let mut chance = fastrand::Rng::with_seed(seed);
            let max = chance.usize(1..=8);
            let peers = chance.u32(1..=6);
            let mut places = Places::new(max);
            // What must be taken, by the rules: the oldest first.
            let mut expected: Vec<(u64, Peer)> = Vec::new();
            for client in 0..200 {
                if chance.u8(0..3) == 0 && !expected.is_empty() {
                    let (leaves, _) = expected.remove(chance.usize(0..expected.len()));
                    places.leave(leaves);
                }
                // The first peers come more often.
                let most = chance.u32(0..peers);
                let newcomer = Peer::User(chance.u32(0..=most));
                let held = |peer| expected.iter().filter(|place| place.1 == peer).count();
                let (own, free) = (held(newcomer), expected.len() < max);
                let others = (0..peers).map(Peer::User).filter(|peer| *peer != newcomer);
                let most = others.map(held).max().unwrap_or(0);
                match places.enter(client, newcomer) {
                    Entry::Free => assert!(free, "seed {seed}: P1"),
                    Entry::TakenFrom(loser) => {
                        assert!(!free, "seed {seed}: P4");
                        assert!(own == 0 || most >= own + 2, "seed {seed}: P4");
                        let oldest = expected.iter().position(|place| held(place.1) == most);
                        let place = expected.remove(oldest.unwrap());
                        assert_eq!(place.0, loser, "seed {seed}: P4");
                    }
                    Entry::Refused => {
                        assert!(!free, "seed {seed}: P1");
                        assert!(own > 0, "seed {seed}: P2");
                        assert!(most < own + 2, "seed {seed}: P3");
                        continue;
                    }
                }
                expected.push((client, newcomer));
                let taken = places.taken.iter().map(|place| (place.client, place.peer));
                assert!(taken.eq(expected.iter().copied()), "seed {seed}");
            }
        }
    }
}
