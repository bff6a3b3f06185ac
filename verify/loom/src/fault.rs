//! The faults that self-tests of the models inject into the files of the crates, each at its own
//! line.
//!
//! `fault!` stands beside the atomics in each crate's `sync.rs`, where it expands to nothing; the
//! macro here tests whether this fault is injected. One fault is injected in the whole process, and
//! only its self-test runs there. A name that is in a file of a crate and not in this list does not
//! compile. A name that is only in the list, or has no self-test, fails
//! `every_fault_is_in_a_file_and_has_a_self_test`. A fault is at one point of a file. It is at two
//! points where it moves a step, which is left out at one and done at the other, and where one of
//! two weak orders alone does no harm.

use std::any::Any;
use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

macro_rules! faults {
    ($($(#[$file:meta])* $name:ident,)*) => {
        /// A fault. See the line with its name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Fault {
            $($(#[$file])* $name,)*
        }
        /// All faults.
        pub const NAMES: &[&str] = &[$(stringify!($name),)*];
    };
}

faults! {
    /// `vivant`, `message/inbox.rs`.
    PushRelaxed,
    TakeRelaxed,
    CloseAcquires,
    RefusalRelaxed,
    NotifyClosedRelaxed,
    NewestFirst,
    FirstByALook,
    WakeRelaxed,
    WakeByALook,
    ParkRelaxed,
    ParkBlindly,
    ParkIgnoresNotification,
    RefusedParkRelaxed,
    TakeSwallowsNotification,
    NotifyOnlyNews,
    NotifyRelaxed,
    /// `vivant`, `message/pool.rs`.
    HandsOutTwice,
    KeepsReserve,
    Loses,
    Unordered,
    /// `vivant`, `actor/signals.rs`.
    ReplacesNothing,
    ReplacementByALook,
    ReplacementRelaxed,
    HeardRelaxed,
    /// `vivant`, `queues/lifo_slot.rs`.
    PutRelaxed,
    SwapRelaxed,
    StoreOver,
    DropDisplaced,
    SlotTakeRelaxed,
    TakeByLoadAndStore,
    /// `vivant`, `api/promise/slot.rs`.
    AskingReleases,
    AskingAcquires,
    AskingByALook,
    AnsweringReleases,
    AnsweringAcquires,
    LookRelaxed,
    BothFree,
    NeitherFrees,
    DropSaysNothing,
    /// `vivant`, `actor/slot_list.rs`.
    AbandonAcquires,
    AbandonReleases,
    ClearRelaxed,
    ClearByALook,
    /// `vivant`, `actor/request_record.rs`.
    OpenedUnversioned,
    OpenedVersionLate,
    OwnerEarly,
    OwnerStays,
    RecordRelaxed,
    ReadRelaxed,
    ReadOnce,
    ReadWhilePassedOn,
    PassedOnVersionLate,
    PassedOnAsBegun,
    PassedOnByStore,
    /// `vivant`, `phase/outside.rs`.
    NoFenceBeforeSend,
    SentRelaxed,
    NextSendRelaxed,
    /// `vivant`, `phase/published.rs`.
    NoFenceBeforeSecondRead,
    RestRelaxed,
    NextRunRelaxed,
    EntryRelaxed,
    PauseRelaxed,
    /// `vivant`, `phase/passes.rs`.
    NoFenceInPause,
    PauseReadAgain,
    /// `vivant`, `phase/turn_pause.rs`.
    PauseNotAwaited,
    /// `vivant`, `phase/turn_gate.rs`.
    OpenedSilently,
    /// `vivant`, `mute/mod.rs`.
    NoReread,
    RereadEarly,
    RereadByLoad,
    StateEarly,
    KeepList,
    NeverImmune,
    EndedCalm,
    EndByStore,
    EndWithoutLock,
    MuteByStore,
    /// `vivant-brc`, `bias/header`.
    BornRelaxed,
    OwnersDropRelaxed,
    LastLookRelaxed,
    QuickEndWithWeak,
    ClearedLate,
    MergeAcquires,
    MergeReleases,
    DropsKeepTheFlag,
    ProbesAtOnce,
    SharedDropRelaxed,
    LeavingIsMerged,
    LastWithoutFence,
    UpgradeOfMerged,
    UpgradeRelaxed,
    ProbeOnce,
    SoleByALook,
    TakeByALook,
    /// `vivant-brc`, `bias/slot.rs`.
    HoldRelaxed,
    LeaveRelaxed,
    LeaveWithoutALook,
    FreeWhileNamed,
    FlagOffTooLate,
    PushInSilence,
    RingAndGo,
    UnnameInSilence,
    /// `vivant-heap`, `orca/count_inbox.rs`.
    InboxSendRelaxed,
    InboxTakeRelaxed,
    InboxNewestFirst,
    EmptyByLoad,
    InboxTakeByLoad,
    /// `vivant-heap`, `orca/heap_handle.rs`.
    NotKept,
    WakeFirst,
    IncsKeptBack,
    /// `vivant-heap`, `mark/claim.rs`.
    Impatient,
    Unclaimed,
    ReleaseRelaxed,
    ClaimRelaxed,
    WaitRelaxed,
    /// `vivant-heap`, `mark/mark_queue.rs`.
    LeavesFirst,
    NobodyCounts,
    RoundsOverlap,
    ClosesAtOnce,
    LeavesInSilence,
}

/// Message of a process that reaches its fault.
pub(crate) const REACHED: &str = "reached the injected fault";

static INJECTED: OnceLock<Fault> = OnceLock::new();
static WAS_REACHED: AtomicBool = AtomicBool::new(false);

/// From here on, in this process.
pub(crate) fn inject(fault: Fault) {
    INJECTED.set(fault).expect("one fault in a process");
}

/// Called at the fault's line.
pub(crate) fn is_injected(fault: Fault) -> bool {
    let is_it = INJECTED.get() == Some(&fault);
    if is_it && !WAS_REACHED.swap(true, Ordering::Relaxed) {
        eprintln!("{REACHED} {fault:?}");
    }
    is_it
}

macro_rules! fault {
    (test $name:ident => $wrong:expr) => {
        fault!($name => $wrong)
    };
    ($($name:ident => $wrong:expr),+ $(,)?) => {
        $(if crate::fault::is_injected(crate::fault::Fault::$name) {
            $wrong;
        })+
    };
    ($right:expr, $($name:ident => $wrong:expr),+ $(,)?) => {
        match () {
            $(() if crate::fault::is_injected(crate::fault::Fault::$name) => $wrong,)+
            () => $right,
        }
    };
}
pub(crate) use fault;

thread_local! {
    /// Loom runs all threads of a model on one.
    static HIDDEN: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Hides a value from loom, so that it orders nothing.
pub(crate) fn hide<T: 'static>(value: T) {
    HIDDEN.with_borrow_mut(|hidden| hidden.push(Box::new(value)));
}

/// The last hidden value, of the one type that its fault hides.
pub(crate) fn hidden<T: 'static>() -> Option<T> {
    let value = HIDDEN.with_borrow_mut(Vec::pop)?;
    Some(*value.downcast().expect("one type for a fault"))
}
