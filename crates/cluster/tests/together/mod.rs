//! Several processes of a search, each a thread of this one with connections of its own.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::net::TcpListener;
use std::time::Duration;

use tertium_base::Budget;
use tertium_cluster::{Meeting, Team};
use tertium_explore::search::Observer;

/// Takes some rows, by their sum, for broken.
pub struct Picky(pub u32);

impl Observer for Picky {
    type Scratch = ();

    fn scratch(&self) {}

    fn look(&self, row: &[u32], (): &mut (), broken: &mut dyn FnMut(usize)) {
        let sum = row.iter().fold(0u32, |sum, &word| sum.wrapping_mul(31).wrapping_add(word));
        if sum % self.0 == 1 {
            broken((sum % 3) as usize);
        }
    }
}

/// Addresses on this machine that are free.
pub fn addresses(count: usize) -> Vec<String> {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    listeners.iter().map(|listener| listener.local_addr().expect("bound").to_string()).collect()
}

pub fn team(addresses: &[String], process: usize, workers: usize) -> Team {
    let (addresses, version) = (addresses.to_vec(), "test".to_owned());
    Team { addresses, process, workers, version, patience: Duration::from_secs(60) }
}

/// What so many processes of so many threads each do together.
pub fn processes<T: Send>(count: usize, workers: usize, part: &(dyn Fn(Meeting) -> T + Sync)) -> Vec<T> {
    let addresses = addresses(count);
    std::thread::scope(|scope| {
        let process = |process: usize| {
            let addresses = &addresses;
            scope.spawn(move || {
                let team = if count == 1 { Team::alone(workers) } else { team(addresses, process, workers) };
                part(team.meet(&Budget::unlimited()).expect("all are there"))
            })
        };
        let all: Vec<_> = (0..count).map(process).collect();
        all.into_iter().map(|one| one.join().expect("no panic")).collect()
    })
}
