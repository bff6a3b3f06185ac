//! Biased counts (`crates/vivant-brc/src/bias/README.md`).

#[allow(dead_code, reason = "the models count no objects")]
#[allow(unexpected_cfgs, reason = "a feature of the crate")]
mod real;

use crate::check::{Canary, holds, holds_long};
use real::scenes;

/// x
pub fn both_drop() { holds(scenes::both_drop); }
/// x
pub fn another_clones() { holds(scenes::another_clones); }
/// x
pub fn two_others_drop() { holds(scenes::two_others_drop); }
/// x
pub fn nine_steps() { holds(scenes::nine_steps); }
/// x
pub fn the_owner_leaves() { holds(scenes::the_owner_leaves); }
/// x
pub fn the_owner_ends() { holds(scenes::the_owner_ends); }
/// x
pub fn the_owner_drops_and_ends() { holds(scenes::the_owner_drops_and_ends); }
/// x
pub fn the_owner_moves() { holds(scenes::the_owner_moves); }
/// x
pub fn the_owner_is_detached() { holds(scenes::the_owner_is_detached); }
/// x
pub fn an_id_is_used_again() { holds(scenes::an_id_is_used_again); }
/// x
pub fn another_upgrades() { holds(scenes::another_upgrades); }
/// x
pub fn the_owner_upgrades() { holds(scenes::the_owner_upgrades); }
/// x
pub fn weak_ones_come_and_go() { holds(scenes::weak_ones_come_and_go); }
/// x
pub fn a_take_races_with_an_upgrade() { holds(scenes::a_take_races_with_an_upgrade); }
/// x
pub fn two_take() { holds(scenes::two_take); }
/// x
pub fn a_birth_with_a_way_back() { holds(scenes::a_birth_with_a_way_back); }
/// x
pub fn a_probe_against_the_owner() { holds(scenes::a_probe_against_the_owner); }
/// x
pub fn a_probe_against_others() { holds(scenes::a_probe_against_others); }
/// x
pub fn two_probe() { holds(scenes::two_probe); }
/// x
pub fn a_merge_meets_a_reference_on_its_way() { holds(scenes::a_merge_meets_a_reference_on_its_way); }
/// x
pub fn what_is_put_off_is_ended() { holds(scenes::what_is_put_off_is_ended); }
pub mod canaries {}
