use vivant::prelude::*;

#[derive(Actor)]
struct Account;

#[behaviours]
impl Account {
    fn late(&mut self, amount: u64, t: &Turn<Self>) {
        let _ = (amount, t);
    }

    fn unnamed(&mut self, (a, b): (u64, u64)) {
        let _ = (a, b);
    }

    fn consumed(self) {}

    #[then]
    #[local]
    fn both(&mut self) {}

    #[when(true)]
    #[local]
    fn guarded_helper(&mut self) {}

    #[then]
    fn without_self(value: u64) {
        let _ = value;
    }

    #[stop]
    fn stopping(&mut self, t: &Turn<Self>, reason: &StopReason, more: u64) {
        let _ = (t, reason, more);
    }

    unsafe fn trusted(&mut self) {}
}

#[behaviours]
struct NoImpl;

#[behaviours]
impl [Account] {}

fn main() {}
