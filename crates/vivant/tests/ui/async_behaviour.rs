use vivant::prelude::*;

#[derive(Actor)]
struct Fetcher;

#[behaviours]
impl Fetcher {
    async fn fetch(&mut self, url: String) -> String {
        url
    }
}

fn main() {}
