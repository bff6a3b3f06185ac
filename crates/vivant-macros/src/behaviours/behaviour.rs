//! The expansion of a behaviour: a marker, its impls of vivant's traits, and a method of the
//! handle.

use super::Written;
use super::block::Block;
use super::guard::Guard;
use super::method::{BehaviourAttrs, Method};
use super::table::Row;
use crate::errors::Errors;
use crate::shape::{self, Arg, Carried, Role, Shape, Steps};
use crate::{names, surface};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Index, Type};

/// Writes a behaviour. A method that cannot be a behaviour is an error, and nothing is written for
/// it.
pub(super) fn write(
    block: &Block<'_>,
    method: &Method,
    own_attrs: &BehaviourAttrs,
    written: &mut Written,
    errors: &mut Errors,
) -> Option<Row> {
    let role = match own_attrs.then {
        Some(_) => Role::Continuation,
        None => Role::Behaviour,
    };
    let shape = Shape::of(&method.sig, role, block.signature_context(), errors)?;
    let is_named = check_name(block, &shape.ident, errors);
    let is_filled = check_then(block, own_attrs, &shape, errors);
    let before = errors.count();
    if block.interface.is_some() {
        shape.without_asker("an interface's message has no asker", errors);
        if let Some(attr) = &own_attrs.if_awaited {
            errors.at(
                attr,
                "callers of an interface do not see it: only a behaviour of the actor itself is `#[if_awaited]`",
            );
        }
    }
    if !is_named || !is_filled || errors.count() > before {
        return None;
    }
    let marker = names::marker(&shape.ident);
    let cfgs = surface::named(&method.attrs, "cfg");
    let behaviour = Behaviour {
        block,
        method,
        own_attrs,
        cfgs: block.cfgs.iter().copied().chain(cfgs).collect(),
        path: path_of(block, &shape.ident),
        guard: own_attrs
            .guard
            .as_deref()
            .map(|expr| Guard::of(block, method, &shape, expr, errors)),
        shape,
    };
    written.markers.extend(behaviour.marker(&marker));
    let name = block.name_of(&behaviour.shape.ident);
    written.impls.extend(behaviour.shape.message(
        &behaviour.cfgs,
        (&behaviour.path, &block.generics),
        &name,
        &block.options.vivant,
    ));
    written.impls.extend(behaviour.behaviour());
    written.impls.extend(behaviour.stepped());
    behaviour.list(written);
    if own_attrs.then.is_some() {
        written.impls.extend(behaviour.continuation());
    }
    if let Some(guard) = &behaviour.guard {
        written.state.extend(guard.method.clone());
    }
    if block.interface.is_none() {
        written.handle.extend(behaviour.handle_method());
    }
    Some(Row {
        method: names::bare(&behaviour.shape.ident),
        path: behaviour.path,
    })
}

/// Writes a message without a body, which these joins take.
pub(super) fn write_joined(
    block: &Block<'_>,
    method: &Method,
    shape: Shape,
    joins: &[TokenStream],
    written: &mut Written,
) {
    let (own_attrs, path) = (BehaviourAttrs::default(), path_of(block, &shape.ident));
    let cfgs = surface::named(&method.attrs, "cfg");
    let behaviour = Behaviour {
        block,
        method,
        own_attrs: &own_attrs,
        cfgs: block.cfgs.iter().copied().chain(cfgs).collect(),
        path,
        guard: None,
        shape,
    };
    let (shape, path) = (&behaviour.shape, &behaviour.path);
    let vivant = &block.options.vivant;
    let name = block.name_of(&shape.ident);
    written
        .markers
        .extend(behaviour.marker(&names::marker(&shape.ident)));
    let of = (path, &block.generics);
    written
        .impls
        .extend(shape.message(&behaviour.cfgs, of, &name, vivant));
    let (cfgs, actor) = (&behaviour.cfgs, &block.actor);
    let (impl_generics, _, where_clause) = block.generics.split_for_impl();
    let (hook, codecs) = (block.check_in_each(), block.codecs(shape));
    written.impls.extend(quote! {
        #(#cfgs)*
        #[automatically_derived]
        #[allow(deprecated, unused_qualifications)]
        impl #impl_generics #vivant::Behaviour for #path #where_clause {
            type Actor = #actor;
            #codecs
            const JOINS: &'static [&'static #vivant::JoinTable] =
                &[#(&<#joins as #vivant::Join>::TABLE),*];
            fn run<'gc>(
                _: &mut <Self::Actor as #vivant::Actor>::State<'gc>,
                _: &#vivant::Turn<'gc, Self::Actor>,
                _: Self::Args,
                _: #vivant::Resolver<Self::Reply>,
            ) {
                #hook
            }
        }
    });
    behaviour.list(written);
    written.handle.extend(behaviour.handle_method());
}

/// The marker of a behaviour as a type, with its path from beside the block.
pub(super) fn path_of(block: &Block<'_>, method: &Ident) -> TokenStream {
    let (module, actor, marker) = (&block.module, &block.actor, names::marker(method));
    quote!(#module::#marker<#actor>)
}

pub(super) fn check_name(block: &Block<'_>, name: &Ident, errors: &mut Errors) -> bool {
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

fn check_then(
    block: &Block<'_>,
    own_attrs: &BehaviourAttrs,
    shape: &Shape,
    errors: &mut Errors,
) -> bool {
    let Some(then) = &own_attrs.then else {
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

pub(super) struct Behaviour<'a> {
    pub(super) block: &'a Block<'a>,
    method: &'a Method,
    own_attrs: &'a BehaviourAttrs,
    /// The `#[cfg]`s of the block and of the method.
    pub(super) cfgs: Vec<&'a Attribute>,
    pub(super) shape: Shape,
    /// The marker as a type, with its path from beside the block.
    pub(super) path: TokenStream,
    guard: Option<Guard>,
}

impl Behaviour<'_> {
    /// Lists its kinds of messages.
    fn list(&self, written: &mut Written) {
        let (cfgs, path) = (surface::named(&self.method.attrs, "cfg"), &self.path);
        let next_step = matches!(self.shape.steps, Steps::Many(_))
            .then(|| quote!(#(#cfgs)* list.next_step::<#path>();));
        let continuation = self.own_attrs.then.as_ref().map(|_| {
            let vivant = &self.block.options.vivant;
            quote! {
                #(#cfgs)* list.continuation::<#path>();
                #(#cfgs)* {
                    #[allow(unused_imports)]
                    use #vivant::__private::NoHole as _;
                    #vivant::__private::MaybeHole::<#path>::list(list);
                }
                #(#cfgs)* {
                    #[allow(unused_imports)]
                    use #vivant::__private::NoResult as _;
                    #vivant::__private::MaybeResultHole::<#path>::list(list);
                }
                #(#cfgs)* {
                    #[allow(unused_imports)]
                    use #vivant::__private::NotPublished as _;
                    #vivant::__private::MaybePublished::<#path>::list(list);
                }
                #(#cfgs)* {
                    #[allow(unused_imports)]
                    use #vivant::__private::NotStreamed as _;
                    #vivant::__private::MaybeStreamed::<#path>::list(list);
                }
            }
        });
        let vivant = &self.block.options.vivant;
        written.kinds.messages.extend(quote! {
            #(#cfgs)* list.message::<#path>();
            #(#cfgs)* {
                #[allow(unused_imports)]
                use #vivant::__private::NoResult as _;
                #vivant::__private::MaybeResult::<#path>::list(list);
            }
            #next_step
            #continuation
        });
    }

    /// Generic over the actor: then neither the name of a private actor nor those of its parameters
    /// need be public.
    fn marker(&self, marker: &Ident) -> TokenStream {
        let Method { attrs, vis, .. } = self.method;
        let cfgs = surface::named(attrs, "cfg");
        let vis = match self.block.interface {
            Some(_) => quote!(pub(super)),
            None => surface::from_inside(vis),
        };
        let otherwise = format!(
            "The message `{}` of `{}`.",
            self.shape.ident,
            self.block.actor_name()
        );
        let docs = surface::docs(attrs, &otherwise);
        let declared = quote_spanned! {marker.span()=>
            #vis struct #marker<A>(::core::marker::PhantomData<fn(A)>);
        };
        quote!(#(#cfgs)* #docs #declared)
    }

    fn behaviour(&self) -> TokenStream {
        let Behaviour {
            block,
            cfgs,
            shape,
            path,
            guard,
            ..
        } = self;
        let (vivant, actor) = (&block.options.vivant, &block.actor);
        let (impl_generics, _, where_clause) = block.generics.split_for_impl();
        let none = quote!(const GUARD: #vivant::Guard = #vivant::Guard::None;);
        let ready = guard.as_ref().map_or(none, |Guard { reads, call, .. }| {
            quote! {
                const GUARD: #vivant::Guard = #vivant::Guard::#reads;
                fn ready(
                    state: &<Self::Actor as #vivant::Actor>::State<'_>,
                    args: &Self::Args,
                ) -> bool {
                    let _ = args;
                    #call
                }
            }
        });
        // One hygiene context for all names, even if a user's macro made some of the tokens; spans
        // at which errors help.
        let (at_name, at_reply) = self.spans();
        let hook = block.check_in_each();
        let here = block.options.vivant.at(at_reply);
        let codecs = block.codecs(shape);
        let fields = shape.args.iter().enumerate().map(|(number, arg)| {
            let field = Index::from(number);
            (arg, quote_spanned!(at_name=> args.#field))
        });
        let values = self.unpacked(fields.clone());
        let give = self.give();
        let body = match &shape.steps {
            Steps::One => {
                let call = self.opening(fields, self.call(&values));
                quote_spanned! {at_reply=>
                    let answer = #call;
                    #give
                }
            }
            Steps::Many(_) => self.first_step(),
        };
        let steps = matches!(shape.steps, Steps::Many(_))
            .then(|| quote!(const STEPS: #vivant::Steps = #vivant::Steps::Many;));
        let unawaited =
            self.own_attrs.if_awaited.as_ref().map(
                |_| quote!(const UNAWAITED: #vivant::Unawaited = #vivant::Unawaited::Withdrawn;),
            );
        let run = quote_spanned! {at_reply=>
            fn run<'gc>(
                state: &mut <Self::Actor as #here::Actor>::State<'gc>,
                turn: &#here::Turn<'gc, Self::Actor>,
                args: Self::Args,
                resolver: #here::Resolver<Self::Reply>,
            ) {
                #hook
                let _ = (turn, &args);
                #body
            }
        };
        quote! {
            #(#cfgs)*
            #[automatically_derived]
            #[allow(
                deprecated, unit_bindings, unused_qualifications, clippy::all,
                clippy::pedantic
            )]
            impl #impl_generics #vivant::Behaviour for #path #where_clause {
                type Actor = #actor;
                #codecs
                #steps
                #unawaited
                #ready
                #run
            }
        }
    }

    /// The span of the method's name, and that of its reply.
    pub(super) fn spans(&self) -> (Span, Span) {
        let at_name = self.shape.ident.span();
        (at_name, self.shape.reply_span.resolved_at(at_name))
    }

    /// The call of the method, with `state`, `turn` and `resolver` in scope.
    pub(super) fn call(&self, values: &[impl ToTokens]) -> TokenStream {
        let Behaviour { block, shape, .. } = self;
        let ((at_name, _), method, state) = (self.spans(), &shape.ident, &block.state);
        let callee = match block.interface {
            Some(interface) => quote_spanned!(at_name=> <#state as #interface>::#method),
            None => quote_spanned!(at_name=> <#state>::#method),
        };
        let passes_turn = shape.takes_turn || block.interface.is_some();
        let turn = passes_turn.then(|| quote_spanned!(at_name=> , turn));
        let asker = shape.asker.map(|_| {
            let here = block.options.vivant.at(at_name);
            quote_spanned!(at_name=> , &#here::Asker::__of(&resolver))
        });
        quote_spanned!(at_name=> #callee(state #turn #asker #(, #values)*))
    }

    /// The arguments as the method takes them, in `run`.
    pub(super) fn unpacked<'a>(
        &self,
        values: impl Iterator<Item = (&'a Arg, TokenStream)>,
    ) -> Vec<TokenStream> {
        let turn = Ident::new("turn", self.shape.ident.span());
        let vivant = &self.block.options.vivant;
        let opened = self.opened();
        let unpacked = |(arg, value): (&Arg, _)| match (self.shape.opens, &arg.carried) {
            (true, Carried::Packed(_) | Carried::Filled(_)) => quote!(#opened),
            _ => arg.carried.unpacked(&value, &turn, vivant),
        };
        values.map(unpacked).collect()
    }

    /// The call during which a parcel is open, if there is such a parcel.
    fn opening<'a>(
        &self,
        mut values: impl Iterator<Item = (&'a Arg, TokenStream)>,
        call: TokenStream,
    ) -> TokenStream {
        let packed = values.find(|(arg, _)| !arg.carried.is_plain());
        match packed.filter(|_| self.shape.opens) {
            Some((arg, value)) => {
                let vivant = &self.block.options.vivant;
                arg.carried.opened(&value, &self.opened(), &call, vivant)
            }
            None => call,
        }
    }

    /// The name of an opened parcel's content, in `run`.
    fn opened(&self) -> Ident {
        Ident::new("opened", self.shape.ident.span())
    }

    /// Sends the answer to the waiting promise, in `run`.
    pub(super) fn give(&self) -> TokenStream {
        let (_, at_reply) = self.spans();
        let here = self.block.options.vivant.at(at_reply);
        match &self.shape.answer {
            Carried::Packed(ty) => quote_spanned! {at_reply=>
                #here::__private::answer::<#ty>(turn, answer, resolver);
            },
            _ => quote_spanned! {at_reply=>
                #here::Answer::<Self::Reply>::give(answer, resolver);
            },
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
        let name = quote!(<Self as #vivant::Message>::NAME);
        let codec = quote!(<Self as #vivant::Continuation>::REST_CODEC);
        let codec = block.codec(rest, &name, &codec);
        let hole_codec = block.argument_codec(hole);
        let (hole, rest): (&Type, Vec<&Type>) =
            (&hole.sent, rest.iter().map(|arg| &arg.sent).collect());
        let fields = (0..rest.len()).map(Index::from);
        quote! {
            #(#cfgs)*
            #[automatically_derived]
            #[allow(deprecated)]
            impl #impl_generics #vivant::Continuation for #path #where_clause {
                type Hole = #hole;
                type Rest = (#(#rest,)*);
                const REST_CODEC: ::core::option::Option<#vivant::Codec<Self::Rest>> = #codec;
                const HOLE_CODEC: ::core::option::Option<#vivant::Codec<Self::Hole>> = #hole_codec;
                fn fill(hole: Self::Hole, rest: Self::Rest) -> Self::Args {
                    let _ = &rest;
                    (hole, #(rest.#fields,)*)
                }
            }
        }
    }

    fn handle_method(&self) -> TokenStream {
        let Behaviour {
            block, shape, path, ..
        } = self;
        let Method { attrs, vis, .. } = self.method;
        let (cfgs, deprecations) = (
            surface::named(attrs, "cfg"),
            surface::named(attrs, "deprecated"),
        );
        let (name, actor_name) = (&shape.ident, block.actor_name());
        let (class, given, otherwise): (_, &[Arg], _) =
            match (&self.own_attrs.then, &shape.args[..]) {
                (Some(_), [_, rest @ ..]) => (
                    quote!(Then),
                    rest,
                    format!("Continues with `{actor_name}::{name}`."),
                ),
                (_, args) => (quote!(Call), args, format!("Calls `{actor_name}::{name}`.")),
            };
        let docs = surface::docs(attrs, &otherwise);
        let parameters = shape::parameters(given);
        let vivant = &block.options.vivant;
        let values = given
            .iter()
            .map(|arg| arg.carried.packed(&arg.name, vivant));
        let (lints, brand) = Block::sender(shape, given);
        let here = vivant.at(name.span());
        let written = quote_spanned! {name.span()=>
            #lints
            #[track_caller]
            #vis fn #name #brand (&self, #parameters) -> #here::#class<'_, #path> {
                #here::#class::new(#here::Handle::link(self), (#(#values,)*))
            }
        };
        quote!(#(#cfgs)* #(#deprecations)* #docs #written)
    }
}
