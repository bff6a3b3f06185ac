//! Injected faults: bugs that self-tests of the checkers turn on, to see that the checkers find
//! them. Compiled for tests only.

use std::cell::Cell;

/// A bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InjectedFault {
    Nothing,
    /// An image forgets the order of its waiting messages.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "a test of snapshots plants it")
    )]
    OrderForgotten,
    /// Heaps do not wait for a phase to free what others have released in it.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "a test of snapshots plants it")
    )]
    EarlyRelease,
    /// An image lacks death watches.
    WatchesUnrecorded,
    /// An image lacks the locals of steps that lie in heaps.
    LocalsUnrecorded,
    /// A cut does not wait until heaps are written.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "a test of snapshots plants it")
    )]
    HeapNotAwaited,
    /// The next snapshot leaves records to a snapshot that was not published.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "a test of snapshots plants it")
    )]
    UnpublishedCounts,
    /// A failed actor begins with the state of the oldest image.
    #[cfg_attr(
        any(miri, not(feature = "snapshots")),
        allow(dead_code, reason = "a test of snapshots plants it")
    )]
    OldestState,
    /// Each second image has an entry of its table of kinds twice, which no reader notices.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "a test of snapshots plants it")
    )]
    SpareKind,
    /// Threads for actors that block run them before their system is open.
    RunBeforeOpen,
    /// A turn changes the state, and no guard is tested again.
    ForgottenGuard,
    /// A message that has just come waits behind another, although its guard reads its arguments.
    WrongLine,
    /// A join leaves its first message waiting.
    JoinedTwice,
    /// A message makes a combination complete, and none is looked for.
    ForgottenCombination,
    /// A join takes the newest message of each kind.
    NewestJoined,
    /// A restart loses a waiting message.
    #[cfg_attr(miri, allow(dead_code, reason = "planted without an interpreter only"))]
    LostOnRestart,
    /// A supervisor restarts a child once more than its budget allows.
    #[cfg_attr(miri, allow(dead_code, reason = "planted without an interpreter only"))]
    OverBudget,
    /// A message comes between two steps of another.
    MessageBetweenSteps,
    /// A turn does not put the locals into the heap that it leaves.
    LostLocals,
    /// The locals for a step that will not come are never dropped.
    LeakedLocals,
    /// A message that loses its next step is dropped, and its ask does not fail.
    UntoldStep,
    /// The next incarnation continues with a step of the last one.
    InheritedStep,
    /// Signals are handled after the last step only.
    DeafSteps,
    /// A step that a fault has aborted is run again.
    StepAfterPanic,
    /// Steps use up none of the budget.
    FreeSteps,
    /// An actor with a step to run, and no message, is idle.
    ParkedStep,
    /// The guard is tested before every step.
    GuardedStep,
    /// Every step takes a place in the mailbox.
    StepTakesPlace,
    /// The place of sending is not copied to the next step.
    StepWithoutPlace,
    /// After a panic the worker keeps the step that the turn has requested.
    LeftWithWorker,
    /// Each address in a state is shown twice.
    ShownTwice,
    /// An actor with more addresses than the others show becomes dying all the same.
    UncheckedCount,
    /// The commit uses the counts of the pass, and does not examine the group anew.
    StaleCommit,
    /// An aborted commit leaves its flags set.
    ForgottenAbort,
    /// A candidate without a result, because other actors ran, is not examined again.
    ForgottenCandidate,
    /// A drop makes no actor a candidate.
    UnnoticedDrop,
    /// An edge snapshot is used after the actor has run.
    StaleEdgeSnapshot,
    /// A turn puts back the locals that it has found in the heap.
    LeftInHeap,
    /// A promise that has been settled stays in the list of its owner.
    ClosedSlotStaysListed,
    /// The edges to an actor stay in the wait-for graph when it takes messages again.
    EdgeThatStays,
    /// The wait-for graph is not told of a deferred request.
    MissingEdge,
    /// An exclusive wait defers no message.
    MessageInWait,
    /// A request is listed until its answer has arrived.
    AnsweredRequestStays,
    /// A request is listed although its promise was dropped.
    DroppedRequestStays,
    /// A request that was delegated is listed at the actor that delegated it.
    RequestNotPassedOn,
    /// A slab gives a block out and keeps it.
    BlockStaysFree,
    /// A restart loses the constraints of synchronizers.
    ForgottenConstraint,
    /// An actor takes messages while a transaction has its hold.
    LeakyHold,
    /// A constrained message is not offered.
    ForgottenOffer,
    /// A transaction begins while a gate is shut.
    OpenGate,
    /// An older message that a guard has deferred is not recorded.
    DeferredUnrecorded,
    /// The mailbox pass leaves the first message of a mailbox behind the others.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "a test of snapshots plants it")
    )]
    MailboxReordered,
    /// An older message that waits in a bounded queue is not recorded.
    QueueUnrecorded,
    /// An older message that waits in an inbox is not recorded.
    InboxUnrecorded,
    /// An older message that its sender has displaced, or finds refused behind the line, is not
    /// recorded.
    ReturnedUnrecorded,
    /// A refusal has the phase of the code that sent the message, or that refuses it.
    RefusalWithPhaseOfSender,
    /// A cut goes on although a thread outside may send in an earlier phase.
    OutsideThreadNotAwaited,
    /// An actor ends before the line although its last address was dropped behind it.
    PhaseReadBeforeCount,
    /// A signal has no phase: it is of the phase of the code that handles it.
    SignalWithoutPhase,
    /// A turn before the line may learn from behind it, and the cut is not void.
    NewsUnnoticed,
    /// A message that is taken out behind a deferred one is not recorded.
    TakenUnrecorded,
    /// A value on its way to its promise is not recorded.
    ArrivalUnrecorded,
    /// The newest promise of an actor comes into its list after the capture.
    SlotListedLate,
    /// A message from behind the line is processed before the actor is captured.
    CaptureTooLate,
    /// A message has the phase of the system, and not of its sender.
    StampOfSystem,
    /// A child begins in the pass of the system, and not of its parent.
    ChildOfSystem,
    /// The mailbox pass begins before all actors are captured.
    CaptureNotAwaited,
    /// The next step of a behaviour is not in the image.
    StepUnrecorded,
    /// The links of an actor are not in the image.
    LinkUnrecorded,
    /// An older entry of a table that code of behind the line takes out is not recorded.
    EntryTakenUnrecorded,
    /// An entry of a table is recorded although it was made behind the line.
    NewerEntryRecorded,
    /// An entry of a group or a topic without a name that code of behind the line takes out before
    /// the cut has found a handle of it is not in the image.
    UnfoundEntryForgotten,
    /// A line that is to begin in a pause does not wait for the turns that run.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "a test of snapshots plants it")
    )]
    LineInTurn,
    /// A request that comes behind the line of a snapshot joins that snapshot.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "a test of snapshots plants it")
    )]
    JoinedBehindLine,
    /// An image of a tree of actors has all actors of the system.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "a test of snapshots plants it")
    )]
    ScopeIgnored,
    /// A time limit that passed behind the line is not in the image.
    ExpiredUnrecorded,
    /// An order of a supervisor that waits is not recorded.
    SignalUnrecorded,
    /// An order of a supervisor is recorded although it was given behind the line.
    NewerSignalRecorded,
    /// The failures that count against a restart budget are not in the image.
    BudgetForgotten,
    /// The alarms of supervisors are not in the image: the ends of back-offs, and of time limits.
    BackOffForgotten,
    /// A restored value of a topic does not count against the bound of its subscription.
    BoundNotCounted,
    /// A commit has the phase of the offer that its first member made, before the holds.
    CommitOfOffer,
    /// A message that a commit of before the line dispatches waits in the image as any other.
    CommitForgotten,
    /// The state of a synchronizer is recorded after a commit of behind the line has changed it.
    StateRecordedLate,
    /// A restored message is offered with a new rank.
    RankForgotten,
    /// The notice of a gap is recorded with the values that were missed behind the line.
    GapAcrossLine,
    /// A restored actor of which the stop hook waits does not stop.
    StopForgotten,
    /// The end of a stream that is lost is not in the image.
    StreamEndForgotten,
    /// The end of a stream that is lost comes before its items.
    StreamEndEarly,
    /// A stream that was stopped before the line has a last message all the same.
    StoppedStreamFails,
}

thread_local! {
    static PLANTED: Cell<InjectedFault> = const { Cell::new(InjectedFault::Nothing) };
}

/// Whether the test on this thread has injected `bug`.
pub(crate) fn is_planted(bug: InjectedFault) -> bool {
    PLANTED.get() == bug
}

/// Returns what the test on this thread has injected.
pub(crate) fn planted() -> InjectedFault {
    PLANTED.get()
}

/// A thread of a system has what the thread that started it has.
pub(crate) fn inherit(bug: InjectedFault) {
    PLANTED.set(bug);
}

/// Runs `test`, which is to fail, with `bug` injected. Threads of systems that it makes have the
/// bug too.
///
/// # Panics
///
/// If it does not fail.
pub(crate) fn must_catch(bug: InjectedFault, test: impl FnOnce() + std::panic::UnwindSafe) {
    let _words = caught(bug, test);
}

/// Like `must_catch`: returns the message of the failure.
///
/// # Panics
///
/// If it does not fail.
pub(crate) fn caught(bug: InjectedFault, test: impl FnOnce() + std::panic::UnwindSafe) -> String {
    PLANTED.set(bug);
    let outcome = std::panic::catch_unwind(test);
    PLANTED.set(InjectedFault::Nothing);
    let words = match outcome {
        Ok(()) => panic!("nobody noticed: {bug:?}"),
        Err(words) => words,
    };
    match words.downcast_ref::<&str>() {
        Some(words) => (*words).to_owned(),
        None => *words.downcast().unwrap_or_default(),
    }
}
