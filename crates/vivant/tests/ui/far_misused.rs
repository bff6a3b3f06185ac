use vivant::prelude::*;

#[derive(Actor)]
struct SceneState<'gc> {
    node: Gc<'gc, Mut<u64>>,
}

#[behaviours]
impl<'gc> SceneState<'gc> {
    fn raise(&mut self, _node: Tag<'gc, Mut<u64>>) {}

    fn far(&self, t: &Turn<'gc, Scene>) -> Far<'gc, Scene, Mut<u64>> {
        t.far(self.node)
    }

    fn of_another(&mut self, far: Far<'gc, Scene, Mut<u64>>) {
        self.node = far.tag();
    }
}

#[derive(Actor)]
struct Pin {
    node: Option<Far<'static, Scene, Mut<u64>>>,
}

#[behaviours]
impl Pin {
    fn keep<'gc>(&mut self, node: Far<'gc, Scene, Mut<u64>>) {
        self.node = Some(node);
    }
}

fn reads(far: &Far<'_, Scene, Mut<u64>>) -> u64 {
    **far.tag()
}

fn about_another_type(far: &Far<'_, Scene, Mut<i64>>) {
    far.to(|scene, node| scene.raise(node)).send();
}

fn kept_outside(scene: &Address<Scene>) {
    let mut kept = None;
    let far = scene.far().ask_blocking().unwrap();
    far.look(|far| kept = Some(far.clone()));
}

fn main() {}
