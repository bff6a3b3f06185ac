//! `miri`: tests of `vivant`, `vivant-brc`, `vivant-heap` and `vivant-collections` under an
//! interpreter that detects undefined behaviour.

use crate::Failure;
use crate::command::Run;
use crate::filtered::Tests;
use crate::toolchain::{self, NIGHTLY};
use std::sync::Mutex;
use std::thread;

/// No alignment by luck. The clocks are the machine's, because the runtime's clock thread waits for
/// real time. The inbox exposes the provenance of its nodes (see `push`), so strict provenance is
/// out; everything else would pass it.
const FLAGS: &str =
    "-Zmiri-permissive-provenance -Zmiri-symbolic-alignment-check -Zmiri-disable-isolation";

/// Each seed is another schedule, another layout of memory and other weak-memory outcomes; memory
/// is used again at once, also by other threads.
const FLAGS_LONG: &str = "-Zmiri-many-seeds=0..32 -Zmiri-address-reuse-rate=1.0 \
    -Zmiri-address-reuse-cross-thread-rate=1.0 -Zmiri-preemption-rate=0.1";

/// The second model of what a reference may alias is the stricter one in other places. The short
/// form has the first one alone.
const FLAGS_STRICT: &[&str] = &[
    "-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check -Zmiri-disable-isolation",
    "-Zmiri-strict-provenance -Zmiri-tree-borrows -Zmiri-disable-isolation",
];

const FLAGS_LONG_HEAPS: &str = "-Zmiri-many-seeds=0..4 -Zmiri-address-reuse-rate=1.0";

/// What is interpreted of a package: its unit tests, and modules of its integration tests.
struct Package {
    name: &'static str,
    /// Those of the short form; empty: it has unit tests alone.
    modules: &'static str,
    /// What takes an interpreter long is left to the long form: these modules, integration tests
    /// with these words in their names, and unit tests with these.
    modules_long: &'static str,
    tests_long: &'static str,
    units_long: &'static str,
    /// Words in the names of unit tests that run in neither form.
    units_never: &'static str,
}

/// The runtime: all that walks through every state of cells, mailboxes and promises, on threads and
/// simulated. The rest is about orders and progress, which cost an interpreter hours and show it
/// nothing new.
const RUNTIME: Package = Package {
    name: "vivant",
    modules: "without_macros promises lifecycle misbehaviour deep_drops",
    // Simulations of many actors, also of requests that are given up; behaviours in steps and roots
    // of flows, which add no `unsafe`; exclusive waits; inspections of open requests, each a scan;
    // what others show too, and takes as long.
    modules_long: "races errors lost_messages offers awaited steps death_notices detached_heaps unreachable far rooted exclusive wait_cycles open_requests",
    // Long chains, real time that passes, topics, shutdowns, random programs.
    tests_long: "a_long_chain_of promises::deep a_chain_of_a_hundred_thousand an_endless_turn _of_a_subscription_ \
        calls_after_shutdown seeded promise_breaks::the_end_of_an_actor two_actors_that_ask_each_other \
        timers_and_children_of_a_stop_hook timers_whose_messages_panic abandoned_offers a_subscription_after \
        promises_are_continued_chained a_stop_request_does_not a_panic_in_the_drop_of_a_message \
        a_continuation_of_another_system a_turn_that_outlives",
    // All kinds of observations, most kinds of sinks, alarms, what a thread records; models of
    // states and orders, random orders of a scheduler's round, histograms, hundreds of messages
    // that wait, edge snapshots of random programs, a large detached heap, inspections; cuts on
    // threads. Images need the feature `snapshots`, which is not on here.
    units_long: "observation restored_mark recorder alarm_tests open_slots_tests::a_closure \
        open_slots_tests::a_continuation_leads open_slots_tests::a_d open_slots_tests::a_join_names \
        open_slots_tests::a_p open_slots_tests::a_s open_slots_tests::a_t open_slots_tests::a_w open_slots_tests::an_ \
        slot_list_tests::a_promise_that_was_carried \
        model interleaved every_queued_actor_runs_within_the_bound distribution a_flood_that_lines_up \
        edge_snapshot_tests seeded_canary a_heap_released_as_a_whole_is_freed rerun \
        named_timer arguments_come_back a_long_pass_is a_million_who_wait detached_table displaced_is_gone \
        has_a_list_of_its_open an_actor_is_idle_when no_lock_is_held a_state_may_have_many seeded_a_list_has \
        seeded_an_inspection cut::threads_tests cut::history_tests cut::races a_bank_",
    units_never: "",
};

/// Counted references: those tests that cross threads, or that come back in from destructors.
const COUNTS: Package = Package {
    name: "vivant-brc",
    modules: "threads reentry stress bounded",
    modules_long: "",
    // Thousands of births, each in an own allocation; owners and ids by the hundred.
    tests_long: "births_alone ids_are_reused keeps_no_garbage",
    units_long: "",
    units_never: "",
};

/// Collected heaps: all but the programs for the compiler and those that end the process. The
/// canaries are about the verifier, which has nothing new to say here.
const HEAPS: Package = Package {
    name: "vivant-heap",
    modules: "types graphs memory holes limits model orca tags edge_snapshot image",
    // Regions, attempts to break it.
    modules_long: "count_inbox aborted_marks mark_termination region freeze retainers markers sweeping \
        hostile hostile_sharing heap_programs",
    // Many objects, or large ones: each has a smaller test beside it.
    tests_long: "turns_of_two_heaps buffers_of_old_objects values_of_all_sizes forgotten_borrows \
        huge_objects depth_needs_no_stack a_refused_write a_value_taken_out graphs_may_hold \
        sharing_at_the_memory_limit match_the_model_beside_markers memory_of_dead_objects_returns \
        seeded_graphs_are_restored changed_bytes_are_an_error image::beside_turns::a \
        image::beside_turns::what image::beside_turns::too image::beside_turns::seeded \
        a_restore_keeps_within a_reference_that_is_cleared slices_of_all_lengths strongly_aligned \
        a_turn_without_memory_panics_and_the_heap_is_unchanged weak_references_are_restored \
        each_object_has_the_limits dropped_imports_are a_heap_may_lie_in_another a_panic_in_the_middle_of \
        many_small_heaps_come each_death_is_reported a_heap_that_fails_to_start the_owner_is_found \
        values_are_exchanged_through a_heap_may_end_while a_long_chain_needs large_objects_alone \
        image::incremental::seeded image::incremental::what image::incremental::changes \
        image::incremental::an_image what_other_heaps_count a_long_chain_of_shared \
        image::several_heaps::seeded image::several_heaps::a_long images_of_a_group_mark \
        a_region_that_is_opened regions_within_sixteen regions_in_states \
        seeded_changed_bytes_of_regions seeded_regions seeded_tags a_tag_of_an_ended a_long_chain_of_tag \
        chains_of_failed regions_that_tags_lead an_object_may_have_a_region forged_tag_entries \
        a_list_in_another_order a_heap_that_the_image_lacks",
    // Random programs beside models, and in two layouts; large heaps that end step by step; long
    // sums, and tables without `unsafe`; surveys, which are graphs without `unsafe`.
    units_long: "the_model deltas_have_the_same_order detached_heap_tests cut_tags_tests mark::mutator_assist \
        gc::model_tests group::model_tests::seeded a_part_that_is a_weight_that_is \
        a_reference_that_is_received a_reference_that_returns a_mark_beside_a_group an_upgrade_reopens \
        dissolve_tests survey_tests dead_objects_stay_dead a_mark_accounts_for are_spread linear_hash_map \
        group::neighbourhoods group::components group::leak_check a_reference_that_is_given_away \
        a_mark_that_stress_replaces a_request_during_a_mark",
    units_never: "self_tests beside_turns_tests incremental_tests injected_faults inconsistent_cut roots_before_deltas reopens_nothing \
        a_cycle_that_is_not_cut",
};

/// Collections of heaps, and the tests of heaps that need them.
const COLLECTIONS: Package = Package {
    name: "vivant-collections",
    modules: "",
    // Random programs beside collections of `std`, markers and regions.
    modules_long: "edge_snapshot mutator_assist collections freeze images markers persistent nested_regions",
    tests_long: "",
    // Every place of a window.
    units_long: "writes_in_a_window",
    units_never: "injected_faults",
};

/// How much is interpreted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One schedule, one model of aliases, one random program of each kind: for every change.
    Short,
    Long,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// More tests, schedules and models
    #[arg(long)]
    long: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let form = match options.long {
        true => Form::Long,
        false => Form::Short,
    };
    toolchain::ensure_components(NIGHTLY, &["miri", "rust-src"])?;
    beside_each_other(tests(form), form)
}

/// Runs all `tests`, two at a time: an interpreter has one thread. After a failure none begins.
fn beside_each_other(tests: Vec<Tests>, form: Form) -> Result<(), Failure> {
    let waiting = Mutex::new(tests.into_iter());
    let next = || waiting.lock().ok().and_then(|mut tests| tests.next());
    let side = || -> Result<(), Failure> {
        while let Some(tests) = next() {
            let done = match form {
                Form::Short => tests.run_unlisted(),
                Form::Long => tests.run(),
            };
            done.inspect_err(|_| while next().is_some() {})?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let other = scope.spawn(side);
        let own = side();
        other
            .join()
            .unwrap_or_else(|_| Err("a panic in `miri`".to_owned()))
            .and(own)
    })
}

/// What runs, the longest first.
fn tests(form: Form) -> Vec<Tests> {
    match form {
        // One random program of each kind: the seeds are for `cargo test`.
        Form::Short => [
            HEAPS.tests(form, FLAGS_STRICT[0], "", Some(1)),
            RUNTIME.tests(form, FLAGS, "", Some(1)),
            COLLECTIONS.tests(form, FLAGS_STRICT[0], "", Some(1)),
            COUNTS.tests(form, FLAGS_STRICT[0], "", None),
        ]
        .concat(),
        Form::Long => {
            let mut tests = RUNTIME.tests(form, FLAGS, FLAGS_LONG, None);
            for model in FLAGS_STRICT {
                // A heap has one thread at a time: more seeds show other addresses alone.
                tests.extend(HEAPS.tests(form, model, FLAGS_LONG_HEAPS, Some(20)));
                tests.extend(COLLECTIONS.tests(form, model, FLAGS_LONG_HEAPS, Some(20)));
                tests.extend(COUNTS.tests(form, model, FLAGS_LONG, None));
            }
            tests
        }
    }
}

impl Package {
    /// The integration tests and the unit tests, apart, because the filters of the ones would
    /// exclude the others. A test of seeds runs that many.
    fn tests(&self, form: Form, model: &str, flags: &str, seeds: Option<u32>) -> Vec<Tests> {
        let of = |target: &str| {
            let run = Run::cargo_of(NIGHTLY, "miri test -p")
                .arg(self.name)
                .words(target)
                .env("MIRIFLAGS", model)
                // Traces of the many panics would take most of the time.
                .env("RUST_BACKTRACE", "0");
            let tests = Tests::of(run).env("MIRIFLAGS", format!("{model} {flags}"));
            match seeds {
                Some(seeds) => tests.env("VIVANT_SEEDS", seeds.to_string()),
                None => tests,
            }
        };
        let all = of("--test all").modules(self.modules);
        let units = of("--lib").skip(self.units_never);
        match form {
            Form::Short if self.modules.is_empty() => vec![units.skip(self.units_long)],
            Form::Short => vec![all.skip(self.tests_long), units.skip(self.units_long)],
            // Only a list of all shows whether the words of the short form still match a test.
            Form::Long => vec![
                all.modules(self.modules_long).know(self.tests_long),
                units.know(self.units_long),
            ],
        }
    }
}
