//! Far references and tags in snapshots: in states, objects, messages and promises.

use super::taking::goes_on_at_every_step;
use crate::api::SavedKinds;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use std::collections::HashSet;
use vivant_codec::Saved;
use vivant_heap::{Gc, Mut, Object, Tag, TagId};

#[derive(Object, Saved)]
pub(super) struct Figure {
    name: String,
}

type AnyFigure<'gc> = Gc<'gc, Mut<Figure>>;

/// Draws figures, of which it forgets every second one.
#[derive(Actor)]
#[actor(saved, id = "far::Scene")]
pub(super) struct SceneState<'gc> {
    figures: Vec<AnyFigure<'gc>>,
    renamed: Vec<String>,
    drawn: u64,
}

#[behaviours(id = "far::Scene")]
impl<'gc> SceneState<'gc> {
    #[start]
    pub(super) fn new() -> Self {
        SceneState {
            figures: Vec::new(),
            renamed: Vec::new(),
            drawn: 0,
        }
    }

    pub(super) fn draw(
        &mut self,
        t: &Turn<'gc, Scene>,
        name: String,
    ) -> Far<'gc, Scene, Mut<Figure>> {
        let figure = t.alloc(Mut::new(Figure { name }));
        self.drawn += 1;
        if self.drawn.is_multiple_of(2) {
            self.figures.push(figure);
        }
        t.far(figure)
    }

    pub(super) fn rename(
        &mut self,
        t: &Turn<'gc, Scene>,
        figure: Tag<'gc, Mut<Figure>>,
        name: String,
    ) {
        let figure = figure.open(t).expect("it is of this scene");
        let before = std::mem::replace(&mut figure.borrow_mut(t).name, name);
        self.renamed.push(before);
    }
}

/// Has figures of the scene, and gives them on.
#[derive(Actor)]
#[actor(saved, id = "far::Editor")]
pub(super) struct EditorState<'gc> {
    selected: Vec<Gc<'gc, Mut<Far<'gc, Scene, Mut<Figure>>>>>,
    last: Option<Far<'gc, Scene, Mut<Figure>>>,
    next: Option<Address<Editor>>,
}

#[behaviours(id = "far::Editor")]
impl<'gc> EditorState<'gc> {
    #[start]
    pub(super) fn new() -> Self {
        EditorState {
            selected: Vec::new(),
            last: None,
            next: None,
        }
    }

    pub(super) fn before(&mut self, next: Address<Editor>) {
        self.next = Some(next);
    }

    pub(super) fn draws(&mut self, t: &Turn<'gc, Editor>, scene: Address<Scene>, count: u64) {
        let drawn = t.ask(scene.draw(format!("figure {count}")));
        drawn.then(t.me().drawn(count));
    }

    #[then]
    fn drawn(
        &mut self,
        t: &Turn<'gc, Editor>,
        figure: Result<Far<'gc, Scene, Mut<Figure>>, AskError>,
        count: u64,
    ) {
        let figure = figure.expect("the scene lives");
        let scene = figure.owner().clone();
        self.select(t, figure, count % 3);
        if count > 0 {
            t.me().draws(scene, count - 1).send();
        }
    }

    pub(super) fn select(
        &mut self,
        t: &Turn<'gc, Editor>,
        figure: Far<'gc, Scene, Mut<Figure>>,
        hands: u64,
    ) {
        t.send(figure.to(|scene, figure| scene.rename(figure, format!("with {hands} to go"))));
        if let Some(before) = self.last.replace(figure.clone()) {
            self.selected.push(t.alloc(Mut::new(before)));
        }
        if let Some(next) = self.next.as_ref().filter(|_| hands > 0) {
            t.send(next.select(figure, hands - 1));
        }
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Scene, Editor)>().expect("no two names are equal"))
}

fn begin(simulation: &Simulation) -> [Address<Editor>; 2] {
    let scene = Scene::spawn(simulation.system());
    let editors = [(); 2].map(|()| Editor::spawn(simulation.system()));
    editors[0].before(editors[1].clone()).send();
    editors[1].before(editors[0].clone()).send();
    editors[0].draws(scene, 5).send();
    editors
}

/// What was renamed, the figures that the scene has, and how many each editor has.
type End = (Vec<String>, Vec<String>, Vec<(usize, usize)>);

fn end(simulation: &Simulation) -> End {
    simulation.run();
    let mut end = End::default();
    for cell in simulation.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("all is done");
        let _scene = idle.state().look::<Scene, _>(|scene| {
            end.0.clone_from(&scene.renamed);
            let figures = scene.figures.iter();
            end.1 = figures.map(|it| it.borrow().name.clone()).collect();
        });
        let _editor = idle.state().look::<Editor, _>(|editor| {
            let tags = editor.selected.iter().map(|it| it.borrow().tag().id());
            let last = editor.last.iter().map(|last| last.tag().id());
            let different: HashSet<TagId> = tags.chain(last).collect();
            end.2.push((editor.selected.len(), different.len()));
        });
        idle.park();
    }
    end.0.sort_unstable();
    end
}

#[test]
fn editors_go_on_with_their_figures() {
    let simulation = Simulation::new(1);
    let _editors = begin(&simulation);
    let (renamed, figures, editors) = end(&simulation);
    assert!(
        renamed.len() > 8 && figures.len() == 3,
        "{renamed:?} {figures:?}"
    );
    assert!(editors.iter().any(|(all, different)| all > different));
    let images = goes_on_at_every_step(3, &kinds(), begin, end);
    assert!(images > 10, "{images} images");
}
