//! A guard, `#[when(self.balance >= amount)]`, as a hidden method of the actor.

use super::block::Block;
use super::method::{self, Method};
use super::places;
use crate::shape::Shape;
use crate::{names, surface};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Expr;

/// The method that evaluates a guard. It takes `&self` and the arguments by reference, so that a guard that changes
/// something is a borrow error at the user's tokens.
pub(super) struct Guard {
    /// What it reads: a variant of `vivant::Guard`.
    pub(super) reads: Ident,
    pub(super) name: Ident,
    pub(super) method: TokenStream,
}

impl Guard {
    pub(super) fn of(block: &Block<'_>, method: &Method, shape: &Shape, expr: &Expr) -> Guard {
        let bare = names::bare(&shape.ident);
        let name = match block.interface_name() {
            Some(interface) => format_ident!("__vivant_{}_{bare}_ready", names::snake(&interface)),
            None => format_ident!("__vivant_{bare}_ready"),
        };
        let this = method.sig.receiver().map(|receiver| receiver.self_token);
        let (vivant, cfgs) = (&block.options.vivant, surface::cfgs(&method.attrs));
        let named = method::idents(expr.to_token_stream());
        let reads = if shape.args.iter().any(|arg| named.contains(&arg.name)) {
            "Arguments"
        } else {
            "State"
        };
        let expr = places::with_places(expr.clone(), shape.names());
        let (names, types) = (shape.names(), shape.types());
        let method = quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(
                unused_variables,
                unused_parens,
                clippy::borrow_deref_ref,
                clippy::explicit_auto_deref,
                clippy::missing_const_for_fn,
                clippy::needless_arbitrary_self_type,
                clippy::ptr_arg,
                clippy::ref_option,
                clippy::trivially_copy_pass_by_ref,
                clippy::unused_self,
            )]
            fn #name(#this: #vivant::__seen!() #(, #names: &#types)*) -> bool {
                #expr
            }
        };
        Guard {
            reads: Ident::new(reads, proc_macro2::Span::call_site()),
            name,
            method,
        }
    }
}
