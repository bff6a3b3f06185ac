//! The parts of parsed Rust that more than one rule asks for.

use syn::{
    Attribute, Expr, ExprBlock, ExprCall, ExprIf, ExprMacro, ExprMethodCall, ExprUnsafe, Ident,
    ImplItem, ImplItemConst, ImplItemFn, ImplItemMacro, ImplItemType, Item, ItemConst, ItemEnum,
    ItemExternCrate, ItemFn, ItemForeignMod, ItemImpl, ItemMacro, ItemMod, ItemStatic, ItemStruct,
    ItemTrait, ItemTraitAlias, ItemType, ItemUnion, ItemUse, Local, Meta, Stmt, StmtMacro,
    TraitItem, TraitItemConst, TraitItemFn, TraitItemMacro, TraitItemType,
};

/// Whether the attributes have `#[cfg(test)]` or `#[cfg(all(test, …))]`.
pub(super) fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string().replace(' ', "");
            condition == "test" || condition.starts_with("all(test,")
        }
        _ => false,
    })
}

pub(super) fn attributes_of_item(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(ItemConst { attrs, .. })
        | Item::Enum(ItemEnum { attrs, .. })
        | Item::ExternCrate(ItemExternCrate { attrs, .. })
        | Item::Fn(ItemFn { attrs, .. })
        | Item::ForeignMod(ItemForeignMod { attrs, .. })
        | Item::Impl(ItemImpl { attrs, .. })
        | Item::Macro(ItemMacro { attrs, .. })
        | Item::Mod(ItemMod { attrs, .. })
        | Item::Static(ItemStatic { attrs, .. })
        | Item::Struct(ItemStruct { attrs, .. })
        | Item::Trait(ItemTrait { attrs, .. })
        | Item::TraitAlias(ItemTraitAlias { attrs, .. })
        | Item::Type(ItemType { attrs, .. })
        | Item::Union(ItemUnion { attrs, .. })
        | Item::Use(ItemUse { attrs, .. }) => attrs,
        _ => &[],
    }
}

/// The name that an item has in the namespaces of types and values.
pub(super) fn name_of_item(item: &Item) -> Option<&Ident> {
    match item {
        Item::Const(ItemConst { ident, .. })
        | Item::Enum(ItemEnum { ident, .. })
        | Item::Static(ItemStatic { ident, .. })
        | Item::Struct(ItemStruct { ident, .. })
        | Item::Trait(ItemTrait { ident, .. })
        | Item::TraitAlias(ItemTraitAlias { ident, .. })
        | Item::Type(ItemType { ident, .. })
        | Item::Union(ItemUnion { ident, .. }) => Some(ident),
        Item::Fn(item) => Some(&item.sig.ident),
        _ => None,
    }
}

pub(super) fn attributes_of_impl_item(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(ImplItemConst { attrs, .. })
        | ImplItem::Fn(ImplItemFn { attrs, .. })
        | ImplItem::Macro(ImplItemMacro { attrs, .. })
        | ImplItem::Type(ImplItemType { attrs, .. }) => attrs,
        _ => &[],
    }
}

pub(super) fn attributes_of_trait_item(item: &TraitItem) -> &[Attribute] {
    match item {
        TraitItem::Const(TraitItemConst { attrs, .. })
        | TraitItem::Fn(TraitItemFn { attrs, .. })
        | TraitItem::Macro(TraitItemMacro { attrs, .. })
        | TraitItem::Type(TraitItemType { attrs, .. }) => attrs,
        _ => &[],
    }
}

/// The attributes of a statement that is not an item.
pub(super) fn attributes_of_stmt(stmt: &Stmt) -> &[Attribute] {
    match stmt {
        Stmt::Local(Local { attrs, .. })
        | Stmt::Macro(StmtMacro { attrs, .. })
        | Stmt::Expr(
            Expr::Block(ExprBlock { attrs, .. })
            | Expr::Call(ExprCall { attrs, .. })
            | Expr::If(ExprIf { attrs, .. })
            | Expr::Macro(ExprMacro { attrs, .. })
            | Expr::MethodCall(ExprMethodCall { attrs, .. })
            | Expr::Unsafe(ExprUnsafe { attrs, .. }),
            _,
        ) => attrs,
        _ => &[],
    }
}
