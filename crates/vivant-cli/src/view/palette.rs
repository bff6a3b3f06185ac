//! Colours. They never carry a meaning alone: the same words and marks are shown without them.

use ratatui::style::{Color, Modifier, Style};

/// Whether the terminal shows colours. Bold, dim and reversed text is shown in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Palette {
    Coloured,
    Plain,
}

impl Palette {
    /// No colours if `NO_COLOR` is set and not empty.
    pub(crate) fn of_environment() -> Palette {
        match std::env::var_os("NO_COLOR") {
            Some(value) if !value.is_empty() => Palette::Plain,
            _ => Palette::Coloured,
        }
    }

    pub(super) fn title(self) -> Style {
        self.with(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(super) fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn warning(self) -> Style {
        self.with(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub(super) fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    fn with(self, colour: Color) -> Style {
        match self {
            Palette::Coloured => Style::new().fg(colour),
            Palette::Plain => Style::new(),
        }
    }
}
