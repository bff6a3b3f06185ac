//! Behaviours, guards, options, several blocks, actors inside functions.

use super::{Outcome, bank};
use vivant::prelude::*;
use vivant::{Behaviour, Message, Pool};

#[test]
fn behaviours_run_when_their_guards_hold() -> Outcome {
    let system = System::new();
    let account = system.spawn(bank::Account::empty());
    assert_eq!(account.deposit(10).ask_blocking()?, 10);
    let waiting = account.withdraw(25, "rent".into()).ask();
    assert_eq!(account.deposit(20).ask_blocking()?, 30);
    assert_eq!(system.block_on(waiting)?, (5, "rent".to_owned()));
    bank::halve(&account);
    assert_eq!(account.balance().ask_blocking()?, 2);
    assert!(account.audit().ask_blocking()?.ends_with(": 2"));
    Ok(())
}

#[test]
fn names_contain_the_module_path() {
    assert_eq!(bank::Account::NAME, "all::macros::bank::Account");
    assert_eq!(
        <bank::account::Deposit<bank::Account> as Message>::NAME,
        "all::macros::bank::Account::deposit"
    );
}

#[derive(Actor)]
#[actor(blocking, id = "shop/Register")]
struct Register;

#[behaviours(id = "shop/Register", module = register_messages)]
impl Register {
    fn ring(&mut self) {}
}

#[test]
fn options_set_name_and_pool() -> Outcome {
    assert_eq!(Register::NAME, "shop/Register");
    assert_eq!(Register::POOL, Pool::Blocking);
    assert_eq!(
        <register_messages::Ring<Register> as Message>::NAME,
        "shop/Register::ring"
    );
    let system = System::new();
    system.spawn(Register).ring().ask_blocking()
}

mod several_blocks {
    use super::*;

    #[derive(Actor)]
    struct Phone {
        calls: u64,
    }

    #[behaviours]
    impl Phone {
        fn call(&mut self) {
            self.calls += 1;
        }
    }

    #[behaviours(module = phone_service, crate = ::vivant)]
    impl Phone {
        fn calls(&self) -> u64 {
            self.calls
        }
    }

    #[test]
    fn each_block_of_behaviours_has_a_module() -> Outcome {
        fn is_behaviour<B: Behaviour<Actor = Phone>>() {}
        let system = System::new();
        let phone = system.spawn(Phone { calls: 0 });
        phone.call().send();
        assert_eq!(phone.calls().ask_blocking()?, 1);
        is_behaviour::<phone::Call<Phone>>();
        is_behaviour::<phone_service::Calls<Phone>>();
        Ok(())
    }
}

#[test]
fn an_actor_may_be_defined_in_a_function() -> Outcome {
    #[derive(Actor)]
    enum Light {
        On,
        Off,
    }

    #[behaviours]
    impl Light {
        fn toggle(&mut self) -> bool {
            *self = match self {
                Light::On => Light::Off,
                Light::Off => Light::On,
            };
            matches!(self, Light::On)
        }
    }

    #[interface]
    trait Switch {
        fn flip(&mut self);
    }

    #[behaviours]
    impl Switch for Light {
        fn flip(&mut self) {
            self.toggle();
        }
    }

    let system = System::new();
    let light = system.spawn(Light::Off);
    assert!(light.toggle().ask_blocking()?);
    let switch: Address<dyn Switch> = Address::upcast(&light);
    switch.flip().ask_blocking()?;
    assert!(light.toggle().ask_blocking()?);
    Ok(())
}
