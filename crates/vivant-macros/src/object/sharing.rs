//! The impls of `#[derive(Object)]` besides tracing: whether the type may be shared and sent, and
//! its form in a turn.

use super::{Derived, Part};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{GenericParam, Type, WherePredicate, parse_quote};

/// The role of a type's parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shares {
    /// It has no collected parts.
    AsLeaf,
    ByFields,
}

/// What stands for a type parameter, in the crate with this path.
type OfParameter = fn(&Ident, &TokenStream) -> TokenStream;

impl Derived<'_> {
    /// Frozen and sendable: if all fields except leaves are. Each clause names the brand: a clause
    /// that does not hold is no error, but the type then lacks the trait. A `Val` is both, whatever
    /// it refers to, so no clause leads back to the type.
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
            // SAFETY: all its parts but leaves are frozen, by the clauses.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::FrozenParts<#brand> for #own #frozen {}
            // SAFETY: all its parts but leaves are sendable, by the clauses.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::Sendable<#brand> for #own #sendable {}
        }
    }

    /// A leaf, or a type without a lifetime and type parameters, is frozen as it is, if it may lie
    /// in a shared object. `#[derive(Freeze)]` does the other types.
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
            // SAFETY: it is read as itself, and may lie in a shared object already.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::Freeze<#brand> for #name #type_generics #clause {
                type Frozen = Self;
                type View<'__ice> = &'__ice Self where Self: '__ice, #brand: '__ice;
                #[inline]
                unsafe fn view<'__ice>(&'__ice self) -> &'__ice Self where #brand: '__ice { self }
            }
        })
    }

    /// The conversion back from the erased form. A type with bounded parameters has none: the macro
    /// cannot tell whether the parameters' forms in a turn satisfy the bounds.
    pub(crate) fn erased_impl(&self, shares: Shares) -> Option<TokenStream> {
        let own = &self.input.generics;
        let mut parameters = own.type_params();
        if own.where_clause.is_some() || parameters.any(|parameter| !parameter.bounds.is_empty()) {
            return None;
        }
        let (name, heap) = (&self.input.ident, &self.heap);
        let mut generics = own.clone();
        for parameter in generics.type_params_mut() {
            match shares {
                Shares::ByFields => parameter.bounds.push(parse_quote!(#heap::Erased)),
                Shares::AsLeaf => parameter.bounds.extend::<[syn::TypeParamBound; 2]>([
                    parse_quote!(::core::marker::Send),
                    parse_quote!('static),
                ]),
            }
            parameter.default = None;
        }
        let arguments = |brand: &TokenStream, of: OfParameter| -> Vec<TokenStream> {
            let argument = |parameter: &GenericParam| match parameter {
                GenericParam::Lifetime(_) => brand.clone(),
                GenericParam::Type(parameter) => of(&parameter.ident, &heap.to_token_stream()),
                GenericParam::Const(parameter) => parameter.ident.to_token_stream(),
            };
            own.params.iter().map(argument).collect()
        };
        let as_it_is = |parameter: &Ident, _: &TokenStream| parameter.to_token_stream();
        let (of, erased): (OfParameter, OfParameter) = match shares {
            Shares::ByFields => (
                |parameter, heap| quote!(<#parameter as #heap::Erased>::Of<'__in>),
                |parameter, heap| quote!(<#parameter as #heap::Erased>::Static),
            ),
            Shares::AsLeaf => (as_it_is, as_it_is),
        };
        let of = arguments(&quote!('__in), of);
        let erased = arguments(&quote!('static), erased);
        let (impl_generics, type_generics, _) = generics.split_for_impl();
        Some(quote! {
            // SAFETY: the brand is replaced, and nothing else.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::Erased for #name #type_generics {
                type Of<'__in> = #name<#(#of),*>;
                type Static = #name<#(#erased),*>;
            }
        })
    }
}
