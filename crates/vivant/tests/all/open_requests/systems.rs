//! Open requests of several systems, and of actors that run on threads meanwhile.

use super::{Client, Desk};
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[test]
fn a_request_is_listed_in_the_system_of_its_asker() {
    let (one, other) = (Simulation::new(1), Simulation::new(1));
    let desk = other.system().spawn(Desk {
        next: None,
        is_open: false,
        kept: Vec::new(),
    });
    let client = one.system().spawn(Client {
        desk,
        answers: Vec::new(),
    });
    client.ask_later().send();
    one.run();
    let requests = one.system().inspect().requests;
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].answerer, None, "an actor of another system");
    assert_eq!(other.system().inspect().requests, []);
}

/// Inspections beside running actors: none waits, none finds a request twice, and what they say of
/// a request fits together.
#[test]
fn an_inspection_beside_running_actors() {
    let system = System::new();
    let desks: Vec<_> = (0..4)
        .map(|_| {
            system.spawn(Desk {
                next: None,
                is_open: true,
                kept: Vec::new(),
            })
        })
        .collect();
    let clients: Vec<_> = desks
        .iter()
        .map(|desk| {
            system.spawn(Client {
                desk: desk.clone(),
                answers: Vec::new(),
            })
        })
        .collect();
    for _ in 0..if cfg!(miri) { 3 } else { 200 } {
        for client in &clients {
            client.ask_number().send();
            client.ask_guarded().send();
        }
        for request in system.inspect().requests {
            let Some(asker) = request.asker.actor() else {
                continue;
            };
            let at = clients
                .iter()
                .position(|client| Address::path(client) == asker);
            let at = at.expect("a client asks");
            assert_eq!(request.answerer, Some(Address::path(&desks[at])));
            let line = include_str!("../open_requests.rs")
                .lines()
                .nth(request.asked_at.line() as usize - 1)
                .unwrap_or_default();
            let name = request.behaviour.rsplit("::").next().unwrap_or_default();
            assert!(line.contains(&format!("self.desk.{name}()")), "{request}");
        }
    }
    for client in clients {
        let asked = if cfg!(miri) { 6 } else { 400 };
        while client.answers().ask_blocking().expect("it lives") < asked {}
    }
    assert_eq!(system.inspect().requests, []);
}
