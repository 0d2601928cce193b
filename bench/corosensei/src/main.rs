// SPDX-License-Identifier: MIT
//! One switch by the crate corosensei, which keeps no signal mask; timed and printed as
//! `bench.c` does it.
use corosensei::{Coroutine, CoroutineResult};
use std::time::Instant;

const BATCHES: usize = 51;
const BATCH_NS: f64 = 1e6;

type PingPong = Coroutine<(), (), ()>;

fn ping_pong(other: &mut PingPong, turns: u64) {
    for _ in 0..turns {
        if let CoroutineResult::Return(()) = other.resume(()) {
            unreachable!("the coroutine never ends");
        }
    }
}

fn time_ns(other: &mut PingPong, turns: u64) -> f64 {
    let start = Instant::now();
    ping_pong(other, turns);
    start.elapsed().as_nanos() as f64
}

fn batch_size(other: &mut PingPong) -> u64 {
    let mut turns = 16;
    while time_ns(other, turns) < BATCH_NS {
        turns *= 2;
    }
    turns
}

fn main() {
    let mut other = PingPong::new(|yielder, ()| {
        loop {
            yielder.suspend(());
        }
    });
    let turns = batch_size(&mut other);
    let mut ns: Vec<f64> = (0..BATCHES)
        .map(|_| time_ns(&mut other, turns) / (turns * 2) as f64)
        .collect();
    ns.sort_by(f64::total_cmp);
    println!(
        "corosensei\t{:.3}\t{:.3}\t{:.3}",
        ns[BATCHES / 2],
        ns[BATCHES / 4],
        ns[BATCHES * 3 / 4]
    );
    // Dropping a suspended coroutine would unwind its stack; the process ends anyway.
    std::mem::forget(other);
}
