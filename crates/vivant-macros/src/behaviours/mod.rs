//! `#[behaviours]`: a method is a message.
//!
//! - [`block`]: the impl block of the methods.
//! - [`method`]: one method, sorted by its attributes.
//! - [`behaviour`]: the expansion of a behaviour.
//! - [`guard`], [`places`]: the expansion of `#[when(…)]`.
//! - [`join`]: the expansion of `#[join(…)]`, and of messages without a body.
//! - [`hooks`]: `#[start]` and `#[stop]`.
//! - [`saving`]: the codecs of messages, and the list of their kinds.
//! - [`implementor`], [`table`]: an interface's impl, and its table.

mod behaviour;
mod block;
mod guard;
mod hooks;
mod implementor;
mod join;
mod method;
mod places;
mod saving;
mod steps;
mod table;

use crate::errors::Errors;
use crate::options::{self, Options};
use crate::{missing_derive, slips};
use block::Block;
use method::{Kind, Method};
use proc_macro2::TokenStream;
use quote::quote;
use saving::Kinds;
use syn::{ImplItem, ItemImpl};

/// The code written beside the user's impl block.
#[derive(Default)]
struct Written {
    /// Inside the module.
    markers: TokenStream,
    /// Inside the module of the start.
    start: TokenStream,
    /// Impls of vivant's traits for the markers.
    impls: TokenStream,
    /// Methods of the handle.
    handle: TokenStream,
    /// Functions of the actor: `spawn` and `child`.
    actor: TokenStream,
    /// Hidden methods of the state.
    state: TokenStream,
    /// Statements that list the kinds of messages.
    kinds: Kinds,
    /// Anything else.
    beside: TokenStream,
}

pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = errors
        .take(Options::parse(arguments, options::BEHAVIOURS))
        .unwrap_or_default();
    let Some(mut item_impl) =
        errors.parsed::<ItemImpl>(&item, "`#[behaviours]` stands on an impl block of an actor")
    else {
        return quote!(#item #errors);
    };
    let missing = missing_derive::of_actor(&item_impl, options.name.as_ref(), &mut errors);
    slips::graph::correct(&mut item_impl, options.name.as_ref(), &mut errors);
    slips::then::correct(&mut item_impl, &mut errors);
    let mut lifetimes = item_impl.generics.lifetimes();
    let brand = lifetimes.next().map(|brand| brand.lifetime.clone());
    let brand = brand.filter(|_| item_impl.trait_.is_none());
    let mut methods: Vec<Method> = Vec::new();
    item_impl.items.retain_mut(|item| match item {
        ImplItem::Fn(function) => {
            methods.extend(method::read(
                function,
                brand.as_ref(),
                &options.vivant,
                &mut errors,
            ));
            true
        }
        ImplItem::Verbatim(item) => {
            let joined = method::read_joined(item, &mut errors);
            let is_other = joined.is_none();
            methods.extend(joined);
            is_other
        }
        _ => true,
    });
    let block = Block::read(&item_impl, &options, &methods, &mut errors);
    let written = block
        .as_ref()
        .map(|block| write(block, &methods, &mut errors));
    let implementor = block
        .as_ref()
        .filter(|block| block.interface.is_some())
        .map(|block| implementor::write(block, &item_impl));
    let item_impl = implementor.as_ref().unwrap_or(&item_impl);
    quote!(#item_impl #errors #written #missing)
}

fn write(block: &Block<'_>, methods: &[Method], errors: &mut Errors) -> TokenStream {
    let mut written = Written::default();
    block.check(methods, errors);
    let mut rows = Vec::new();
    for method in methods {
        match &method.kind {
            Kind::Behaviour(own_attrs) => {
                if let Some(row) = behaviour::write(block, method, own_attrs, &mut written, errors)
                {
                    rows.push(row);
                }
            }
            Kind::Start(start) => {
                hooks::start(block, method, methods, start, &mut written, errors);
            }
            Kind::Stop => hooks::stop(block, method, &mut written, errors),
            // Together, below.
            Kind::Joined | Kind::Join(_) => {}
        }
    }
    join::write(block, methods, &mut written, errors);
    if let Some(interface) = block.interface {
        table::write(block, interface, rows, &mut written);
    }
    block.assemble(written)
}
