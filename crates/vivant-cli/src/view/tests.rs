//! Every page, drawn without a terminal and compared with the text of a file.
//!
//! `INSTA_UPDATE=always cargo test` rewrites the files; review the difference.

use super::{Palette, draw, first_shown};
use crate::model::keys::Key;
use crate::model::look::Look;
use crate::model::sample::{model, snapshot};
use crate::model::{Model, Pace};
use crate::once;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

fn drawn(model: &Model, (width, height): (u16, u16), palette: Palette) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, model, palette)).unwrap();
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    let width = buffer.area.width as usize;
    let lines = buffer.content.chunks(width).map(|cells| {
        let line: String = cells.iter().map(|cell| cell.symbol()).collect();
        format!("{}\n", line.trim_end())
    });
    lines.collect()
}

/// Compares with the file of this name.
fn is_as_in(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("screens");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn screen(name: &str, model: &Model) {
    is_as_in(name, &text(&drawn(model, (80, 24), Palette::Coloured)));
}

fn pressed(keys: &[Key]) -> Model {
    let mut model = model();
    for key in keys {
        model.press(*key);
    }
    model
}

#[test]
fn home() {
    screen("home", &model());
}

#[test]
fn home_of_an_idle_system_and_a_lost_one() {
    let mut model = Model::new("127.0.0.1:4711, every 1s", Pace::Running);
    model.looked(vivant_console::wire::Snapshot::default());
    model.lost("the connection to 127.0.0.1:4711 was lost: Connection reset by peer; has the program ended?");
    screen("home_lost", &model);
}

#[test]
fn actors() {
    screen("actors", &pressed(&[Key::Tab, Key::Down]));
}

#[test]
fn actors_sorted_and_filtered() {
    let keys = [
        Key::Char('s'),
        Key::Char('s'),
        Key::Char('/'),
        Key::Char('c'),
    ];
    screen("actors_filtered", &pressed(&keys));
}

#[test]
fn detail() {
    screen("detail", &pressed(&[Key::Tab, Key::Enter]));
    let mut gone = pressed(&[Key::Tab, Key::Enter]);
    gone.looked(vivant_console::wire::Snapshot::default());
    screen("detail_gone", &gone);
}

#[test]
fn heaps() {
    screen("heaps", &pressed(&[Key::Char('3')]));
    screen("detail_heap", &pressed(&[Key::Char('3'), Key::Enter]));
    let buffer = drawn(&pressed(&[Key::Char('3')]), (132, 30), Palette::Coloured);
    is_as_in("heaps_wide", &text(&buffer));
}

#[test]
fn waits() {
    screen("waits", &pressed(&[Key::Char('4'), Key::Down]));
    let buffer = drawn(&pressed(&[Key::Char('4')]), (132, 30), Palette::Coloured);
    is_as_in("waits_wide", &text(&buffer));
    let keys = [Key::Char('4'), Key::Char('/'), Key::Char('#')];
    let none = text(&drawn(&pressed(&keys), (80, 24), Palette::Coloured));
    assert!(none.contains("Esc clears the filter"), "{none}");
}

#[test]
fn an_older_console_is_said_to_be_older() {
    let mut model = Model::new("127.0.0.1:4711, every 1s", Pace::Running);
    let mut older = vivant_console::wire::Snapshot {
        revision: 0,
        waits: Vec::new(),
        requests: Vec::new(),
        ..snapshot(1)
    };
    for actor in &mut older.actors {
        actor.heap = None;
    }
    model.looked(older);
    for page in ["1", "3", "4"] {
        model.press(Key::Char(page.parse().unwrap()));
        let text = text(&drawn(&model, (80, 24), Palette::Coloured));
        assert!(text.contains("is older than this command"), "{text}");
    }
}

#[test]
fn reports() {
    screen("reports", &pressed(&[Key::BackTab]));
}

#[test]
fn help() {
    screen("help", &pressed(&[Key::Char('?')]));
}

#[test]
fn wide_and_high() {
    let buffer = drawn(&pressed(&[Key::Tab]), (132, 30), Palette::Coloured);
    is_as_in("actors_wide", &text(&buffer));
}

#[test]
fn a_small_terminal_says_so() {
    for size in [(79, 24), (80, 23), (30, 5)] {
        let text = text(&drawn(&model(), size, Palette::Coloured));
        assert!(text.contains("too small"), "{text}");
    }
    drawn(&model(), (1, 1), Palette::Coloured);
}

#[test]
fn once_as_text() {
    let look = Look::between(Some(&snapshot(1)), &snapshot(2));
    is_as_in("once", &once::text("127.0.0.1:4711, rates over 1s", &look));
}

#[test]
fn colours_carry_nothing_alone() {
    let pages = [
        &[][..],
        &[Key::Tab],
        &[Key::Char('3')],
        &[Key::Char('4')],
        &[Key::BackTab],
        &[Key::Char('?')],
    ];
    for keys in pages {
        let model = pressed(keys);
        let coloured = drawn(&model, (80, 24), Palette::Coloured);
        let plain = drawn(&model, (80, 24), Palette::Plain);
        assert_eq!(text(&coloured), text(&plain));
        let has_colour = |buffer: &Buffer| {
            buffer
                .content
                .iter()
                .any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset)
        };
        assert!(has_colour(&coloured));
        assert!(!has_colour(&plain));
    }
}

#[test]
fn the_chosen_row_is_on_the_screen() {
    for count in 0..30 {
        for chosen in 0..count {
            let above = first_shown(chosen, count, 7);
            assert!((above..above + 7).contains(&chosen), "{chosen} of {count}");
            assert!(above + 7 <= count || above == 0, "no empty lines below");
        }
    }
}
