//! The help page: keys and terms.

use super::{Palette, list};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

const TEXT: &str = " q, Ctrl-C       quit
 Tab, 1 to 5     the next page (Shift-Tab: the one before), or that page
 arrows, j k     up and down; PgUp PgDn ten lines, g G to the ends
 s               sort the actors or heaps by the next column
 /               filter by path, type, behaviour; Esc clears the filter, or goes back
 Enter           all that is known of the chosen actor
 p               pause, go on;  n  takes one look while paused

 waiting    messages that could be processed (of the mailbox's bound); oldest: their age
 deferred   messages that wait for a guard (#[when]), a join, or an exclusive wait
 busy       the share of the time that the actor had a worker, by sampling
 muting     an overloaded actor: its senders take no messages until it has recovered
 dead       messages that were not processed, by behaviour, place and cause
 surplus    workers (+n) added because turns hold others up
 live       bytes of old objects; pages: of all pages of the actor's heap
 paused     the share of the time that its heap kept the actor from running
 !          on Waits: an exclusive wait, its actor takes no message meanwhile
 blocked    an exclusive wait for an actor that waits exclusively too
 A rate is the difference between two looks.";

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, palette: Palette) {
    let lines = TEXT.lines().map(Line::from).collect();
    frame.render_widget(list("help", lines, palette), area);
}
