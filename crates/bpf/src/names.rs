// SPDX-License-Identifier: MIT
//! From places in files to names, and from a trace to the event model.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use sigzero_model::counts::{ActionCounts, MaskCounts};
use sigzero_model::{Caller, Counts, Process, Site};
use sigzero_watch::symbols::Symbols;

use crate::calls::Kind;
use crate::files::Files;
use crate::layout::{FILE_NONE, file_of, offset_of};
use crate::trace::{Image, Reach, Tally, Trace};

/// Where a stack of the program's own code begins: beyond is only what libc started it with.
const ENDS: &[&str] = &["main", "__start_context"];

/// Functions of libc that make signal calls for whoever called them; in a static program their
/// names are all that tells them from the program's.
const WRAPPERS: &[&str] = &[
    "sigprocmask",
    "pthread_sigmask",
    "sigaction",
    "libc_sigaction",
    "signal",
    "bsd_signal",
    "sysv_signal",
    "sigset",
    "sigignore",
    "sighold",
    "sigrelse",
    "siginterrupt",
    "sigblock",
    "sigsetmask",
    "sigpending",
    "sigsuspend",
    "sigwait",
    "sigwaitinfo",
    "sigtimedwait",
    "sigaltstack",
    "sigsetjmp",
    "sigjmp_save",
    "siglongjmp",
    "longjmp",
    "libc_siglongjmp",
    "libc_longjmp",
    "setjmp",
    "getcontext",
    "setcontext",
    "swapcontext",
    "raise",
    "gsignal",
    "kill",
    "killpg",
    "tgkill",
    "pthread_kill",
    "pthread_kill_implementation",
    "pthread_kill_internal",
    "sigqueue",
    "pthread_sigqueue",
    "signalfd",
    "syscall",
    "restore_rt",
    "libc_signal_block_all",
    "abort",
];

/// What a trace has counted, at its end or before.
pub struct View<'a> {
    pub tallies: &'a HashMap<Tally, u64>,
    pub images: &'a HashMap<u32, Image>,
    pub unplaced: &'a HashMap<(&'static str, Kind), u64>,
    pub files: &'a Files,
}

impl<'a> From<&'a Trace> for View<'a> {
    fn from(trace: &'a Trace) -> Self {
        let Trace { tallies, images, unplaced, files, .. } = trace;
        Self { tallies, images, unplaced, files }
    }
}

/// Names that were looked up before.
pub struct Cache {
    symbols: Symbols,
    found: HashMap<u64, Arc<Caller>>,
}

impl Default for Cache {
    fn default() -> Self {
        Self { symbols: Symbols::new(), found: HashMap::new() }
    }
}

/// All counted calls, by process image and stack.
pub fn processes(trace: &Trace) -> Vec<Process> {
    named(&trace.into(), &mut Cache::default())
}

/// The same of a trace that may go on.
pub fn named(trace: &View, cache: &mut Cache) -> Vec<Process> {
    let mut names = Names { files: trace.files, cache };
    let mut sites: HashMap<u32, BTreeMap<SiteKey, Counts>> = HashMap::new();
    for (tally, &calls) in trace.tallies {
        let key = SiteKey {
            function: tally.call,
            stack: tally.stack.clone(),
            whole: tally.reach == Reach::End,
            guess: tally.guess,
        };
        let sum = sites.entry(tally.image).or_default().entry(key).or_default();
        *sum += counts(tally, calls);
    }
    let mut processes: Vec<Process> = sites
        .into_iter()
        .map(|(image, sites)| {
            let image = trace.images.get(&image).cloned().unwrap_or_default();
            let mut sites: Vec<_> =
                sites.into_iter().map(|(key, sum)| (names.site(&key, sum), key)).collect();
            estimate_callers(&mut sites);
            Process {
                pid: image.process,
                parent: image.parent,
                executable: image.executable,
                start_ns: image.start_ns,
                sites: sites.into_iter().map(|(site, _)| site).collect(),
                ..Process::default()
            }
        })
        .collect();
    processes.extend(unplaced(trace.unplaced));
    processes
}

/// Where a stack is not whole, but all whole ones that begin as it does have one caller, that is
/// taken for its caller too. The stack stays as it is.
fn estimate_callers(sites: &mut [(Site, SiteKey)]) {
    let whole = |(_, key): &&(Site, SiteKey)| key.whole;
    let known: Vec<(SiteKey, Caller)> =
        sites.iter().filter(whole).map(|(site, key)| (key.clone(), site.caller.clone())).collect();
    for (site, key) in sites.iter_mut().filter(|(_, key)| !key.whole) {
        let alike = |(other, _): &&(SiteKey, Caller)| {
            other.function == key.function && other.stack.starts_with(&key.stack)
        };
        let mut callers = known.iter().filter(alike).map(|(_, caller)| caller);
        if let Some(first) = callers.next()
            && callers.all(|caller| caller == first)
        {
            site.caller = first.clone();
        }
    }
}

/// Calls are counted even if there is no room to say whose they are.
fn unplaced(counted: &HashMap<(&'static str, Kind), u64>) -> Option<Process> {
    let mut sums: BTreeMap<&str, Counts> = BTreeMap::new();
    for (&(call, kind), &calls) in counted {
        *sums.entry(call).or_default() += of_kind(call, kind, calls);
    }
    let site = |(call, counts): (&str, Counts)| Site {
        function: call.into(),
        opaque: false,
        caller: Caller { module: "[others]".into(), ..Caller::default() },
        stack: Vec::new(),
        stack_whole: false,
        counts,
    };
    let sites: Vec<_> = sums.into_iter().map(site).collect();
    (!sites.is_empty()).then(|| Process {
        executable: "[others]".into(),
        sites,
        ..Process::default()
    })
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SiteKey {
    function: &'static str,
    stack: Vec<u64>,
    whole: bool,
    guess: bool,
}

/// What so many calls of one kind are.
pub fn counts(tally: &Tally, calls: u64) -> Counts {
    of_kind(tally.call, tally.kind, calls)
}

fn of_kind(call: &str, kind: Kind, calls: u64) -> Counts {
    let when = |wanted: Kind| if kind == wanted { calls } else { 0 };
    let needless = when(Kind::Query) + when(Kind::Same);
    let mut counts = Counts { calls, ..Counts::default() };
    match call {
        "rt_sigprocmask" => {
            counts.rt_sigprocmask = MaskCounts {
                total: calls,
                query: when(Kind::Query),
                same: when(Kind::Same),
                block: when(Kind::Block),
                unblock: when(Kind::Unblock),
                restore: when(Kind::Restore),
                replace: when(Kind::Replace),
                failed: when(Kind::Failed),
                needless,
                removable: 0,
            }
        }
        "rt_sigaction" => {
            counts.rt_sigaction = ActionCounts {
                total: calls,
                query: when(Kind::Query),
                same: when(Kind::Same),
                set: when(Kind::Set),
                failed: when(Kind::Failed),
                needless,
                removable: 0,
            }
        }
        _ => counts.other = calls,
    }
    counts
}

/// Names of places, each looked up once.
struct Names<'a> {
    files: &'a Files,
    cache: &'a mut Cache,
}

impl Names<'_> {
    fn site(&mut self, key: &SiteKey, counts: Counts) -> Site {
        let mut stack: Vec<Arc<Caller>> = key.stack.iter().map(|place| self.at(*place)).collect();
        let main = stack.iter().rposition(|frame| is_end(frame));
        if let Some(main) = main {
            stack.truncate(main + 1);
        }
        let whole = (key.whole || main.is_some()) && !key.guess;
        let caller = asker(&stack)
            .cloned()
            .unwrap_or_else(|| Caller { module: "[unknown]".into(), ..Caller::default() });
        Site {
            function: key.function.into(),
            opaque: false,
            caller,
            stack,
            stack_whole: whole,
            counts,
        }
    }

    fn at(&mut self, place: u64) -> Arc<Caller> {
        if let Some(found) = self.cache.found.get(&place) {
            return found.clone();
        }
        let caller = Arc::new(self.look_up(place));
        self.cache.found.insert(place, Arc::clone(&caller));
        caller
    }

    /// Places are those of the call; a caller is told by where the call returns to.
    fn look_up(&self, place: u64) -> Caller {
        let (file, offset) = (file_of(place), offset_of(place));
        if file == FILE_NONE {
            return Caller { module: "[no file]".into(), offset: offset + 1, ..Caller::default() };
        }
        let path = self.files.path(file);
        let module = path.map_or("[unknown]".into(), |path| path.display().to_string());
        let readable = self.files.readable(file);
        let find = |path: PathBuf| {
            let inside = self.cache.symbols.find(&path, offset);
            // A function that is only returned to: see `Unwind::step`.
            inside.or_else(|| self.cache.symbols.find(&path, offset + 1).filter(|s| s.offset == 0))
        };
        let symbol = readable.and_then(find);
        let mut caller = Caller { module, offset: offset + 1, ..Caller::default() };
        if let Some(symbol) = symbol {
            caller.symbol = Some(symbol.name);
            caller.symbol_offset = Some(if symbol.offset == 0 { 0 } else { symbol.offset + 1 });
            caller.file = symbol.file;
            caller.line = symbol.line;
        }
        caller
    }
}

fn is_end(frame: &Caller) -> bool {
    frame.symbol.as_deref().is_some_and(|name| ENDS.contains(&name))
}

/// Who asked: the innermost frame that is not libc's.
fn asker(stack: &[Arc<Caller>]) -> Option<&Caller> {
    let asks = |frame: &&Arc<Caller>| !is_libc(frame) && !is_wrapper(frame);
    stack.iter().find(asks).or(stack.first()).map(Arc::as_ref)
}

fn is_libc(frame: &Caller) -> bool {
    let name = frame.module_name();
    ["libc.so", "libc-", "libpthread", "ld-linux", "ld-musl", "[vdso]"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Of Go's: system calls by number.
const GO_WRAPPERS: &[&str] =
    &["syscall.RawSyscall", "syscall.Syscall", "syscall.rawSyscall", "runtime/syscall"];

fn is_wrapper(frame: &Caller) -> bool {
    let name = frame.symbol.as_deref().unwrap_or_default();
    if GO_WRAPPERS.iter().any(|part| name.contains(part)) {
        return true;
    }
    WRAPPERS.contains(&name.trim_start_matches('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(module: &str, symbol: &str) -> Caller {
        Caller { module: module.into(), symbol: Some(symbol.into()), ..Caller::default() }
    }

    #[test]
    fn the_asker_is_beyond_libc() {
        let of = |frames: &[(&str, &str)]| {
            let stack: Vec<_> =
                frames.iter().map(|(module, symbol)| frame(module, symbol).into()).collect();
            asker(&stack).unwrap().symbol.clone().unwrap()
        };
        let libc = "/lib/x86_64-linux-gnu/libc.so.6";
        assert_eq!(
            of(&[(libc, "pthread_sigmask"), ("/bin/zsh", "hold"), ("/bin/zsh", "main")]),
            "hold"
        );
        assert_eq!(of(&[("/bin/static", "__pthread_sigmask"), ("/bin/static", "ask")]), "ask");
        assert_eq!(of(&[(libc, "clone3")]), "clone3");
    }

    #[test]
    fn each_kind_is_counted_where_it_belongs() {
        let mask = of_kind("rt_sigprocmask", Kind::Restore, 7);
        assert_eq!((mask.rt_sigprocmask.restore, mask.changes(), mask.needless()), (7, 7, 0));
        let action = of_kind("rt_sigaction", Kind::Same, 5);
        assert_eq!((action.rt_sigaction.same, action.needless()), (5, 5));
        assert_eq!(of_kind("kill", Kind::Plain, 3).other, 3);
    }
}
