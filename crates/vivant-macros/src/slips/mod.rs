//! Slips of the pen, each reported once, with what to write, and corrected in the code that the
//! macro writes, so that no other error follows from it:
//!
//! - [`graph`]: the state's name in the place of its actor's, `&Turn<Self>`; a brand in a type that
//!   has none, `Iso<Node<'gc>>`;
//! - [`plain`]: a value of no heap in an actor without one, `Val<'static, Page>`;
//! - [`alias`]: a `Result` behind an alias, `anyhow::Result<Promise<u64>>`;
//! - [`rooted`]: a reference to a private object in a continuation, `Gc<'gc, Item>`;
//! - [`then`]: a continuation without its `#[then]`; a closure in its place.
//!
//! A derive can report a slip in its type's fields, but not correct the type.

pub(crate) mod alias;
mod erase;
pub(crate) mod graph;
pub(crate) mod plain;
mod rooted;
pub(crate) mod then;

use crate::types::last_segment;
use proc_macro2::Ident;
use quote::ToTokens;
use syn::{AngleBracketedGenericArguments, ImplItemFn, PathArguments, Type, parse_quote};

/// Containers of `std`: their values belong to the holder of the container.
const CONTAINERS: &[&str] = &[
    "Option", "Result", "Box", "Vec", "VecDeque", "HashMap", "BTreeMap", "HashSet", "BTreeSet",
];

fn is_one_of(name: &Ident, names: &[&str]) -> bool {
    names.iter().any(|known| name == known)
}

/// The name and the arguments of `Name<…>`.
fn generic(ty: &Type) -> Option<(&Ident, &AngleBracketedGenericArguments)> {
    let segment = last_segment(ty)?;
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some((&segment.ident, arguments)),
        _ => None,
    }
}

/// Takes the body out of a method with a slip: no error follows from what is in it.
pub(crate) fn without_body(method: &mut ImplItemFn) {
    method.block = parse_quote!({ loop {} });
    method.attrs.push(parse_quote!(#[allow(unused)]));
}

/// The text of a type as a user writes it.
fn text(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (spaced, plain) in [
        (" < ", "<"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" :: ", "::"),
        (" ::", "::"),
        ("& ", "&"),
    ] {
        text = text.replace(spaced, plain);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn types_read_as_written() {
        for (ty, written) in [
            (quote!(Turn<'gc, Cache>), "Turn<'gc, Cache>"),
            (
                quote!(Result<Promise<u64>, anyhow::Error>),
                "Result<Promise<u64>, anyhow::Error>",
            ),
            (quote!(Val<'static, [u8]>), "Val<'static, [u8]>"),
        ] {
            assert_eq!(text(&ty), written);
        }
    }
}
