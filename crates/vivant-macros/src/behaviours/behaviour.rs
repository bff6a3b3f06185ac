//! What is written for a behaviour: a marker, its impls of vivant's traits, and a method of the handle.

use super::Written;
use super::block::Block;
use super::guard;
use super::method::{Method, Told};
use super::table::Row;
use crate::errors::Errors;
use crate::shape::{self, Arg, Role, Shape};
use crate::{names, surface};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Index, Type};

/// Writes a behaviour. What cannot be one is an error, and nothing is written for it.
pub(super) fn write(
    block: &Block<'_>,
    method: &Method,
    told: &Told,
    has_stop: bool,
    written: &mut Written,
    errors: &mut Errors,
) -> Option<Row> {
    let shape = Shape::of(&method.sig, Role::Behaviour, Some(block.actor), errors)?;
    let is_named = check_name(block, &shape.ident, errors);
    let is_filled = check_then(block, told, &shape, errors);
    if !is_named || !is_filled {
        return None;
    }
    let marker = names::marker(&shape.ident);
    let (module, actor) = (&block.module, block.actor);
    let behaviour = Behaviour {
        block,
        attrs: &method.attrs,
        cfgs: block
            .cfgs
            .iter()
            .copied()
            .chain(surface::cfgs(&method.attrs))
            .collect(),
        path: quote!(#module::#marker<#actor>),
        guard: told.guard.as_ref().map(|_| guard_name(block, &shape.ident)),
        shape,
    };
    written.markers.extend(behaviour.marker(&marker, method));
    written.impls.extend(behaviour.message());
    written.impls.extend(behaviour.behaviour(has_stop));
    if told.then.is_some() {
        written.impls.extend(behaviour.continuation());
    }
    if let (Some(name), Some(expr)) = (&behaviour.guard, &told.guard) {
        written
            .actor
            .extend(behaviour.guard(name, expr.clone(), method));
    }
    if block.interface.is_none() {
        written
            .handle
            .extend(behaviour.handle_method(method, told.then.is_some()));
    }
    Some(Row {
        method: names::bare(&behaviour.shape.ident),
        path: behaviour.path,
    })
}

fn check_name(block: &Block<'_>, name: &Ident, errors: &mut Errors) -> bool {
    let owner = names::taken_by(&names::bare(name)).filter(|_| block.interface.is_none());
    if let Some(owner) = owner {
        errors.at(
            name,
            format!(
                "`{name}` on an address is a method of {owner} already: give the behaviour another name, or mark it \
                 `#[local]` if it is not a message"
            ),
        );
    }
    owner.is_none()
}

fn check_then(block: &Block<'_>, told: &Told, shape: &Shape, errors: &mut Errors) -> bool {
    let Some(then) = &told.then else {
        return true;
    };
    if block.interface.is_some() {
        errors.at(
            then,
            "a continuation is the actor's own: put it into an inherent impl block",
        );
        return false;
    }
    if shape.args.is_empty() {
        errors.at(
            then,
            format!(
                "a continuation's first argument is the hole that a promise fills: \
                 `fn {}(&mut self, value: Result<u64, AskError>, …)`",
                shape.ident
            ),
        );
        return false;
    }
    true
}

/// The hidden method that evaluates the guard.
fn guard_name(block: &Block<'_>, method: &Ident) -> Ident {
    let method = names::bare(method);
    match block.interface_name() {
        Some(interface) => format_ident!("__vivant_{}_{method}_ready", names::snake(&interface)),
        None => format_ident!("__vivant_{method}_ready"),
    }
}

struct Behaviour<'a> {
    block: &'a Block<'a>,
    attrs: &'a [Attribute],
    cfgs: Vec<&'a Attribute>,
    shape: Shape,
    /// The marker as a type, seen from beside the block.
    path: TokenStream,
    guard: Option<Ident>,
}

impl Behaviour<'_> {
    /// Generic over the actor: the name of a private actor then need not be public, nor that of its parameters.
    fn marker(&self, marker: &Ident, method: &Method) -> TokenStream {
        let cfgs = surface::cfgs(self.attrs);
        let vis = match self.block.interface {
            Some(_) => quote!(pub(super)),
            None => surface::from_inside(&method.vis),
        };
        let otherwise = format!(
            "The message `{}` of `{}`.",
            self.shape.ident,
            self.block.actor_name()
        );
        let docs = surface::docs(self.attrs, &otherwise);
        let declared = quote_spanned! {marker.span()=>
            #vis struct #marker<A>(::core::marker::PhantomData<fn(A)>);
        };
        quote!(#(#cfgs)* #docs #declared)
    }

    fn message(&self) -> TokenStream {
        let Behaviour {
            block,
            cfgs,
            shape,
            path,
            ..
        } = self;
        let vivant = &block.options.vivant;
        let (impl_generics, _, where_clause) = block.generics.split_for_impl();
        let (args, reply, name) = (shape.args_type(), &shape.reply, block.name_of(&shape.ident));
        quote! {
            #(#cfgs)*
            #[automatically_derived]
            #[allow(deprecated)]
            impl #impl_generics #vivant::Message for #path #where_clause {
                type Args = #args;
                type Reply = #reply;
                const NAME: &'static str = #name;
            }
        }
    }

    fn behaviour(&self, has_stop: bool) -> TokenStream {
        let Behaviour {
            block,
            cfgs,
            shape,
            path,
            guard,
            ..
        } = self;
        let (vivant, actor) = (&block.options.vivant, block.actor);
        let (impl_generics, _, where_clause) = block.generics.split_for_impl();
        let fields: Vec<Index> = (0..shape.args.len()).map(Index::from).collect();
        let ready = guard.as_ref().map(|guard| {
            quote! {
                fn ready(state: &Self::Actor, args: &Self::Args) -> bool {
                    let _ = args;
                    <#actor>::#guard(state #(, &args.#fields)*)
                }
            }
        });
        let method = &shape.ident;
        let callee = match block.interface {
            Some(interface) => quote!(<#actor as #interface>::#method),
            None => quote!(<#actor>::#method),
        };
        // One context for all names, whichever of the tokens a user's own macro made; places where errors help.
        let (at_name, at_reply) = (method.span(), shape.reply_span.resolved_at(method.span()));
        let turn = shape.takes_turn.then(|| quote_spanned!(at_name=> , turn));
        let hook = (has_stop && block.generics.type_params().next().is_some())
            .then(|| super::hooks::hook_is_called(block));
        let call = quote_spanned!(at_name=> #callee(state #turn #(, args.#fields)*));
        let here = block.options.vivant.at(at_reply);
        let run = quote_spanned! {at_reply=>
            fn run(
                state: &mut Self::Actor,
                turn: &#here::Turn<'_, Self::Actor>,
                args: Self::Args,
                resolver: #here::Resolver<Self::Reply>,
            ) {
                #hook
                let _ = (turn, &args);
                let answer = #call;
                #here::Answer::<Self::Reply>::give(answer, resolver);
            }
        };
        quote! {
            #(#cfgs)*
            #[automatically_derived]
            #[allow(deprecated, clippy::all, clippy::pedantic)]
            impl #impl_generics #vivant::Behaviour for #path #where_clause {
                type Actor = #actor;
                #ready
                #run
            }
        }
    }

    fn continuation(&self) -> TokenStream {
        let Behaviour {
            block,
            cfgs,
            shape,
            path,
            ..
        } = self;
        let vivant = &block.options.vivant;
        let (impl_generics, _, where_clause) = block.generics.split_for_impl();
        let [hole, rest @ ..] = &shape.args[..] else {
            return TokenStream::new();
        };
        let (hole, rest): (&Type, Vec<&Type>) =
            (&hole.ty, rest.iter().map(|arg| &arg.ty).collect());
        let fields = (0..rest.len()).map(Index::from);
        quote! {
            #(#cfgs)*
            #[automatically_derived]
            #[allow(deprecated)]
            impl #impl_generics #vivant::Continuation for #path #where_clause {
                type Hole = #hole;
                type Rest = (#(#rest,)*);
                fn fill(hole: Self::Hole, rest: Self::Rest) -> Self::Args {
                    let _ = &rest;
                    (hole, #(rest.#fields,)*)
                }
            }
        }
    }

    /// A method of its own, so that a guard that changes the state is a borrow error at the user's tokens.
    fn guard(&self, name: &Ident, expr: syn::Expr, method: &Method) -> TokenStream {
        let this = method.sig.receiver().map(|receiver| receiver.self_token);
        let (vivant, cfgs) = (&self.block.options.vivant, surface::cfgs(self.attrs));
        let expr = guard::with_places(expr, self.shape.names());
        let (names, types) = (self.shape.names(), self.shape.types());
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(
                unused_variables,
                unused_parens,
                clippy::borrow_deref_ref,
                clippy::explicit_auto_deref,
                clippy::ptr_arg,
                clippy::ref_option,
                clippy::trivially_copy_pass_by_ref,
                clippy::unused_self,
            )]
            fn #name(#this: #vivant::__seen!() #(, #names: &#types)*) -> bool {
                #expr
            }
        }
    }

    fn handle_method(&self, method: &Method, is_then: bool) -> TokenStream {
        let Behaviour {
            block,
            attrs,
            shape,
            path,
            ..
        } = self;
        let (cfgs, deprecations) = (surface::cfgs(attrs), surface::deprecations(attrs));
        let (vis, name) = (&method.vis, &shape.ident);
        let (class, given): (_, &[Arg]) = match (is_then, &shape.args[..]) {
            (true, [_, rest @ ..]) => (quote!(Then), rest),
            (_, args) => (quote!(Call), args),
        };
        let otherwise = match is_then {
            true => format!("Continues with `{}::{name}`.", block.actor_name()),
            false => format!("Calls `{}::{name}`.", block.actor_name()),
        };
        let docs = surface::docs(attrs, &otherwise);
        let parameters = shape::parameters(given);
        let values = given.iter().map(|arg| &arg.name);
        let here = block.options.vivant.at(name.span());
        let written = quote_spanned! {name.span()=>
            #[track_caller]
            #vis fn #name(&self, #parameters) -> #here::#class<#path> {
                #here::#class::new(#here::Handle::link(self), (#(#values,)*))
            }
        };
        quote!(#(#cfgs)* #(#deprecations)* #docs #written)
    }
}
