//! Futures at the edges: what they may hold over an `await`, and what futures of turns may ask.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant::NotSent;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Object)]
struct Page<'gc> {
    text: String,
    next: Option<Val<'gc, Page<'gc>>>,
}

#[derive(Object)]
struct Node<'gc> {
    value: u64,
    next: Option<Gc<'gc, Node<'gc>>>,
}

#[derive(Actor)]
struct BookState<'gc> {
    first: Option<Val<'gc, Page<'gc>>>,
    node: Option<Gc<'gc, Mut<u64>>>,
}

#[behaviours]
impl<'gc> BookState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Book>) -> Self {
        let page = |text: &str, next| {
            t.val(Page {
                text: text.to_owned(),
                next,
            })
        };
        let last = page("the end", None);
        BookState {
            first: Some(page("once upon a time", Some(last))),
            node: Some(t.alloc(Mut::new(7))),
        }
    }

    fn first(&self) -> Option<Val<'gc, Page<'gc>>> {
        self.first
    }

    fn both(&self) -> (u64, Vec<Val<'gc, Page<'gc>>>) {
        (
            2,
            self.first
                .into_iter()
                .flat_map(|it| [Some(it), it.next])
                .flatten()
                .collect(),
        )
    }

    fn titled(&self) -> (&'static str, Option<Val<'gc, Page<'gc>>>) {
        ("a tale", self.first)
    }

    fn name(&self, t: &Turn<'gc, Book>) -> Option<Far<'gc, Book, Mut<u64>>> {
        self.node.map(|node| t.far(node))
    }

    fn region(&self, t: &Turn<'gc, Book>) -> Iso<Node<'static>> {
        t.iso(|r| {
            let next = Some(r.alloc(Node {
                value: 1,
                next: None,
            }));
            Node { value: 2, next }
        })
    }
}

/// What executors of several threads demand of a task.
fn task<F: Future<Output = T> + Send + 'static, T: Send + 'static>(future: F) -> F {
    future
}

#[test]
fn replies_with_a_brand_are_awaited_in_a_task() {
    let system = System::new();
    let book = Book::spawn(&system);
    let reads = task(async move {
        let page = book.first().ask().await?;
        let both = book.both().ask().within(Duration::from_secs(60)).await?;
        let far = book.name().ask().await?;
        let titled = book.titled().ask().await?;
        // All of them are held over this `await`.
        let mut region = book.region().ask().await?;
        let text = page.look(|page| page.map(|page| page.text.clone()));
        let pages = both.look(|(_, pages)| pages.len());
        drop(book.first().ask().await?);
        let value = region.open(|_, node| node.value + node.next.map_or(0, |next| next.value));
        assert_eq!(titled.look(|(title, _)| *title), "a tale");
        drop(far);
        Ok::<_, AskError>((text, pages, value))
    });
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let task = runtime.spawn(reads);
    let read = runtime.block_on(task).expect("it does not panic");
    let text = Some("once upon a time".to_owned());
    assert_eq!(read, Ok((text, 2, 3)));
}

/// Sells as much as it is asked for, one at a time.
#[derive(Actor)]
#[actor(mailbox = reject(1))]
struct Till {
    sold: u64,
}

#[behaviours]
impl Till {
    fn sell(&mut self, amount: u64) -> u64 {
        self.sold += amount;
        self.sold
    }

    fn panics(&mut self) -> u64 {
        panic!("no change")
    }
}

#[derive(Actor)]
struct Desk;

#[behaviours]
impl Desk {
    /// A flow over two actors in one place.
    fn order(&mut self, t: &Turn<Self>, till: Address<Till>, amount: u64) -> Promise<Ordered> {
        t.spawn(async move {
            let first = till.sell(amount).ask().await?;
            let second = till.sell(first).offer_ask().await?;
            let offered = till.sell(second).offer().await.map_err(|error| error.why);
            assert_eq!(offered, Ok(()));
            till.sell(1).offer_ask().await
        })
    }

    fn order_in_vain(&mut self, t: &Turn<Self>, till: Address<Till>) -> Promise<Ordered> {
        t.spawn(async move { till.panics().ask().await })
    }

    fn order_blocking(&mut self, t: &Turn<Self>, till: Address<Till>) -> Promise<Ordered> {
        t.spawn(async move { till.sell(1).ask_blocking() })
    }

    /// Asks in the turn, and waits in the future.
    fn order_early(&mut self, t: &Turn<Self>, till: Address<Till>) -> Promise<Ordered> {
        let asked = till.sell(1).ask();
        t.spawn(asked)
    }
}

type Ordered = Result<u64, AskError>;

fn shop(system: &System) -> (Address<Desk>, Address<Till>) {
    (system.spawn(Desk), system.spawn(Till { sold: 0 }))
}

#[test]
fn a_future_of_a_turn_asks_and_offers() {
    let system = System::builder().workers(2).build();
    let (desk, till) = shop(&system);
    // 5, then 5 more, then 10 more, then 1.
    assert_eq!(desk.order(till.clone(), 5).ask_blocking(), Ok(Ok(21)));
    let in_vain = desk.order_in_vain(till).ask_blocking().expect("an answer");
    assert!(matches!(in_vain, Err(AskError::Panicked(_))), "{in_vain:?}");
    assert!(system.shutdown().is_complete());
}

#[test]
fn a_future_of_a_turn_asks_in_a_simulation() {
    let run = |seed| {
        let simulation = Simulation::new(seed);
        let (desk, till) = shop(simulation.system());
        assert_eq!(desk.order(till, 5).ask_blocking(), Ok(Ok(21)));
        assert_eq!(simulation.complaints(), Vec::<String>::new());
        simulation.signature()
    };
    for seed in 0..20 {
        assert_eq!(run(seed), run(seed));
    }
}

#[test]
fn a_future_of_a_turn_does_not_block() {
    let system = System::builder().workers(1).build();
    let (desk, till) = shop(&system);
    let refused = [
        desk.order_blocking(till.clone()).ask_blocking(),
        desk.order_early(till).ask_blocking(),
    ];
    for refused in refused {
        let refused = refused.expect("an answer");
        let Err(AskError::InsideTurn(_)) = &refused else {
            panic!("{refused:?}");
        };
        let text = refused.unwrap_err().to_string();
        assert!(
            text.contains("a future of `t.spawn(…)` may await"),
            "{text}"
        );
    }
}

#[test]
fn an_ask_waits_for_room() {
    let simulation = Simulation::new(4);
    let system = simulation.system();
    let till = system.spawn(Till { sold: 0 });
    till.sell(1).send();
    assert!(matches!(
        till.sell(1).ask_blocking(),
        Err(AskError::Overloaded(_))
    ));
    let sold = system.block_on(till.sell(1).offer_ask().within(Duration::from_secs(1)));
    assert_eq!(sold, Ok(2));
}

#[test]
fn an_ask_that_waits_for_room_in_vain_times_out_and_takes_its_message_back() {
    let simulation = Simulation::new(5);
    let system = simulation.system();
    let till = system.spawn(Till { sold: 0 });
    let held = till.sell(1).offer();
    // A place is kept for the first offer, which is polled no more.
    let mut held = Box::pin(held);
    till.sell(1).send();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(held.as_mut().poll(&mut context).is_pending());
    let limit = Duration::from_secs(1);
    let late = system.block_on(till.sell(1).offer_ask().within(limit));
    assert_eq!(late, Err(AskError::TimedOut { after: limit }));
    drop(held);
    assert_eq!(till.sell(1).ask_blocking(), Ok(2));
}

#[test]
fn an_ask_that_is_late_sends_nothing_and_keeps_no_place() {
    let simulation = Simulation::new(6);
    let system = simulation.system();
    let till = system.spawn(Till { sold: 0 });
    let limit = Duration::from_millis(1);
    let mut late = Box::pin(till.sell(1).offer_ask().within(limit));
    let mut full = Box::pin(till.sell(1).offer_ask().within(limit));
    till.sell(1).send();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(full.as_mut().poll(&mut context).is_pending());
    simulation.run_for(2 * limit);
    // The limit of the one has passed before its first poll, that of the other while it waited.
    for late in [&mut late, &mut full] {
        let timed_out = Err(AskError::TimedOut { after: limit });
        assert_eq!(system.block_on(late.as_mut()), timed_out);
    }
    assert_eq!(till.sell(1).ask_blocking(), Ok(2), "neither has a place");
    assert_eq!(till.sell(1).ask_blocking(), Ok(3));
    drop((late, full));
}

/// Asks when it is dropped.
struct AsksInDrop(Option<Address<Till>>, Arc<Mutex<Option<Ordered>>>);

impl Drop for AsksInDrop {
    fn drop(&mut self) {
        if let Some(till) = self.0.take() {
            let asked = std::pin::pin!(till.sell(1).ask());
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            if let std::task::Poll::Ready(refused) = asked.poll(&mut context) {
                *self.1.lock().expect("no panic") = Some(refused);
            }
        }
    }
}

#[derive(Actor)]
struct Dropper;

#[behaviours]
impl Dropper {
    fn take(&mut self, _: AsksInDrop) {}

    /// Sends to an ended actor in a future: the message is dropped there.
    fn waste(&mut self, t: &Turn<Self>, ended: Address<Dropper>, bomb: AsksInDrop) -> Promise<()> {
        t.spawn(async move { ended.take(bomb).send() })
    }
}

#[test]
fn a_message_that_is_dropped_while_a_future_is_polled_does_not_wait() {
    let simulation = Simulation::new(7);
    let system = simulation.system();
    let (dropper, ended) = (system.spawn(Dropper), system.spawn(Dropper));
    let till = system.spawn(Till { sold: 0 });
    Address::stop(&ended);
    simulation.run();
    let asked = Arc::default();
    let bomb = AsksInDrop(Some(till), Arc::clone(&asked));
    assert_eq!(dropper.waste(ended, bomb).ask_blocking(), Ok(()));
    let refused = asked.lock().expect("no panic").take();
    assert!(
        matches!(refused, Some(Err(AskError::InsideTurn(_)))),
        "{refused:?}"
    );
}

#[test]
fn an_ask_that_waits_for_room_of_an_ended_actor_names_it() {
    let system = System::builder().workers(1).build();
    let till = system.spawn(Till { sold: 0 });
    Address::stop(&till);
    while Address::is_alive(&till) {
        std::thread::yield_now();
    }
    let refused = system.block_on(till.sell(1).offer_ask());
    assert!(matches!(refused, Err(AskError::Stopped(_))), "{refused:?}");
    let given_back = system
        .block_on(till.sell(1).offer())
        .map_err(|error| error.why);
    assert_eq!(given_back, Err(NotSent::Ended));
}
