//! The help page: keys and terms.

use super::{Palette, list};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

const TEXT: &str = " q, Ctrl-C       quit
 Tab, Shift-Tab  the next page, the one before
 arrows, j k     up and down; PgUp PgDn ten lines, g G to the ends
 s               sort the actors by the next column
 /               filter the actors by path, type or running behaviour
 Enter           all that is known of the chosen actor
 p               pause, go on;  n  takes one look while paused
 Esc             back; on a page it clears the filter

 waiting    messages that could be processed, and how long the oldest has waited
 deferred   messages whose guard (#[when]) is false
 busy       the share of the time that the actor had a worker, by sampling
 muting     an overloaded actor: who sent to it takes no messages until it
            has recovered
 dead       messages that were not processed, by behaviour, place and cause
 surplus    workers (+n) added because turns hold others up

 A rate is the difference between two looks.";

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, palette: Palette) {
    let lines = TEXT.lines().map(Line::from).collect();
    frame.render_widget(list("help", lines, palette), area);
}
