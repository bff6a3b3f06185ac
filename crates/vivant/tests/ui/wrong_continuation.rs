use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    fn balance(&self) -> u64 {
        self.balance
    }

    fn show(&mut self, t: &Turn<Self>) -> Promise<()> {
        t.ask(t.me().balance()).then(t.me().shown())
    }

    fn call_it(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.ask(t.me().balance()).then(t.me().balance())
    }

    fn ask_it(&mut self, t: &Turn<Self>) -> Promise<()> {
        t.ask(t.me().shown())
    }

    #[then]
    fn shown(&mut self, text: Result<String, AskError>) {
        let _ = text;
    }
}

fn main() {}
