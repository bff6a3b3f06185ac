//! An exclusive request: no other message between a look at the stock and the sale. Two shops that
//! ask each other so would wait for ever; one of the requests fails, and names the cycle.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use vivant::prelude::*;

#[derive(Actor)]
struct Shop {
    pieces: u64,
    partner: Option<Address<Shop>>,
}

#[behaviours]
impl Shop {
    fn works_with(&mut self, partner: Address<Shop>) {
        self.partner = Some(partner);
    }

    fn pieces(&self) -> u64 {
        self.pieces
    }

    /// Sells what this shop and its partner have together.
    fn sell(&mut self, t: &Turn<Self>, pieces: u64) -> Promise<String> {
        match &self.partner {
            Some(partner) => t
                .ask(partner.pieces())
                .exclusive()
                .then(t.me().counted(pieces)),
            None => Promise::ready("no partner".to_owned()),
        }
    }

    /// Other orders have waited meanwhile: the sum still holds.
    #[then]
    fn counted(&mut self, at_partner: Result<u64, AskError>, pieces: u64) -> String {
        match at_partner {
            Ok(there) if there + self.pieces >= pieces => format!("sold {pieces}"),
            Ok(there) => format!("only {} left", there + self.pieces),
            Err(AskError::WaitCycle(cycle)) => {
                format!("a cycle of {} actors", cycle.edges.len())
            }
            Err(error) => error.to_string(),
        }
    }
}

fn main() -> Result<(), AskError> {
    // A simulation, so that the two orders always meet.
    let simulation = vivant::simulation::Simulation::new(1);
    let system = simulation.system();
    let [north, south] = [3, 4].map(|pieces| {
        let partner = None;
        system.spawn(Shop { pieces, partner })
    });
    north.works_with(south.clone()).send();
    south.works_with(north.clone()).send();
    println!("alone: {}", north.sell(7).ask_blocking()?);
    let orders = [north.sell(5).ask(), south.sell(5).ask()];
    let [at_north, at_south] = orders.map(|order| system.block_on(order));
    println!("north: {}", at_north?);
    println!("south: {}", at_south?);
    Ok(())
}
