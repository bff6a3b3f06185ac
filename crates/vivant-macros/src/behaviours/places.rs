//! A guard's arguments as places.
//!
//! A guard sees the arguments by reference, because they are still in the message. To read as if it
//! owned them, an argument's name stands for the place behind the reference: `amount` becomes
//! `*amount`. Names that the guard itself binds are left alone. So are macros other than lists of
//! expressions and `matches!`; in those a name is the reference.
//! than lists of expressions and `matches!`; in those a name is the reference.

use proc_macro2::Ident;
use quote::ToTokens;
use std::mem;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprAssign, ExprUnary, FieldValue, Item, Macro, Member, Pat, PatIdent,
    Result, Stmt, Token, UnOp,
};

/// The guard's expression with the arguments `names` as places.
pub(crate) fn with_places<'a>(mut guard: Expr, names: impl Iterator<Item = &'a Ident>) -> Expr {
    let mut places = Places(names.cloned().collect());
    places.visit_expr_mut(&mut guard);
    guard
}

/// The arguments that are not shadowed at the visitor's position.
struct Places(Vec<Ident>);

impl Places {
    /// Does `visit` in a scope of its own.
    fn scope(&mut self, visit: impl FnOnce(&mut Self)) {
        let outside = self.0.clone();
        visit(self);
        self.0 = outside;
    }

    /// A name that `pattern` binds is no argument from here on.
    fn bind(&mut self, pattern: &Pat) {
        struct Bound<'a>(&'a mut Vec<Ident>);
        impl<'ast> Visit<'ast> for Bound<'_> {
            fn visit_pat_ident(&mut self, bound: &'ast PatIdent) {
                self.0.retain(|name| *name != bound.ident);
                visit::visit_pat_ident(self, bound);
            }
        }
        Bound(&mut self.0).visit_pat(pattern);
    }

    /// A condition. Its `let`s bind in the code that follows it.
    fn condition(&mut self, condition: &mut Expr) {
        match condition {
            Expr::Binary(chain) if matches!(chain.op, BinOp::And(_)) => {
                self.condition(&mut chain.left);
                self.condition(&mut chain.right);
            }
            Expr::Let(binding) => {
                self.visit_expr_mut(&mut binding.expr);
                self.bind(&binding.pat);
            }
            other => self.visit_expr_mut(other),
        }
    }

    /// One arm's pattern, with the guard in it.
    fn arm_pattern(&mut self, pattern: &mut Pat) {
        self.bind(pattern);
        if let Pat::Guard(guarded) = pattern {
            self.condition(&mut guarded.guard);
        }
    }

    fn is_place(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|ident| self.0.contains(ident)),
            _ => false,
        }
    }
}

/// `*expr`
fn behind(expr: Expr) -> Expr {
    Expr::Unary(ExprUnary {
        attrs: Vec::new(),
        op: UnOp::Deref(Token![*](syn::spanned::Spanned::span(&expr))),
        expr: Box::new(expr),
    })
}

impl VisitMut for Places {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if self.is_place(expr) {
            let name = mem::replace(expr, Expr::PLACEHOLDER);
            *expr = behind(name);
            return;
        }
        match expr {
            Expr::Closure(closure) => self.scope(|inside| {
                closure.inputs.iter().for_each(|input| inside.bind(input));
                inside.visit_expr_mut(&mut closure.body);
            }),
            Expr::Match(choice) => {
                self.visit_expr_mut(&mut choice.expr);
                for arm in &mut choice.arms {
                    self.scope(|inside| {
                        inside.arm_pattern(&mut arm.pat);
                        inside.visit_expr_mut(&mut arm.body);
                    });
                }
            }
            Expr::If(choice) => {
                self.scope(|inside| {
                    inside.condition(&mut choice.cond);
                    inside.visit_block_mut(&mut choice.then_branch);
                });
                if let Some((_, otherwise)) = &mut choice.else_branch {
                    self.visit_expr_mut(otherwise);
                }
            }
            Expr::While(repeated) => self.scope(|inside| {
                inside.condition(&mut repeated.cond);
                inside.visit_block_mut(&mut repeated.body);
            }),
            Expr::ForLoop(repeated) => {
                self.visit_expr_mut(&mut repeated.expr);
                self.scope(|inside| {
                    inside.bind(&repeated.pat);
                    inside.visit_block_mut(&mut repeated.body);
                });
            }
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.scope(|inside| {
            for stmt in &mut block.stmts {
                inside.visit_stmt_mut(stmt);
                if let Stmt::Local(local) = stmt {
                    inside.bind(&local.pat);
                }
            }
        });
    }

    /// `Point { x }` as `Point { x: *x }`.
    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        if let (None, Member::Named(name)) = (field.colon_token, &field.member)
            && self.0.contains(name)
        {
            field.colon_token = Some(Token![:](name.span()));
        }
        self.visit_expr_mut(&mut field.expr);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let is_matches = mac
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "matches");
        let rewritten = if is_matches {
            (|input: ParseStream<'_>| self.matches(input)).parse2(mac.tokens.clone())
        } else {
            (|input: ParseStream<'_>| self.expressions(input)).parse2(mac.tokens.clone())
        };
        // A macro with syntax of its own is left as it is.
        if let Ok(tokens) = rewritten {
            mac.tokens = tokens;
        }
    }

    // Patterns bind and types have no places; items see no locals.
    fn visit_pat_mut(&mut self, _: &mut Pat) {}
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

impl Places {
    /// The inside of `matches!`: an expression, a pattern, perhaps a guard.
    fn matches(&mut self, input: ParseStream<'_>) -> Result<proc_macro2::TokenStream> {
        let mut tokens = proc_macro2::TokenStream::new();
        let mut expr: Expr = input.parse()?;
        self.visit_expr_mut(&mut expr);
        expr.to_tokens(&mut tokens);
        input.parse::<Token![,]>()?.to_tokens(&mut tokens);
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        pattern.to_tokens(&mut tokens);
        if let Some(token) = input.parse::<Option<Token![if]>>()? {
            let mut guard: Expr = input.parse()?;
            self.scope(|inside| {
                inside.bind(&pattern);
                inside.visit_expr_mut(&mut guard);
            });
            token.to_tokens(&mut tokens);
            guard.to_tokens(&mut tokens);
        }
        input.parse::<Option<Token![,]>>()?.to_tokens(&mut tokens);
        Ok(tokens)
    }

    /// The inside of `format!`, `assert!` and their like: expressions, some of them with names
    /// (`x = amount`).
    fn expressions(&mut self, input: ParseStream<'_>) -> Result<proc_macro2::TokenStream> {
        let mut list = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
        for expr in &mut list {
            match expr {
                Expr::Assign(ExprAssign { left, right, .. }) if matches!(**left, Expr::Path(_)) => {
                    self.visit_expr_mut(right);
                }
                other => self.visit_expr_mut(other),
            }
        }
        Ok(list.into_token_stream())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::{format_ident, quote};

    #[track_caller]
    fn check(guard: proc_macro2::TokenStream, expected: proc_macro2::TokenStream) {
        let guard: Expr = syn::parse2(guard).expect("an expression");
        let names = [format_ident!("amount"), format_ident!("note")];
        let places = with_places(guard, names.iter());
        assert_eq!(places.into_token_stream().to_string(), expected.to_string());
    }

    #[test]
    fn names_are_places() {
        check(
            quote!(self.balance >= amount),
            quote!(self.balance >= *amount),
        );
        check(quote!(!note.is_empty()), quote!(!(*note).is_empty()));
        check(
            quote!(note.amount == self.amount),
            quote!((*note).amount == self.amount),
        );
        check(quote!(f(&amount, note[0])), quote!(f(&*amount, (*note)[0])));
        check(
            quote!(P { amount } == self.p),
            quote!(P { amount: *amount } == self.p),
        );
        check(
            quote!(other::amount + amount()),
            quote!(other::amount + (*amount)()),
        );
    }

    #[test]
    fn bound_names_are_left_alone() {
        check(
            quote!(self.all.iter().any(|amount| *amount == note)),
            quote!(self.all.iter().any(|amount| *amount == *note)),
        );
        check(
            quote!(if let Some(amount) = at(amount) {
                amount > 1
            } else {
                amount > 2
            }),
            quote!(if let Some(amount) = at(*amount) {
                amount > 1
            } else {
                *amount > 2
            }),
        );
        check(
            quote!(match note {
                Some(amount) if amount > 3 => amount,
                _ => amount,
            }),
            quote!(match *note {
                Some(amount) if amount > 3 => amount,
                _ => *amount,
            }),
        );
        check(
            quote!({
                let amount = amount + 1;
                amount > 2
            }),
            quote!({
                let amount = *amount + 1;
                amount > 2
            }),
        );
    }

    #[test]
    fn macros_of_expressions() {
        check(
            quote!(matches!(amount, 1..=5)),
            quote!(matches!(*amount, 1..=5)),
        );
        check(
            quote!(matches!(note, Some(amount) if amount > self.x)),
            quote!(matches!(*note, Some(amount) if amount > self.x)),
        );
        check(
            quote!(format!("{}", note) == x),
            quote!(format!("{}", *note) == x),
        );
        check(quote!(odd!(amount => note)), quote!(odd!(amount => note)));
    }
}
