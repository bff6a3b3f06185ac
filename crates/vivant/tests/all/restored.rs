//! Images of one program with something of each kind in flight: restored in another process, and
//! restored after years.

mod elsewhere;
mod fixture;
mod inn;
