//! What actors do and learn, by the places of these events in their histories, and whether a cut
//! through the histories is consistent. Tests keep it: beside the reference model of a cut, and
//! beside the runtime.

/// A place in the history of an actor, or of an outside thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum At {
    Actor(usize, usize),
    Outside(usize, usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Message,
    Signal,
    /// The drop of the last address.
    LastAddress,
    /// The entry of a table, as a turn finds it.
    Entry,
}

/// What one actor does and another one learns.
#[derive(Clone, Debug)]
pub(crate) struct News {
    pub(crate) kind: Kind,
    pub(crate) made: At,
    pub(crate) taken: Taken,
}

/// Where news end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    NotYet,
    At(At),
    /// By code that belongs to no place of a history: a dead letter.
    Nowhere,
}

/// Where the line of a cut divides the history of an actor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Line {
    /// All that it has done is in the cut: it has ended, or is not captured yet.
    NotYet,
    /// Before its event with this number.
    At(usize),
    /// It was born behind the line.
    AllBehind,
}

/// A cut through the histories of actors.
pub(crate) struct HistoryCut<'h> {
    pub(crate) news: &'h [News],
    /// By actor.
    pub(crate) lines: &'h [Line],
    /// Where each actor was born. `None`: before all else.
    pub(crate) born: &'h [Option<At>],
    /// The news that wait in the cut, in the order of their records.
    pub(crate) waiting: &'h [usize],
}

impl HistoryCut<'_> {
    /// Whether `at` is in the cut. `None`: an outside thread is in no cut.
    pub(super) fn has(&self, at: At) -> Option<bool> {
        let At::Actor(actor, event) = at else {
            return None;
        };
        Some(match self.lines[actor] {
            Line::At(line) => event < line,
            Line::AllBehind => false,
            Line::NotYet => true,
        })
    }

    fn is_taken(&self, news: &News) -> bool {
        match news.taken {
            Taken::At(at) => self.has(at) == Some(true),
            Taken::NotYet | Taken::Nowhere => false,
        }
    }

    /// What is wrong with the cut.
    pub(crate) fn check(&self) -> Result<(), String> {
        let mut news = self.news.iter().enumerate();
        news.try_for_each(|(number, news)| self.check_news(number, news))?;
        self.check_outside()?;
        (0..self.lines.len()).try_for_each(|actor| self.check_birth(actor))
    }

    /// No news are taken in the cut and made behind it, and what is made in it is taken or waits.
    fn check_news(&self, number: usize, news: &News) -> Result<(), String> {
        let (made, taken) = (self.has(news.made), self.is_taken(news));
        let records = self.waiting.iter().filter(|one| **one == number).count();
        let wrong = |what: &str| Err(format!("{news:?} {what}; records: {records}"));
        match (news.kind, made) {
            (_, Some(false)) if taken => wrong("is taken in the cut and made behind it"),
            (Kind::LastAddress | Kind::Entry, _) => Ok(()),
            _ if records + usize::from(taken) > 1 => wrong("is twice in the cut"),
            (_, Some(false)) if records > 0 => wrong("waits in the cut and is made behind it"),
            (_, Some(true)) if news.taken != Taken::Nowhere && records == 0 && !taken => {
                wrong("is lost")
            }
            _ => Ok(()),
        }
    }

    /// What an outside thread sent before something in the cut is in the cut.
    fn check_outside(&self) -> Result<(), String> {
        let mut missing: Vec<(usize, &News)> = Vec::new();
        for (number, news) in self.news.iter().enumerate() {
            let At::Outside(thread, _) = news.made else {
                continue;
            };
            let first = missing.iter().find(|(by, _)| *by == thread);
            let is_refused = matches!(news.taken, Taken::At(At::Outside(..)) | Taken::Nowhere);
            match self.is_taken(news) || self.waiting.contains(&number) {
                true => {
                    if let Some((_, missing)) = first {
                        return Err(format!("{missing:?} is missing before {news:?}"));
                    }
                }
                false if is_refused || first.is_some() => {}
                false => missing.push((thread, news)),
            }
        }
        Ok(())
    }

    fn check_birth(&self, actor: usize) -> Result<(), String> {
        let born = self.born[actor].and_then(|at| self.has(at));
        match born.is_none_or(|born| born == (self.lines[actor] != Line::AllBehind)) {
            true => Ok(()),
            false => Err(format!(
                "{:?} of actor {actor}, but born in the cut: {born:?}",
                self.lines[actor]
            )),
        }
    }
}
