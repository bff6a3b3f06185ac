//! Token-passing continuations: the reply of one actor becomes an argument of a message to the
//! next, and the actor that asked has no method for what lies between.
//!
//! A photo is taken, developed, and framed by three actors. Where to look: `order` names the whole
//! way of the photo in one expression; each `pass_to` sends the value on when it comes. Try to give
//! the laboratory no film: the promise of the whole way fails with its error, and no frame is used.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use vivant::prelude::*;

#[derive(Actor)]
struct Camera;

#[behaviours]
impl Camera {
    fn shoot(&self, motif: String) -> String {
        format!("photo of {motif}")
    }
}

#[derive(Actor)]
struct Laboratory {
    films: u32,
}

#[behaviours]
impl Laboratory {
    fn develop(&mut self, photo: String) -> String {
        self.films = self.films.checked_sub(1).expect("a film");
        format!("developed {photo}")
    }
}

#[derive(Actor)]
struct Framer {
    frames: u32,
}

#[behaviours]
impl Framer {
    fn frame(&mut self, photo: String, colour: String) -> String {
        self.frames -= 1;
        format!("{photo}, in a {colour} frame")
    }

    fn frames(&self) -> u32 {
        self.frames
    }
}

#[derive(Actor)]
struct Shop {
    camera: Address<Camera>,
    laboratory: Address<Laboratory>,
    framer: Address<Framer>,
}

#[behaviours]
impl Shop {
    fn order(&self, t: &Turn<Self>, motif: String, colour: String) -> Promise<String> {
        t.ask(self.camera.shoot(motif))
            .pass_to(&self.laboratory, LaboratoryHandle::develop)
            .pass_to(&self.framer, |framer, photo| framer.frame(photo, colour))
    }
}

fn main() -> Result<(), AskError> {
    let system = System::new();
    let framer = system.spawn(Framer { frames: 5 });
    let shop = system.spawn(Shop {
        camera: system.spawn(Camera),
        laboratory: system.spawn(Laboratory { films: 1 }),
        framer: framer.clone(),
    });
    let photo = shop.order("a cat".into(), "black".into()).ask_blocking()?;
    println!("{photo}");
    assert_eq!(photo, "developed photo of a cat, in a black frame");
    // There was one film.
    let none = shop.order("a dog".into(), "white".into()).ask_blocking();
    assert!(matches!(none, Err(AskError::Panicked(_))), "{none:?}");
    assert_eq!(framer.frames().ask_blocking()?, 4);
    Ok(())
}
