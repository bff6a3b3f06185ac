use vivant::prelude::*;

#[derive(Actor)]
#[actor(mailbox = drop_all(3))]
struct Policy;

#[derive(Actor)]
#[actor(mailbox = reject)]
struct NoBound;

#[derive(Actor)]
#[actor(mailbox = reject())]
struct EmptyBound;

#[derive(Actor)]
#[actor(mailbox = drop_newest(1, 2))]
struct TwoBounds;

#[derive(Actor)]
#[actor(mailbox = drop_oldest(0))]
struct Zero;

#[derive(Actor)]
#[actor(mailbox)]
struct NoPolicy;

#[derive(Actor)]
#[actor(mailbox = reject("ten"))]
struct Text;

fn main() {}
