//! Types that own values of their own type: as deep as the data is, and so gone through and dropped
//! with as deep a stack.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Path, PathArguments, Type};

/// Of the standard library, and `Mut`: what owns the values whose type it is given. Collections of
/// the heap have a brand, and own nothing by value.
const OWNING: &[&str] = &[
    "BTreeMap", "Box", "HashMap", "Mut", "Option", "Result", "Vec", "VecDeque",
];

/// Where a field of this type owns a value of the type that is called so, if it does. Types that
/// are not known here are trusted: the compiler finds the rest, in words of its own (E0391).
pub(crate) fn owns<'a>(field: &'a Type, name: &Ident) -> Option<&'a Path> {
    match field {
        Type::Path(of) if of.qself.is_none() => path_owns(&of.path, name),
        Type::Array(array) => owns(&array.elem, name),
        Type::Slice(slice) => owns(&slice.elem, name),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(|part| owns(part, name)),
        Type::Paren(inner) => owns(&inner.elem, name),
        Type::Group(inner) => owns(&inner.elem, name),
        _ => None,
    }
}

fn path_owns<'a>(path: &'a Path, name: &Ident) -> Option<&'a Path> {
    let last = path.segments.last()?;
    let own = last.ident == *name || last.ident == "Self";
    if own && path.segments.len() == 1 {
        return Some(path);
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let branded = |argument: &GenericArgument| matches!(argument, GenericArgument::Lifetime(_));
    // A region owns all that is reached in it.
    if last.ident == "Iso" && names(path.to_token_stream(), name) {
        return Some(path);
    }
    let owning = OWNING.iter().any(|owning| last.ident == owning);
    if !owning || arguments.args.iter().any(branded) {
        return None;
    }
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(of) => owns(of, name),
        _ => None,
    })
}

/// Whether the name, or `Self`, stands anywhere in it.
fn names(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name || ident == "Self",
        TokenTree::Group(group) => names(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::format_ident;

    fn is_recursive(field: &str) -> bool {
        let field: Type = syn::parse_str(field).unwrap();
        owns(&field, &format_ident!("Node")).is_some()
    }

    #[test]
    fn what_is_owned_by_value_is_found() {
        for field in [
            "Option<Box<Node<'gc>>>",
            "std::vec::Vec<Self>",
            "Mut<Option<Box<Node<'gc>>>>",
            "(u64, Box<[Node<'gc>]>)",
            "[Vec<Node>; 3]",
            "HashMap<String, Node<'gc>>",
            "Option<Iso<Node<'static>>>",
            "Iso<Gc<'static, Mut<Node<'static>>>>",
        ] {
            assert!(is_recursive(field), "{field}");
        }
    }

    #[test]
    fn what_is_referred_to_is_not() {
        for field in [
            "Gc<'gc, Node<'gc>>",
            "Option<Gc<'gc, Mut<Node<'gc>>>>",
            "Weak<'gc, Node<'gc>>",
            "gc::Vec<'gc, Node<'gc>>",
            "Option<Box<other::Node>>",
            "Link<Node<'gc>>",
            "fn(Node<'gc>) -> Vec<u8>",
        ] {
            assert!(!is_recursive(field), "{field}");
        }
    }
}
