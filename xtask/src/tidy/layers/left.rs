//! Exceptions with their reasons: `impl` blocks of another folder's type, and cycles of files.

/// The reason of `impl` blocks that add the public methods of a feature.
const METHODS: &str = "public methods of this feature";

/// Files with inherent `impl` blocks of types of another folder: crate, folder of the block, type's
/// folder, their number and the reason.
pub(super) const IMPLS: &[(&str, &str, &str, usize, &str)] = &[
    (
        "vivant-heap",
        "__private",
        "object",
        1,
        "compile-time checks of the derive, which names the tracer",
    ),
    ("vivant-heap", "check", "gc", 2, METHODS),
    ("vivant-heap", "check", "share", 1, METHODS),
    ("vivant-heap", "group", "gc", 1, METHODS),
    (
        "vivant-heap",
        "object",
        "alloc",
        1,
        "a header leads to a table, of which memory knows the shape",
    ),
    ("vivant-heap", "orca", "object", 1, METHODS),
    (
        "vivant-heap",
        "raw",
        "object",
        1,
        "allocation and write barrier of raw objects need the mutator",
    ),
    (
        "vivant-heap",
        "region",
        "gc",
        2,
        "methods of turns and regions; the merge of a region's heap into another",
    ),
    ("vivant-heap", "share", "gc", 2, METHODS),
    ("vivant-heap", "tags", "gc", 1, METHODS),
    ("vivant-heap", "types", "gc", 2, METHODS),
    ("vivant-heap", "types", "object", 1, METHODS),
    ("vivant-heap", "watch", "gc", 2, METHODS),
    (
        "vivant",
        "actor",
        "message",
        1,
        "a chain of message heads is popped as envelopes",
    ),
    (
        "vivant",
        "api",
        "actor",
        2,
        "the typed side of a state, and of a message that a join takes",
    ),
    (
        "vivant",
        "api",
        "services",
        1,
        "`DeadLetters::subscribe`: a public method of this feature",
    ),
    ("vivant", "simulation", "services", 1, METHODS),
    (
        "vivant",
        "edge",
        "api",
        2,
        "`Turn::attach`, `Turn::spawn` and `Then`: public methods of this feature",
    ),
    (
        "vivant",
        "gc_state",
        "api",
        3,
        "`Turn`'s public methods for death watches, far references and roots",
    ),
    (
        "vivant",
        "patterns",
        "api",
        1,
        "`Turn`'s public methods for names, groups and timers",
    ),
    (
        "vivant",
        "run",
        "actor",
        1,
        "the scan of an idle actor holds it for a moment, as a run does",
    ),
];

/// Cycles of files within a folder: crate, the files below its source, and the reason.
pub(super) const CYCLES: &[(&str, &[&str], &str)] = &[
    (
        "vivant-brc",
        &["bias/current.rs", "bias/notice.rs"],
        "a notice runs for the current owner, which keeps it",
    ),
    (
        "vivant-brc",
        &["brc/mod.rs", "brc/weak.rs"],
        "each kind of reference makes the other",
    ),
    (
        "vivant-codec",
        &[
            "saved/decoder.rs",
            "saved/encoder.rs",
            "saved/fields.rs",
            "saved/old.rs",
            "saved/saved_trait.rs",
        ],
        "the trait takes an encoder and a decoder, which save and load parts by the trait",
    ),
    (
        "vivant-collections",
        &["gc/btree/cursor.rs", "gc/btree/tree.rs"],
        "a cursor is a path in the tree that returns it",
    ),
    (
        "vivant-collections",
        &["gc/btree/entry.rs", "gc/btree/map.rs"],
        "a map makes entries, and an entry writes to its map",
    ),
    (
        "vivant-collections",
        &["gc/hash/entry.rs", "gc/hash/map.rs"],
        "a map makes entries, and an entry writes to its map",
    ),
    (
        "vivant-collections",
        &[
            "val/map/batch.rs",
            "val/map/insert.rs",
            "val/map/iter.rs",
            "val/map/mod.rs",
            "val/map/node.rs",
        ],
        "the operations of a map are functions of its nodes",
    ),
    (
        "vivant-collections",
        &["val/vec/iter.rs", "val/vec/mod.rs"],
        "a vector and its iterator",
    ),
    (
        "vivant-heap",
        &["check/verify.rs", "check/verify/shared.rs"],
        "the verifier's rules of shared objects are `impl` blocks of it",
    ),
    (
        "vivant-heap",
        &[
            "gc/detached.rs",
            "gc/detached_heap.rs",
            "gc/heap.rs",
            "gc/idle_check.rs",
            "gc/mark_cycle.rs",
            "gc/mark_termination.rs",
            "gc/mutator.rs",
            "gc/phase.rs",
            "gc/report.rs",
            "gc/role.rs",
            "gc/step.rs",
        ],
        "one state machine: `Core` has the states of the steps, which are `impl` blocks of it",
    ),
    (
        "vivant-heap",
        &["mark/marker.rs", "mark/scanner.rs"],
        "a marker scans packets, and a scanner takes them from the mark",
    ),
    (
        "vivant-heap",
        &[
            "object/collected.rs",
            "object/object_trait.rs",
            "object/raw_object.rs",
            "object/table.rs",
            "object/tracer.rs",
        ],
        "a table calls the contract of its type with the tracer, which finds parts by their tables",
    ),
    (
        "vivant-heap",
        &["pages/chunk.rs", "pages/page.rs", "pages/size_class.rs"],
        "the head of a chunk describes its pages, whose blocks it places",
    ),
    (
        "vivant-heap",
        &["pages/page_source.rs", "pages/prefault.rs"],
        "prefaulting is a part of the pool, and commits its chunks",
    ),
    (
        "vivant-heap",
        &["types/freeze.rs", "types/ice.rs"],
        "a frozen value is read by the views that freezing declares",
    ),
    (
        "vivant-macros",
        &[
            "behaviours/behaviour.rs",
            "behaviours/block.rs",
            "behaviours/guard.rs",
            "behaviours/hooks.rs",
            "behaviours/implementor.rs",
            "behaviours/join.rs",
            "behaviours/mod.rs",
            "behaviours/saving.rs",
            "behaviours/table.rs",
        ],
        "a block has behaviours, and each reads the attributes of its block",
    ),
    (
        "vivant-macros",
        &["interface/mod.rs", "interface/written.rs"],
        "the trait as written is a part of the expansion that reads it",
    ),
    (
        "vivant-macros",
        &["object/mod.rs", "object/sharing.rs", "object/stub.rs"],
        "`Derived` has one `impl` block for tracing and one for sharing, and makes the impl of a faulty type too",
    ),
    (
        "vivant-macros",
        &["shape/args.rs", "shape/mod.rs"],
        "the arguments are a part of the shape that they are read for",
    ),
    (
        "vivant",
        &[
            "actor/class.rs",
            "actor/current_actor.rs",
            "actor/deferred_messages.rs",
            "actor/envelope.rs",
            "actor/header.rs",
            "actor/reference.rs",
            "actor/refusal.rs",
            "actor/run_state.rs",
            "actor/runnable.rs",
            "actor/shared.rs",
            "actor/worker.rs",
            "actor/worker_shared.rs",
        ],
        "an actor holds messages and its system; their tables name the worker, which holds actors",
    ),
    (
        "vivant",
        &[
            "actor/envelope/content_codec.rs",
            "actor/envelope/message_kind.rs",
            "actor/envelope/observed_message.rs",
        ],
        "an observed or loaded message is one of its kind, of which observation and loading are parts",
    ),
    (
        "vivant",
        &["api/actor.rs", "api/storage.rs", "api/turn.rs"],
        "an actor type names the storage of its state, which makes its turns",
    ),
    (
        "vivant",
        &["api/call.rs", "api/send_error.rs"],
        "a refused send gives the call back",
    ),
    (
        "vivant",
        &[
            "api/ask_future.rs",
            "api/promise/discard.rs",
            "api/promise/relay.rs",
            "api/promise/resolver.rs",
            "api/promise/sink.rs",
            "api/promise/slot.rs",
        ],
        "the two ends of an answer meet in the slot, and an ask future is one of the ends; a sink may \
         pass a value on to a resolver",
    ),
    (
        "vivant",
        &["cycles/actor_graph.rs", "cycles/why.rs"],
        "the graph of all actors finds a path, which it returns as a `KeptBy`",
    ),
    (
        "vivant",
        &["cycles/commit.rs", "cycles/detection_pass.rs"],
        "one detection pass: its graph, its commit",
    ),
    (
        "vivant",
        &["edge/stream/feed.rs", "edge/stream/mod.rs"],
        "an attachment starts the feed, which reads its options",
    ),
    (
        "vivant",
        &[
            "gc_state/collected.rs",
            "gc_state/deaths.rs",
            "gc_state/gc_messages.rs",
            "gc_state/locals.rs",
            "gc_state/rooted.rs",
        ],
        "the messages of the collector name the storage that handles them; its turns have the parts for watches, locals and roots",
    ),
    (
        "vivant",
        &["gc_state/detached_heaps.rs", "gc_state/gc_waker.rs"],
        "a waker wakes the owner of its heap, or the table of detached heaps",
    ),
    (
        "vivant",
        &["oracle/mod.rs", "oracle/simulated.rs"],
        "the oracle is real or simulated, and the simulated one draws with its functions",
    ),
    (
        "vivant",
        &["patterns/topic/mod.rs", "patterns/topic/subscriber.rs"],
        "a topic has subscribers, and a subscriber leaves its topic",
    ),
    (
        "vivant",
        &[
            "sched/clock.rs",
            "sched/memory.rs",
            "sched/replacement.rs",
            "sched/thread_pool.rs",
            "sched/threads.rs",
        ],
        "`Threads` owns these threads, and each reads its fields",
    ),
    (
        "vivant",
        &[
            "simulation/check.rs",
            "simulation/mod.rs",
            "simulation/rerun.rs",
        ],
        "a check runs a simulation for each seed, and again if it fails",
    ),
    (
        "vivant",
        &[
            "supervision/builder.rs",
            "supervision/handle.rs",
            "supervision/supervisor.rs",
        ],
        "the supervisor is an actor: its messages name its state, and its handle its messages",
    ),
    (
        "vivant",
        &["system/builder.rs", "system/mod.rs"],
        "`System::builder`, and what the builder builds",
    ),
    (
        "vivant",
        &["system/inspect.rs", "system/shutdown/report.rs"],
        "the report of a shutdown names the remaining actors with what inspection knows of them",
    ),
    (
        "vivant-cli",
        &["model/column.rs", "model/figure.rs", "model/look.rs"],
        "a column shows a figure, and the look chooses the column to sort by",
    ),
    (
        "vivant-cli",
        &["source/connection.rs", "source/demo.rs", "source/mod.rs"],
        "`Source` is one of its implementations, which return its items",
    ),
    (
        "vivant-cli",
        &[
            "view/actors.rs",
            "view/detail.rs",
            "view/heaps.rs",
            "view/help.rs",
            "view/home.rs",
            "view/mod.rs",
            "view/reports.rs",
            "view/waits.rs",
        ],
        "each page draws with the parts that all pages share, and the view chooses a page",
    ),
];
