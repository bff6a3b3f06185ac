//! The seam of observations: what a turn learns from others passes through `observed` of
//! `crates/vivant/src/actor/observation`, where it will be recorded.
//!
//! A function that returns something and reads a guarded source calls `observed`. The rule knows
//! functions and not flows: a second read in a function that observes the first one is not found. A
//! function without a result tells its caller nothing.

use super::syntax::{attributes_of_impl_item, attributes_of_item, is_of_tests};
use super::{Code, Finding};
use syn::visit::{self, Visit};
use syn::{
    Expr, ExprCall, ExprMethodCall, ExprPath, ImplItem, ImplItemFn, Item, ItemFn, Member,
    ReturnType, Signature, TraitItemFn,
};

const SEAM: &str = "crates/vivant/src/actor/observation/";

/// The folders and files that turns call.
const CALLED_BY_TURNS: &[&str] = &[
    "crates/vivant/src/actor/timer.rs",
    "crates/vivant/src/api/",
    "crates/vivant/src/edge/",
    "crates/vivant/src/gc_state/deaths.rs",
    "crates/vivant/src/patterns/",
    "crates/vivant/src/system/mod.rs",
    "crates/vivant/src/system/naming.rs",
    "crates/vivant/src/system/why_alive.rs",
];

/// Methods and functions that read what other turns write.
const SOURCES: &[&str] = &[
    // An actor's cell.
    "addresses",
    "depth",
    "ended",
    "when_ended",
    // A mailbox with a bound.
    "reserve",
    "reserve_or_wait",
    // The services of a system.
    "is_set",
    "lines",
    "new_id",
    "restart_timer",
    "sum_of_letters",
    "unwatch_death",
    "why_alive",
];

/// Sources only as a method of this field: `timers.cancel(id)`.
const OF_FIELDS: &[(&str, &str)] = &[
    ("timers", "cancel"),
    ("timers", "restart"),
    ("mutes", "wait"),
    ("shared", "release"),
    ("cell", "upgrade"),
    ("peer", "upgrade"),
];

/// Where tables are that turns share: a lock of one is a read of it, and so is a counter.
const TABLES: &[&str] = &["crates/vivant/src/edge/", "crates/vivant/src/patterns/"];

/// What reads such a table.
const TABLE_READS: &[&str] = &["fetch_add", "lock"];

/// The reason of a function that serves the clock, or the end of an actor.
const BETWEEN_TURNS: &str = "called between turns";

/// The reason of a function that others call to answer.
const PART: &str = "a part of answers that its callers pass through the seam";

/// Functions that read a source and need not call `observed`: file, name, reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("crates/vivant/src/actor/timer.rs", "restart_timer", PART),
    (
        "crates/vivant/src/api/cell.rs",
        "new_cell",
        "the `ended` of mutes, which is an action",
    ),
    (
        "crates/vivant/src/api/dead_letter_subscription.rs",
        "notify",
        "the turn that loses a message does not learn what becomes of the dead letter",
    ),
    (
        "crates/vivant/src/api/promise/resolver.rs",
        "has_listener",
        BETWEEN_TURNS,
    ),
    ("crates/vivant/src/api/promise/resolver.rs", "awaits", PART),
    (
        "crates/vivant/src/edge/open_futures.rs",
        "open",
        "a count for the shutdown, which no turn reads",
    ),
    (
        "crates/vivant/src/edge/open_futures.rs",
        "belongs_to_stop_hook",
        "of the shutdown, which is in no cut",
    ),
    (
        "crates/vivant/src/edge/open_futures.rs",
        "is_of_stop_hook",
        BETWEEN_TURNS,
    ),
    (
        "crates/vivant/src/edge/stream/gate.rs",
        "admit",
        "counts an item for which the gate was open",
    ),
    (
        "crates/vivant/src/patterns/group/members.rs",
        "is_empty",
        "decides on memory only",
    ),
    (
        "crates/vivant/src/patterns/named_registries.rs",
        "record_older",
        BETWEEN_TURNS,
    ),
    (
        "crates/vivant/src/patterns/named_registries.rs",
        "registered",
        BETWEEN_TURNS,
    ),
    (
        "crates/vivant/src/patterns/named_registries.rs",
        "registered_or",
        BETWEEN_TURNS,
    ),
    (
        "crates/vivant/src/patterns/table_identity.rs",
        "living",
        "called by restores, between turns",
    ),
    (
        "crates/vivant/src/patterns/table_identity.rs",
        "take",
        "an identity, which no program reads",
    ),
    (
        "crates/vivant/src/patterns/table_identity.rs",
        "in_system",
        "an identity, which no program reads",
    ),
    (
        "crates/vivant/src/patterns/named_timer.rs",
        "has_actor",
        "of the turn's own actor, which alone changes it",
    ),
    ("crates/vivant/src/patterns/named_timer.rs", "find", PART),
    ("crates/vivant/src/patterns/named_timer.rs", "get", PART),
    ("crates/vivant/src/patterns/named_timer.rs", "remove", PART),
    (
        "crates/vivant/src/api/send_error.rs",
        "from",
        "the `ended` of a refusal, of which the send was told",
    ),
    ("crates/vivant/src/patterns/names.rs", "is_free", PART),
    (
        "crates/vivant/src/patterns/named_timer.rs",
        "of_actor",
        BETWEEN_TURNS,
    ),
    ("crates/vivant/src/patterns/names.rs", "facts", PART),
    (
        "crates/vivant/src/patterns/topic/intake.rs",
        "at_line",
        BETWEEN_TURNS,
    ),
    (
        "crates/vivant/src/patterns/topic/intake.rs",
        "has_notice_across",
        BETWEEN_TURNS,
    ),
    (
        "crates/vivant/src/patterns/topic/intake.rs",
        "restored",
        BETWEEN_TURNS,
    ),
    (
        "crates/vivant/src/patterns/topic/subscribers.rs",
        "add",
        PART,
    ),
    (
        "crates/vivant/src/patterns/topic/subscribers.rs",
        "change",
        PART,
    ),
    (
        "crates/vivant/src/patterns/topic/subscribers.rs",
        "is_empty",
        "decides on memory only",
    ),
    (
        "crates/vivant/src/patterns/topic/subscribers.rs",
        "restore",
        BETWEEN_TURNS,
    ),
    (
        "crates/vivant/src/patterns/topic/subscribers.rs",
        "subscription",
        BETWEEN_TURNS,
    ),
];

pub(super) fn check(sources: &[Code]) -> Vec<Finding> {
    let mut used = vec![false; EXCEPTIONS.len()];
    let mut findings = Vec::new();
    for source in sources {
        for read in reads(source) {
            let exception = EXCEPTIONS
                .iter()
                .position(|(path, name, _)| *path == source.path && *name == read.function);
            match exception {
                Some(at) => used[at] = true,
                None => findings.push(read.finding(&source.path)),
            }
        }
    }
    let unused = EXCEPTIONS.iter().zip(used).filter(|(_, used)| !used);
    findings.extend(unused.map(|((path, name, _), _)| {
        let what = format!("`{name}` needs no exception in the rule of observations");
        Finding::new(path, 0, what)
    }));
    findings
}

/// A read of a guarded source in a function that does not call `observed`.
struct Read {
    function: String,
    line: usize,
    what: String,
}

impl Read {
    fn finding(&self, path: &str) -> Finding {
        let Read { function, what, .. } = self;
        Finding::new(
            path,
            self.line,
            format!("`{function}` reads `{what}`: a turn learns it through `observed` only"),
        )
    }
}

fn reads(source: &Code) -> Vec<Read> {
    let is_in = |places: &[&str]| places.iter().any(|place| source.path.starts_with(place));
    if !is_in(CALLED_BY_TURNS) || is_in(&[SEAM]) || source.path.ends_with("_tests.rs") {
        return Vec::new();
    }
    let mut functions = Functions {
        reads_tables: is_in(TABLES),
        found: Vec::new(),
    };
    // A file that does not parse is a finding of the rule of layers.
    if let Ok(file) = source.syntax() {
        functions.visit_file(file);
    }
    functions.found
}

struct Functions {
    reads_tables: bool,
    found: Vec<Read>,
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_of_tests(attributes_of_item(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !is_of_tests(attributes_of_impl_item(item)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.function(&function.sig, |body| body.visit_block(&function.block));
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.function(&function.sig, |body| body.visit_block(&function.block));
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(&function.sig, |body| body.visit_block(block));
        }
        visit::visit_trait_item_fn(self, function);
    }
}

impl Functions {
    fn function(&mut self, signature: &Signature, visit: impl FnOnce(&mut Body)) {
        if matches!(signature.output, ReturnType::Default) {
            return;
        }
        let mut body = Body {
            reads_tables: self.reads_tables,
            observes: false,
            reads: Vec::new(),
        };
        visit(&mut body);
        if body.observes {
            return;
        }
        let function = signature.ident.to_string();
        self.found
            .extend(body.reads.into_iter().map(|(line, what)| Read {
                function: function.clone(),
                line,
                what,
            }));
    }
}

/// What a function's body reads, and whether it calls `observed`.
struct Body {
    reads_tables: bool,
    observes: bool,
    reads: Vec<(usize, String)>,
}

impl<'ast> Visit<'ast> for Body {
    fn visit_item(&mut self, _: &'ast Item) {}

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let name = call.method.to_string();
        let of_field = OF_FIELDS
            .iter()
            .any(|(field, method)| *method == name && is_field(&call.receiver, field));
        if of_field || self.is_source(&name) {
            self.reads.push((call.method.span().start().line, name));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(ExprPath { path, .. }) = &*call.func {
            self.observes |= path
                .segments
                .last()
                .is_some_and(|it| it.ident == "observed");
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_path(&mut self, expression: &'ast ExprPath) {
        let Some(last) = expression.path.segments.last() else {
            return;
        };
        let name = last.ident.to_string();
        // A variable has one segment, and so has `lock`, which is a function.
        let is_function = expression.path.segments.len() > 1 || name == "lock";
        if is_function && self.is_source(&name) {
            self.reads.push((last.ident.span().start().line, name));
        }
        visit::visit_expr_path(self, expression);
    }
}

impl Body {
    fn is_source(&self, name: &str) -> bool {
        SOURCES.contains(&name) || self.reads_tables && TABLE_READS.contains(&name)
    }
}

/// Whether the expression is `….field`, `….field()` or the variable `field`.
fn is_field(expression: &Expr, field: &str) -> bool {
    match expression {
        Expr::Field(access) => matches!(&access.member, Member::Named(name) if name == field),
        Expr::MethodCall(call) => call.method == field,
        Expr::Path(path) => path.path.is_ident(field),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let source = Code::new(path, text.into());
        reads(&source).into_iter().map(|read| read.line).collect()
    }

    const ADDRESS: &str = "crates/vivant/src/api/address.rs";
    const GROUP: &str = "crates/vivant/src/patterns/group/members.rs";

    #[test]
    fn canary_a_source_that_is_read_directly_is_flagged() {
        for (path, text) in [
            (
                ADDRESS,
                "fn is_alive(&self) -> bool { self.to.ended().is_none() }",
            ),
            (
                ADDRESS,
                "fn address(&self) -> Option<Address> { self.cell.upgrade() }",
            ),
            (
                ADDRESS,
                "fn has_room(&self) -> bool { self.queue().is_some_and(Queue::reserve) }",
            ),
            (
                ADDRESS,
                "fn cancel(&self) -> bool { self.system.timers.cancel(self.id) }",
            ),
            (
                ADDRESS,
                "fn late(&self) -> bool { [1].iter().any(|_| timers.restart(self.id)) }",
            ),
            (GROUP, "fn count(&self) -> usize { lock(&self.0).len() }"),
            (
                GROUP,
                "fn next(&self) -> usize { self.0.next.fetch_add(1, o) }",
            ),
        ] {
            let method = format!("impl Any {{ {text} }}");
            assert_eq!(lines(path, &method), [1], "{text}");
            let trait_method = format!("impl Some for Any {{ {text} }}");
            assert_eq!(lines(path, &trait_method), [1], "{text}");
        }
        let free = "fn is_alive(to: &Header) -> bool { to.ended().is_none() }";
        assert_eq!(lines(ADDRESS, free), [1]);
    }

    #[test]
    fn what_passes_through_the_seam_is_right() {
        for (path, text) in [
            (
                ADDRESS,
                "fn is_alive(to: &Header) -> bool { observed(Alive, Actor(to), to.ended().is_none()) }",
            ),
            (
                GROUP,
                "fn count(it: &It) -> usize { let n = lock(it).len(); observation::observed(C, S, n) }",
            ),
            (GROUP, "fn forget(it: &It) { lock(it).clear() }"),
            (ADDRESS, "fn count(it: &It) -> usize { lock(it).len() }"),
            (ADDRESS, "fn undo(it: &It) -> usize { it.alarm.cancel() }"),
            (
                "crates/vivant/src/run/end.rs",
                "fn is_over(to: &Header) -> bool { to.ended().is_some() }",
            ),
            (
                ADDRESS,
                "#[cfg(test)] mod tests { fn is_over(to: &Header) -> bool { to.ended().is_some() } }",
            ),
        ] {
            assert_eq!(lines(path, text), [0; 0], "{text}");
        }
    }
}
