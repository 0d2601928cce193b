// SPDX-License-Identifier: MIT

use std::sync::Arc;

use sigzero_model::report::{Run, Source, Target};

use super::*;
use crate::samples;

/// What a name of a program or a function may be.
const HOSTILE: &str = "</script><script>alert('1')</script><img src=x onerror=\"alert(2)\">&amp;`'";

fn page_of(recording: &sigzero_recording::Recording) -> String {
    page(&View::new(recording))
}

#[test]
fn a_page_loads_nothing_and_has_every_part() {
    let page = page_of(&samples::inside());
    for part in ["Before and after", "Who asks", "What to do next", "How it was counted", "_setjmp"]
    {
        assert!(page.contains(part), "{part}");
    }
    for link in ["http://", "https://", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(link), "{link}");
    }
    assert!(page.contains("default-src 'none'"));
    assert!(page.contains("999 of 1,003 signal system calls can go"), "{page}");
}

#[test]
fn the_headline_says_what_there_is_to_gain() {
    let mut recording = samples::stacks();
    assert!(page_of(&recording).contains("45 signal system calls, 77.8 % of them change nothing<"));
    recording.run.wall_seconds = 1e-4;
    let page = page_of(&recording);
    assert!(page.contains("77.8 % of them change nothing: about 3.50 µs<"), "{page}");
}

#[test]
fn hostile_names_are_text() {
    let mut recording = samples::stacks();
    recording.run.command = vec![HOSTILE.into()];
    recording.run.notes = vec![HOSTILE.into()];
    recording.about.machine.processor = HOSTILE.into();
    let process = &mut recording.processes[0];
    process.executable = HOSTILE.into();
    process.note = HOSTILE.into();
    for site in &mut process.sites {
        site.function = HOSTILE.into();
        for frame in site.stack.iter_mut().map(Arc::make_mut).chain([&mut site.caller]) {
            frame.symbol = Some(HOSTILE.into());
            frame.module = HOSTILE.into();
            frame.file = Some(HOSTILE.into());
        }
    }
    let page = page_of(&recording);
    assert_eq!(page.matches("<script").count(), 2, "the data and the script of the page");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<img"));
    let other = samples::stacks();
    let diff = crate::Diff::new(View::new(&other), View::new(&recording));
    let page = crate::diff::html::page(&diff);
    assert!(page.matches("<script").count() == 1 && !page.contains("<img"));
}

#[test]
fn nothing_counted_is_a_page_too() {
    for source in [Source::Nobody, Source::Runtime, Source::Bpf, Source::Ptrace] {
        let page = page_of(&samples::recording(source, Vec::new()));
        assert!(page.contains("How it was counted") && !page.contains("NaN"), "{page}");
        assert!(!page.contains("id=\"stacks\""));
    }
}

#[test]
fn every_target_has_its_title() {
    let mut recording = samples::stacks();
    recording.run = Run { target: Some(Target::Everything), ..recording.run };
    assert!(page_of(&recording).contains("the whole machine"));
    recording.run.target = Some(Target::Processes(vec![4, 5]));
    assert!(page_of(&recording).contains("processes 4, 5"));
}

#[test]
fn what_was_lost_or_cut_off_is_said() {
    let mut recording = samples::stacks();
    recording.damage = Some("the recording was cut off after line 9".into());
    recording.processes[0].lost = 12;
    recording.processes[0].sites[0].stack_whole = false;
    let page = page_of(&recording);
    for part in ["cut off after line 9", "12 calls were lost", "not complete", "an estimate"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn the_many_are_summed_up_and_that_is_said() {
    let recording = samples::many(100_000, 6);
    let start = std::time::Instant::now();
    let page = page_of(&recording);
    println!("{} bytes in {:?}", page.len(), start.elapsed());
    assert!(page.len() < 3_000_000, "{}", page.len());
    assert!(page.contains("99,800 more are summed up"));
    assert!(page.contains("greatest frames of 100,000 stacks"));
    assert_eq!(page.matches("<tr").count(), 1 + 200 + 2);
}
