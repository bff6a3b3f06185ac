//! What `#[derive(Object)]` says of a type beside how it is gone through: whether it may be shared
//! and sent, and what it is in a turn.

use crate::object::{Derived, Part};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{GenericParam, Type, WherePredicate, parse_quote};

/// What a type's parameters are to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shares {
    /// It has no collected parts.
    AsLeaf,
    ByFields,
}

impl Derived<'_> {
    /// Whether it is frozen, and sendable: if all its fields but leaves are. Each clause names the
    /// brand, so that one which does not hold is no error, but leaves the type as it is. A `Val` is
    /// both, whatever it refers to: so no clause comes back to the type.
    pub(crate) fn sharing(&self, parts: &[Part<'_>]) -> TokenStream {
        let (name, heap, brand) = (&self.input.ident, &self.heap, &self.brand);
        let (_, type_generics, _) = self.input.generics.split_for_impl();
        let own: Type = parse_quote!(#name #type_generics);
        let by_fields = |of: TokenStream| {
            let mut generics = self.generics.clone();
            let parts = parts.iter().filter(|part| !part.leaf);
            let clauses = parts.map(|part| -> WherePredicate {
                let field = &part.field.ty;
                parse_quote!(#field: #of<#brand>)
            });
            generics.make_where_clause().predicates.extend(clauses);
            generics
        };
        let frozen = by_fields(quote!(#heap::FrozenParts));
        let sendable = by_fields(quote!(#heap::Sendable));
        let (impl_generics, _, frozen) = frozen.split_for_impl();
        let (_, _, sendable) = sendable.split_for_impl();
        quote! {
            // SAFETY: its parts are.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::FrozenParts<#brand> for #own #frozen {}
            // SAFETY: its parts are.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::Sendable<#brand> for #own #sendable {}
        }
    }

    /// A type without a lifetime and type parameters, and one that is a leaf, is frozen as it is,
    /// if it is what may lie in a shared object. Of the others `#[derive(Freeze)]` says more.
    pub(crate) fn frozen(&self, shares: Shares) -> Option<TokenStream> {
        let mut parameters = self.input.generics.params.iter();
        if shares == Shares::ByFields
            && parameters.any(|parameter| !matches!(parameter, GenericParam::Const(_)))
        {
            return None;
        }
        let (name, heap, brand) = (&self.input.ident, &self.heap, &self.brand);
        let (_, type_generics, _) = self.input.generics.split_for_impl();
        let mut generics = self.generics.clone();
        let own: WherePredicate = parse_quote!(#name #type_generics: #heap::Frozen<#brand>);
        generics.make_where_clause().predicates.push(own);
        let (impl_generics, _, clause) = generics.split_for_impl();
        Some(quote! {
            // SAFETY: it is itself, and what lies in a shared object already.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::Freeze<#brand> for #name #type_generics #clause {
                type Frozen = Self;
                type View<'__ice> = &'__ice Self where Self: '__ice, #brand: '__ice;
                #[inline]
                unsafe fn view<'__ice>(&'__ice self) -> &'__ice Self where #brand: '__ice { self }
            }
        })
    }

    /// The way back from the twin. For a type whose parameters are bounded there is none: nobody
    /// knows whether what they are in a turn keeps to the bounds.
    pub(crate) fn twin_impl(&self, shares: Shares) -> Option<TokenStream> {
        let own = &self.input.generics;
        let mut parameters = own.type_params();
        if own.where_clause.is_some() || parameters.any(|parameter| !parameter.bounds.is_empty()) {
            return None;
        }
        let (name, heap) = (&self.input.ident, &self.heap);
        let mut generics = own.clone();
        generics.params = own
            .params
            .iter()
            .filter(|of| !matches!(of, GenericParam::Lifetime(_)))
            .cloned()
            .collect();
        for parameter in generics.type_params_mut() {
            match shares {
                Shares::ByFields => parameter.bounds.push(parse_quote!(#heap::Twin)),
                Shares::AsLeaf => parameter.bounds.extend::<[syn::TypeParamBound; 2]>([
                    parse_quote!(::core::marker::Send),
                    parse_quote!('static),
                ]),
            }
            parameter.default = None;
        }
        let arguments = |brand: &TokenStream,
                         of: fn(&Ident, &TokenStream) -> TokenStream|
         -> Vec<TokenStream> {
            let argument = |parameter: &GenericParam| match parameter {
                GenericParam::Lifetime(_) => brand.clone(),
                GenericParam::Type(parameter) => of(&parameter.ident, &heap.to_token_stream()),
                GenericParam::Const(parameter) => parameter.ident.to_token_stream(),
            };
            own.params.iter().map(argument).collect()
        };
        let twin = arguments(&quote!('static), |parameter, _| parameter.to_token_stream());
        let of = arguments(
            &quote!('__in),
            match shares {
                Shares::ByFields => {
                    |parameter, heap| quote!(<#parameter as #heap::Twin>::Of<'__in>)
                }
                Shares::AsLeaf => |parameter, _| parameter.to_token_stream(),
            },
        );
        let (impl_generics, ..) = generics.split_for_impl();
        Some(quote! {
            // SAFETY: the brand is exchanged, and nothing else.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::Twin for #name<#(#twin),*> {
                type Of<'__in> = #name<#(#of),*>;
            }
        })
    }
}
