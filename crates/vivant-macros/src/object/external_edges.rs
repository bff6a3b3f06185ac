//! `Object::trace_external`, of `#[derive(Object)]`: tracing of a field's external edges, to things
//! that are counted elsewhere.

use super::{Derived, is_leaf, variant_path};
use crate::errors::Errors;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

impl Derived<'_> {
    /// The variants, and in each the calls for the traced fields.
    pub(crate) fn external_edges(&self) -> TokenStream {
        let (heap, brand) = (&self.heap, &self.brand);
        let arms = self.variants().into_iter().map(|(variant, fields)| {
            let path = variant_path(&quote!(Self), variant);
            let (mut patterns, mut calls) = (TokenStream::new(), TokenStream::new());
            for (number, field) in fields.iter().enumerate() {
                if is_leaf(field, &mut Errors::default()) {
                    continue;
                }
                let (member, of) = (Derived::member(number, field), &field.ty);
                let bound = format_ident!("__field{number}");
                patterns.extend(quote!(#member: ref #bound,));
                calls.extend(quote_spanned! {of.span()=>
                    <#of as #heap::Object<#brand>>::trace_external(#bound, __shown);
                });
            }
            quote!(#path { #patterns .. } => { #calls })
        });
        quote!(#(#arms)*)
    }
}
