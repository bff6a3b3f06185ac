//! Slips in continuations of an actor with a graph: a reference to a private object as an argument.

use super::erase::Erase;
use super::{generic, text};
use crate::errors::Errors;
use syn::visit_mut::VisitMut;
use syn::{Attribute, FnArg, GenericArgument, ImplItemFn, Lifetime, Path, Type, parse_quote};

/// Reports the slips in a continuation, and corrects them: `Gc<'gc, Item<'gc>>` becomes
/// `Rooted<Shop, Item<'static>>`.
pub(super) fn correct(
    method: &mut ImplItemFn,
    actor: &Path,
    brand: &Lifetime,
    errors: &mut Errors,
) {
    let is_then = |attr: &Attribute| attr.path().is_ident("then");
    if !method.attrs.iter().any(is_then) {
        return;
    }
    for input in &mut method.sig.inputs {
        if let FnArg::Typed(argument) = input
            && let Some(content) = content_of_gc(&argument.ty)
        {
            let mut content = content.clone();
            Erase::of(brand).visit_type_mut(&mut content);
            let right: Type = parse_quote!(Rooted<#actor, #content>);
            errors.at(
                &argument.ty,
                format!(
                    "a `Gc` stays within one turn: write `{}`, made by `t.root(…)` and opened by `.open(t)`. A root keeps the object until the flow ends",
                    text(&right)
                ),
            );
            *argument.ty = right;
        }
    }
}

/// `T` of `Gc<'gc, T>`.
fn content_of_gc(ty: &Type) -> Option<&Type> {
    let (name, arguments) = generic(ty)?;
    let content = arguments.args.last().filter(|_| name == "Gc")?;
    match content {
        GenericArgument::Type(content) => Some(content),
        _ => None,
    }
}
