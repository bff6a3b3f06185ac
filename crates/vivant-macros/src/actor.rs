//! `#[derive(Actor)]`: the actor's name, and the handle that its addresses deref to.

use crate::errors::Errors;
use crate::handle::HandleType;
use crate::names;
use crate::options::{self, Options};
use crate::saved_actor::{self, SavedActor};
use crate::slips::plain::{self, Place};
use crate::{graph, object, outgoing_references, slips, surface, types};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Lifetime, Path, Result, parse_quote};

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let mut errors = Errors::default();
    let mut options = Options::default();
    for attr in surface::named(&input.attrs, "actor") {
        errors.take(attr.parse_nested_meta(|meta| options.read(&meta, options::ACTOR)));
    }
    check_state(&input, &mut errors);
    let Some(named) = Named::of(&input, &options, &mut errors) else {
        // No generated code would compile, and the error says why.
        return Ok(quote!(#errors));
    };
    let object = match &named {
        Named::ByItself => None,
        // The errors that follow from these need no report.
        Named::Apart(_) if !errors.is_empty() => return Ok(quote!(#errors)),
        Named::Apart(name) if slips::graph::in_state(&input, name, &mut errors) => {
            let vivant = &options.vivant;
            let traced = outgoing_references::stub(&input, vivant);
            let written = write(&input, &options, &named, &traced, &mut errors);
            let object = object::stub(&input, &quote!(#vivant::heap));
            return Ok(quote!(#errors #written #object));
        }
        Named::Apart(_) => {
            let vivant = &options.vivant;
            Some(object::of_state(
                &input,
                &quote!(#vivant::heap),
                &mut errors,
            ))
        }
    };
    let traced = outgoing_references::write(&input, &options.vivant);
    let written = write(&input, &options, &named, &traced, &mut errors);
    Ok(quote!(#errors #written #object))
}

fn check_state(input: &DeriveInput, errors: &mut Errors) {
    if let Data::Union(data) = &input.data {
        errors.at(data.union_token, "an actor's state is a struct or an enum");
    }
    let is_plain = input.generics.lifetimes().next().is_none();
    for field in types::fields(&input.data) {
        if is_plain {
            plain::report_val(&field.ty, Place::Field, errors);
        }
        if let Some(span) = types::promise_in(&field.ty) {
            errors.at_span(
                span,
                "a promise lives within one turn and cannot be kept: continue it with `.then(…)`, or keep the other \
                 end of `t.promise()`, the `Resolver`",
            );
        }
    }
}

/// The actor's name.
enum Named {
    /// The state's name.
    ByItself,
    /// The state is a graph: the actor has a name of its own.
    Apart(Ident),
}

impl Named {
    fn of(input: &DeriveInput, options: &Options, errors: &mut Errors) -> Option<Named> {
        let Some(_) = graph::brand(&input.generics, errors) else {
            if let Some(name) = &options.name {
                errors.at(
                    name,
                    "a plain actor is called as its state is: a state with a lifetime, a graph, needs a name for its actor",
                );
            }
            return Some(Named::ByItself);
        };
        let attribute = "#[actor(name = Cache)]` here and `#[behaviours(name = Cache)]` at the impl blocks, with a name like `Cache";
        let given = options.name.as_ref();
        graph::name_of(&input.ident, given, attribute, errors).map(Named::Apart)
    }
}

fn write(
    input: &DeriveInput,
    options: &Options,
    named: &Named,
    traced: &TokenStream,
    errors: &mut Errors,
) -> TokenStream {
    let vivant = &options.vivant;
    let state_type = &input.ident;
    let sendable = surface::sendable(&input.generics);
    let (actor, generics) = match named {
        Named::ByItself => (state_type, sendable),
        Named::Apart(name) => (name, graph::actor_generics(&sendable, vivant)),
    };
    let saved = saved_actor::write(input, options, (actor, &generics), errors);
    let SavedActor {
        items: saved_items,
        beside: saved_beside,
    } = saved;
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    // In the impl of `Actor` the brand is `'gc`, whatever name the user gave it.
    let state = |brand: &Lifetime| match named {
        Named::ByItself => quote!(Self),
        Named::Apart(_) => {
            let (_, state_generics, _) = input.generics.split_for_impl();
            let path: Path = parse_quote!(#state_type #state_generics);
            graph::branded(&path, brand).into_token_stream()
        }
    };
    let (state_gc, state_static) = (state(&parse_quote!('gc)), state(&parse_quote!('static)));
    let (space, declared) = match named {
        Named::ByItself => (quote!(InlineState), None),
        Named::Apart(name) => {
            let declared = graph::declare(&input.vis, name, state_type, &generics);
            (quote!(GcState), Some(declared))
        }
    };
    let pacing = options
        .pacing
        .as_ref()
        .map(|pacing| quote!(const PACING: ::core::option::Option<#vivant::Pacing> = ::core::option::Option::Some(#pacing);));
    let bare = names::bare(actor);
    let name = options.name_of(&bare, "");
    let pool = options
        .blocking
        .then(|| quote!(const POOL: #vivant::Pool = #vivant::Pool::Blocking;));
    let mailbox = options.mailbox.as_ref().map(|mailbox| {
        let mailbox = mailbox.expr(vivant);
        quote!(const MAILBOX: #vivant::Mailbox = #mailbox;)
    });
    let handle = names::handle(actor);
    let face = HandleType {
        vivant,
        vis: &input.vis,
        handle: handle.clone(),
        target: quote!(#actor #type_generics),
        generics: &generics,
        cfgs: &[],
        doc: format!("What an address of [`{bare}`] derefs to: one method for each behaviour."),
    }
    .expand();
    quote! {
        #declared

        #[automatically_derived]
        impl #impl_generics #vivant::Actor for #actor #type_generics #where_clause {
            type State<'gc> = #state_gc;
            type Storage = #vivant::#space;
            #saved_items
            #pacing
            #pool
            #mailbox
            const HAS_STOP_HOOK: bool = {
                #[allow(unused_imports)]
                use #vivant::__private::NoStopHook as _;
                <#state_static>::__VIVANT_STOPS
            };
            fn stopping<'gc>(
                state: &mut #state_gc,
                turn: &#vivant::Turn<'gc, Self>,
                reason: &#vivant::StopReason,
            ) {
                #[allow(unused_imports)]
                use #vivant::__private::NoStopHook as _;
                <#state_gc>::__vivant_stopping(state, turn, reason)
            }
            const HAS_OUTGOING_REFERENCES: bool = <#state_static>::__VIVANT_SHOWS;
            fn outgoing_references<'gc>(state: &#state_gc, seen: &mut #vivant::OutgoingReferences<'_>) {
                <#state_gc>::__vivant_outgoing_references(state, seen)
            }
        }

        #traced

        #[automatically_derived]
        impl #impl_generics #vivant::Target for #actor #type_generics #where_clause {
            type Handle = #handle #type_generics;
            type Table = ();
            const NAME: &'static str = #name;
        }

        #face

        #saved_beside
    }
}
