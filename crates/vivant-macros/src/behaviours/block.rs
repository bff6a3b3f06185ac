//! The impl block: the actor of its behaviours, and the place of the code written for them.

use super::Written;
use super::hooks;
use super::method::{Kind, Method};
use crate::errors::Errors;
use crate::options::Options;
use crate::shape::{Arg, OwnLifetimes, Shape, SignatureContext};
use crate::{graph, names, surface};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Generics, ItemImpl, Lifetime, Path, Type, parse_quote};

/// An impl block under `#[behaviours]`.
pub(super) struct Block<'a> {
    pub(super) options: &'a Options,
    /// The actor: the type that the user wrote, or the actor's name if the user wrote its state.
    pub(super) actor: Type,
    actor_path: Path,
    /// The type with the methods, for expressions: its brand is left open.
    pub(super) state: Type,
    /// The type as the user wrote it, and its generics there.
    written: (&'a Type, Generics),
    /// The lifetime of a state that is a graph.
    pub(super) brand: Option<Lifetime>,
    /// The interface, when it is an interface's impl.
    pub(super) interface: Option<&'a Path>,
    /// The block's generics, sendable.
    pub(super) generics: Generics,
    /// The user's `#[cfg]`s: they apply to all code that is written for the block.
    pub(super) cfgs: Vec<&'a Attribute>,
    /// The module of the markers.
    pub(super) module: Ident,
    has_stop: bool,
}

impl<'a> Block<'a> {
    pub(super) fn read(
        item: &'a ItemImpl,
        options: &'a Options,
        methods: &[Method],
        errors: &mut Errors,
    ) -> Option<Block<'a>> {
        let Some(actor_path) = path_of(&item.self_ty) else {
            errors.at(&item.self_ty, "name the actor's type here: `impl Account`");
            return None;
        };
        let brand = graph::brand(&item.generics, errors)
            .cloned()
            .or_else(|| graph::anonymous(actor_path));
        let sendable = surface::sendable(&item.generics);
        let (actor_path, state, generics) = match &brand {
            None => {
                let path = actor_path.clone();
                (path, (*item.self_ty).clone(), sendable.clone())
            }
            Some(_) => {
                let (ident, given) = (&actor_path.segments.last()?.ident, options.name.as_ref());
                let attribute = "#[behaviours(name = Cache)]` here and `#[actor(name = Cache)]` at the state, with a name like `Cache";
                let name = graph::name_of(ident, given, attribute, errors)?;
                let state = graph::branded(actor_path, &parse_quote!('_));
                let generics = graph::actor_generics(&sendable, &options.vivant);
                (
                    graph::actor_path(actor_path, &name),
                    parse_quote!(#state),
                    generics,
                )
            }
        };
        let interface = item.trait_.as_ref().map(|(path, _)| path);
        if let Some(interface) = interface
            && let Some(last) = interface.segments.last()
            && !last.arguments.is_none()
        {
            errors.at(last, "an interface has no parameters");
            return None;
        }
        let actor_ident = &actor_path.segments.last()?.ident;
        let interface_ident = interface
            .and_then(|path| path.segments.last())
            .map(|last| &last.ident);
        let module = options.module.clone();
        let module = module.unwrap_or_else(|| names::messages(actor_ident, interface_ident));
        Some(Block {
            options,
            actor: match &brand {
                None => (*item.self_ty).clone(),
                Some(_) => parse_quote!(#actor_path),
            },
            actor_path,
            state,
            written: (&item.self_ty, sendable),
            brand,
            interface,
            generics,
            cfgs: surface::named(&item.attrs, "cfg"),
            module,
            has_stop: methods
                .iter()
                .any(|method| matches!(method.kind, Kind::Stop)),
        })
    }

    /// The type with the methods, as the user wrote it.
    pub(super) fn written_type(&self) -> &Type {
        self.written.0
    }

    /// The lifetime of a turn, where the user's generics are in scope.
    pub(super) fn brand_or_any(&self) -> Lifetime {
        self.brand.clone().unwrap_or_else(|| parse_quote!('_))
    }

    /// How the messages are read. An interface's messages have no brand, whatever actor implements
    /// it.
    pub(super) fn signature_context(&self) -> SignatureContext<'_> {
        let brand = self.brand.as_ref();
        SignatureContext {
            vivant: &self.options.vivant,
            this: Some(&self.actor),
            brand: brand.filter(|brand| self.interface.is_none() && brand.ident != "_"),
            own: match (brand, self.interface) {
                (None, None) => OwnLifetimes::Opened,
                _ => OwnLifetimes::Refused,
            },
        }
    }

    /// For a function that packs these arguments: an attribute before it, and its lifetime
    /// parameter, the sender's brand.
    pub(super) fn sender(
        shape: &Shape,
        given: &[Arg],
    ) -> (Option<TokenStream>, Option<TokenStream>) {
        let brand = shape.brand.as_ref();
        match brand.filter(|_| given.iter().any(|arg| !arg.carried.is_plain())) {
            None => (None, None),
            Some(brand) => (
                Some(quote!(#[allow(single_use_lifetimes)])),
                Some(quote!(<#brand>)),
            ),
        }
    }

    /// The actor's name, without parameters.
    pub(super) fn actor_name(&self) -> String {
        let last = self.actor_path.segments.last();
        last.map(|last| names::bare(&last.ident))
            .unwrap_or_default()
    }

    /// The interface's name.
    pub(super) fn interface_name(&self) -> Option<String> {
        let last = self.interface?.segments.last()?;
        Some(names::bare(&last.ident))
    }

    /// The stable name of a behaviour, as an expression.
    pub(super) fn name_of(&self, method: &Ident) -> TokenStream {
        let method = names::bare(method);
        let member = match self.interface_name() {
            Some(interface) if self.options.id.is_none() => format!("::{interface}::{method}"),
            _ => format!("::{method}"),
        };
        self.options.name_of(&self.actor_name(), &member)
    }

    /// The check in each behaviour of a generic actor's block, done when it is built for certain
    /// parameters. Other blocks check once, beside their stop hook.
    pub(super) fn check_in_each(&self) -> Option<TokenStream> {
        let is_generic = self.generics.type_params().next().is_some();
        is_generic.then(|| {
            let hook = self.has_stop.then(|| hooks::hook_is_called(self));
            let listed = self.is_listed_in_each();
            quote!(#hook #listed)
        })
    }

    /// Checks the methods together.
    pub(super) fn check(&self, methods: &[Method], errors: &mut Errors) {
        let starts = methods
            .iter()
            .filter(|method| matches!(method.kind, Kind::Start(_)));
        for second in starts.clone().skip(1) {
            errors.at(
                &second.sig.ident,
                "there is a `#[start]` already: an actor begins in one way; other ways are functions that call `spawn`",
            );
        }
        let stops = methods
            .iter()
            .filter(|method| matches!(method.kind, Kind::Stop));
        for second in stops.skip(1) {
            errors.at(&second.sig.ident, "there is a `#[stop]` already");
        }
        if starts.count() > 0 {
            for method in methods.iter().filter(|method| method.sig.ident == "spawn") {
                errors.at(
                    &method.sig.ident,
                    "`#[start]` writes a function `spawn`, which takes the same arguments and a spawner: choose \
                     another name",
                );
            }
        }
    }

    /// Puts the written parts together.
    pub(super) fn assemble(&self, written: Written) -> TokenStream {
        let Written {
            markers,
            start,
            impls,
            handle,
            actor,
            state,
            kinds,
            beside,
        } = written;
        let (cfgs, module, actor_type) = (&self.cfgs, &self.module, &self.actor);
        let allowed = surface::allowed();
        let actor_name = self.actor_name();
        let module_doc = match self.interface_name() {
            Some(interface) => format!(
                "How `{actor_name}` understands the messages of `{interface}`: one type each."
            ),
            None => format!("The messages that `{actor_name}` understands, one type each."),
        };
        let start_doc = format!("How `{actor_name}` starts.");
        let start = surface::markers(cfgs, &start_doc, &names::starts(module), start);
        let module = surface::markers(cfgs, &module_doc, module, markers);
        let methods = |methods: TokenStream, of: &dyn ToTokens, generics: &Generics| {
            let (impl_generics, _, where_clause) = generics.split_for_impl();
            (!methods.is_empty()).then(|| {
                quote! {
                    #(#cfgs)*
                    #allowed
                    impl #impl_generics #of #where_clause {
                        #methods
                    }
                }
            })
        };
        let handle_path = names::handle_path(&self.actor_path);
        let handle = methods(handle, &handle_path, &self.generics);
        let actor = methods(actor, actor_type, &self.generics);
        let state = methods(state, self.written.0, &self.written.1);
        let kinds = self.kinds(&kinds);
        quote!(#module #start #impls #handle #actor #state #kinds #beside)
    }
}

fn path_of(ty: &Type) -> Option<&Path> {
    match ty {
        Type::Path(path) if path.qself.is_none() => Some(&path.path),
        Type::Group(group) => path_of(&group.elem),
        Type::Paren(paren) => path_of(&paren.elem),
        _ => None,
    }
}
