//! Types that own values of their own type. Tracing and dropping them takes as much stack as the
//! data is deep.

use proc_macro2::Ident;
use syn::{GenericArgument, Path, PathArguments, Type};

/// Types of the standard library, and `Mut`, that own values of their type argument. The heap's
/// collections have a brand, and own nothing by value.
const OWNING: &[&str] = &[
    "BTreeMap", "Box", "HashMap", "Mut", "Option", "Result", "Vec", "VecDeque",
];

/// The path in a field's type that owns a value of type `name`, if there is one. Unknown types are
/// trusted: the compiler finds the rest, with its own error (E0391).
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
    let owning = OWNING.iter().any(|owning| last.ident == owning);
    if !owning || arguments.args.iter().any(branded) {
        return None;
    }
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(of) => owns(of, name),
        _ => None,
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
            "Option<Iso<Node<'static>>>",
            "fn(Node<'gc>) -> Vec<u8>",
        ] {
            assert!(!is_recursive(field), "{field}");
        }
    }
}
