//! The argument of `then_some` and the like is made also if it is not returned. A guard made that
//! way is dropped at once, and its destructor undoes what the guard was never for: it frees a lock
//! that another thread has, for example. `then(|| …)` makes it only if it is returned.
//!
//! A guard is a type with a destructor in the same crate.

use super::safety_rules::crate_of;
use super::{Code, Finding};
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, ExprMethodCall, ExprPath, ExprStruct, Ident, ItemImpl, Path, Type};

/// Methods that may throw their first argument away.
const EAGER: &[&str] = &["then_some", "unwrap_or", "ok_or", "map_or", "and", "or"];

pub(super) fn check(sources: &[Code]) -> Vec<Finding> {
    let mut guards = Guards::default();
    for source in sources {
        // A file that does not parse is a finding of the rule of layers.
        if let Ok(file) = source.syntax() {
            guards.home = crate_of(&source.path);
            guards.visit_file(file);
        }
    }
    let mut findings = Vec::new();
    for source in sources {
        let mut calls = EagerCalls {
            guards: &guards.names,
            source,
            findings: &mut findings,
        };
        if let Ok(file) = source.syntax() {
            calls.visit_file(file);
        }
    }
    findings
}

/// The types with a destructor, each with its crate.
#[derive(Default)]
struct Guards<'s> {
    home: &'s str,
    names: BTreeSet<(&'s str, String)>,
}

impl<'ast> Visit<'ast> for Guards<'_> {
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let implemented = item
            .trait_
            .as_ref()
            .and_then(|(path, _)| path.segments.last());
        if implemented.is_some_and(|name| name.ident == "Drop")
            && let Type::Path(of) = &*item.self_ty
            && let Some(name) = of.path.segments.last()
        {
            self.names.insert((self.home, name.ident.to_string()));
        }
        visit::visit_item_impl(self, item);
    }
}

struct EagerCalls<'s> {
    guards: &'s BTreeSet<(&'s str, String)>,
    source: &'s Code,
    findings: &'s mut Vec<Finding>,
}

impl<'ast> Visit<'ast> for EagerCalls<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if EAGER.iter().any(|name| call.method == name)
            && let Some(argument) = call.args.first()
        {
            self.argument(&call.method, argument);
        }
        visit::visit_expr_method_call(self, call);
    }
}

impl EagerCalls<'_> {
    fn argument(&mut self, method: &Ident, argument: &Expr) {
        let mut named = NamedTypes(Vec::new());
        named.visit_expr(argument);
        let home = crate_of(&self.source.path);
        let guard = named
            .0
            .into_iter()
            .find(|name| self.guards.contains(&(home, name.clone())));
        if let Some(guard) = guard {
            let line = method.span().start().line;
            let what =
                format!("`{method}` makes a `{guard}` and may drop it at once: use a closure");
            self.findings
                .push(Finding::new(&self.source.path, line, what));
        }
    }
}

/// The names in paths of an expression, without its closures.
struct NamedTypes(Vec<String>);

impl NamedTypes {
    fn add(&mut self, path: &Path) {
        self.0.extend(
            path.segments
                .iter()
                .map(|segment| segment.ident.to_string()),
        );
    }
}

impl<'ast> Visit<'ast> for NamedTypes {
    fn visit_expr_struct(&mut self, expression: &'ast ExprStruct) {
        self.add(&expression.path);
        visit::visit_expr_struct(self, expression);
    }

    fn visit_expr_path(&mut self, expression: &'ast ExprPath) {
        self.add(&expression.path);
    }

    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARD: &str = "struct G(u8); impl Drop for G { fn drop(&mut self) {} }\n";

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let sources = [
            Code::new("crates/a/src/guard.rs", GUARD.into()),
            Code::new(path, text.into()),
        ];
        check(&sources)
            .into_iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn canary_an_eager_guard_is_flagged() {
        let here = |text| lines("crates/a/src/b.rs", text);
        assert_eq!(here("fn f() {\n    is_free().then_some(G(1))\n}"), [2]);
        assert_eq!(here("fn f() { is_free().then_some(G { a, b }) }"), [1]);
        assert_eq!(here("fn f() { is_free().then_some(crate::G::new()) }"), [1]);
        assert_eq!(here("fn f() { left().unwrap_or(Some(G(1))) }"), [1]);
        assert_eq!(
            here("impl T {\n fn f() {\n is_free()\n .ok_or(G)\n } }"),
            [4]
        );
    }

    #[test]
    fn what_is_made_when_needed_is_fine() {
        let here = |text| lines("crates/a/src/b.rs", text);
        assert_eq!(here("fn f() { is_free().then(|| G(1)) }"), [0; 0]);
        assert_eq!(here("fn f() { is_free().then_some(|| G(1)) }"), [0; 0]);
        assert_eq!(here("fn f() { is_free().then_some(H(1)) }"), [0; 0]);
        let other = lines("crates/b/src/b.rs", "fn f() { is_free().then_some(G(1)) }");
        assert_eq!(other, [0; 0], "a type of another crate");
    }
}
