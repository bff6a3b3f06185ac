//! Simulation: the same program on one thread under a seed. Its guarantees and its
//! implementation are described in `README.md`.
//!
//! - [`Simulation`]: a system with scheduling, time, chance and faults from a seed.
//! - [`Faults`]: the faults that the seed may inject.
//! - [`check`]: a test under many seeds; `#[vivant::test]` calls it.
//! - [`check_fails`]: its self-test: a planted fault is found under some seed.

mod check;
mod rerun;
mod variables;

use crate::actor::Worker;
use crate::api::Actor;
use crate::oracle::Oracle;
use crate::sched::SimulatedScheduler;
pub use crate::services::Faults;
use crate::services::{Stage, Trace};
#[cfg(feature = "snapshots")]
use crate::snapshot::{RestoreError, RestoreReport, RestoredActors, restore_image};
use crate::system::{System, SystemBuilder};
pub use check::{Seeds, check, check_fails};
use std::fmt;
use std::time::Duration;

/// A system on this one thread, with scheduling, time, chance and faults from a seed. Same program
/// and same seed: same run.
///
/// Actors run when this thread waits for them: in [`run`](Simulation::run), in
/// [`Call::ask_blocking`](crate::Call::ask_blocking) and in [`System::block_on`].
///
/// With `VIVANT_TRACE=1` in the environment it prints a line for each turn to the standard error:
/// its number, the virtual time, the actor, the behaviour, and the arguments that are `Debug`; `..`
/// stands for the others. `cargo test` shows the lines of a test that fails.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::simulation::Simulation;
///
/// #[derive(Actor)] struct Light { on: bool }
/// #[behaviours] impl Light {
///     fn off_after(&mut self, t: &Turn<Self>, minutes: u64) {
///         self.on = true;
///         t.after(std::time::Duration::from_secs(60 * minutes), t.me().off());
///     }
///     fn off(&mut self) { self.on = false }
///     fn is_on(&mut self) -> bool { self.on }
/// }
///
/// # fn main() -> Result<(), vivant::AskError> {
/// let simulation = Simulation::new(7);
/// let light = simulation.system().spawn(Light { on: false });
/// light.off_after(5).send();
/// assert!(light.is_on().ask_blocking()?);
/// simulation.run();                                  // five minutes pass at once
/// assert!(!light.is_on().ask_blocking()?);
/// # Ok(()) }
/// ```
pub struct Simulation {
    seed: u64,
    system: System,
}

impl Simulation {
    /// A simulation without faults.
    pub fn new(seed: u64) -> Simulation {
        Simulation::with(seed, Faults::none(), System::builder())
    }

    /// A simulation with faults, and a configured system (its number of workers has no effect).
    ///
    /// # Panics
    ///
    /// If the environment variable `VIVANT_TRACE` is set, and is neither `0` nor `1`.
    pub fn with(seed: u64, faults: Faults, builder: SystemBuilder) -> Simulation {
        Simulation::traced(seed, faults, builder, variables::trace())
    }

    #[allow(
        clippy::print_stderr,
        reason = "a trace is for the reader of a test's output"
    )]
    fn traced(seed: u64, faults: Faults, builder: SystemBuilder, trace: Trace) -> Simulation {
        if trace == Trace::On {
            eprintln!("turns under seed {seed}: number, virtual time, actor, message");
        }
        let builder = match faults.overload() {
            Some(messages) => builder.overload(messages),
            None => builder,
        };
        let scheduler = Box::new(SimulatedScheduler::default());
        let stage = Some(Box::new(Stage::new(faults, trace)));
        let shared = builder.into_shared(Oracle::simulated(seed), stage, scheduler);
        Simulation {
            seed,
            system: System::of(shared),
        }
    }

    /// A simulation that goes on from an image, which may come from a system on threads. The
    /// builder says what the program saves; seed and faults are those from here on.
    ///
    /// # Errors
    ///
    /// As [`SystemBuilder::restore`].
    #[cfg(feature = "snapshots")]
    pub fn restore(
        seed: u64,
        faults: Faults,
        builder: SystemBuilder,
        image: &vivant_journal::Image,
    ) -> Result<(Simulation, RestoredActors, RestoreReport), RestoreError> {
        let simulation = Simulation::with(seed, faults, builder);
        let (actors, report) = restore_image(simulation.system.shared(), image)?;
        Ok((simulation, actors, report))
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The system. It may be cloned and kept like any other.
    pub fn system(&self) -> &System {
        &self.system
    }

    fn stage(&self) -> &Stage {
        self.system
            .shared()
            .stage()
            .expect("made simulated by `with`")
    }

    /// Runs until nothing is left to do: no actor can run and no timer is set. A program with
    /// intervals never gets there; use [`Simulation::run_for`].
    ///
    /// # Panics
    ///
    /// Within a turn of this simulation, which would continue inside itself.
    pub fn run(&self) {
        self.assert_outside();
        while self.step_until(u64::MAX) {}
    }

    /// One run of one actor, or the passing of time to the next event. False: nothing is left to
    /// do.
    #[cfg(test)]
    pub(crate) fn step(&self) -> bool {
        self.assert_outside();
        self.step_until(u64::MAX)
    }

    fn step_until(&self, until_ns: u64) -> bool {
        let system = self.system.shared();
        let stepped = system.scheduler.step(system, until_ns);
        self.take_snapshots();
        stepped
    }

    /// Takes the snapshots of schedules that are due.
    fn take_snapshots(&self) {
        #[cfg(feature = "snapshots")]
        crate::snapshot::take_due(self.system.shared());
    }

    /// The time at which a schedule takes the next snapshot.
    fn next_snapshot_ns(&self) -> Option<u64> {
        #[cfg(feature = "snapshots")]
        return crate::snapshot::next_due_ns(self.system.shared());
        #[cfg(not(feature = "snapshots"))]
        None
    }

    fn assert_outside(&self) {
        assert!(
            !Worker::inside_turn_of(self.system.shared()),
            "a simulation was run within one of its own turns"
        );
    }

    /// Runs for `duration` of virtual time.
    ///
    /// # Panics
    ///
    /// Under the same condition as [`Simulation::run`].
    pub fn run_for(&self, duration: Duration) {
        self.assert_outside();
        let until_ns = self
            .system
            .shared()
            .oracle
            .now_ns()
            .saturating_add(crate::services::ns(duration));
        loop {
            let next_ns = self.next_snapshot_ns().unwrap_or(until_ns).min(until_ns);
            while self.step_until(next_ns) {}
            self.system.shared().oracle.advance_to(next_ns);
            self.take_snapshots();
            if next_ns == until_ns {
                return;
            }
        }
    }

    /// Runs until `condition` holds, which is tested before the first step and after each: a step
    /// runs one actor for up to eight messages, or lets time pass. Returns false if nothing is left
    /// to do and it does not hold.
    ///
    /// ```
    /// # use vivant::prelude::*;
    /// # use vivant::simulation::Simulation;
    /// # #[derive(Actor)] struct Worker;
    /// # #[behaviours] impl Worker { fn work(&mut self) {} }
    /// let simulation = Simulation::new(7);
    /// let worker = simulation.system().spawn(Worker);
    /// (0..100).for_each(|_| worker.work().send());
    /// assert!(simulation.run_until(|| simulation.turns() >= 50));
    /// assert!(simulation.turns() < 60);
    /// assert!(!simulation.run_until(|| simulation.turns() == 1_000));
    /// ```
    ///
    /// # Panics
    ///
    /// Under the same condition as [`Simulation::run`].
    #[must_use = "the condition may never hold"]
    pub fn run_until(&self, mut condition: impl FnMut() -> bool) -> bool {
        self.assert_outside();
        loop {
            if condition() {
                return true;
            }
            if !self.step_until(u64::MAX) {
                return false;
            }
        }
    }

    /// Ends the faults: from here on no turn panics or is slow by chance, and no actor is delayed
    /// by chance. What a test asserts at its end can then be asked of the actors. Mailboxes that
    /// [`Faults::full_mailboxes`] has made small stay so.
    pub fn calm(&self) {
        self.stage().calm();
    }

    /// Virtual time since the simulation began.
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.system.shared().oracle.now_ns())
    }

    /// A hash of the sequence of (actor, behaviour) pairs that ran, and of their arguments after
    /// [`sign_arguments`](Simulation::sign_arguments): equal runs have equal signatures.
    pub fn signature(&self) -> u64 {
        self.stage().signature()
    }

    /// From here on the arguments of messages are part of the signature, as their `Debug` prints
    /// them; an argument without `Debug` is left out. So two runs of a seed that differ in values
    /// only are told apart: a failing seed is run twice, and the report names the first turn with
    /// other arguments. Costs a text for each turn.
    ///
    /// ```
    /// use vivant::prelude::*;
    /// use vivant::simulation::Simulation;
    ///
    /// #[derive(Actor)] struct Shelf;
    /// #[behaviours] impl Shelf { fn put(&mut self, book: &'static str) { let _ = book; } }
    ///
    /// let signature = |book| {
    ///     let simulation = Simulation::new(7);
    ///     simulation.sign_arguments();
    ///     simulation.system().spawn(Shelf).put(book).send();
    ///     simulation.run();
    ///     simulation.signature()
    /// };
    /// assert_eq!(signature("Emma"), signature("Emma"));
    /// assert_ne!(signature("Emma"), signature("Dune"));
    /// ```
    pub fn sign_arguments(&self) {
        self.stage().sign_arguments();
    }

    /// Number of turns that have run.
    pub fn turns(&self) -> u64 {
        self.stage().turns()
    }

    /// Events that a seed does not determine: futures that touched a real reactor, messages from
    /// other threads.
    pub fn complaints(&self) -> Vec<String> {
        self.stage().complaints()
    }
}

impl Faults {
    /// Panics, slow turns and delays hit only actors of this type, and of the other types that are
    /// chosen in this way.
    ///
    /// ```
    /// use vivant::prelude::*;
    /// use vivant::simulation::{Faults, Simulation};
    ///
    /// #[derive(Actor)] struct Shaky;
    /// #[behaviours] impl Shaky { fn work(&mut self) -> u64 { 1 } }
    ///
    /// #[derive(Actor)] struct Steady;
    /// #[behaviours] impl Steady { fn work(&mut self) -> u64 { 1 } }
    ///
    /// let faults = Faults::none().panics(1_000_000).only::<Shaky>();
    /// let simulation = Simulation::with(7, faults, System::builder());
    /// let system = simulation.system();
    /// let (shaky, steady) = (system.spawn(Shaky), system.spawn(Steady));
    /// assert!(shaky.work().ask_blocking().is_err());
    /// assert_eq!(steady.work().ask_blocking(), Ok(1));
    /// ```
    pub fn only<A: Actor>(mut self) -> Faults {
        self.hit.push(A::NAME);
        self
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Simulation(seed {}, {} turns, at {:?})",
            self.seed,
            self.turns(),
            self.now()
        )
    }
}

impl<'s> From<&'s Simulation> for &'s System {
    fn from(simulation: &'s Simulation) -> &'s System {
        simulation.system()
    }
}

impl From<&Simulation> for System {
    fn from(simulation: &Simulation) -> System {
        simulation.system().clone()
    }
}
