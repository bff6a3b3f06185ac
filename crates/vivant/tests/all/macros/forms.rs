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
        <bank::account_messages::Deposit<bank::Account> as Message>::NAME,
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

#[interface(id = "shop/Scale")]
trait Scale {}

#[interface]
trait Bell {}

#[test]
fn options_set_name_and_pool() -> Outcome {
    assert_eq!(Register::NAME, "shop/Register");
    assert_eq!(<dyn Scale>::NAME, "shop/Scale");
    assert_eq!(<dyn Bell>::NAME, "all::macros::forms::Bell");
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
        is_behaviour::<phone_messages::Call<Phone>>();
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

/// The generated modules hide neither a crate nor a module of the program.
mod called_as_others {
    use super::super::Outcome;
    use vivant::prelude::*;

    mod dice {
        pub(super) const SIDES: u64 = 6;
    }

    #[derive(Actor)]
    struct Dice;

    #[behaviours]
    impl Dice {
        fn roll(&mut self) -> u64 {
            fastrand::u64(1..=dice::SIDES)
        }
    }

    /// A crate's name.
    #[interface]
    trait Fastrand {
        fn pick(&mut self) -> u64;
    }

    #[behaviours]
    impl Fastrand for Dice {
        fn pick(&mut self) -> u64 {
            fastrand::u64(..dice::SIDES)
        }
    }

    #[interface(module = messages_of_tokio)]
    trait Tokio {
        fn block(&mut self) -> u64;
    }

    #[behaviours(module = dice_and_tokio)]
    impl Tokio for Dice {
        fn block(&mut self) -> u64 {
            let runtime = tokio::runtime::Builder::new_current_thread().build();
            runtime.unwrap().block_on(async { 5 })
        }
    }

    #[test]
    fn an_actor_is_called_as_a_crate_or_a_module() -> Outcome {
        fn is_message<M: vivant::Message<Reply = u64>>() {}
        let system = System::new();
        let dice = system.spawn(Dice);
        assert!((1..=6).contains(&dice.roll().ask_blocking()?));
        let fastrand: Address<dyn Fastrand> = Address::upcast(&dice);
        assert!(fastrand.pick().ask_blocking()? < 6);
        let tokio: Address<dyn Tokio> = Address::upcast(&dice);
        assert_eq!(tokio.block().ask_blocking()?, 5);
        is_message::<dice_messages::Roll<Dice>>();
        is_message::<fastrand_messages::Pick>();
        is_message::<dice_fastrand_messages::Pick<Dice>>();
        is_message::<messages_of_tokio::Block>();
        is_message::<dice_and_tokio::Block<Dice>>();
        Ok(())
    }
}
