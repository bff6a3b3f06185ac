//! Injected faults for the self-tests of the verifier and of the count audits. Compiled for tests
//! only.

use std::cell::Cell;

/// An injected fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InjectedFault {
    Nothing,
    /// The write barrier does not remember the written object.
    ForgottenWrite,
    /// The write barrier remembers the written object twice.
    RememberedTwice,
    /// A collection does not remember an old object that refers to a young one.
    ForgottenOld,
    /// A reference is not updated to its object's new place.
    StaleSlot,
    /// A mark does not scan the objects that it marks.
    ForgottenChildren,
    /// A sweep frees marked objects.
    FreedAlive,
    /// A collection does not examine the watches.
    ForgottenWatch,
    /// A reference is sent on without a weight.
    SkippedInc,
    /// A heap's INCs are delayed until it drains its inbox.
    BatchedIncs,
    /// Deltas are sent to owners in the order of their addresses.
    OrderByAddress,
    /// A mark releases containers before it has counted their components.
    DecFirst,
    /// A received reference is not counted.
    ForgottenReceipt,
    /// A reference received since the last mark is released by the next one, though its object was
    /// marked.
    ForgottenImportMark,
    /// A mark does not have the exports as roots.
    ForgottenExport,
    /// An export at the beginning of a mark that has no count when the mark takes it is no root.
    LateExport,
    /// A group mark withholds exports that other heaps refer to.
    WithheldAtSight,
    /// A group mark does not pass on what its members' marks reach in other members.
    ReachedNotPassedOn,
    /// A group mark adds up the weights of imports that turns have changed since the mark began.
    InconsistentCut,
    /// A group mark takes exports as roots before their heap has applied the deltas sent before all
    /// marks had begun.
    RootsBeforeDeltas,
    /// A turn gets an object that its mark has not reached, and does not reopen the group mark.
    UnnoticedResurrection,
    /// A group mark is committed while references of its members are not scanned yet.
    EarlyCommit,
    /// External edges of shared objects are traced, as those of private ones.
    SharedInSnapshot,
    /// A new old object has the epoch of the next mark.
    WrongEpoch,
    /// An image has objects that the last mark has found dead.
    SavedDead,
    /// An image names a foreign shared object as an own one.
    ForeignAsOwn,
    /// A DEC is applied in a phase that the heap has not entered.
    EarlyRelease,
    /// A restored heap does not count what it has of others.
    UncountedForeign,
    /// An object of another heap is loaded as if it lay in the heap that refers to it.
    StaysInHeap,
    /// A restored object is tagged again.
    RestoredTagRow,
    /// A restored heap gives the numbers of its tag entries again.
    RestoredTagNumber,
    /// A tag may name no object in a heap that has turns.
    TagOfNothing,
    /// An image may refer to one object as two types.
    AnyType,
    /// The write barrier takes no pre-image.
    UnsavedWrite,
    /// Blocks are taken in a span that an image has not written.
    UnnotedFill,
    /// A minor collection does not note what turns have written.
    UnnotedChange,
    /// Blocks are taken, and the span counts as unchanged.
    UnnotedBirth,
    /// The spans of a heap that was merged count as unchanged.
    UnnotedMerge,
    /// The number of a span that was given back is used while an image is being written.
    NumberUsedAgain,
    /// Mark termination does not wait for an image.
    EarlyTermination,
    /// What an image has of an object that changes in place is lost.
    Unfilled,
    /// Spans that were full when a mark ended are swept before the others.
    FullSpansFirst,
    /// A tag entry of a young object is not remembered.
    TagEntryNotRemembered,
    /// The tag table keeps its entries alive.
    TagTableStrong,
    /// The tag table keeps dead tag entries.
    TagTableStale,
    /// A minor collection does not update the tag table.
    TagNotFollowed,
    /// The imports of a region are lost when its pages go to a heap.
    ForgottenRegionImport,
    /// The remembered set of a region is not scanned when the region is frozen or merged.
    DroppedBarrier,
    /// Objects written in a region keep their barrier flag when the region is frozen, because no
    /// object is young.
    UnfrozenBarrier,
    /// Objects shared by an open region refer to objects that their owner does not count.
    UncountedParts,
    /// A marker scans an object without a claim.
    Unclaimed,
    /// The owner changes an object while a marker scans it.
    Impatient,
    /// The first write to an object while a mark runs does not claim the object.
    UnclaimedWrite,
    /// A weak reference is upgraded while a mark runs, and the object is not logged.
    SecretUpgrade,
    /// A tag of an object is found in the table while a mark runs, and the object is not logged.
    SecretTag,
    /// A turn gets a dead object during mark termination: by a weak reference, or by the tag table.
    LateResurrection,
    /// Imports that arrive during mark termination are released.
    WhiteArrival,
    /// Imports that arrive during a mark are released at its end.
    WhiteImport,
    /// A release that a detached heap drains in the middle of a mark is lost with that mark.
    DeafDetachedHeap,
    /// The tags of an ended heap are not cut.
    TagsKept,
    /// A step does not request its continuation.
    LostContinuation,
    /// A step does not request the next idle check.
    LostCheck,
    /// A step does not report that a mark has begun or ended.
    UnreportedMark,
}

thread_local! {
    static INJECTED: Cell<InjectedFault> = const { Cell::new(InjectedFault::Nothing) };
}

/// Whether the test on this thread has injected `bug`.
pub(crate) fn is_injected(bug: InjectedFault) -> bool {
    INJECTED.get() == bug
}

/// Runs `test` with `bug` injected.
pub(crate) fn with<T>(bug: InjectedFault, test: impl FnOnce() -> T) -> T {
    INJECTED.set(bug);
    let result = test();
    INJECTED.set(InjectedFault::Nothing);
    result
}

/// Each check must fail while its fault is injected.
pub(crate) fn each_is_caught(checks: &[(InjectedFault, fn())]) {
    for &(fault, check) in checks {
        let caught = std::panic::catch_unwind(|| with(fault, check));
        assert!(caught.is_err(), "{fault:?}");
        INJECTED.set(InjectedFault::Nothing);
    }
}
