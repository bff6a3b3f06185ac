//! The shape of a message, read from a method's signature: arguments, reply, and whether it takes the turn.

use crate::errors::Errors;
use crate::types::{self, TakesTurn, Unowned};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{FnArg, GenericParam, Pat, PatType, ReceiverKind, ReturnType, Signature, Type};

/// What a method says about its message.
pub(crate) struct Shape {
    pub(crate) ident: Ident,
    pub(crate) takes_turn: bool,
    pub(crate) args: Vec<Arg>,
    pub(crate) reply: Type,
    /// What is underlined when the answer is at fault.
    pub(crate) reply_span: Span,
    /// What is underlined when the arguments together are at fault.
    pub(crate) args_span: Span,
}

/// One argument.
pub(crate) struct Arg {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
}

/// What a signature belongs to; messages of errors differ by it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A method that is told: it has a `self`.
    Behaviour,
    /// `#[start]`: it has none yet.
    Start,
}

impl Shape {
    /// Reads `sig`, with `this` in the place of `Self`. What cannot be a message is an error; all are reported.
    pub(crate) fn of(
        sig: &Signature,
        role: Role,
        this: Option<&Type>,
        errors: &mut Errors,
    ) -> Option<Shape> {
        let mut own = Errors::default();
        qualifiers(sig, role, &mut own);
        let (takes_turn, typed) = turn_and_rest(sig, &mut own);
        let args: Vec<Arg> = typed
            .iter()
            .enumerate()
            .filter_map(|(i, argument)| arg(argument, i, this, &mut own))
            .collect();
        let (reply, reply_span) = reply(sig, role, this, &mut own);
        let shape = Shape {
            ident: sig.ident.clone(),
            takes_turn,
            args_span: args_span(&typed, sig.paren_token.span.join()),
            args,
            reply,
            reply_span,
        };
        if own.is_empty() {
            return Some(shape);
        }
        errors.append(own);
        None
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &Ident> {
        self.args.iter().map(|arg| &arg.name)
    }

    pub(crate) fn types(&self) -> impl Iterator<Item = &Type> {
        self.args.iter().map(|arg| &arg.ty)
    }

    /// The type of all arguments together. Its span is that of the arguments, so that errors are shown there.
    pub(crate) fn args_type(&self) -> TokenStream {
        let types = self.types();
        parenthesized(quote!(#(#types,)*), self.args_span)
    }

    /// `a: A, b: B`
    pub(crate) fn parameters(&self) -> TokenStream {
        parameters(&self.args)
    }
}

/// `a: A, b: B`
pub(crate) fn parameters(args: &[Arg]) -> TokenStream {
    let (names, types) = (
        args.iter().map(|arg| &arg.name),
        args.iter().map(|arg| &arg.ty),
    );
    quote!(#(#names: #types),*)
}

/// `(inside)`, at `span`.
pub(crate) fn parenthesized(inside: TokenStream, span: Span) -> TokenStream {
    let mut group = Group::new(Delimiter::Parenthesis, inside);
    group.set_span(span);
    group.into_token_stream()
}

/// What stands around the arguments.
fn qualifiers(sig: &Signature, role: Role, errors: &mut Errors) {
    if let Some(asyncness) = &sig.asyncness {
        errors.at(
            asyncness,
            match role {
                Role::Behaviour => "a turn cannot be suspended: return `t.spawn(async move { … })`, which is a promise",
                Role::Start => {
                    "a turn cannot be suspended: make the state now, and start the future in it with `t.spawn(async move { … })`"
                }
            },
        );
    }
    if let syn::Safety::Unsafe(unsafety) = &sig.safety {
        errors.at(
            unsafety,
            "a message cannot be unsafe: whoever sends it promises nothing",
        );
    }
    if let Some(variadic) = &sig.variadic {
        errors.at(variadic, "a message has as many arguments as it has");
    }
    for parameter in &sig.generics.params {
        if let GenericParam::Type(_) | GenericParam::Const(_) = parameter {
            errors.at(
                parameter,
                "a behaviour cannot be generic: make the actor generic (a message is one type, with one name)",
            );
        }
    }
    if let Some(receiver) = sig.receiver() {
        let by_reference = match &receiver.kind {
            ReceiverKind::Reference(..) => true,
            ReceiverKind::Typed(_, ty) => matches!(&**ty, Type::Reference(_)),
            _ => false,
        };
        if !by_reference {
            errors.at(
                receiver,
                "a behaviour takes `&mut self` or `&self`: the state stays with the actor (to end it, call `t.stop()`)",
            );
        }
    }
}

/// Whether the first argument is the turn, and the arguments after it.
fn turn_and_rest<'sig>(sig: &'sig Signature, errors: &mut Errors) -> (bool, Vec<&'sig PatType>) {
    let mut typed: Vec<&PatType> = sig
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => Some(typed),
            FnArg::Receiver(_) => None,
        })
        .collect();
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

fn arg(argument: &PatType, number: usize, this: Option<&Type>, errors: &mut Errors) -> Option<Arg> {
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
    match types::unowned_in(&argument.ty) {
        Some(Unowned::Reference(reference)) => {
            errors.at(&reference, owned_instead(&reference.elem))
        }
        Some(Unowned::Lifetime(lifetime)) => {
            errors.at(
                lifetime,
                "a message owns what it carries: no lifetime but `'static` can be in it",
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
        errors.push(syn::Error::new(
            span,
            "a promise cannot be sent: it stays with the actor that asked. Continue it with `.then(…)` and send its \
             value, or send the other end of `t.promise()`, the `Resolver`",
        ));
    }
    Some(Arg {
        name,
        ty: in_place_of_self(&argument.ty, this, errors),
    })
}

/// What to take instead of a reference.
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
            _ => "take the value itself, or an `Arc` of it".into(),
        },
    };
    format!("a message owns what it carries: {instead}")
}

fn reply(sig: &Signature, role: Role, this: Option<&Type>, errors: &mut Errors) -> (Type, Span) {
    let ReturnType::Type(_, ty) = &sig.output else {
        return (syn::parse_quote!(()), sig.ident.span());
    };
    let span = ty.span();
    if role == Role::Start {
        return (in_place_of_self(ty, this, errors), span);
    }
    match types::unowned_in(ty) {
        Some(Unowned::Reference(reference)) => {
            errors.at(reference, "an answer owns what it carries: it leaves the actor. Return a copy or a part of the state");
        }
        Some(Unowned::Lifetime(lifetime)) => {
            errors.at(
                lifetime,
                "an answer owns what it carries: no lifetime but `'static` can be in it",
            );
        }
        Some(Unowned::ImplTrait(open)) => {
            errors.at(open, "an answer is one type, which the sender names: return that type, or a `Box<dyn …>`");
        }
        None => {}
    }
    let value = types::promised(ty).unwrap_or(ty);
    if let Some(span) = types::promise_in(value) {
        errors.push(syn::Error::new(
            span,
            "a promise is returned by itself, not inside something else: `t.all(…)` and `t.any(…)` make one of many",
        ));
    }
    (in_place_of_self(value, this, errors), span)
}

fn in_place_of_self(ty: &Type, this: Option<&Type>, errors: &mut Errors) -> Type {
    match this {
        Some(this) => types::without_self(ty, this),
        None => {
            if let Some(span) = types::self_in(ty) {
                errors.push(syn::Error::new(
                    span,
                    "an interface's message cannot speak of `Self`: whoever sends it does not know the actor's type",
                ));
            }
            ty.clone()
        }
    }
}

/// The one argument's type; of several, one that cannot be sent for all we know; or else the whole list.
fn args_span(typed: &[&PatType], list: Span) -> Span {
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
