//! One program, written for four platforms: three flows over several actors, each as its platform
//! would have it. These files are counted; `runs` has what measures them.

pub mod actix;
pub mod kameo;
pub mod ractor;
pub mod vivant;
