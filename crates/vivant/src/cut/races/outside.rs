//! Threads outside.

use super::*;
use crate::actor::Worker;

/// A thread outside reads the phase before the line, and signals when the line has had the time to
/// run through.
pub(super) fn a_thread_outside_sends_late() {
    let system = System::builder().workers(2).build();
    let receiver = system.spawn(doer());
    settle();
    let (to_thread, in_thread) = channel::<()>();
    let (to_test, in_test) = channel::<()>();
    let (sends_to, cell) = (system.clone(), Address::counted(&receiver).cell());
    let sender = thread::spawn(move || {
        Worker::send_to(sends_to.shared(), |phase| {
            to_test.send(()).expect("the test waits for it");
            // An error: the test has failed.
            let _released = in_thread.recv();
            cell.signals.raise(Signals::STOP, phase.parity());
        });
    });
    in_test.recv().expect("the thread begins to send");
    let (mut coordinator, log) = begin(&system);
    // No more steps than a cut needs that does not wait: those of other tests wait meanwhile.
    let early = finish_within(300, &mut coordinator, &system);
    assert_eq!(early, None, "complete while a thread outside sends");
    release(&to_thread);
    let outcome = finish(&mut coordinator, &system);
    sender.join().expect("the thread has sent");
    let _report = system.shutdown();
    assert_eq!(outcome, Outcome::Consistent);
    let stop = Event::Signalled(id(&receiver));
    assert!(log.has(&stop), "{:?}", log.all());
}

#[test]
fn a_cut_waits_for_a_thread_outside_that_sends() {
    a_thread_outside_sends_late();
}
