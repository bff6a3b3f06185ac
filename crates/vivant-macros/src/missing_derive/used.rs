//! The types of an object's fields that have to be objects too.

use crate::errors::Errors;
use crate::object::is_leaf;
use crate::types::fields;
use proc_macro2::Ident;
use syn::{DeriveInput, GenericArgument, PathArguments, Type};

/// Types that are objects if their arguments are.
const SEEN_THROUGH: &[&str] = &[
    "Option", "Vec", "Box", "VecDeque", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "WeakMap",
    "Gc", "Mut", "Val", "Weak", "Tag",
];

/// The names, in the order of the fields, without those of the object itself and its parameters.
pub(super) fn used(object: &DeriveInput) -> Vec<Ident> {
    let mut names = Vec::new();
    for field in fields(&object.data) {
        if !is_leaf(field, &mut Errors::default()) {
            add(&field.ty, &mut names);
        }
    }
    let is_parameter = |name: &Ident| object.generics.type_params().any(|of| of.ident == *name);
    names.retain(|name| *name != object.ident && !is_parameter(name));
    names
}

fn add(ty: &Type, names: &mut Vec<Ident>) {
    match ty {
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|part| add(part, names)),
        Type::Array(array) => add(&array.elem, names),
        Type::Slice(slice) => add(&slice.elem, names),
        Type::Paren(paren) => add(&paren.elem, names),
        Type::Group(group) => add(&group.elem, names),
        Type::Path(path) if path.qself.is_none() => {
            let Some(last) = path.path.segments.last() else {
                return;
            };
            if SEEN_THROUGH.iter().any(|name| last.ident == name) {
                if let PathArguments::AngleBracketed(arguments) = &last.arguments {
                    for argument in &arguments.args {
                        if let GenericArgument::Type(of) = argument {
                            add(of, names);
                        }
                    }
                }
            } else if path.path.segments.len() == 1 && !names.contains(&last.ident) {
                names.push(last.ident.clone());
            }
        }
        _ => {}
    }
}
