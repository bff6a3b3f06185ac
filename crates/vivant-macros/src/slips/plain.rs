//! Slips in the types of an actor without a graph.

use super::{CONTAINERS, generic, is_one_of, text};
use crate::errors::Errors;
use syn::{GenericArgument, Type};

/// The place of a value in a plain actor.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Field,
    Argument,
    Answer,
}

/// Reports each `Val<'static, Page>` in `ty`: such an actor has no heap for it.
pub(crate) fn report_val(ty: &Type, place: Place, errors: &mut Errors) {
    match ty {
        Type::Tuple(tuple) => {
            for part in &tuple.elems {
                report_val(part, place, errors);
            }
        }
        Type::Array(array) => report_val(&array.elem, place, errors),
        Type::Group(group) => report_val(&group.elem, place, errors),
        Type::Paren(paren) => report_val(&paren.elem, place, errors),
        Type::Path(_) => in_generic(ty, place, errors),
        _ => {}
    }
}

fn in_generic(ty: &Type, place: Place, errors: &mut Errors) {
    let Some((name, arguments)) = generic(ty) else {
        return;
    };
    let is_static = arguments.args.iter().any(|argument| match argument {
        GenericArgument::Lifetime(lifetime) => lifetime.ident == "static",
        _ => false,
    });
    if name == "Val" && is_static {
        errors.at(ty, place.advice(ty));
    }
    if is_one_of(name, CONTAINERS) {
        for argument in &arguments.args {
            if let GenericArgument::Type(of) = argument {
                report_val(of, place, errors);
            }
        }
    }
}

impl Place {
    fn advice(self, val: &Type) -> String {
        let val = text(val);
        let in_turn = val.replacen("'static", "'gc", 1);
        let instead = match self {
            Place::Field => format!(
                "keep a `Parcel<{val}>`, or give the state a lifetime, `'gc`, and keep a `{in_turn}`"
            ),
            Place::Argument => format!(
                "take a `{in_turn}` for the time of the call, `fn name<'gc>(…)`, or a `Parcel<{val}>`, which can be kept"
            ),
            Place::Answer => format!("answer with a `Parcel<{val}>`"),
        };
        format!("a `Val` lies in a heap, and an actor without a graph has none: {instead}")
    }
}
