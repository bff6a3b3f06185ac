//! Limits of growth: objects that wait for an owner that does not run, and ids.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use vivant_brc::{Brc, Owner, detached, merge};

const OBJECTS: usize = match () {
    () if cfg!(miri) => 300,
    () if cfg!(debug_assertions) => 200_000,
    () => 1_000_000,
};

/// Capacity of the channel.
const ON_THE_WAY: usize = 100;

/// The number of living values, and its maximum.
#[derive(Default)]
struct Census {
    live: AtomicUsize,
    most: AtomicUsize,
}

struct Counted(Arc<Census>);

impl Counted {
    fn new(census: &Arc<Census>) -> Counted {
        let live = census.live.fetch_add(1, Ordering::Relaxed) + 1;
        census.most.fetch_max(live, Ordering::Relaxed);
        Counted(census.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.live.fetch_sub(1, Ordering::Relaxed);
    }
}

type Sent = SyncSender<Brc<Counted>>;

/// One thread makes objects, another drops them. Returns the maximum of living objects.
fn most_that_live(produce: impl FnOnce(&Arc<Census>, Sent) + Send) -> usize {
    let census = Arc::new(Census::default());
    let (send, receive) = mpsc::sync_channel(ON_THE_WAY);
    let consume = |objects: Receiver<Brc<Counted>>| objects.into_iter().for_each(drop);
    thread::scope(|scope| {
        let producer = scope.spawn(|| produce(&census, send));
        let consumer = scope.spawn(move || consume(receive));
        // Including the destructors that run at the producer's end.
        producer.join().unwrap();
        consumer.join().unwrap();
    });
    assert_eq!(census.live.load(Ordering::Relaxed), 0);
    census.most.load(Ordering::Relaxed)
}

#[test]
fn an_owner_that_never_runs_keeps_no_garbage() {
    let most = most_that_live(|census, send| {
        let mut owner = Owner::new();
        for _ in 0..OBJECTS {
            let object = owner.run(|| Brc::new(Counted::new(census)));
            send.send(object).unwrap();
        }
    });
    assert!(most <= ON_THE_WAY + 10, "{most} at a time");
}

#[test]
fn a_detached_thread_keeps_no_garbage() {
    let most = most_that_live(|census, send| {
        for _ in 0..OBJECTS / 100 {
            // One piece of work; then the thread sleeps until all its objects are gone.
            let work: Vec<_> = (0..100).map(|_| Brc::new(Counted::new(census))).collect();
            detached(|| {
                for object in work {
                    send.send(object).unwrap();
                }
                while census.live.load(Ordering::Relaxed) != 0 {
                    thread::yield_now();
                }
            });
        }
    });
    assert!(most <= 100, "{most} at a time");
}

#[test]
fn births_alone_free_garbage() {
    // A thread that makes objects and drops none drains its queue every 64 births. The threads that
    // hand references over end the deferred objects.
    let most = most_that_live(|census, send| {
        for _ in 0..OBJECTS {
            send.send(Brc::new(Counted::new(census))).unwrap();
        }
    });
    assert!(most <= ON_THE_WAY + 10 * 64, "{most} at a time");
}

#[test]
fn births_alone_free_garbage_with_components() {
    struct Whole(#[allow(dead_code, reason = "they are dropped")] [Brc<Counted>; 4]);
    let census = Arc::new(Census::default());
    let (send, receive) = mpsc::sync_channel::<Brc<Whole>>(ON_THE_WAY);
    thread::scope(|scope| {
        let census = &census;
        let producer = scope.spawn(move || {
            for _ in 0..OBJECTS / 5 {
                let parts = [(); 4].map(|()| Brc::new(Counted::new(census)));
                send.send(Brc::new(Whole(parts))).unwrap();
            }
        });
        let consumer = scope.spawn(move || receive.into_iter().for_each(drop));
        producer.join().unwrap();
        consumer.join().unwrap();
    });
    let most = census.most.load(Ordering::Relaxed);
    assert_eq!(census.live.load(Ordering::Relaxed), 0);
    assert!(most <= 5 * (ON_THE_WAY + 10 * 64), "{most} at a time");
}

#[test]
fn births_alone_free_garbage_of_two_references() {
    // A single reference is found to be the only one (B8), and is not handed over. Of two, the
    // first goes to the owner's queue.
    let census = Arc::new(Census::default());
    let (send, receive) = mpsc::sync_channel(ON_THE_WAY);
    thread::scope(|scope| {
        let census = &census;
        let producer = scope.spawn(move || {
            for _ in 0..OBJECTS {
                let object = Brc::new(Counted::new(census));
                send.send((object.clone(), object)).unwrap();
            }
        });
        let consumer = scope.spawn(move || receive.into_iter().for_each(drop));
        producer.join().unwrap();
        consumer.join().unwrap();
    });
    let most = census.most.load(Ordering::Relaxed);
    assert_eq!(census.live.load(Ordering::Relaxed), 0);
    assert!(most <= ON_THE_WAY + 10 * 64, "{most} at a time");
}

/// The number that `Owner` prints as its id.
fn id_of(owner: &Owner) -> u32 {
    let text = format!("{owner:?}");
    let digits = text.chars().filter(char::is_ascii_digit);
    digits.collect::<String>().parse().unwrap()
}

#[test]
fn ids_are_reused() {
    // Tests run in parallel, and have some owners.
    let most = 200;
    // The last hundred of the objects that outlive their owner.
    let kept = Arc::new(Mutex::new(Vec::new()));
    for round in 0..OBJECTS {
        let mut owner = Owner::new();
        let (one, two) = owner.run(|| {
            let one = Brc::new(round);
            (one.clone(), one)
        });
        assert!(id_of(&owner) <= most, "ids grow: {owner:?}");
        match round % 4 {
            0 => owner.run(|| drop((one, two))),
            1 => drop((one, two)),
            2 => {
                owner.run(|| drop(one));
                assert_eq!(Brc::try_unwrap(two).ok(), Some(round));
            }
            _ => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push((one, two));
                if kept.len() > 100 {
                    let _ = kept.swap_remove(round % 100);
                }
            }
        }
    }
    merge();
}

#[test]
fn ids_of_threads_are_reused() {
    let threads = if cfg!(miri) { 10 } else { 2_000 };
    let mut last = None;
    for round in 0..threads {
        // Drops an object of a thread that has ended, and one of the thread before it.
        let next = thread::spawn(move || Brc::new((round, last.take())))
            .join()
            .unwrap();
        last = Some(next.0);
        drop(next);
    }
    let mut owner = Owner::new();
    owner.run(|| drop(Brc::new(1)));
    assert!(id_of(&owner) <= 200, "ids grow: {owner:?}");
}
