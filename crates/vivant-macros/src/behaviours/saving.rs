//! How the messages of a block are saved: the codecs of arguments and replies, and the list of all
//! kinds. Whether the actor is saved is known only to the compiler, by a type.

use super::block::Block;
use crate::names;
use crate::options::Vivant;
use crate::shape::{Arg, SavedAs, Shape};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Index, Type};

impl Block<'_> {
    /// The kind by which the actor is saved.
    fn save_kind(&self, at: Span) -> TokenStream {
        let (here, actor) = (self.options.vivant.at(at), &self.actor);
        quote_spanned!(at=> <#actor as #here::Actor>::SaveKind)
    }

    /// The codecs of a behaviour's arguments and reply, in its impl.
    pub(super) fn codecs(&self, shape: &Shape) -> TokenStream {
        let vivant = &self.options.vivant;
        let name = quote!(<Self as #vivant::Message>::NAME);
        let codec = quote!(<Self as #vivant::Behaviour>::CODEC);
        let args = self.codec(&shape.args, &name, &codec);
        let at = shape.reply_span;
        let (here, kind, reply) = (vivant.at(at), self.save_kind(at), &shape.reply);
        let saver = quote_spanned!(at=> <#reply as #here::SavedBy<#kind>>);
        let reply = quote_spanned! {at=>
            #here::Codec::by::<#kind>(#saver::BY_SHAPE, #saver::save_by, #saver::load_by)
        };
        quote! {
            const CODEC: ::core::option::Option<#vivant::Codec<Self::Args>> = #args;
            const REPLY_CODEC: ::core::option::Option<#vivant::Codec<Self::Reply>> = #reply;
        }
    }

    /// The codec of the locals of a behaviour in steps, in its impl of `Stepped`.
    pub(super) fn locals_codec(&self, locals: &Type) -> TokenStream {
        let at = locals.span();
        let (here, kind) = (self.options.vivant.at(at), self.save_kind(at));
        let kind = quote_spanned!(at=> <#kind as #here::SaveKind>::Locals);
        let saver = quote_spanned!(at=> <#locals as #here::SavedBy<#kind>>);
        quote_spanned! {at=>
            const LOCALS_CODEC: ::core::option::Option<#here::Codec<Self::Locals>> =
                #here::Codec::by::<#kind>(
                    #saver::BY_SHAPE,
                    |locals, out| #saver::save_by(&locals.0, out),
                    |input| ::core::result::Result::Ok(#here::LocalsInMessage(#saver::load_by(input)?)),
                );
        }
    }

    /// What the message of a next step has of locals in the heap, in its impl of `Stepped`.
    pub(super) fn locals_in_heap(&self, locals: &Type) -> TokenStream {
        let here = self.options.vivant.at(locals.span());
        quote_spanned! {locals.span()=>
            const LOCALS_CODEC: ::core::option::Option<#here::Codec<Self::Locals>> =
                #here::LocalsInHeap::<Self>::IN_MESSAGE;
        }
    }

    /// How locals in the heap are saved, in their impl of `BrandedLocals`.
    pub(super) fn locals_in_heap_codec(&self, locals: &Type) -> TokenStream {
        let at = locals.span();
        let (here, kind) = (self.options.vivant.at(at), self.save_kind(at));
        quote_spanned! {at=>
            const CODEC: ::core::option::Option<#here::__private::LocalsCodec> =
                #here::__private::locals_codec::<<#kind as #here::SaveKind>::Locals, Self>();
        }
    }

    /// The codec of these arguments together, as an expression. `codec` is the constant with it. An
    /// argument that cannot be saved is reported at its type.
    pub(super) fn codec(
        &self,
        args: &[Arg],
        name: &TokenStream,
        codec: &TokenStream,
    ) -> TokenStream {
        let vivant = &self.options.vivant;
        let kind = self.save_kind(Span::call_site());
        let parts: Vec<Part<'_>> = args
            .iter()
            .map(|arg| Part {
                vivant,
                arg,
                kind: self.save_kind(arg.ty.span()),
            })
            .collect();
        let shapes = parts.iter().map(Part::shape);
        let saves = parts.iter().enumerate().map(|(i, part)| part.save(i));
        let loads = parts.iter().enumerate().map(|(i, part)| part.load(i));
        quote! {
            #vivant::Codec::by::<#kind>(
                const { &#vivant::codec::Shape::structure(#name, const { &[#(#shapes),*] }) },
                |args, out| {
                    let _ = (args, &out);
                    #(#saves)*
                },
                |input| {
                    let mut fields = input.structure(const { #vivant::__private::shape(#codec) })?;
                    let args = (#(#loads,)*);
                    fields.end()?;
                    ::core::result::Result::Ok(args)
                },
            )
        }
    }

    /// The codec of one argument, as an expression.
    pub(super) fn argument_codec(&self, arg: &Arg) -> TokenStream {
        let (vivant, kind) = (&self.options.vivant, self.save_kind(Span::call_site()));
        let part = Part {
            vivant,
            arg,
            kind: self.save_kind(arg.ty.span()),
        };
        let shape = part.saver("BY_SHAPE", "INNER_SHAPE");
        let save = part.saver("save_by", "save_inner");
        let load = part.saver("load_by", "load_inner");
        quote! {
            #vivant::Codec::by::<#kind>(
                #shape,
                |value, out| #save(value, out),
                |input| #load(input),
            )
        }
    }

    /// The assertion that a saved actor lists this block. It is done when the block is built, or,
    /// for a generic actor, when it is built for certain parameters.
    fn is_listed(&self, module: &Ident) -> TokenStream {
        let at = self.written_type().span();
        let (vivant, actor, id) = (self.options.vivant.at(at), &self.actor, self.id(module));
        let name = self.actor_name();
        let listed = match self.interface_name() {
            Some(interface) => format!("dyn {interface}"),
            None => names::bare(&self.module),
        };
        let text = format!(
            "`{name}` is saved, and does not list this block of behaviours: write \
             `#[actor(saved, blocks({listed}))]`, with the path from there"
        );
        quote_spanned! {at=>
            const { ::core::assert!(#vivant::__private::is_listed::<#actor>(#id), #text) };
        }
    }

    /// The number of the block among those of its actor.
    fn id(&self, module: &Ident) -> TokenStream {
        let vivant = &self.options.vivant;
        match self.interface {
            Some(interface) => quote!(#vivant::__private::interface_id::<dyn #interface>()),
            None => {
                let module = names::bare(module);
                quote!(#vivant::__private::block_id(::core::module_path!(), #module))
            }
        }
    }

    /// The module by which the actor lists the block: that of its messages, or of its start if it
    /// has no messages. `None` if there is nothing to list: a block with a stop hook alone.
    fn listed_module(&self, kinds: &Kinds) -> Option<Ident> {
        let is_named = self.options.module.is_some() || self.interface.is_some();
        match (
            is_named || !kinds.messages.is_empty(),
            kinds.starts.is_empty(),
        ) {
            (true, _) => Some(self.module.clone()),
            (false, false) => Some(names::starts(&self.module)),
            (false, true) => None,
        }
    }

    /// The impls that list the kinds of messages, and the assertion that the actor lists the block.
    pub(super) fn kinds(&self, kinds: &Kinds) -> Option<TokenStream> {
        let module = self.listed_module(kinds)?;
        let cfgs = &self.cfgs;
        let is_listed = self.generics.type_params().next().is_none().then(|| {
            let is_listed = self.is_listed(&module);
            quote!(#(#cfgs)* const _: () = { #is_listed };)
        });
        if self.interface.is_some() {
            return is_listed;
        }
        let Kinds { messages, starts } = kinds;
        // The block with the start may be another than that with the messages.
        let apart = self.options.module.is_none() && !messages.is_empty() && !starts.is_empty();
        let start = apart.then(|| self.list(&names::starts(&self.module), starts));
        let starts = (!apart).then_some(starts);
        let own = self.list(&module, &quote!(#messages #starts));
        Some(quote!(#own #start #is_listed))
    }

    /// The assertion in each behaviour of a generic actor.
    pub(super) fn is_listed_in_each(&self) -> TokenStream {
        self.is_listed(&self.module)
    }

    fn list(&self, module: &Ident, listed: &TokenStream) -> TokenStream {
        let (vivant, cfgs, actor) = (&self.options.vivant, &self.cfgs, &self.actor);
        let id = self.id(module);
        let (impl_generics, _, where_clause) = self.generics.split_for_impl();
        quote! {
            #(#cfgs)*
            #[automatically_derived]
            #[doc(hidden)]
            #[allow(deprecated, unused_qualifications)]
            impl #impl_generics #vivant::__private::BlockOf<{ #id }> for #actor #where_clause {
                #[inline]
                fn list(list: &mut #vivant::__private::SavedList) {
                    let _ = &list;
                    #listed
                }
            }
        }
    }
}

/// The statements that list the kinds of a block's messages.
#[derive(Default)]
pub(super) struct Kinds {
    pub(super) messages: TokenStream,
    pub(super) starts: TokenStream,
}

/// One argument, saved.
struct Part<'a> {
    vivant: &'a Vivant,
    arg: &'a Arg,
    kind: TokenStream,
}

impl Part<'_> {
    /// Where the compiler reports that the argument cannot be saved.
    fn place_of_errors(&self) -> Span {
        match &self.arg.saved {
            SavedAs::Itself => self.arg.ty.span(),
            SavedAs::Wrapped(wrapper) => wrapper.span(),
        }
    }

    /// An item of the impl that saves the argument. All code names it in the same words and at the
    /// same place, so the compiler says once that the impl is not there.
    fn saver(&self, plain: &str, wrapped: &str) -> TokenStream {
        let (at, ty, kind) = (self.place_of_errors(), &self.arg.sent, &self.kind);
        let here = self.vivant.at(at);
        match &self.arg.saved {
            SavedAs::Itself => {
                let item = Ident::new(plain, at);
                quote_spanned!(at=> <#ty as #here::SavedBy<#kind>>::#item)
            }
            SavedAs::Wrapped(wrapper) => {
                let item = Ident::new(wrapped, at);
                quote_spanned!(at=> <#here::codec::#wrapper<#ty> as #here::codec::Wrapper<'_>>::#item)
            }
        }
    }

    fn shape(&self) -> TokenStream {
        let (vivant, name) = (self.vivant, names::bare(&self.arg.name));
        let shape = self.saver("BY_SHAPE", "INNER_SHAPE");
        quote!(#vivant::codec::Field::new(#name, #vivant::codec::ShapeRef::new(|| #shape)))
    }

    fn save(&self, number: usize) -> TokenStream {
        let (save, field) = (self.saver("save_by", "save_inner"), Index::from(number));
        let arguments = self.at_place(quote!(&args.#field, out));
        quote!(#save #arguments;)
    }

    fn load(&self, number: usize) -> TokenStream {
        let shape = self.saver("BY_SHAPE", "INNER_SHAPE");
        let load = self.saver("load_by", "load_inner");
        let at = Span::call_site().located_at(self.place_of_errors());
        quote_spanned!(at=> fields.part(#number, #shape, |input| #load(input))?)
    }

    /// Tokens in parentheses: a call has one place, and its arguments mean what they mean here.
    fn at_place(&self, arguments: TokenStream) -> Group {
        let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
        arguments.set_span(self.place_of_errors());
        arguments
    }
}
