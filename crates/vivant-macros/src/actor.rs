//! `#[derive(Actor)]`: the actor's name, and the handle that its addresses deref to.

use crate::errors::Errors;
use crate::face::Face;
use crate::names;
use crate::options::{self, Options};
use crate::{surface, types};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Result};

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let mut errors = Errors::default();
    let mut options = Options::default();
    for attr in input
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("actor"))
    {
        errors.take(attr.parse_nested_meta(|meta| options.read(&meta, options::ACTOR)));
    }
    check_state(&input, &mut errors);
    let has_lifetime = input.generics.lifetimes().next().is_some();
    if has_lifetime {
        // Nothing that could be generated would compile, and the error says why.
        return Ok(quote!(#errors));
    }
    let written = write(&input, &options);
    Ok(quote!(#errors #written))
}

fn check_state(input: &DeriveInput, errors: &mut Errors) {
    for lifetime in input.generics.lifetimes() {
        errors.at(
            lifetime,
            "an actor's state owns what it holds; actors with a collected heap (`'gc`) come with vivant-heap",
        );
    }
    let fields: Vec<&Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data
            .variants
            .iter()
            .flat_map(|variant| &variant.fields)
            .collect(),
        Data::Union(data) => {
            errors.at(data.union_token, "an actor's state is a struct or an enum");
            return;
        }
    };
    for field in fields {
        if let Some(span) = types::promise_in(&field.ty) {
            errors.push(Error::new(
                span,
                "a promise lives within one turn and cannot be kept: continue it with `.then(…)`, or keep the other \
                 end of `t.promise()`, the `Resolver`",
            ));
        }
    }
}

fn write(input: &DeriveInput, options: &Options) -> TokenStream {
    let vivant = &options.vivant;
    let actor = &input.ident;
    let generics = surface::sendable(&input.generics);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let bare = names::bare(actor);
    let name = match &options.id {
        Some(id) => quote!(#id),
        None => options.name_of(&bare, ""),
    };
    let pool = options
        .blocking
        .then(|| quote!(const POOL: #vivant::Pool = #vivant::Pool::Blocking;));
    let mailbox = options.mailbox.as_ref().map(|mailbox| {
        let mailbox = mailbox.expr(vivant);
        quote!(const MAILBOX: #vivant::Mailbox = #mailbox;)
    });
    let handle = names::handle(actor);
    let face = Face {
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
        #[automatically_derived]
        impl #impl_generics #vivant::Actor for #actor #type_generics #where_clause {
            const NAME: &'static str = #name;
            #pool
            #mailbox
            const HAS_STOP_HOOK: bool = {
                #[allow(unused_imports)]
                use #vivant::__private::NoStopHook as _;
                <Self>::__VIVANT_STOPS
            };
            fn stopping(&mut self, turn: &#vivant::Turn<'_, Self>, reason: &#vivant::StopReason) {
                #[allow(unused_imports)]
                use #vivant::__private::NoStopHook as _;
                <Self>::__vivant_stopping(self, turn, reason)
            }
        }

        #[automatically_derived]
        impl #impl_generics #vivant::Target for #actor #type_generics #where_clause {
            type Handle = #handle #type_generics;
            type Table = ();
        }

        #face
    }
}
