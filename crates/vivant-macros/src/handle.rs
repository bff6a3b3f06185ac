//! The handle struct, to which an address derefs. Actors and interfaces have one each.

use crate::options::Vivant;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Generics, Visibility};

/// A handle struct, as input of the code generation.
pub(crate) struct HandleType<'a> {
    pub(crate) vivant: &'a Vivant,
    pub(crate) vis: &'a Visibility,
    pub(crate) handle: Ident,
    /// The type to which the handle belongs.
    pub(crate) target: TokenStream,
    pub(crate) generics: &'a Generics,
    pub(crate) cfgs: &'a [&'a Attribute],
    pub(crate) doc: String,
}

impl HandleType<'_> {
    pub(crate) fn expand(&self) -> TokenStream {
        let HandleType {
            vivant,
            vis,
            handle,
            target,
            generics,
            cfgs,
            doc,
        } = self;
        let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
        let name = handle.to_string();
        quote! {
            #(#cfgs)*
            #[doc = #doc]
            #vis struct #handle #impl_generics (#vivant::Link<#target>) #where_clause;

            #(#cfgs)*
            #[automatically_derived]
            impl #impl_generics #vivant::Handle for #handle #type_generics #where_clause {
                type Target = #target;
                fn from_link(link: #vivant::Link<#target>) -> Self {
                    Self(link)
                }
                fn link(&self) -> &#vivant::Link<#target> {
                    &self.0
                }
            }

            #(#cfgs)*
            #[automatically_derived]
            impl #impl_generics ::core::clone::Clone for #handle #type_generics #where_clause {
                fn clone(&self) -> Self {
                    Self(::core::clone::Clone::clone(&self.0))
                }
            }

            #(#cfgs)*
            #[automatically_derived]
            impl #impl_generics ::core::fmt::Debug for #handle #type_generics #where_clause {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.debug_tuple(#name).field(&self.0).finish()
                }
            }
        }
    }
}
