//! One method of the block, sorted by its attributes.

use crate::errors::Errors;
use crate::options::Vivant;
use crate::shape::{is_own, promise_parcel};
use crate::slips;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Expr, FnArg, ImplItemFn, Lifetime, Meta, Pat, ReturnType, Signature, Stmt, Token,
    Type, Visibility, parse_quote,
};

/// A method for which code is written.
pub(super) struct Method {
    /// The user's attributes, without those of these macros.
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) sig: Signature,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    /// A message.
    Behaviour(BehaviourAttrs),
    /// A message without a body, which joins take.
    Joined,
    /// Takes several messages together.
    Join(Box<JoinAttrs>),
    /// Makes the state; with the attribute's name, the span of errors about `spawn`.
    Start(Ident),
    /// Gets the reason of the actor's end.
    Stop,
}

/// The attributes of a behaviour.
#[derive(Default)]
pub(super) struct BehaviourAttrs {
    /// `#[when(…)]`
    pub(super) guard: Option<Box<Expr>>,
    /// `#[then]`
    pub(super) then: Option<Box<Attribute>>,
    /// `#[if_awaited]`
    pub(super) if_awaited: Option<Box<Attribute>>,
}

/// The attributes of a join.
pub(super) struct JoinAttrs {
    /// `#[join(…)]`
    pub(super) join: Attribute,
    /// The messages that it names.
    pub(super) messages: Vec<Ident>,
    /// `#[when(…)]`
    pub(super) guard: Option<Box<Expr>>,
}

/// Removes our attributes from `function` and returns what to write for it: nothing for plain
/// functions. An `async` method is reported with its signature; no other error follows from its
/// body. A signature's promise about the state's `brand` becomes one about a parcel.
pub(super) fn read(
    function: &mut ImplItemFn,
    brand: Option<&Lifetime>,
    vivant: &Vivant,
    errors: &mut Errors,
) -> Option<Method> {
    let mut own_attrs = BehaviourAttrs::default();
    let mut sort: Option<Attribute> = None;
    let mut guard: Option<Attribute> = None;
    let mut if_awaited: Option<Attribute> = None;
    let ours: Vec<Attribute> = function
        .attrs
        .extract_if(.., |attr| is_ours(attr))
        .collect();
    for attr in ours {
        let place = if attr.path().is_ident("when") {
            &mut guard
        } else if attr.path().is_ident("if_awaited") {
            &mut if_awaited
        } else {
            &mut sort
        };
        if let Some(before) = place.replace(attr) {
            let attr = place.as_ref().unwrap_or(&before);
            errors.at(attr, format!("there is `#[{}]` already", path(&before)));
        }
    }
    let sort_name = sort.as_ref().map(path);
    if let (Some(sort), Some("local" | "start" | "stop"), Some(guard)) =
        (&sort, sort_name.as_deref(), &guard)
    {
        errors.at(
            guard,
            format!(
                "only a behaviour has a guard, and this is `#[{}]`",
                path(sort)
            ),
        );
    }
    if let (Some(sort), Some("local" | "start" | "stop" | "join"), Some(if_awaited)) =
        (&sort, sort_name.as_deref(), &if_awaited)
    {
        errors.at(
            if_awaited,
            format!(
                "only a behaviour of one message can be withdrawn, and this is `#[{}]`",
                path(sort)
            ),
        );
    }
    for attr in [&sort, &if_awaited].into_iter().flatten() {
        if attr.path().is_ident("join") || matches!(attr.meta, Meta::Path(_)) {
            continue;
        }
        errors.at(attr, format!("`#[{}]` takes no arguments", path(attr)));
    }
    if let Some(guard) = &guard {
        own_attrs.guard = errors.take(guard.parse_args()).map(Box::new);
        mark_used(function, guard);
    }
    let has_self = function.sig.receiver().is_some();
    let kind = match (sort_name.as_deref(), sort) {
        (Some("local"), _) => return None,
        (Some("start"), Some(attr)) => {
            if has_self {
                errors.at(
                    &function.sig.inputs[0],
                    "`#[start]` makes the state: there is no `self` yet",
                );
                return None;
            }
            Kind::Start(attr.path().segments[0].ident.clone())
        }
        (Some("stop"), _) => Kind::Stop,
        (Some("join"), Some(join)) => {
            if !has_self {
                errors.at(
                    &function.sig,
                    "a join takes `&mut self`, then the parameters of its messages",
                );
                return None;
            }
            Kind::Join(Box::new(JoinAttrs {
                messages: joined(&join, errors)?,
                join,
                guard: own_attrs.guard.take(),
            }))
        }
        (_, then) => {
            if !has_self {
                if let Some(attr) = then.or(guard).or(if_awaited) {
                    errors.at(
                        attr,
                        "a behaviour takes `&mut self`: without it this is a plain function",
                    );
                }
                return None;
            }
            own_attrs.then = then.map(Box::new);
            own_attrs.if_awaited = if_awaited.map(Box::new);
            Kind::Behaviour(own_attrs)
        }
    };
    let method = Method {
        attrs: function.attrs.clone(),
        vis: function.vis.clone(),
        sig: function.sig.clone(),
        kind,
    };
    allow_what_messages_need(function);
    if function.sig.asyncness.take().is_some() {
        slips::without_body(function);
    }
    if let (Some(brand), ReturnType::Type(_, output)) = (brand, &mut function.sig.output) {
        match (&method.kind, &mut **output) {
            (Kind::Join(_), Type::Tuple(replies)) => {
                let replies = replies.elems.iter_mut();
                replies.for_each(|reply| promise_parcel(reply, brand, vivant));
            }
            (_, output) => promise_parcel(output, brand, vivant),
        }
    }
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(typed) = input {
            typed.attrs.retain(|attr| !is_own(attr));
        }
    }
    Some(method)
}

/// Reads a method without a body: a message that joins take. `None` if `item` is none.
pub(super) fn read_joined(item: &TokenStream, errors: &mut Errors) -> Option<Method> {
    let WithoutBody {
        mut attrs,
        vis,
        sig,
    } = syn::parse2(item.clone()).ok()?;
    for attr in attrs.extract_if(.., |attr| is_ours(attr)) {
        let what = match path(&attr).as_str() {
            "when" => "it waits for others, so the guard stands at the join that takes it",
            _ => "its joins take it, so it has no turn of its own",
        };
        errors.at(
            &attr,
            format!(
                "a message without a body has no `#[{}]`: {what}",
                path(&attr)
            ),
        );
    }
    if let Some(receiver) = sig.receiver() {
        errors.at(
            receiver,
            "a message without a body has no `self`: write its parameters alone, and `&mut self` at the join that takes it",
        );
    }
    Some(Method {
        attrs,
        vis,
        sig,
        kind: Kind::Joined,
    })
}

/// `pub fn put(item: u64);`
struct WithoutBody {
    attrs: Vec<Attribute>,
    vis: Visibility,
    sig: Signature,
}

impl Parse for WithoutBody {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let (vis, sig) = (input.parse()?, input.parse()?);
        input.parse::<Token![;]>()?;
        Ok(WithoutBody { attrs, vis, sig })
    }
}

/// The names in `#[join(put, get)]`.
fn joined(join: &Attribute, errors: &mut Errors) -> Option<Vec<Ident>> {
    let names = match join.meta {
        Meta::Path(_) => Ok(Punctuated::new()),
        _ => join.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated),
    };
    let Ok(names) = names else {
        errors.at(
            join,
            "name the messages that it takes, as in `#[join(put, get)]`",
        );
        return None;
    };
    Some(names.into_iter().collect())
}

/// Allows lints that are right for methods and wrong for messages: messages own their arguments,
/// are sent to an actor, and their answers may be dropped; and `&Turn<Self>` is how a turn is
/// written.
fn allow_what_messages_need(function: &mut ImplItemFn) {
    let allow = parse_quote! {
        #[allow(
            elided_lifetimes_in_paths,
            clippy::missing_const_for_fn,
            clippy::must_use_candidate,
            clippy::needless_pass_by_ref_mut,
            clippy::needless_pass_by_value,
            clippy::unused_self,
        )]
    };
    // First, so that the user's own lint attributes have the last word.
    function.attrs.insert(0, allow);
}

/// An argument that only the guard reads is not unused.
fn mark_used(function: &mut ImplItemFn, guard: &Attribute) {
    let in_guard = idents(guard.meta.to_token_stream());
    let names = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(name) => Some(&name.ident),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let used: Vec<Stmt> = names
        .filter(|name| in_guard.contains(name))
        .map(|name| parse_quote!(let _ = &#name;))
        .collect();
    function.block.stmts.splice(0..0, used);
}

/// Every name in `tokens`, however deep.
pub(super) fn idents(tokens: TokenStream) -> Vec<Ident> {
    let mut idents = Vec::new();
    for tree in tokens {
        match tree {
            TokenTree::Ident(ident) => idents.push(ident),
            TokenTree::Group(group) => idents.extend(self::idents(group.stream())),
            _ => {}
        }
    }
    idents
}

fn is_ours(attr: &Attribute) -> bool {
    [
        "when",
        "then",
        "start",
        "stop",
        "local",
        "join",
        "if_awaited",
    ]
    .iter()
    .any(|name| attr.path().is_ident(name))
}

fn path(attr: &Attribute) -> String {
    attr.path()
        .get_ident()
        .map(ToString::to_string)
        .unwrap_or_default()
}
