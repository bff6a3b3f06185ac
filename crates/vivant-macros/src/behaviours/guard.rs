//! A guard, `#[when(self.balance >= amount)]`, as a hidden method of the actor.

use super::block::Block;
use super::method::{self, Method};
use super::places;
use crate::errors::Errors;
use crate::shape::{Arg, Carried, Shape, rebranded};
use crate::{names, surface};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Expr, Index, Lifetime};

/// The method that evaluates a guard. It takes `&self` and the arguments by reference. A guard that
/// changes a value is therefore a borrow error at the user's tokens.
pub(super) struct Guard {
    /// What the guard reads: a variant of `vivant::Guard`.
    pub(super) reads: Ident,
    pub(super) method: TokenStream,
    /// Calls it, with `state` and `args`. The guard sees the content of a parcel under a brand of
    /// its own.
    pub(super) call: TokenStream,
}

impl Guard {
    /// The guard `expr` of a behaviour. Its arguments are the fields of `args`.
    pub(super) fn of(
        block: &Block<'_>,
        method: &Method,
        shape: &Shape,
        expr: &Expr,
        errors: &mut Errors,
    ) -> Guard {
        let fields = (0..shape.args.len()).map(Index::from);
        let places: Vec<_> = fields.map(|field| quote!(args.#field)).collect();
        Guard::at(block, method, (shape, &places), expr, errors)
    }

    /// The guard `expr`, with the places of the arguments.
    pub(super) fn at(
        block: &Block<'_>,
        method: &Method,
        (shape, places): (&Shape, &[TokenStream]),
        expr: &Expr,
        errors: &mut Errors,
    ) -> Guard {
        let bare = names::bare(&shape.ident);
        let name = match block.interface_name() {
            Some(interface) => format_ident!("__vivant_{}_{bare}_ready", names::snake(&interface)),
            None => format_ident!("__vivant_{bare}_ready"),
        };
        let this = method.sig.receiver().map(|receiver| receiver.self_token);
        let (vivant, cfgs) = (&block.options.vivant, surface::named(&method.attrs, "cfg"));
        let named = method::idents(expr.to_token_stream());
        let reads = if shape.args.iter().any(|arg| named.contains(&arg.name)) {
            "Arguments"
        } else {
            "State"
        };
        let expr = places::with_places(expr.clone(), shape.names());
        let inputs = GuardInputs::at(shape, places);
        for refused in inputs.refused.iter().filter(|it| named.contains(&it.name)) {
            errors.at(
                &refused.name,
                "a guard cannot look into an answer that is shared data: it is in its parcel still, or an error. Take it, and have \
                 another behaviour wait",
            );
        }
        let GuardInputs {
            brands, parameters, ..
        } = &inputs;
        let generics = (!brands.is_empty()).then(|| quote!(<#(#brands),*>));
        let call = inputs.call(block, &name);
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
            fn #name #generics (#this: #vivant::__seen!() #(, #parameters)*) -> bool {
                #expr
            }
        };
        Guard {
            reads: Ident::new(reads, proc_macro2::Span::call_site()),
            method,
            call,
        }
    }
}

/// A message's arguments as a guard sees them.
#[derive(Default)]
struct GuardInputs<'a> {
    /// A brand for each parcel.
    brands: Vec<Lifetime>,
    parameters: Vec<TokenStream>,
    values: Vec<TokenStream>,
    /// The places of the parcels, and the name of each one's content.
    parcels: Vec<(&'a TokenStream, Ident)>,
    refused: Vec<&'a Arg>,
}

impl<'a> GuardInputs<'a> {
    fn at(shape: &'a Shape, places: &'a [TokenStream]) -> GuardInputs<'a> {
        let mut inputs = GuardInputs::default();
        for (number, (arg, place)) in shape.args.iter().zip(places).enumerate() {
            let Arg { name, ty, .. } = arg;
            match (&arg.carried, &shape.brand) {
                (Carried::Packed(_), Some(brand)) => {
                    let own = Lifetime::new(&format!("'__in{number}"), brand.span());
                    let ty = rebranded(ty, brand, &own);
                    let value = format_ident!("argument{number}");
                    inputs.parameters.push(quote!(#name: &#ty));
                    inputs.values.push(quote!(#value));
                    inputs.brands.push(own);
                    inputs.parcels.push((place, value));
                }
                (Carried::Filled(_), _) => inputs.refused.push(arg),
                _ => {
                    inputs.parameters.push(quote!(#name: &#ty));
                    inputs.values.push(quote!(&#place));
                }
            }
        }
        inputs
    }

    fn call(&self, block: &Block<'_>, name: &Ident) -> TokenStream {
        let (vivant, state, values) = (&block.options.vivant, &block.state, &self.values);
        let call = quote!(<#state>::#name(state #(, #values)*));
        let parcels = self.parcels.iter().rev();
        parcels.fold(
            call,
            |call, (place, value)| quote!(#vivant::heap::Parcel::look(&#place, |#value| #call)),
        )
    }
}
