//! [`Command`]: a line from a client.

/// What a client may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `name Ada`
    Name(String),
    /// `host 21`: a game with 21 sticks.
    Host(u32),
    /// `join 30`: a game with at most 30 sticks.
    Join(u32),
    /// `take 3`
    Take(u32),
    /// `quit`
    Quit,
}

/// What the program answers to any other line.
pub const HELP: &str = "commands: name NAME, host STICKS, join STICKS_MAX, take 1 to 3, quit";

impl Command {
    /// Parses a line.
    #[must_use]
    pub fn parse(line: &str) -> Option<Command> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let number = || rest.trim().parse().ok();
        match word {
            "name" if !rest.trim().is_empty() => Some(Command::Name(rest.trim().to_owned())),
            "host" => number().filter(|sticks| *sticks > 0).map(Command::Host),
            "join" => number().map(Command::Join),
            "take" => number().map(Command::Take),
            "quit" => Some(Command::Quit),
            _ => None,
        }
    }
}
