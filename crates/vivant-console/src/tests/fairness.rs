//! Places are shared among peers. The test chooses the peer of each connection.

use super::*;
use crate::door::Door;
use crate::peer::Peer;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::mpsc::{self, Sender};
use std::thread;

const ANN: Peer = Peer::User(1);
const BEN: Peer = Peer::User(2);

/// A console, and the peers of the clients that connect next. Clients are accepted in the order in
/// which they connect.
struct House {
    console: Console,
    peers: Sender<Peer>,
}

impl House {
    fn with(limits: Limits) -> House {
        let (peers, next) = mpsc::channel();
        let console = Console::builder(&System::new())
            .token(Token::new(TOKEN).unwrap())
            .limits(limits)
            .start_with(move |_| next.recv().unwrap())
            .unwrap();
        House { console, peers }
    }

    fn visitor(&self, peer: Peer) -> Visitor {
        self.peers.send(peer).unwrap();
        Visitor::to(&self.console)
    }

    fn guest(&self, peer: Peer) -> Visitor {
        let mut visitor = self.visitor(peer);
        visitor.says(&greeting(TOKEN));
        visitor.facts();
        visitor
    }
}

fn four_strangers() -> Limits {
    Limits {
        strangers_max: 4,
        ..patient()
    }
}

#[test]
fn idle_strangers_of_one_peer_do_not_keep_another_out() {
    let house = House::with(four_strangers());
    let [mut oldest, mut second, _third, _fourth] = [(); 4].map(|()| house.visitor(ANN));
    house.visitor(ANN).is_sent_away(Reason::Busy);
    let mut guest = house.guest(BEN);
    assert_eq!(oldest.hears(), None, "its place was taken");
    second.says(&greeting(TOKEN));
    second.facts();
    guest.facts();
}

#[test]
fn wrong_tokens_of_one_peer_do_not_keep_another_out() {
    let limits = Limits {
        wrong_token_costs: NEVER,
        ..four_strangers()
    };
    let house = House::with(limits);
    let [mut oldest, _second, _third, _fourth] = [(); 4].map(|()| {
        let mut guesser = house.visitor(ANN);
        guesser.says(&greeting("a-guess-of-tokens"));
        guesser
    });
    house.visitor(ANN).is_sent_away(Reason::Busy);
    house.guest(BEN);
    assert_eq!(oldest.hears(), None, "its delay ended with its place");
}

/// The conversation of a client that lost its place ends at once, so that the threads of strangers
/// are as few as their places.
#[test]
fn a_client_that_lost_its_place_neither_waits_nor_becomes_a_guest() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let limits = Limits {
        strangers_max: 1,
        ..patient()
    };
    let door = Door::new(limits);
    let stay = |peer| door.enter(&stream, peer).unwrap().unwrap();
    let loser = stay(ANN);
    let (ends, ended) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            loser.wait(NEVER);
            ends.send(loser.becomes_guest()).unwrap();
        });
        // Most likely the wait has begun by then; the result is the same if it has not.
        thread::sleep(SHORT);
        let newcomer = stay(BEN);
        let became_guest = ended.recv_timeout(GIVE_UP_AFTER);
        door.close();
        assert_eq!(became_guest, Ok(false));
        assert!(newcomer.becomes_guest());
    });
}

#[test]
fn guests_of_one_peer_do_not_keep_another_out() {
    let limits = Limits {
        guests_max: 2,
        ..patient()
    };
    let house = House::with(limits);
    let [mut oldest, mut second] = [(); 2].map(|()| house.guest(ANN));
    let mut guest = house.guest(BEN);
    assert_eq!(oldest.hears(), None, "its place was taken");
    for peer in [ANN, BEN] {
        let mut third = house.visitor(peer);
        third.says(&greeting(TOKEN));
        third.is_sent_away(Reason::Busy);
    }
    second.facts();
    guest.facts();
}
