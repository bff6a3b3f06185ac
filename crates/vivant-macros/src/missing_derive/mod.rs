//! A type without its derive: it is reported once, and its derive is expanded in place of the user,
//! so that no error follows from each use of the type.
//!
//! A macro sees its own item alone, so this module reads the file around it. It reports a type only
//! if nothing in the file can give it the impl: no derive, no attribute that may be a macro, no
//! impl by hand. The first item of the module that needs the impl makes the report. A file that
//! cannot be read, as in an editor, has no missing derives.
//!
//! - [`source`]: the file.
//! - [`module_types`]: the types of its modules, with their derives and impls.
//! - [`used`]: the types of an object's fields that have to be objects too.

mod module_types;
mod source;
mod used;

use crate::errors::Errors;
use crate::{actor, object};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use source::Source;
use syn::{DeriveInput, ItemImpl};

/// The derive of an actor, if the type of this `#[behaviours]` block lacks it and the block is the
/// first of that type.
pub(crate) fn of_actor(block: &ItemImpl, name: Option<&Ident>, errors: &mut Errors) -> TokenStream {
    let missing = Source::around().and_then(|source| source.missing_actor(block, name));
    let Some(input) = missing else {
        return TokenStream::new();
    };
    let ident = &input.ident;
    errors.at(
        &block.self_ty,
        format!("`{ident}` is not an actor: write `#[derive(Actor)]` above `{ident}`"),
    );
    actor::expand(input.to_token_stream()).unwrap_or_default()
}

/// The derives of objects that the fields of this type refer to and that lack them, if the type is
/// the first that refers to them.
pub(crate) fn of_objects(input: &TokenStream, heap: &TokenStream) -> TokenStream {
    let missing = syn::parse2::<DeriveInput>(input.clone())
        .ok()
        .zip(Source::around())
        .map(|(input, source)| source.missing_objects(&input));
    let mut errors = Errors::default();
    let mut derives = TokenStream::new();
    for (used, missing) in missing.unwrap_or_default() {
        let ident = &missing.ident;
        errors.at(
            used,
            format!(
                "`{ident}` is not an object of a heap: write `#[derive(Object)]` above `{ident}`"
            ),
        );
        derives.extend(object::expand(missing.to_token_stream(), heap).unwrap_or_default());
    }
    quote!(#errors #derives)
}
