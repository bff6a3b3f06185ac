//! The code beside an interface's trait: one marker for each message, the handle of
//! `Address<dyn Ledger>`, and the table through which an implementor's behaviours are reached.

use super::Message;
use crate::handle::HandleType;
use crate::options::Options;
use crate::{names, surface};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Generics, ItemTrait};

/// An interface, as input of the code generation.
pub(super) struct Interface<'a> {
    pub(super) options: &'a Options,
    pub(super) cfgs: Vec<&'a Attribute>,
    pub(super) item: &'a ItemTrait,
    /// The module of the markers.
    pub(super) module: Ident,
    pub(super) messages: Vec<Message>,
}

impl Interface<'_> {
    pub(super) fn expand(&self) -> TokenStream {
        let Interface {
            options,
            cfgs,
            item,
            ..
        } = self;
        let (vivant, vis, name) = (&options.vivant, &item.vis, &item.ident);
        let bare = names::bare(name);
        let (handle, table) = (names::handle(name), self.table_name());
        let stable_name = options.name_of(&bare, "");
        let face = HandleType {
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
        let module = &self.module;
        let rows = self.by_name().into_iter().map(|message| &message.marker);
        let probed = quote!(#(#vivant::__private::probed::<#module::#rows>()),*);
        let handle_methods = self
            .messages
            .iter()
            .map(|message| self.handle_method(message));
        let table_struct = self.table();
        let allowed = surface::allowed();
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
                const NAME: &'static str = #stable_name;
                fn table_of_ended() -> Option<Self::Table> {
                    Some(<#vivant::__private::ProbeActor as #vivant::Implements<Self>>::TABLE)
                }
            }

            #(#cfgs)*
            #[automatically_derived]
            impl #vivant::Implements<dyn #name> for #vivant::__private::ProbeActor {
                const TABLE: <dyn #name as #vivant::Target>::Table =
                    &<dyn #name>::__vivant_table(#probed);
            }

            #(#cfgs)*
            #allowed
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
        surface::markers(cfgs, &doc, module, quote!(#(#markers)*))
    }

    fn message(&self, Message { shape, marker, .. }: &Message) -> TokenStream {
        let (options, module) = (self.options, &self.module);
        let member = format!("::{}", names::bare(&shape.ident));
        let name = options.name_of(&names::bare(&self.item.ident), &member);
        let of = (&quote!(#module::#marker), &Generics::default());
        shape.message(&self.cfgs, of, &name, &options.vivant)
    }

    /// The table, and its constructor: an implementor in another module can make a table without an
    /// import. The arguments are matched by name, as in the implementor's call.
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
        let sorted = self.by_name();
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

    /// The messages in the order of the constructor's arguments.
    fn by_name(&self) -> Vec<&Message> {
        let mut sorted: Vec<&Message> = self.messages.iter().collect();
        sorted.sort_by_key(|message| names::bare(&message.shape.ident));
        sorted
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
            surface::named(attrs, "deprecated"),
        );
        let (parameters, values) = (shape.parameters(), shape.names());
        quote! {
            #(#deprecations)*
            #docs
            #[track_caller]
            #vis fn #name(&self, #parameters) -> #vivant::Call<'_, #module::#marker> {
                let link = #vivant::Handle::link(self);
                link.table().#name.call(link, (#(#values,)*))
            }
        }
    }
}
