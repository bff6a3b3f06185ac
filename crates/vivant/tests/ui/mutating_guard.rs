use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
    notes: Vec<String>,
}

#[behaviours]
impl Account {
    #[when({ self.balance += 1; self.balance > amount })]
    fn withdraw(&mut self, amount: u64) {
        self.balance -= amount;
    }

    #[when(self.notes.pop().is_some())]
    fn read(&mut self) {}

    #[when({ self.notes[0] = note; true })]
    fn note(&mut self, note: String) {
        self.notes.push(note);
    }
}

fn main() {}
