// SPDX-License-Identifier: MIT
//! The eBPF programs, loaded and attached.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use libbpf_rs::skel::{OpenSkel, Skel, SkelBuilder};
use libbpf_rs::{Link, MapCore, MapFlags, PrintLevel, set_print};

use crate::attach::{functions, missed_by_link, missed_by_program};
use crate::calls;
use crate::layout::Plain;
use crate::processes::namespace;
use crate::tracer::{Options, Target};
use crate::{Attach, Error, permit};

#[allow(clippy::all, clippy::pedantic, dead_code)]
mod skeleton {
    include!(concat!(env!("OUT_DIR"), "/signals.skel.rs"));
}

pub use skeleton::SignalsSkel;

/// A page.
const SMALLEST_RING: u32 = 4096;

pub struct Programs {
    pub skel: SignalsSkel<'static>,
    pub attach: Attach,
    functions: Option<Link>,
    /// By links that are no more.
    missed: u64,
}

impl Programs {
    /// At the best place that the kernel has.
    pub fn load(target: &Target, options: &Options) -> Result<Self, Error> {
        permit::check()?;
        quiet();
        if let Some(attach) = options.attach.or(Attach::forced()?) {
            return Self::at(attach, target, options);
        }
        let [best @ .., last] = Attach::ALL;
        let mut found = best
            .into_iter()
            .filter(Attach::is_exact)
            .filter_map(|way| Self::at(way, target, options).ok());
        found.next().map_or_else(|| Self::at(last, target, options), Ok)
    }

    fn at(attach: Attach, target: &Target, options: &Options) -> Result<Self, Error> {
        let names = if attach.at_functions() { functions() } else { Vec::new() };
        if attach.at_functions() && names.is_empty() {
            return Err(Error::Place(attach));
        }
        let skel = load(target, options, attach)?;
        let mut programs = Self { skel, attach, functions: None, missed: 0 };
        if attach.at_functions() {
            let program = &programs.skel.progs.function_enter;
            programs.functions = Some(program.attach_kprobe_multi(false, names)?);
            if !programs.hear() {
                return Err(Error::Place(attach));
            }
        }
        Ok(programs)
    }

    /// Whether a call of our own is seen: the tracing of functions can be switched off.
    fn hear(&self) -> bool {
        let variables = self.skel.maps.bss_data.as_deref().expect("it has variables");
        // SAFETY: as in `detach`; the kernel side changes it.
        let own = unsafe { AtomicU32::from_ptr((&raw const variables.own_calls).cast_mut()) };
        let heard = || own.load(Ordering::SeqCst);
        let before = heard();
        // SAFETY: a set that the call fills in.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigpending(&mut set);
        }
        heard() != before
    }

    /// Nothing is added after that.
    pub fn detach(&mut self) {
        let variables = self.skel.maps.bss_data.as_deref().expect("it has variables");
        // SAFETY: an aligned integer in a mapping that can be written and lives as long as the
        // programs; here it is changed by atomic operations alone.
        let ended = unsafe { AtomicU32::from_ptr((&raw const variables.ended).cast_mut()) };
        ended.store(1, Ordering::SeqCst);
        self.missed += self.missed_by_link();
        // The kernel waits for all who may be at a function; we read on meanwhile.
        if let Some(link) = self.functions.take() {
            std::thread::spawn(|| drop(link));
        }
        self.skel.links = Default::default();
    }

    /// How often the programs were to run and did not.
    pub fn missed(&self) -> u64 {
        let programs = self.skel.object().progs();
        let loaded = |name: &OsStr| self.attach.wants(&name.to_string_lossy());
        let programs = programs.filter(|program| loaded(program.name()));
        let by_program: u64 = programs.map(|program| missed_by_program(program.as_fd())).sum();
        by_program + self.missed + self.missed_by_link()
    }

    fn missed_by_link(&self) -> u64 {
        self.functions.as_ref().map_or(0, |link| missed_by_link(link.as_fd()))
    }
}

fn load(target: &Target, options: &Options, attach: Attach) -> Result<SignalsSkel<'static>, Error> {
    // A few words for each load: a process makes one or two.
    let storage = Box::leak(Box::new(MaybeUninit::uninit()));
    let mut open = skeleton::SignalsSkelBuilder::default().open(storage)?;
    for mut program in open.open_object_mut().progs_mut() {
        let name = program.name().to_string_lossy().into_owned();
        program.set_autoload(attach.wants(&name));
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
