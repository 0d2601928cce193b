// SPDX-License-Identifier: MIT
//! Real programs, built in many ways: every caller up to main.

mod support;

use sigzero_bpf::{Reach, Trace};
use sigzero_count::Spec;
use sigzero_model::Site;
use support::{build, calls, compile, functions, installed, of, permitted, processes, sites};

/// No stack may be cut, guessed or without a file, and all end where the program's code began.
fn all_whole(trace: &Trace) -> Vec<Site> {
    let sites = sites(trace);
    for site in &sites {
        let names = functions(site);
        assert!(site.stack_whole, "{} {names:?}, {}", site.function, unfinished(trace));
        let unknown = site.stack.iter().any(|frame| frame.module.starts_with('['));
        assert!(!unknown, "{} {:?}", site.function, site.stack);
        let last = site.stack.last().unwrap();
        let end = last.symbol.as_deref().unwrap_or("_start");
        let ends = ["main", "_start", "start_thread", "clone3", "runtime.goexit"];
        assert!(ends.iter().any(|known| end.contains(known)), "{} {names:?}", site.function);
    }
    sites
}

/// The tracer's answers take longer than the program where the machine is busy, and what came before
/// them is told apart: then once more. What it never follows stays so.
fn traced(spec: &Spec) -> Option<Trace> {
    let late = |trace: &Trace| trace.tallies.keys().any(|tally| tally.reach == Reach::Waiting);
    let mut tries = (0..5).map_while(|_| support::traced(spec));
    let mut last = tries.next()?;
    while late(&last) {
        println!("not in time: {}", unfinished(&last));
        let Some(next) = tries.next() else { break };
        last = next;
    }
    Some(last)
}

fn unfinished(trace: &Trace) -> String {
    let cut = trace.tallies.keys().filter(|tally| tally.reach != Reach::End);
    let told = cut.map(|tally| {
        format!("{} after {} frames", tally.call, tally.stack.len())
            + &format!(" {:?}", tally.reach)
    });
    format!("{:?} of {:?}", told.collect::<Vec<_>>(), trace.price)
}

fn shell(program: &str, script: &str) -> Option<Trace> {
    installed(program).then(|| traced(&Spec::new(program).args(["-c", script])))?
}

#[test]
fn bash_and_its_children() {
    let Some(trace) = shell("bash", "for i in 1 2 3 4 5 6 7 8 9; do x=$(echo $i); done") else {
        return;
    };
    let sites = all_whole(&trace);
    assert!(processes(&trace).len() > 9);
    let asker = of(&sites, "rt_sigaction").remove(0).caller;
    assert_eq!(asker.module_name(), "bash");
    assert!(asker.symbol.is_some());
}

#[test]
fn perl() {
    if !installed("perl") {
        return;
    }
    let script = "for(1..300){local $SIG{ALRM}=sub{}}";
    let Some(trace) = traced(&Spec::new("perl").args(["-e", script])) else { return };
    let sites = all_whole(&trace);
    let set = of(&sites, "rt_sigaction")
        .into_iter()
        .find(|site| functions(site).iter().any(|name| name == "Perl_magic_setsig"));
    assert!(set.unwrap().counts.calls >= 300);
}

#[test]
fn python() {
    let Some(trace) =
        shell("python3", "import signal\nfor i in range(300): signal.pthread_sigmask(0, [])")
    else {
        return;
    };
    let sites = all_whole(&trace);
    let asked = of(&sites, "rt_sigprocmask");
    assert!(calls(&asked) >= 300);
    let names = functions(&asked[0]);
    assert!(names.iter().any(|name| name.contains("pthread_sigmask")), "{names:?}");
    assert!(names.len() > 5, "{names:?}");
}

#[test]
fn a_single_call_from_a_deep_stack() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "deep", &[]);
    let Some(trace) = traced(&Spec::new(program)) else { return };
    let sites = all_whole(&trace);
    let asked = of(&sites, "rt_sigprocmask").remove(0);
    let names = functions(&asked);
    assert_eq!(names.iter().filter(|name| *name == "descend").count(), 41, "{names:?}");
}

#[test]
fn a_static_program() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "loop", &["-static"]);
    let Some(trace) = traced(&Spec::new(program).args(["60"])) else { return };
    let sites = all_whole(&trace);
    let asked = of(&sites, "rt_sigprocmask").remove(0);
    assert_eq!((asked.caller.symbol.as_deref(), asked.counts.calls), (Some("asks"), 60));
    assert_eq!(asked.caller.line, Some(11));
}

#[test]
fn go() {
    if !installed("go") || !permitted() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/asks.go");
    build("go", &["build", "-o", "asks", source], folder.path());
    let Some(trace) = traced(&Spec::new(folder.path().join("asks"))) else { return };
    let sites = sites(&trace);
    let of_ours: Vec<_> = of(&sites, "rt_sigprocmask")
        .into_iter()
        .filter(|site| functions(site).contains(&"main.asks".into()))
        .collect();
    assert_eq!(calls(&of_ours), 1000);
    for site in &of_ours {
        let names = functions(site);
        assert_eq!(site.caller.symbol.as_deref(), Some("main.asks"));
        let asks = names.iter().position(|name| name == "main.asks").unwrap();
        assert_eq!(
            names[asks..],
            ["main.asks", "main.main", "runtime.main", "runtime.goexit.abi0"].map(|name| {
                if names.contains(&name.to_string()) { name } else { "runtime.goexit" }
            })
        );
        assert!(site.stack_whole, "{names:?}");
        assert!(site.stack[asks].file.as_deref().unwrap().ends_with("asks.go"));
    }
}

#[test]
fn rust() {
    if !installed("rustc") || !permitted() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/asks.rs");
    build("rustc", &["-O", "-g", "--edition", "2024", "-o", "asks", source], folder.path());
    let Some(trace) = traced(&Spec::new(folder.path().join("asks"))) else { return };
    let sites = all_whole(&trace);
    let asked = of(&sites, "rt_sigprocmask").remove(0);
    assert_eq!(asked.counts.calls, 1000);
    assert_eq!(
        asked.caller.symbol.as_deref(),
        Some("asks::Asker<T>::ask"),
        "{:?}",
        functions(&asked)
    );
}

#[test]
fn cpp_through_a_signal_frame() {
    if !installed("g++") || !permitted() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/asks.cc");
    build("g++", &["-O1", "-g", "-o", "asks", source], folder.path());
    let Some(trace) = traced(&Spec::new(folder.path().join("asks"))) else { return };
    let sites = all_whole(&trace);
    let in_handler = of(&sites, "rt_sigprocmask")
        .into_iter()
        .find(|site| site.caller.symbol.as_deref() == Some("shop::Asker::Asker(int)"))
        .unwrap();
    assert_eq!(in_handler.counts.calls, 1000);
    let names = functions(&in_handler);
    let handler = names.iter().position(|name| name == "handler").unwrap();
    assert!(names[handler + 1].contains("restore_rt"), "{names:?}");
    assert!(names[handler + 2..].iter().any(|name| name.contains("raise")), "{names:?}");
    assert_eq!(calls(&of(&sites, "rt_sigreturn")), 1000);
}

#[test]
fn three_hundred_short_processes() {
    let script = "i=0; while [ $i -lt 300 ]; do (:); /bin/true; i=$((i+1)); done";
    let Some(trace) = shell("bash", script) else { return };
    let sites = all_whole(&trace);
    let processes = processes(&trace);
    assert!(processes.len() > 300, "{}", processes.len());
    assert!(processes.iter().all(|process| process.executable.starts_with('/')));
    println!("{} processes, {} calls, {:?}", processes.len(), calls(&sites), trace.price);
}
