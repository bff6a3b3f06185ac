use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    fn settle(&mut self, amount: Promise<u64>) {
        let _ = amount;
    }

    fn settle_all(&mut self, amounts: Vec<Promise<u64>>) {
        let _ = amounts;
    }
}

mod by_another_name {
    use vivant::prelude::*;

    type Amount = Promise<u64>;

    #[derive(Actor)]
    struct Account;

    #[behaviours]
    impl Account {
        fn settle(&mut self, amount: Amount) {
            let _ = amount;
        }
    }
}

fn main() {}
