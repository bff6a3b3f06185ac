//! Slips in continuations: a method without its `#[then]`, which is read as if it had it; and a
//! closure in the place of a method.

use super::without_body;
use crate::errors::Errors;
use crate::types::{TakesTurn, takes_asker, takes_turn};
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprClosure, ExprMethodCall, FnArg, ImplItem, ImplItemFn, ItemImpl, Pat,
    parse_quote,
};

/// Reports the slips in an impl block, and corrects them.
pub(crate) fn correct(item: &mut ItemImpl, errors: &mut Errors) {
    let mut used = Vec::new();
    for item in &mut item.items {
        if let ImplItem::Fn(method) = item {
            let mut calls = Calls {
                turn: turn(method),
                used: &mut used,
                closures: Vec::new(),
            };
            calls.visit_block(&method.block);
            let closures = calls.closures;
            for closure in &closures {
                errors.at(&closure.params, &closure.advice);
            }
            if !closures.is_empty() {
                without_body(method);
            }
        }
    }
    for item in &mut item.items {
        if let ImplItem::Fn(method) = item
            && used.iter().any(|used| used.is_filled_by(method))
        {
            let name = &method.sig.ident;
            errors.at(
                name,
                format!(
                    "`.then(…)` continues with `{name}`, whose first argument is the value that the promise brings: write \
                     `#[then]` above it"
                ),
            );
            method.attrs.push(parse_quote!(#[then]));
        }
    }
}

/// The name of the turn in a method.
fn turn(method: &ImplItemFn) -> Option<Ident> {
    method.sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(typed) if takes_turn(&typed.ty) != TakesTurn::No => match &*typed.pat {
            Pat::Ident(name) => Some(name.ident.clone()),
            _ => None,
        },
        _ => None,
    })
}

/// The calls of `.then(…)` in a method's body.
struct Calls<'a> {
    turn: Option<Ident>,
    /// The methods in `.then(t.me().debited(…))`.
    used: &'a mut Vec<Used>,
    /// The closures in `t.ask(…).then(|left| …)`.
    closures: Vec<Closure>,
}

/// The call of a method that continues a promise.
struct Used {
    method: Ident,
    arguments: usize,
}

struct Closure {
    params: TokenStream,
    advice: String,
}

impl Used {
    /// Returns true if this method has one argument more than the call, and no attribute of ours.
    fn is_filled_by(&self, method: &ImplItemFn) -> bool {
        let is_ours = |attr: &Attribute| {
            let mut names = ["then", "start", "stop", "local"].iter();
            names.any(|name| attr.path().is_ident(name))
        };
        let is_argument = |input: &&FnArg| match input {
            FnArg::Typed(typed) => {
                takes_turn(&typed.ty) == TakesTurn::No && !takes_asker(&typed.ty)
            }
            FnArg::Receiver(_) => false,
        };
        self.method == method.sig.ident
            && method.sig.receiver().is_some()
            && !method.attrs.iter().any(is_ours)
            && method.sig.inputs.iter().filter(is_argument).count() == self.arguments + 1
    }
}

impl Calls<'_> {
    /// Returns true if this is a promise of the turn: `t.ask(…)`.
    fn is_promise(&self, expr: &Expr) -> bool {
        match expr {
            Expr::MethodCall(call) if call.method == "then" || call.method == "within" => {
                self.is_promise(&call.receiver)
            }
            Expr::MethodCall(call) => match &*call.receiver {
                Expr::Path(path) => {
                    path.path.get_ident() == self.turn.as_ref() && self.turn.is_some()
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn closure(&self, call: &ExprMethodCall, closure: &ExprClosure) -> Closure {
        let turn = &self.turn;
        let turn = turn.as_ref().map_or("t".to_owned(), ToString::to_string);
        let value = match closure.inputs.last() {
            Some(Pat::Ident(name)) => name.ident.to_string(),
            Some(Pat::Type(typed)) => match &*typed.pat {
                Pat::Ident(name) => name.ident.to_string(),
                _ => "value".to_owned(),
            },
            _ => "value".to_owned(),
        };
        Closure {
            params: call.method.to_token_stream(),
            advice: format!(
                "a closure continues a promise by `then_local`: write `.then_local({turn}, |state, {turn}, {value}| …)`"
            ),
        }
    }
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if call.method == "then" || call.method == "then_send" {
            match call.args.first() {
                Some(Expr::MethodCall(used)) if is_me(&used.receiver) => self.used.push(Used {
                    method: used.method.clone(),
                    arguments: used.args.len(),
                }),
                Some(Expr::Closure(closure))
                    if !closure.inputs.is_empty() && self.is_promise(&call.receiver) =>
                {
                    let closure = self.closure(call, closure);
                    self.closures.push(closure);
                }
                _ => {}
            }
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// Returns true for `t.me()`.
fn is_me(expr: &Expr) -> bool {
    matches!(expr, Expr::MethodCall(call) if call.method == "me")
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    /// The number of errors in an impl block with this method.
    fn errors(method: TokenStream) -> usize {
        let mut errors = Errors::default();
        let mut item = parse_quote! {
            impl Account {
                fn debited(&mut self, left: Result<u64, AskError>, amount: u64) {}
                fn balance(&self) -> u64 { self.balance }
                #method
            }
        };
        correct(&mut item, &mut errors);
        errors.count()
    }

    #[test]
    fn slips_are_found() {
        for body in [
            quote!(t.ask(from.withdraw(1)).then(t.me().debited(1));),
            quote!(t.ask(from.withdraw(1)).then_send(t.me().debited(1));),
            quote!(t.ask(from.withdraw(1)).then(|left| ());),
            quote!(t.ask(from.withdraw(1)).within(limit).then(move |left| ());),
        ] {
            assert_eq!(
                errors(quote!(fn a(&self, t: &Turn<Self>) { #body })),
                1,
                "{body}"
            );
        }
    }

    #[test]
    fn other_calls_of_these_names_are_left_alone() {
        for body in [
            quote!(self.is_open.then(|| 1);),
            quote!(t.is_first().then(|| 1);),
            quote!(one.cmp(&other).then(other.cmp(&one));),
            quote!(t.spawn(self.client.get(url).then(|page| parse(page)));),
            quote!(t.ask(from.withdraw(1)).then(t.me().balance());),
            quote!(t.ask(from.withdraw(1)).then(other.debited(1));),
            quote!(t.ask(from.withdraw(1)).then_local(t, |state, t, left| ());),
        ] {
            assert_eq!(
                errors(quote!(fn a(&self, t: &Turn<Self>) { #body })),
                0,
                "{body}"
            );
        }
    }
}
