//! The impl of `#[derive(Object)]` for a type with errors in its fields: it names no field, so that
//! no more errors follow from them.

use super::{Derived, Options};
use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

/// An impl that is never compiled to the end: its expansion has an error beside it.
pub(crate) fn stub(input: &DeriveInput, heap: &TokenStream) -> TokenStream {
    let derived = Derived::new(input, &Options::default().or_heap(heap));
    let (name, heap, brand) = (&input.ident, &derived.heap, &derived.brand);
    let (impl_generics, _, clause) = derived.generics.split_for_impl();
    let (_, type_generics, _) = input.generics.split_for_impl();
    quote! {
        // SAFETY: X11: the promise is about values, and no program with this impl is built.
        #[automatically_derived]
        unsafe impl #impl_generics #heap::Object<#brand> for #name #type_generics #clause {
            type Static = ();
            const NEEDS_TRACE: bool = false;
            fn trace(&self, _: &mut #heap::Tracer<'_>) {}
            fn evacuate(&mut self, _: &mut #heap::Evacuator<'_>) {}
        }
    }
}
