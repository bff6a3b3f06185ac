//! An interface's impl, with the turn in all its methods: each takes it as the trait's does,
//! whether the user wrote it or not.

use super::block::Block;
use crate::shape::set_turn;
use crate::{graph, surface};
use syn::{ImplItem, ItemImpl, Lifetime, parse_quote};

pub(super) fn write(block: &Block<'_>, item: &ItemImpl) -> ItemImpl {
    let (vivant, actor) = (&block.options.vivant, &block.actor);
    let mut implementor = ItemImpl {
        generics: surface::sendable(&item.generics),
        ..item.clone()
    };
    let brand = block
        .brand
        .clone()
        .map(|brand| named(brand, &mut implementor));
    let turn: ImplItem = match &brand {
        None => parse_quote!(type __WrittenByBehaviours<'turn> = #vivant::Turn<'turn, #actor>;),
        Some(brand) => {
            graph::bound_by_any_brand(&mut implementor.generics, vivant);
            parse_quote!(type __WrittenByBehaviours<'turn> = #vivant::Turn<#brand, #actor>;)
        }
    };
    for item in &mut implementor.items {
        if let ImplItem::Fn(method) = item
            && method.sig.receiver().is_some()
        {
            set_turn(
                &mut method.sig,
                &parse_quote!(&Self::__WrittenByBehaviours<'_>),
            );
        }
    }
    implementor.items.push(turn);
    implementor
}

/// The brand; an anonymous one gets a name.
fn named(brand: Lifetime, implementor: &mut ItemImpl) -> Lifetime {
    if brand.ident != "_" {
        return brand;
    }
    let name: Lifetime = parse_quote!('__gc);
    if let syn::Type::Path(state) = &mut *implementor.self_ty {
        state.path = graph::branded(&state.path, &name);
    }
    implementor.generics.params.insert(0, parse_quote!(#name));
    name
}
