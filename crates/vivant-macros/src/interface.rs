//! `#[interface]`: a trait whose methods are messages, to whichever actor implements it.
//!
//! The trait stays what it is, except that its methods are for sized types: so `dyn Ledger` is a type, and names the
//! interface. Beside it come one marker for each message, the handle of `Address<dyn Ledger>`, and the table by which an
//! implementor's behaviours are reached.

use crate::errors::Errors;
use crate::face::Face;
use crate::options::{self, Options};
use crate::shape::{Role, Shape};
use crate::{names, surface};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Generics, ItemTrait, TraitItem, TraitItemFn, parse_quote};

pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = errors
        .take(Options::parse(arguments, options::INTERFACE))
        .unwrap_or_default();
    let mut item_trait: ItemTrait = match syn::parse2(item.clone()) {
        Ok(item_trait) => item_trait,
        Err(error) => {
            errors.push(syn::Error::new(
                error.span(),
                "`#[interface]` stands on a trait",
            ));
            return quote!(#item #errors);
        }
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
    let written = Interface {
        options: &options,
        cfgs: surface::cfgs(&item_trait.attrs),
        item: &item_trait,
        module: names::ident(
            &names::snake(&names::bare(&item_trait.ident)),
            item_trait.ident.span(),
        ),
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
    let shape = Shape::of(&method.sig, Role::Behaviour, None, errors);
    let clauses = method.sig.generics.make_where_clause();
    clauses
        .predicates
        .push(parse_quote!(Self: ::core::marker::Sized));
    if shape.as_ref().is_none_or(|shape| shape.takes_turn) {
        let vivant = &options.vivant;
        clauses.predicates.push(parse_quote!(Self: #vivant::Actor));
    }
    let shape = shape.filter(|_| legal)?;
    Some(Message {
        attrs: method.attrs.clone(),
        marker: names::marker(&shape.ident),
        shape,
    })
}

/// Says what cannot be in an interface, and takes off what the compiler would say a second time.
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

struct Interface<'a> {
    options: &'a Options,
    cfgs: Vec<&'a Attribute>,
    item: &'a ItemTrait,
    module: Ident,
    messages: Vec<Message>,
}

impl Interface<'_> {
    fn expand(&self) -> TokenStream {
        let Interface {
            options,
            cfgs,
            item,
            ..
        } = self;
        let (vivant, vis, name) = (&options.vivant, &item.vis, &item.ident);
        let bare = names::bare(name);
        let (handle, table) = (names::handle(name), self.table_name());
        let face = Face {
            vivant,
            vis,
            handle: handle.clone(),
            target: quote!(dyn #name),
            generics: &Generics::default(),
            cfgs,
            doc: format!(
                "What an address of `dyn` [`{bare}`] derefs to: one method for each message."
            ),
        }
        .expand();
        let markers = self.markers();
        let messages = self.messages.iter().map(|message| self.message(message));
        let handle_methods = self
            .messages
            .iter()
            .map(|message| self.handle_method(message));
        let table_struct = self.table();
        quote! {
            #markers
            #(#messages)*
            #table_struct
            #face

            #(#cfgs)*
            #[automatically_derived]
            impl #vivant::Target for dyn #name {
                type Handle = #handle;
                type Table = &'static #table;
            }

            #(#cfgs)*
            #[allow(deprecated, unreachable_pub, clippy::too_many_arguments, clippy::used_underscore_binding)]
            impl #handle {
                #(#handle_methods)*
            }
        }
    }

    fn table_name(&self) -> Ident {
        format_ident!(
            "{}Table",
            names::bare(&self.item.ident),
            span = self.item.ident.span()
        )
    }

    fn markers(&self) -> Option<TokenStream> {
        let Interface {
            cfgs, item, module, ..
        } = self;
        let vis = surface::from_inside(&item.vis);
        let bare = names::bare(&item.ident);
        let markers = self.messages.iter().map(
            |Message {
                 attrs,
                 shape,
                 marker,
             }| {
                let docs = surface::docs(
                    attrs,
                    &format!("The message `{}` of `{bare}`.", shape.ident),
                );
                quote!(#docs #vis struct #marker(());)
            },
        );
        let doc = format!("The messages of `{bare}`, one type each.");
        (!self.messages.is_empty()).then(|| {
            quote! {
                #(#cfgs)*
                #[doc = #doc]
                #[allow(
                    dead_code,
                    non_camel_case_types,
                    unreachable_pub,
                    missing_debug_implementations,
                    rustdoc::broken_intra_doc_links,
                    rustdoc::private_intra_doc_links,
                    clippy::module_inception,
                    clippy::module_name_repetitions,
                )]
                pub mod #module {
                    #(#markers)*
                }
            }
        })
    }

    fn message(&self, Message { shape, marker, .. }: &Message) -> TokenStream {
        let Interface {
            options,
            cfgs,
            item,
            module,
            ..
        } = self;
        let vivant = &options.vivant;
        let (args, reply) = (shape.args_type(), &shape.reply);
        let member = format!("::{}", names::bare(&shape.ident));
        let name = options.name_of(&names::bare(&item.ident), &member);
        quote! {
            #(#cfgs)*
            #[automatically_derived]
            #[allow(deprecated)]
            impl #vivant::Message for #module::#marker {
                type Args = #args;
                type Reply = #reply;
                const NAME: &'static str = #name;
            }
        }
    }

    /// The table, and its constructor: an implementor in another module need not import the table to make one. The
    /// arguments go by name, as in the implementor's call.
    fn table(&self) -> TokenStream {
        let Interface {
            options,
            cfgs,
            item,
            module,
            ..
        } = self;
        let (vivant, vis, name, table) =
            (&options.vivant, &item.vis, &item.ident, self.table_name());
        let bare = names::bare(name);
        let doc = format!("How the messages of [`{bare}`] reach an actor that implements it.");
        let rows = self.messages.iter().map(|Message { shape, marker, .. }| {
            let method = &shape.ident;
            let doc = format!("`{bare}::{method}`");
            quote!(#[doc = #doc] #vis #method: #vivant::Entry<#module::#marker>)
        });
        let mut sorted: Vec<&Message> = self.messages.iter().collect();
        sorted.sort_by_key(|message| names::bare(&message.shape.ident));
        let fields: Vec<&Ident> = sorted.iter().map(|message| &message.shape.ident).collect();
        let markers = sorted.iter().map(|message| &message.marker);
        quote! {
            #(#cfgs)*
            #[doc = #doc]
            #[derive(Debug)]
            #[allow(unreachable_pub)]
            #vis struct #table {
                #(#rows,)*
            }

            #(#cfgs)*
            #[allow(unreachable_pub, dead_code, clippy::too_many_arguments)]
            impl dyn #name {
                #[doc(hidden)]
                #vis const fn __vivant_table(#(#fields: #vivant::Entry<#module::#markers>),*) -> #table {
                    #table { #(#fields),* }
                }
            }
        }
    }

    fn handle_method(
        &self,
        Message {
            attrs,
            shape,
            marker,
        }: &Message,
    ) -> TokenStream {
        let Interface {
            options,
            item,
            module,
            ..
        } = self;
        let (vivant, vis, name) = (&options.vivant, &item.vis, &shape.ident);
        let otherwise = format!("Calls `{}::{name}`.", names::bare(&item.ident));
        let (docs, deprecations) = (
            surface::docs(attrs, &otherwise),
            surface::deprecations(attrs),
        );
        let (parameters, values) = (shape.parameters(), shape.names());
        quote! {
            #(#deprecations)*
            #docs
            #[track_caller]
            #vis fn #name(&self, #parameters) -> #vivant::Call<#module::#marker> {
                let link = #vivant::Handle::link(self);
                link.table().#name.call(link, (#(#values,)*))
            }
        }
    }
}
