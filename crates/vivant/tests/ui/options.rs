use vivant::prelude::*;

#[derive(Actor)]
#[actor(blocked)]
struct Account;

#[behaviours(label = "x")]
impl Account {}

#[derive(Actor)]
#[actor(id = "")]
struct Nameless;

#[vivant::test(seeds = "many")]
fn seeds(_: &System) {}

fn main() {}
