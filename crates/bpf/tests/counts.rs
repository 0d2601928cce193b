// SPDX-License-Identifier: MIT
//! Every call is counted, by what it asked for, and each stack is right.

mod support;

use sigzero_bpf::{Attach, Options};
use sigzero_count::Spec;
use support::*;

const CALLS: u64 = 1_000_000;

#[test]
fn a_loop_is_counted_exactly_with_its_caller() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "loop", &[]);
    for attach in Attach::ALL {
        let spec = Spec::new(&program).args([CALLS.to_string()]);
        let options = Options { attach: Some(attach), ..Options::default() };
        let Some(trace) = with(&spec, &options) else { continue };
        assert_eq!((trace.attach, trace.price.missed), (attach, 0));
        assert_eq!(trace.status.unwrap().code(), Some(7));
        let sites = sites(&trace);
        let asked: Vec<_> = of(&sites, "rt_sigprocmask");
        let queries: u64 = asked.iter().map(|site| site.counts.rt_sigprocmask.query).sum();
        assert_eq!(queries, CALLS, "{attach}");
        let first = &asked[0];
        let names = functions(first);
        assert!(names.ends_with(&["asks".into(), "main".into()]), "{names:?}");
        assert!(first.stack_whole);
        assert_eq!(first.caller.symbol.as_deref(), Some("asks"));
        assert!(first.caller.file.as_deref().unwrap().ends_with("loop.c"));
        let partial: u64 =
            asked.iter().filter(|site| !site.stack_whole).map(|s| s.counts.calls).sum();
        println!("not whole: {partial} of {CALLS}; {:?}", trace.price);
        // How many depends on when a busy machine lets the tracer run.
        assert!(partial < CALLS / 2, "{partial} of {CALLS} came before the rules");
        assert_eq!(calls(&asked), CALLS);
    }
}

#[test]
fn what_a_call_asks_for_is_told_from_the_real_mask() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "loop", &[]);
    for stacks in [true, false] {
        let spec = Spec::new(&program).args(["0", "1000"]);
        let Some(trace) = with(&spec, &Options { stacks, attach: None }) else { return };
        let sum: sigzero_model::Counts = sites(&trace).iter().map(|site| site.counts).sum();
        let mask = sum.rt_sigprocmask;
        assert_eq!(mask.total, 7000);
        assert_eq!((mask.block, mask.unblock, mask.restore), (2000, 1000, 1000));
        assert_eq!((mask.same, mask.failed, mask.query, mask.replace), (2000, 1000, 0, 0));
        let action = sum.rt_sigaction;
        assert_eq!((action.total, action.set, action.same), (1000, 1, 999));
    }
}

#[test]
fn a_program_without_frame_pointers_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "switches", &["-fomit-frame-pointer"]);
    let Some(trace) = traced(&Spec::new(&program).args(["20000"])) else { return };
    let sites = sites(&trace);
    let asked = of(&sites, "rt_sigprocmask");
    assert_eq!(calls(&asked), 40_001);
    let whole: Vec<_> = asked.iter().filter(|site| site.stack_whole).collect();
    let through = ["innermost", "middle", "outermost", "main"];
    let there =
        whole.iter().find(|site| site.caller.symbol.as_deref() == Some("innermost")).unwrap();
    assert_eq!(functions(there)[1..], through);
    let back = whole.iter().find(|site| site.caller.symbol.as_deref() == Some("other")).unwrap();
    assert_eq!(functions(back)[1..], ["other", "__start_context"]);
    for site in &asked {
        let names = functions(site);
        assert!(!names.contains(&"?".into()), "{names:?}");
    }
    println!("{:?}", trace.price);
}

#[test]
fn uncommon_frames_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "frames", &["-fomit-frame-pointer"]);
    let Some(trace) = traced(&Spec::new(&program)) else { return };
    let asked = of(&sites(&trace), "rt_sigprocmask");
    assert_eq!(calls(&asked), 60_000);
    let through = |way: &[&str]| {
        let way: Vec<String> = way.iter().map(|name| name.to_string()).collect();
        let sites: Vec<_> = asked.iter().filter(|site| functions(site).ends_with(&way)).collect();
        (calls(sites.iter().copied()), sites.iter().all(|site| site.stack_whole))
    };
    for site in &asked {
        println!("{} {:?} {}", site.counts.calls, functions(site), site.stack_whole);
    }
    // The kernel side cannot do the first by itself: each stack is copied, as long as there is room,
    // and for some 800 there is even if nobody ever takes one out.
    let (by_register, whole) = through(&["asks", "by_register", "through_register", "main"]);
    assert!(whole && by_register > 500, "{by_register}");
    let (aligned, whole) = through(&["asks", "aligned", "through_aligned", "main"]);
    assert!(whole && aligned > 15_000, "{aligned}");
    // Code without a file is a guess, and said to be.
    let (guessed, whole) = through(&["asks", "?", "through_memory", "main"]);
    assert!(!whole && guessed > 15_000, "{guessed}");
    println!("{:?}", trace.price);
}
