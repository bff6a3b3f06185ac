//! `#[interface]`: a trait with messages as its methods, for every actor that implements it.
//!
//! The trait stays as it is, but for two things. Its methods are for sized types: so `dyn Ledger`
//! is a type, and names the interface. And all take the turn: so an implementor may take it where
//! the trait does not, and the other way round. The turn's type differs by actor, and for a graph
//! has its brand; it is an associated type. [`written`] has the code beside it.

mod written;

use crate::errors::Errors;
use crate::options::{self, Options};
use crate::shape::{OwnLifetimes, Role, Shape, SignatureContext, Steps, set_turn};
use crate::{names, surface};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, ItemTrait, TraitItem, TraitItemFn, parse_quote};
use written::Interface;

pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = errors
        .take(Options::parse(arguments, options::INTERFACE))
        .unwrap_or_default();
    let Some(mut item_trait) =
        errors.parsed::<ItemTrait>(&item, "`#[interface]` stands on a trait")
    else {
        return quote!(#item #errors);
    };
    if !item_trait.generics.params.is_empty() {
        errors.at(
            &item_trait.generics,
            "an interface has no parameters: its messages are one type each, with one name",
        );
        return quote!(#item_trait #errors);
    }
    let others = item_trait
        .items
        .iter()
        .filter(|item| !matches!(item, TraitItem::Fn(_)));
    for other in others.clone() {
        errors.at(
            other,
            "an interface has methods only: they are its messages",
        );
    }
    if others.count() > 0 {
        return quote!(#item_trait #errors);
    }
    let messages: Vec<Message> = item_trait
        .items
        .iter_mut()
        .filter_map(|item| message(item, &options, &mut errors))
        .collect();
    item_trait.items.push(parse_quote! {
        /// The turn of the actor that implements it. The name is in the compiler's error for an
        /// impl without the attribute.
        #[doc(hidden)]
        type __WrittenByBehaviours<'turn> where Self: ::core::marker::Sized;
    });
    let written = Interface {
        options: &options,
        cfgs: surface::named(&item_trait.attrs, "cfg"),
        item: &item_trait,
        module: options
            .module
            .clone()
            .unwrap_or_else(|| names::messages(&item_trait.ident, None)),
        messages,
    }
    .expand();
    quote!(#item_trait #errors #written)
}

/// One method.
struct Message {
    attrs: Vec<Attribute>,
    shape: Shape,
    marker: Ident,
}

/// Reads a method, and makes it one for sized types.
fn message(item: &mut TraitItem, options: &Options, errors: &mut Errors) -> Option<Message> {
    let TraitItem::Fn(method) = item else {
        return None;
    };
    let legal = check(method, errors);
    let context = SignatureContext {
        vivant: &options.vivant,
        this: None,
        brand: None,
        own: OwnLifetimes::Refused,
    };
    let shape = Shape::of(&method.sig, Role::Behaviour, context, errors);
    let clauses = method.sig.generics.make_where_clause();
    clauses
        .predicates
        .push(parse_quote!(Self: ::core::marker::Sized));
    if shape.is_none() {
        // It may name `Address<Self>` or `Turn<Self>`, and is refused already.
        let vivant = &options.vivant;
        clauses.predicates.push(parse_quote!(Self: #vivant::Actor));
    } else if method.sig.receiver().is_some() {
        let turn = parse_quote!(&Self::__WrittenByBehaviours<'_>);
        set_turn(&mut method.sig, &turn);
    }
    method
        .attrs
        .insert(0, parse_quote!(#[allow(elided_lifetimes_in_paths)]));
    if let Some(stepped) = shape
        .as_ref()
        .filter(|shape| matches!(shape.steps, Steps::Many(_)))
    {
        errors.at_span(
            stepped.reply_span,
            "an interface says what is answered, not in how many steps: return the answer",
        );
    }
    let shape = shape.filter(|_| legal)?;
    Some(Message {
        attrs: method.attrs.clone(),
        marker: names::marker(&shape.ident),
        shape,
    })
}

/// Reports what cannot be in an interface, and removes what the compiler would report a second
/// time.
fn check(method: &mut TraitItemFn, errors: &mut Errors) -> bool {
    let before = errors.count();
    let name = &method.sig.ident;
    if method.sig.receiver().is_none() {
        errors.at(
            &method.sig,
            "an interface's method takes `&mut self`: it is told to an actor",
        );
    }
    if let Some(body) = &method.default {
        errors.at(
            body,
            "an interface says what is answered, not how: the body belongs into the actor's impl",
        );
    }
    if let Some(owner) = names::taken_by(&names::bare(name)) {
        errors.at(
            name,
            format!("`{name}` on an address is a method of {owner} already: give the message another name"),
        );
    }
    for attr in &method.attrs {
        if attr.path().is_ident("when") {
            errors.at(
                attr,
                "a guard reads the actor's state: it belongs into the actor's impl",
            );
        } else if attr.path().is_ident("then") {
            errors.at(
                attr,
                "a continuation is the actor's own: it belongs into an inherent impl block",
            );
        } else if attr.path().is_ident("cfg") {
            errors.at(
                attr,
                "an interface has the same messages in every build: put the `#[cfg]` on the trait",
            );
        }
    }
    method
        .attrs
        .retain(|attr| !attr.path().is_ident("when") && !attr.path().is_ident("then"));
    errors.count() == before
}
