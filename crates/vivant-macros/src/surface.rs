//! Parts of a user's item that are copied to the items generated for it: visibility, docs,
//! `#[cfg]`, `#[deprecated]`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, GenericParam, Generics, Meta, Path, Visibility};

/// The attributes of this name: `cfg` applies to everything generated from an item, `deprecated` to
/// the items that users call in its place.
pub(crate) fn named<'a>(attrs: &'a [Attribute], name: &str) -> Vec<&'a Attribute> {
    let named = attrs.iter().filter(|attr| attr.path().is_ident(name));
    named.collect()
}

/// The lints that generated methods with a user's signatures may break.
pub(crate) fn allowed() -> TokenStream {
    quote! {
        #[allow(
            deprecated,
            unreachable_pub,
            unused_qualifications,
            rustdoc::broken_intra_doc_links,
            rustdoc::private_intra_doc_links,
            clippy::too_many_arguments,
            clippy::used_underscore_binding,
        )]
    }
}

/// The item's docs, or `otherwise`. Examples in them are not tested a second time.
pub(crate) fn docs(attrs: &[Attribute], otherwise: &str) -> TokenStream {
    let mut docs = TokenStream::new();
    for attr in attrs {
        if let Meta::NameValue(doc) = &attr.meta
            && doc.path.is_ident("doc")
        {
            let text = &doc.value;
            docs.extend(quote!(#[cfg_attr(not(doctest), doc = #text)]));
        }
    }
    if docs.is_empty() {
        docs = quote!(#[doc = #otherwise]);
    }
    docs
}

/// The module of an item's messages, one type each, if it has any.
pub(crate) fn markers(
    cfgs: &[&Attribute],
    doc: &str,
    module: &Ident,
    markers: TokenStream,
) -> Option<TokenStream> {
    (!markers.is_empty()).then(|| {
        quote! {
            #(#cfgs)*
            #[doc = #doc]
            #[allow(
                dead_code,
                non_camel_case_types,
                unreachable_pub,
                missing_debug_implementations,
                rustdoc::broken_intra_doc_links,
                rustdoc::private_intra_doc_links,
                clippy::module_inception,
                clippy::module_name_repetitions,
            )]
            pub mod #module {
                #markers
            }
        }
    })
}

/// `vis`, written from inside a module beside the item, with the same meaning.
pub(crate) fn from_inside(vis: &Visibility) -> TokenStream {
    match vis {
        Visibility::Inherited => quote!(pub(super)),
        Visibility::Restricted(restricted) => {
            let path: &Path = &restricted.path;
            let first = path
                .segments
                .first()
                .map(|segment| segment.ident.to_string());
            let rest = path.segments.iter().skip(1);
            match first.as_deref() {
                Some("self") if path.segments.len() == 1 => quote!(pub(super)),
                Some("self") => quote!(pub(in super #(::#rest)*)),
                Some("super") => quote!(pub(in super::super #(::#rest)*)),
                _ => quote!(#vis),
            }
        }
        _ => quote!(#vis),
    }
}

/// The generics of an actor. Its type parameters are `Send + 'static`: its state moves from worker
/// to worker.
pub(crate) fn sendable(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            let has = |bound: &str| {
                let mut bounds = parameter.bounds.iter();
                bounds.any(|known| quote!(#known).to_string() == bound)
            };
            let (is_send, is_static) = (has("Send"), has("'static"));
            if !is_send {
                parameter
                    .bounds
                    .push(syn::parse_quote!(::core::marker::Send));
            }
            if !is_static {
                parameter.bounds.push(syn::parse_quote!('static));
            }
        }
    }
    generics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visibilities_mean_the_same_places() {
        for (vis, inside) in [
            (quote!(), quote!(pub(super))),
            (quote!(pub), quote!(pub)),
            (quote!(pub(crate)), quote!(pub(crate))),
            (quote!(pub(self)), quote!(pub(super))),
            (quote!(pub(super)), quote!(pub(in super::super))),
            (
                quote!(pub(in super::super)),
                quote!(pub(in super::super::super)),
            ),
            (quote!(pub(in crate::bank)), quote!(pub(in crate::bank))),
        ] {
            let vis: Visibility = syn::parse2(vis).expect("a visibility");
            assert_eq!(from_inside(&vis).to_string(), inside.to_string());
        }
    }
}
