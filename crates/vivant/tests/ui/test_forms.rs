use vivant::prelude::*;

#[vivant::test]
fn nothing() {}

#[vivant::test]
fn too_much(_: &System, _: u64) {}

#[vivant::test]
fn generic<T>(_: T) {}

#[vivant::test]
#[test]
fn twice(_: &System) {}

#[vivant::test]
struct NoFunction;

fn main() {}
