// SPDX-License-Identifier: MIT
//! The eBPF programs, loaded and attached.

use std::mem::MaybeUninit;
use std::sync::Once;

use libbpf_rs::skel::{OpenSkel, Skel, SkelBuilder};
use libbpf_rs::{MapCore, MapFlags, PrintLevel, set_print};

use crate::calls;
use crate::layout::Plain;
use crate::processes::namespace;
use crate::tracer::{Options, Target};
use crate::{Error, permit};

#[allow(clippy::all, clippy::pedantic, dead_code)]
mod skeleton {
    include!(concat!(env!("OUT_DIR"), "/signals.skel.rs"));
}

pub use skeleton::SignalsSkel;

/// A page.
const SMALLEST_RING: u32 = 4096;

pub struct Programs {
    pub skel: SignalsSkel<'static>,
    pub typed: bool,
}

impl Programs {
    /// By typed tracepoints; by raw ones if the kernel refuses those.
    pub fn load(target: &Target, options: &Options) -> Result<Self, Error> {
        permit::check()?;
        quiet();
        if !options.raw
            && let Ok(skel) = load(target, options, true)
        {
            return Ok(Self { skel, typed: true });
        }
        Ok(Self { skel: load(target, options, false)?, typed: false })
    }
}

fn load(target: &Target, options: &Options, typed: bool) -> Result<SignalsSkel<'static>, Error> {
    // A few words for each load: a process makes one or two.
    let storage = Box::leak(Box::new(MaybeUninit::uninit()));
    let mut open = skeleton::SignalsSkelBuilder::default().open(storage)?;
    for mut program in open.open_object_mut().progs_mut() {
        let name = program.name().to_string_lossy().into_owned();
        program.set_autoload(name.starts_with("typed_") == typed);
    }
    let settings = open.maps.rodata_data.as_deref_mut().expect("the programs have constants");
    settings.everything = matches!(target, Target::Everything);
    settings.stacks_wanted = options.stacks;
    settings.own_process = std::process::id();
    settings.own_namespace = namespace().unwrap_or(0);
    settings.call_of = calls::table();
    settings.mask_call = calls::index_of("rt_sigprocmask");
    settings.action_call = calls::index_of("rt_sigaction");
    if !options.stacks {
        // Large maps take time to make, and these will stay empty.
        open.maps.samples.set_max_entries(SMALLEST_RING)?;
        open.maps.rules.set_max_entries(1)?;
        open.maps.addresses.set_max_entries(1)?;
        open.maps.asked_for.set_max_entries(1)?;
        open.maps.stacks.set_max_entries(1)?;
    }
    let mut skel = open.load()?;
    skel.attach()?;
    Ok(skel)
}

/// libbpf says on standard error what we say in the error.
pub fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        fn print(_: PrintLevel, text: String) {
            if std::env::var_os("SIGZERO_BPF_LOG").is_some() {
                eprint!("{text}");
            }
        }
        set_print(Some((PrintLevel::Debug, print)));
    });
}

/// All of a map. What is added meanwhile may be missed.
pub fn entries<K: Plain, V: Plain>(map: &impl MapCore) -> Vec<(K, V)> {
    let pair = |key: Vec<u8>| {
        let value = map.lookup(&key, MapFlags::ANY).ok()??;
        Some((K::from_bytes(&key)?, V::from_bytes(&value)?))
    };
    map.keys().filter_map(pair).collect()
}

/// The sum of each processor's share.
pub fn per_processor<V: Plain>(map: &impl MapCore, index: u32) -> Vec<V> {
    let values = map.lookup_percpu(&index.to_ne_bytes(), MapFlags::ANY).ok().flatten();
    values.unwrap_or_default().iter().filter_map(|bytes| V::from_bytes(bytes)).collect()
}
