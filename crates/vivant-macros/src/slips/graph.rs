//! Slips in the types of a state that is a graph, and of objects.

use super::erase::Erase;
use super::{is_one_of, rooted, text, without_body};
use crate::errors::Errors;
use crate::graph;
use crate::types::{fields, last_segment};
use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};
use syn::{
    DeriveInput, GenericArgument, ImplItem, ItemImpl, Lifetime, Path, PathArguments, PathSegment,
    Type, parse_quote,
};

/// Vivant's types with an actor as argument.
const OF_ACTOR: &[&str] = &[
    "Turn",
    "Address",
    "WeakAddress",
    "Far",
    "Child",
    "Group",
    "Router",
    "Rooted",
];
/// Vivant's types that hold values of a heap outside of turns.
const OUTSIDE_TURNS: &[&str] = &["Iso", "Parcel", "Held", "Rooted"];

/// The two names of an actor with a graph.
struct Names {
    state: Ident,
    actor: Path,
}

/// Reports the slips in an impl block of a graph, and corrects them.
pub(crate) fn correct(item: &mut ItemImpl, given: Option<&Ident>, errors: &mut Errors) {
    let Type::Path(state) = &*item.self_ty else {
        return;
    };
    // `Block::read` reports what is wrong with the block itself.
    let mut ignored = Errors::default();
    let brand = graph::brand(&item.generics, &mut ignored).cloned();
    let brand = brand.or_else(|| graph::anonymous(&state.path));
    let ident = state.path.segments.last().map(|last| last.ident.clone());
    let (Some(brand), Some(ident)) = (brand, ident) else {
        return;
    };
    let Some(actor) = graph::name_of(&ident, given, "", &mut ignored) else {
        return;
    };
    let names = Names {
        actor: graph::actor_path(&state.path, &actor),
        state: ident,
    };
    let before = errors.count();
    for item in &mut item.items {
        if let ImplItem::Fn(method) = item {
            rooted::correct(method, &names.actor, &brand, errors);
        }
    }
    let is_call_wrong = errors.count() > before;
    for item in &mut item.items {
        let before = errors.count();
        Corrector {
            names: Some(&names),
            brand: &brand,
            errors,
        }
        .visit_impl_item_mut(item);
        if let ImplItem::Fn(method) = item
            && (is_call_wrong || errors.count() > before)
        {
            without_body(method);
        }
    }
}

/// Reports the slips in the fields of an actor's state. Returns true if there are any.
pub(crate) fn in_state(state: &DeriveInput, actor: &Ident, errors: &mut Errors) -> bool {
    let names = Names {
        state: state.ident.clone(),
        actor: actor.clone().into(),
    };
    in_fields(state, Some(&names), errors)
}

/// Reports the slips in the fields of an object. Returns true if there are any.
pub(crate) fn in_object(object: &DeriveInput, errors: &mut Errors) -> bool {
    in_fields(object, None, errors)
}

fn in_fields(input: &DeriveInput, names: Option<&Names>, errors: &mut Errors) -> bool {
    let before = errors.count();
    if let Some(brand) = input.generics.lifetimes().next() {
        let mut corrector = Corrector {
            names,
            brand: &brand.lifetime,
            errors,
        };
        for field in fields(&input.data) {
            corrector.visit_type_mut(&mut field.ty.clone());
        }
    }
    errors.count() > before
}

struct Corrector<'a> {
    names: Option<&'a Names>,
    brand: &'a Lifetime,
    errors: &'a mut Errors,
}

impl VisitMut for Corrector<'_> {
    fn visit_path_segment_mut(&mut self, segment: &mut PathSegment) {
        if is_one_of(&segment.ident, OF_ACTOR) {
            self.name_actor(segment);
        }
        if is_one_of(&segment.ident, OUTSIDE_TURNS) {
            self.erase_brand(segment);
        }
        visit_mut::visit_path_segment_mut(self, segment);
    }
}

impl Corrector<'_> {
    /// `Turn<Self>` becomes `Turn<'gc, Cache>`.
    fn name_actor(&mut self, segment: &mut PathSegment) {
        let (Some(names), PathArguments::AngleBracketed(arguments)) =
            (self.names, &mut segment.arguments)
        else {
            return;
        };
        let is_state = |argument: &&mut GenericArgument| match argument {
            GenericArgument::Type(ty) => last_segment(ty)
                .is_some_and(|named| named.ident == "Self" || named.ident == names.state),
            _ => false,
        };
        let Some(argument) = arguments.args.iter_mut().find(is_state) else {
            return;
        };
        let actor = &names.actor;
        let written = std::mem::replace(argument, GenericArgument::Type(parse_quote!(#actor)));
        let is_turn = segment.ident == "Turn";
        if is_turn && arguments.args.len() == 1 {
            let brand = GenericArgument::Lifetime(self.brand.clone());
            arguments.args.insert(0, brand);
        }
        let (state, actor) = (&names.state, text(actor));
        let right = match is_turn {
            true => format!("&{}", text(segment)),
            false => text(segment),
        };
        self.errors.at(
            written,
            format!(
                "`{state}` is the state; turns and addresses name its actor, `{actor}`: write `{right}`"
            ),
        );
    }

    /// `Iso<Node<'gc>>` becomes `Iso<Node<'static>>`.
    fn erase_brand(&mut self, segment: &mut PathSegment) {
        let mut erase = Erase::of(self.brand);
        erase.visit_path_arguments_mut(&mut segment.arguments);
        if let Some(first) = erase.first {
            let article = if segment.ident == "Iso" { "an" } else { "a" };
            let (name, right) = (&segment.ident, text(segment));
            self.errors.at(
                first,
                format!(
                    "the content of {article} `{name}` belongs to no turn, so it has no brand: write `{right}`"
                ),
            );
        }
    }
}
