//! A message's arguments.

use super::{Carried, Locals, SignatureContext, in_place_of_self};
use crate::errors::Errors;
use crate::slips::plain::{self, Place};
use crate::types::{self, TakesTurn, Unowned};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Pat, PatType, Signature, Type};

/// One argument.
pub(crate) struct Arg {
    pub(crate) name: Ident,
    /// The type that the method takes.
    pub(crate) ty: Type,
    /// The type that the message has.
    pub(crate) sent: Type,
    pub(crate) carried: Carried,
    pub(crate) saved: SavedAs,
}

/// The type of vivant-codec as which an argument is saved.
pub(crate) enum SavedAs {
    Itself,
    /// `#[saved(serde)]`, `#[saved(any_order)]`
    Wrapped(Ident),
}

/// `#[saved(…)]`
fn is_saved(attr: &Attribute) -> bool {
    attr.path().is_ident("saved")
}

/// An attribute of a parameter that is not the compiler's.
pub(crate) fn is_own(attr: &Attribute) -> bool {
    is_locals(attr) || is_saved(attr)
}

fn saved(attrs: &[Attribute], errors: &mut Errors) -> SavedAs {
    let mut saved = SavedAs::Itself;
    for attr in attrs.iter().filter(|attr| is_saved(attr)) {
        errors.take(attr.parse_nested_meta(|meta| {
            let wrapper = if meta.path.is_ident("serde") {
                "Serde"
            } else if meta.path.is_ident("any_order") {
                "AnyOrder"
            } else {
                return Err(
                    meta.error("at an argument there are the options `serde` and `any_order`")
                );
            };
            saved = SavedAs::Wrapped(Ident::new(wrapper, meta.path.span()));
            Ok(())
        }));
    }
    saved
}

/// `a: A, b: B`
pub(crate) fn parameters(args: &[Arg]) -> TokenStream {
    let (names, types) = (
        args.iter().map(|arg| &arg.name),
        args.iter().map(|arg| &arg.ty),
    );
    quote!(#(#names: #types),*)
}

/// The arguments without the receiver.
pub(crate) fn typed(sig: &Signature) -> Vec<&PatType> {
    let typed = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    typed.collect()
}

/// Whether the first argument is the turn, and the arguments after it.
pub(super) fn turn_and_rest<'sig>(
    sig: &'sig Signature,
    errors: &mut Errors,
) -> (bool, Vec<&'sig PatType>) {
    let mut typed = typed(sig);
    for (i, argument) in typed.iter().enumerate() {
        match types::takes_turn(&argument.ty) {
            TakesTurn::Otherwise => errors.at(
                &argument.ty,
                "a turn is passed by shared reference: `t: &Turn<Self>`",
            ),
            TakesTurn::Shared if i > 0 => {
                errors.at(
                    argument,
                    "the turn comes first, before the message's arguments: `t: &Turn<Self>, …`",
                );
            }
            _ => {}
        }
    }
    let is_turn = |argument: &&PatType| types::takes_turn(&argument.ty) != TakesTurn::No;
    let takes_turn = typed.first().is_some_and(is_turn);
    typed.retain(|argument| !is_turn(argument));
    (takes_turn, typed)
}

/// Removes the parameter `&Asker`: it is in no message. Returns its span.
pub(super) fn asker<'sig>(
    mut typed: Vec<&'sig PatType>,
    errors: &mut Errors,
) -> (Option<Span>, Vec<&'sig PatType>) {
    let mut found = None;
    for (i, argument) in typed.iter().enumerate() {
        if types::takes_asker(&argument.ty) {
            found = Some(argument.ty.span());
            if i > 0 {
                errors.at(
                    argument,
                    "the asker comes before the message's arguments: `t: &Turn<Self>, asker: &Asker, …`",
                );
            }
        }
    }
    typed.retain(|argument| !types::takes_asker(&argument.ty));
    (found, typed)
}

/// Gives the turn this type, as the first argument; a method that does not take the turn takes it
/// without a name.
pub(crate) fn set_turn(sig: &mut Signature, ty: &Type) {
    let turns = sig.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(typed) if types::takes_turn(&typed.ty) == TakesTurn::Shared => Some(typed),
        _ => None,
    });
    match { turns }.next() {
        Some(turn) => *turn.ty = ty.clone(),
        None => sig.inputs.insert(1, syn::parse_quote!(_: #ty)),
    }
}

/// Removes the parameter marked `#[locals]`: it is in no message.
pub(super) fn locals<'sig>(
    mut typed: Vec<&'sig PatType>,
    errors: &mut Errors,
) -> (Option<Locals>, Vec<&'sig PatType>) {
    let mut found: Option<Locals> = None;
    let mut place = 0;
    typed.retain(|argument| {
        let is_locals = argument.attrs.iter().any(is_locals);
        if is_locals && found.is_some() {
            errors.at(
                argument,
                "one parameter has the locals: make it a tuple or a struct of all",
            );
        } else if is_locals {
            found = Some(Locals {
                place,
                ty: argument.ty.clone(),
            });
        }
        place += 1;
        !is_locals
    });
    (found, typed)
}

/// `#[locals]`
pub(crate) fn is_locals(attr: &Attribute) -> bool {
    attr.path().is_ident("locals")
}

/// Whether a promise fills the argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hole {
    Yes,
    No,
}

/// Reads an argument. An argument without a name gets one from `number`.
pub(super) fn arg(
    argument: &PatType,
    number: usize,
    hole: Hole,
    context: SignatureContext<'_>,
    errors: &mut Errors,
) -> Option<Arg> {
    let name = match &*argument.pat {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => name.ident.clone(),
        Pat::Wild(wild) => format_ident!("argument{number}", span = wild.span()),
        other => {
            errors.at(
                other,
                "a behaviour's argument needs a name: take it apart in the body",
            );
            return None;
        }
    };
    if context.is_plain() {
        plain::report_val(&argument.ty, Place::Argument, errors);
    }
    match types::unowned_in(&argument.ty, context.brand) {
        Some(Unowned::Reference(reference)) => {
            errors.at(&reference, owned_instead(&reference.elem))
        }
        Some(Unowned::Lifetime(lifetime)) => {
            errors.at(
                lifetime,
                format!("a message owns what it carries: {}", context.lifetimes()),
            );
        }
        Some(Unowned::ImplTrait(open)) => {
            errors.at(
                open,
                "a behaviour cannot be generic: make the actor generic, or take a `Box<dyn …>`",
            );
        }
        None => {}
    }
    if let Some(span) = types::promise_in(&argument.ty) {
        errors.at_span(
            span,
            "a promise cannot be sent: it stays with the actor that asked. Continue it with `.then(…)` and send its \
             value, or send the other end of `t.promise()`, the `Resolver`",
        );
    }
    let ty = in_place_of_self(&argument.ty, context.this, errors);
    let (carried, sent) = match hole {
        Hole::Yes => Carried::of_hole(&ty, context.brand, context.vivant),
        Hole::No => Carried::of(&ty, context.brand, context.vivant),
    };
    Some(Arg {
        name,
        ty,
        sent,
        carried,
        saved: saved(&argument.attrs, errors),
    })
}

/// The type to take instead of a reference.
fn owned_instead(elem: &Type) -> String {
    let instead = match elem {
        Type::Slice(slice) => {
            let item = slice.elem.to_token_stream();
            format!("take `Vec<{item}>`")
        }
        _ => match types::last_segment(elem)
            .map(|segment| segment.ident.to_string())
            .as_deref()
        {
            Some("str") => "take `String`".into(),
            Some("Path") => "take `PathBuf`".into(),
            Some("Address") => "take the `Address` itself; a clone is cheap".into(),
            _ => "take the value itself, an `Arc` of it or, of an actor, its `Address`".into(),
        },
    };
    format!("a message owns what it carries: {instead}")
}

/// The span of errors about the arguments together: the type of the only argument; of several, one
/// that by its tokens cannot be sent; otherwise the whole list.
pub(super) fn span(typed: &[&PatType], list: Span) -> Span {
    const NOT_SEND: &[&str] = &[
        "Rc",
        "RefCell",
        "Cell",
        "MutexGuard",
        "RwLockReadGuard",
        "RwLockWriteGuard",
    ];
    if let [only] = typed {
        return only.ty.span();
    }
    let suspect = typed.iter().find(|argument| {
        let text = argument.ty.to_token_stream().to_string();
        text.split(|letter: char| !letter.is_alphanumeric())
            .any(|word| NOT_SEND.contains(&word))
    });
    suspect.map_or(list, |argument| argument.ty.span())
}
