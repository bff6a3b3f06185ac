//! T9: futures beside the actors, on threads, inside tokio, and in virtual time.

use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Loader {
    loaded: Vec<String>,
}

#[behaviours]
impl Loader {
    fn load(&mut self, t: &Turn<Self>, key: u64) -> Promise<usize> {
        let clock = t.clock();
        t.spawn(async move {
            clock.sleep(Duration::from_millis(100 * key)).await;
            format!("page {key}")
        })
        .then(t.me().loaded(key))
    }

    #[then]
    fn loaded(&mut self, page: Result<String, AskError>, key: u64) -> usize {
        self.loaded
            .push(page.unwrap_or_else(|error| format!("no page {key}: {error}")));
        self.loaded.len()
    }

    fn all(&mut self) -> Vec<String> {
        self.loaded.clone()
    }

    fn panics(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.spawn(async { panic!("in the future") })
    }

    fn never(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.spawn(std::future::pending())
    }

    fn touches_a_reactor(&mut self, t: &Turn<Self>) -> Promise<()> {
        t.spawn(async { tokio::time::sleep(Duration::from_millis(1)).await })
    }

    fn woken_from_outside(
        &mut self,
        t: &Turn<Self>,
        woken: tokio::sync::oneshot::Receiver<u64>,
    ) -> Promise<u64> {
        t.spawn(async move { woken.await.unwrap_or(0) })
    }
}

fn loader(system: &System) -> Address<Loader> {
    system.spawn(Loader { loaded: Vec::new() })
}

#[test]
fn futures_run_in_virtual_time() {
    let simulation = Simulation::new(1);
    let loader = loader(simulation.system());
    for key in [3, 1, 2] {
        loader.load(key).send();
    }
    simulation.run();
    assert_eq!(
        loader.all().ask_blocking().unwrap(),
        ["page 1", "page 2", "page 3"]
    );
    assert_eq!(simulation.now(), Duration::from_millis(300));
    assert_eq!(simulation.complaints(), Vec::<String>::new());
}

#[test]
fn futures_run_on_threads() {
    let system = System::builder().workers(2).build();
    let loader = loader(&system);
    assert_eq!(loader.load(0).ask_blocking(), Ok(1));
    assert!(system.shutdown().is_complete());
}

#[test]
fn a_panic_in_a_future_breaks_its_promise_and_names_the_behaviour() {
    let system = System::builder().workers(1).build();
    let loader = loader(&system);
    match loader.panics().ask_blocking() {
        Err(AskError::Panicked(panic)) => {
            assert!(panic.behaviour().ends_with("Loader::panics"), "{panic}");
            assert!(panic.message().contains("in the future"), "{panic}");
            assert!(
                panic
                    .place()
                    .is_some_and(|place| place.contains("futures.rs")),
                "{panic}"
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        loader.all().ask_blocking(),
        Ok(vec![]),
        "the actor itself is unharmed"
    );
    assert!(system.shutdown().is_complete());
}

#[test]
fn a_future_without_a_waker_breaks_its_promise() {
    let simulation = Simulation::new(2);
    let loader = loader(simulation.system());
    assert!(matches!(
        loader.never().ask_blocking(),
        Err(AskError::Broken(_))
    ));
}

#[test]
fn a_simulation_names_a_future_that_touches_a_reactor() {
    let simulation = Simulation::new(3);
    let loader = loader(simulation.system());
    assert!(loader.touches_a_reactor().ask_blocking().is_err());
    let complaints = simulation.complaints();
    assert!(
        complaints
            .iter()
            .any(|text| text.contains("Loader::touches_a_reactor")),
        "{complaints:?}"
    );
}

#[test]
fn a_simulation_names_a_wake_up_from_another_thread() {
    let simulation = Simulation::new(4);
    let loader = loader(simulation.system());
    let (wake, woken) = tokio::sync::oneshot::channel();
    let asked = loader.woken_from_outside(woken).ask();
    simulation.run();
    std::thread::spawn(move || wake.send(5))
        .join()
        .unwrap()
        .unwrap();
    assert_eq!(simulation.system().block_on(asked), Ok(5));
    assert!(!simulation.complaints().is_empty());
}

#[cfg(feature = "tokio")]
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn futures_use_tokio_when_the_system_has_its_handle() {
    let system = System::builder()
        .workers(1)
        .tokio(tokio::runtime::Handle::current())
        .build();
    let loader = loader(&system);
    assert_eq!(loader.touches_a_reactor().ask().await, Ok(()));
    assert!(system.shutdown().is_complete());
}

#[tokio::test]
async fn asks_are_awaited_inside_tokio() {
    let system = System::builder().workers(1).build();
    let loader = loader(&system);
    let asked: Vec<_> = (0..10).map(|_| loader.load(0).ask()).collect();
    for (number, asked) in asked.into_iter().enumerate() {
        assert!(asked.await.is_ok_and(|count| count <= 10), "{number}");
    }
    let limited = loader
        .load(3600)
        .ask()
        .within(Duration::from_millis(1))
        .await;
    assert!(matches!(limited, Err(AskError::TimedOut { .. })));
    assert!(system.shutdown().is_complete());
}
