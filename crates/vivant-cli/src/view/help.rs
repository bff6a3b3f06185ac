//! The help page: keys and terms.

use super::{Palette, list};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

const TEXT: &str = " q, Ctrl-C       quit
 Tab, Shift-Tab  the next page, the one before; 1 to 5: that page
 arrows, j k     up and down; PgUp PgDn ten lines, g G to the ends
 s               sort the actors or heaps by the next column
 /               filter by path, type, behaviour or place; Esc clears it
 Enter           all that is known of the chosen actor; Esc goes back
 p               pause, go on;  n  takes one look while paused

 waiting    messages that could be processed, of how many; the oldest's age
 deferred   messages that wait for a guard, a join, or an exclusive wait's end
 busy       the share of the time that the actor had a worker, by sampling
 muting     an overloaded actor: its senders take no messages until it recovers
 dead       messages that were not processed, by behaviour, place and cause
 surplus    workers (+n) added because turns hold others up
 live       bytes of old objects; pages: bytes of the whole heap
 paused     the share of the time that its heap kept the actor from running
 !          among waits: exclusive, the asker takes no message meanwhile
 blocked    exclusive, and the answerer waits exclusively too

 A rate is the difference between two looks.";

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, palette: Palette) {
    let lines = TEXT.lines().map(Line::from).collect();
    frame.render_widget(list("help", lines, palette), area);
}
