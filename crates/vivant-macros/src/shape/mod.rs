//! The shape of a message, read from a method's signature: arguments, reply, and whether the method
//! takes the turn.

mod args;
mod carried;

use crate::errors::Errors;
use crate::names;
use crate::options::Vivant;
use crate::slips::alias;
use crate::slips::plain::{self, Place};
use crate::types::{self, Unowned};
use args::Hole;
pub(crate) use args::{Arg, SavedAs, is_own, parameters, set_turn, typed};
pub(crate) use carried::{Carried, names, promise_parcel, rebranded};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{
    Attribute, GenericParam, Generics, Index, Lifetime, ReceiverKind, ReturnType, Signature, Type,
};

/// The shape of a message.
pub(crate) struct Shape {
    pub(crate) ident: Ident,
    pub(crate) takes_turn: bool,
    /// The span of the asker's type, if the method takes it.
    pub(crate) asker: Option<Span>,
    pub(crate) args: Vec<Arg>,
    /// One turn, or many.
    pub(crate) steps: Steps,
    /// The type of the message's answer.
    pub(crate) reply: Type,
    /// How the method's result is carried in it; for a promise, how it is promised already.
    pub(crate) answer: Carried,
    /// The lifetime of the packed values.
    pub(crate) brand: Option<Lifetime>,
    /// Whether a parcel is opened for the duration of the call, not unpacked into the turn.
    pub(crate) opens: bool,
    /// The span of errors about the answer.
    pub(crate) reply_span: Span,
    /// The span of errors about the arguments together.
    pub(crate) args_span: Span,
}

/// The number of turns of a behaviour.
pub(crate) enum Steps {
    One,
    /// It returns `Step`. With its locals, if there are any.
    Many(Option<Locals>),
}

/// The parameter marked `#[locals]`.
pub(crate) struct Locals {
    /// Its position among the parameters.
    pub(crate) place: usize,
    pub(crate) ty: Box<Type>,
}

/// The item of a signature; error messages differ by it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A method that is sent as a message: it has a `self`.
    Behaviour,
    /// `#[then]`: a method with a first argument that a promise fills.
    Continuation,
    /// `#[start]`: it has no `self` yet.
    Start,
}

/// The owner of the messages.
#[derive(Clone, Copy)]
pub(crate) struct SignatureContext<'a> {
    pub(crate) vivant: &'a Vivant,
    /// The type for `Self`; an interface has none.
    pub(crate) this: Option<&'a Type>,
    /// The lifetime of the state, if it is a graph and names it. Values of this brand travel in
    /// parcels.
    pub(crate) brand: Option<&'a Lifetime>,
    pub(crate) own: OwnLifetimes,
}

/// Whether a method may have a lifetime of its own, for the content of a parcel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnLifetimes {
    /// Of a plain actor. Its turns have no heap: the parcel is opened for the duration of the call.
    Opened,
    Refused,
}

impl SignatureContext<'_> {
    /// Whether the messages are those of an actor without a graph.
    fn is_plain(&self) -> bool {
        self.own == OwnLifetimes::Opened
    }

    /// The lifetimes that may be in a message, as text for errors.
    fn lifetimes(&self) -> String {
        match (self.brand, self.own) {
            (Some(brand), _) => format!(
                "no lifetime but `'static`, and `{brand}` where a `Val` has it, can be in it"
            ),
            (None, OwnLifetimes::Opened) => "no lifetime but `'static` can be in it. What heaps share is in a `Parcel<Val<'static, T>>`; what one \
                     call needs of it, it may take as `Val<'gc, T>`: `fn read<'gc>(…)`"
                .to_owned(),
            (None, OwnLifetimes::Refused) => "no lifetime but `'static` can be in it. What heaps share is in a `Parcel<Val<'static, T>>`, or as \
                     `Val<'gc, T>` in messages of an actor whose state has that lifetime"
                .to_owned(),
        }
    }
}

impl Shape {
    /// Reads `sig`. A signature that cannot be a message's is an error; all errors are reported.
    pub(crate) fn of(
        sig: &Signature,
        role: Role,
        context: SignatureContext<'_>,
        errors: &mut Errors,
    ) -> Option<Shape> {
        let mut own = Errors::default();
        let opened = match (context.own, role) {
            (OwnLifetimes::Opened, Role::Behaviour | Role::Continuation) => {
                sig.generics.lifetimes().next()
            }
            _ => None,
        };
        let opened = opened.map(|opened| opened.lifetime.clone());
        let answers = context;
        let context = SignatureContext {
            brand: opened.as_ref().or(context.brand),
            ..context
        };
        qualifiers(sig, role, &mut own);
        let (takes_turn, typed) = args::turn_and_rest(sig, &mut own);
        let (asker, typed) = args::asker(typed, &mut own);
        if let Some(span) = asker
            && (role == Role::Start || context.this.is_none())
        {
            let here = match role {
                Role::Start => "a start replies to no request",
                _ => "an interface's message has no asker",
            };
            own.at_span(
                span,
                format!("{here}: only a behaviour of the actor itself takes `&Asker`"),
            );
        }
        let (locals, typed) = args::locals(typed, &mut own);
        let args: Vec<Arg> = typed
            .iter()
            .enumerate()
            .filter_map(|(i, argument)| {
                let hole = match (role, i) {
                    (Role::Continuation, 0) => Hole::Yes,
                    _ => Hole::No,
                };
                args::arg(argument, i, hole, context, &mut own)
            })
            .collect();
        let (answer, reply, reply_span) = reply(sig, role, answers, &mut own);
        let shape = Shape {
            ident: sig.ident.clone(),
            takes_turn,
            asker,
            args_span: args::span(&typed, sig.paren_token.span.join()),
            args,
            steps: steps(sig, locals, &mut own),
            reply,
            answer,
            reply_span,
            brand: context.brand.cloned(),
            opens: opened.is_some(),
        };
        if shape.opens {
            one_parcel(&shape, &mut own);
        }
        if own.is_empty() {
            return Some(shape);
        }
        errors.append(own);
        None
    }

    /// Reports the asker where there is none.
    pub(crate) fn without_asker(&self, why: &str, errors: &mut Errors) {
        if let Some(span) = self.asker {
            errors.at_span(
                span,
                format!("{why}: only a behaviour of the actor itself takes `&Asker`"),
            );
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &Ident> {
        self.args.iter().map(|arg| &arg.name)
    }

    /// The impl of `Message` for the marker type `of`.
    pub(crate) fn message(
        &self,
        cfgs: &[&Attribute],
        (of, generics): (&TokenStream, &Generics),
        name: &TokenStream,
        vivant: &Vivant,
    ) -> TokenStream {
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let (args, reply) = (self.args_type(), &self.reply);
        let fmt_args = self.fmt_args(vivant);
        quote! {
            #(#cfgs)*
            #[automatically_derived]
            #[allow(deprecated, unused_imports, unused_qualifications)]
            impl #impl_generics #vivant::Message for #of #where_clause {
                type Args = #args;
                type Reply = #reply;
                const NAME: &'static str = #name;
                #fmt_args
            }
        }
    }

    /// The arguments by name, with the values of those that are `Debug`.
    fn fmt_args(&self, vivant: &Vivant) -> TokenStream {
        let arguments = self.args.iter().enumerate().map(|(number, arg)| {
            let (name, field) = (names::bare(&arg.name), Index::from(number));
            quote!((#name, #vivant::__private::Argument(&args.#field).of()))
        });
        quote! {
            fn fmt_args(
                args: &Self::Args,
                f: &mut ::core::fmt::Formatter<'_>,
            ) -> ::core::fmt::Result {
                use #vivant::__private::NotDebug as _;
                let _ = args;
                #vivant::__private::fmt_named(f, &[#(#arguments),*])
            }
        }
    }

    /// The type of all arguments together, as a tuple. Its span is that of the arguments, so errors
    /// are reported there.
    pub(crate) fn args_type(&self) -> TokenStream {
        let types = self.args.iter().map(|arg| &arg.sent);
        let mut tuple = Group::new(Delimiter::Parenthesis, quote!(#(#types,)*));
        tuple.set_span(self.args_span);
        tuple.into_token_stream()
    }

    /// `a: A, b: B`
    pub(crate) fn parameters(&self) -> TokenStream {
        parameters(&self.args)
    }
}

/// Checks that an opened parcel has a lifetime that no other has.
fn one_parcel(shape: &Shape, errors: &mut Errors) {
    let mut parcels = shape.args.iter().filter(|arg| !arg.carried.is_plain());
    let first = parcels.next();
    for second in parcels {
        errors.at(
            &second.name,
            "an actor without a graph opens one parcel in a call: take a tuple of both as one argument, or give the state a lifetime",
        );
    }
    if let (Steps::Many(_), Some(first)) = (&shape.steps, first) {
        errors.at(
            &first.name,
            "an actor without a graph keeps nothing of a parcel for another step: give the state a lifetime, or take the `Parcel` itself",
        );
    }
}

fn steps(sig: &Signature, locals: Option<Locals>, errors: &mut Errors) -> Steps {
    let is_stepped = match &sig.output {
        ReturnType::Type(_, ty) => types::stepped(ty).is_some(),
        ReturnType::Default => false,
    };
    match (is_stepped, locals) {
        (true, locals) => Steps::Many(locals),
        (false, None) => Steps::One,
        (false, Some(locals)) => {
            errors.at_span(
                locals.ty.span(),
                "locals are what one step leaves for the next: this behaviour has one step only. Return `Step<(…), …>`, or take \
                 the value as an argument",
            );
            Steps::One
        }
    }
}

/// Checks the qualifiers of the signature.
fn qualifiers(sig: &Signature, role: Role, errors: &mut Errors) {
    if let Some(asyncness) = &sig.asyncness {
        errors.at(
            asyncness,
            match role {
                Role::Behaviour | Role::Continuation => "a turn cannot be suspended: return `t.spawn(async move { … })`, which is a promise",
                Role::Start => {
                    "a turn cannot be suspended: make the state now, and start the future in it with `t.spawn(async \
                     move { … })`"
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

fn reply(
    sig: &Signature,
    role: Role,
    context: SignatureContext<'_>,
    errors: &mut Errors,
) -> (Carried, Type, Span) {
    let ReturnType::Type(_, ty) = &sig.output else {
        return (Carried::Plain, syn::parse_quote!(()), sig.ident.span());
    };
    let span = ty.span();
    if role == Role::Start {
        return (
            Carried::Plain,
            in_place_of_self(ty, context.this, errors),
            span,
        );
    }
    let ty = types::stepped(ty).unwrap_or(ty);
    if context.is_plain() {
        plain::report_val(ty, Place::Answer, errors);
    }
    match types::unowned_in(ty, context.brand) {
        Some(Unowned::Reference(reference)) => {
            errors.at(
                reference,
                "an answer owns what it carries, because it leaves the actor: return a copy, or a part of the state",
            );
        }
        Some(Unowned::Lifetime(lifetime)) => {
            errors.at(
                lifetime,
                format!("an answer owns what it carries: {}", context.lifetimes()),
            );
        }
        Some(Unowned::ImplTrait(open)) => {
            errors.at(open, "an answer is one type, which the sender names: return that type, or a `Box<dyn …>`");
        }
        None => {}
    }
    let (promised, error) = match types::promised_or_error(ty) {
        Some((value, error)) => (Some(value), Some(error)),
        None => (types::promised(ty), None),
    };
    let value = promised.unwrap_or(ty);
    for part in [Some(value), error].into_iter().flatten() {
        if let Some(span) = types::promise_in(part) {
            if let Some(whole) = alias::written_out(part) {
                errors.at(
                    part,
                    format!(
                        "a macro reads the names of types, and sees no `Result` behind an alias: write `{whole}`"
                    ),
                );
                continue;
            }
            errors.at_span(
                span,
                "a promise is returned by itself, or as `Result<Promise<…>, E>`, not inside something else: \
                 `t.all(…)` and `t.any(…)` make one of many",
            );
        }
    }
    let value = in_place_of_self(value, context.this, errors);
    let (answer, reply) = Carried::of(&value, context.brand, context.vivant);
    let reply = match error {
        Some(error) => or_error(&reply, error, context, errors),
        None => reply,
    };
    match promised {
        Some(_) => (Carried::Plain, reply, span),
        None => (answer, reply, span),
    }
}

/// The reply of a method that returns an error, or a promise of `value`: `value` itself, if that is
/// a result with the same error.
fn or_error(
    value: &Type,
    error: &Type,
    context: SignatureContext<'_>,
    errors: &mut Errors,
) -> Type {
    if context
        .brand
        .is_some_and(|brand| carried::names(error, brand))
    {
        errors.at(
            error,
            "the error beside a promise leaves the turn as it is: it cannot contain collected objects",
        );
    }
    let error = in_place_of_self(error, context.this, errors);
    if let Some((_, same)) = types::result_of(value)
        && types::is_written_alike(same, &error)
    {
        return value.clone();
    }
    syn::parse_quote!(::core::result::Result<#value, #error>)
}

fn in_place_of_self(ty: &Type, this: Option<&Type>, errors: &mut Errors) -> Type {
    match this {
        Some(this) => types::without_self(ty, this),
        None => {
            if let Some(span) = types::self_in(ty) {
                errors.at_span(
                    span,
                    "an interface's message cannot speak of `Self`: whoever sends it does not know the actor's type",
                );
            }
            ty.clone()
        }
    }
}
