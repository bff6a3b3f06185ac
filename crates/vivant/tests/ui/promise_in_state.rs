use vivant::prelude::*;

#[derive(Actor)]
struct Waiter {
    order: Option<Promise<u64>>,
}

mod by_another_name {
    use vivant::prelude::*;

    type Order = Promise<u64>;

    #[derive(Actor)]
    struct Waiter {
        order: Option<Order>,
    }
}

fn main() {}
