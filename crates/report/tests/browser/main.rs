// SPDX-License-Identifier: MIT
//! The pages in a real browser, opened as files: what they load, how they answer to mouse and
//! keyboard, and how they look. Pictures are left in the folder for files of tests under target/.

mod chromium;
#[path = "../../src/samples.rs"]
#[allow(dead_code)]
mod samples;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chromium::Browser;
use sigzero_model::Caller;
use sigzero_model::report::Source;
use sigzero_recording::Recording;
use sigzero_report::{Diff, View, diff, html};

const PICTURES: &str = env!("CARGO_TARGET_TMPDIR");

fn file(name: &str, page: &str) -> PathBuf {
    let path = Path::new(PICTURES).join(name);
    fs::write(&path, page).unwrap();
    path
}

fn page(name: &str, recording: &Recording) -> PathBuf {
    file(name, &html::page(&View::new(recording)))
}

/// In both schemes, wide and narrow: nothing sticks out, and a picture is left.
fn pictures(browser: &mut Browser, name: &str) {
    for (width, scheme) in [(1200, "light"), (1200, "dark"), (400, "light"), (400, "dark")] {
        browser.look(width, scheme);
        let wide = browser.evaluate("document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(wide <= width.into(), "{name}: {wide} wide at {width}");
        let path = Path::new(PICTURES).join(format!("{name}-{width}-{scheme}.png"));
        browser.screenshot(&path);
        assert!(fs::metadata(&path).unwrap().len() > 5000);
        println!("{}", path.display());
    }
}

/// Green threads and a decoder, asked from a few places.
fn example() -> Recording {
    let at = |symbol: &str, offset, file: &str, line| Caller {
        file: Some(format!("/src/app/{file}")),
        line: Some(line),
        ..samples::frame(symbol, offset)
    };
    let libc = |symbol: &str, offset| Caller {
        module: "/lib/x86_64-linux-gnu/libc.so.6".into(),
        ..samples::frame(symbol, offset)
    };
    let main = at("main", 0x40, "main.c", 40);
    let scheduler =
        at("Scheduler::run(std::vector<Fiber*> const&, bool)", 0x80, "scheduler.cc", 112);
    let sites = vec![
        samples::site(
            &[
                libc("swapcontext", 1),
                at("Fiber::yield()", 0x10, "fiber.cc", 31),
                scheduler.clone(),
                main.clone(),
            ],
            0,
            812_000,
        ),
        samples::site(
            &[
                libc("__sigsetjmp", 2),
                at("decode_field", 0x20, "decode.c", 77),
                at("decode", 0x24, "decode.c", 140),
                main.clone(),
            ],
            223_546,
            0,
        ),
        samples::site(
            &[
                libc("pthread_sigmask", 3),
                at("with_lock", 0x30, "lock.c", 9),
                scheduler,
                main.clone(),
            ],
            120,
            90_210,
        ),
        samples::site(&[libc("sigprocmask", 4), at("log_line", 0x50, "log.c", 18), main], 4_711, 0),
    ];
    let mut recording = samples::recording(Source::Bpf, sites);
    for site in &mut recording.processes[0].sites {
        site.caller = Caller::clone(&site.stack[1]);
    }
    recording.run.command = vec!["./app".into(), "--threads".into(), "8".into(), "in put".into()];
    recording.run.notes = vec!["12 system calls of 32-bit programs were not counted".into()];
    recording.about.machine.processor = "A Processor".into();
    recording
}

/// The frame of the graph with this name.
fn graph_frame(name: &str) -> String {
    format!("[...document.querySelectorAll('#tree div')].find(it => it.textContent === '{name}')")
}

#[test]
fn the_page_works_by_mouse_and_keyboard() {
    let Some(mut browser) = Browser::start() else { return };
    browser.look(1200, "light");
    browser.open(&page("page.html", &example()));
    let first = "document.querySelector('table.callers tbody th code').textContent";
    let width = |name: &str| format!("{}.getBoundingClientRect().width", graph_frame(name));
    assert_eq!(browser.evaluate(first), "Fiber::yield()");

    browser.click("document.querySelector('table.callers thead button')");
    assert_eq!(browser.evaluate(first), "decode_field");
    let sorted = "document.querySelector('table.callers thead th').getAttribute('aria-sort')";
    assert_eq!(browser.evaluate(sorted), "ascending");
    browser.click("document.querySelector('table.callers thead button')");
    assert_eq!(browser.evaluate(first), "with_lock");
    browser.click("document.querySelectorAll('table.callers thead button')[3]");
    assert_eq!(browser.evaluate(first), "decode_field", "most that change nothing");

    let whole = browser.evaluate(&width("main")).as_f64().unwrap();
    let before = browser.evaluate(&width("decode_field")).as_f64().unwrap();
    assert!(before < whole / 4.0, "{before} of {whole}");
    browser.click(&graph_frame("decode_field"));
    let after = browser.evaluate(&width("decode_field")).as_f64().unwrap();
    assert!((after - whole).abs() < 2.0, "{after} of {whole}");
    let told = "document.getElementById('told').textContent";
    let text = browser.evaluate(told).to_string();
    assert!(text.contains("decode_field in /bin/x: 223,546 calls"), "{text}");
    browser.click("document.getElementById('whole')");
    assert_eq!(browser.evaluate(&width("decode_field")).as_f64().unwrap(), before);

    browser.click("document.querySelector('[data-by=\"3\"]')");
    let by_time = browser.evaluate(&width("decode_field")).as_f64().unwrap();
    assert!(by_time < before * 0.7, "a query costs half of a change: {by_time} of {before}");

    browser.evaluate("document.querySelector('#tree [tabindex=\"0\"]').focus()");
    for key in ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "Enter"] {
        browser.press(key);
    }
    let text = browser.evaluate("document.activeElement.getAttribute('aria-label')").to_string();
    assert!(text.contains("decode: 223,546 calls"), "{text}");
    let selected = "document.querySelector('#tree [aria-selected]').textContent";
    assert_eq!(browser.evaluate(selected), "decode");
    browser.press("Escape");
    assert_eq!(browser.evaluate(selected), "main");
    browser.press("Home");
    browser.press("Enter");

    browser.click("document.querySelector('.search input')");
    browser.type_text("swapCONTEXT");
    assert_eq!(browser.evaluate("document.querySelectorAll('#tree .found').length"), 1);
    let text = browser.evaluate("document.getElementById('matched').textContent").to_string();
    assert!(text.contains('%'), "{text}");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn the_pages_look_right_in_every_width_and_scheme() {
    let Some(mut browser) = Browser::start() else { return };
    let (outside, inside) = (example(), samples::inside());
    browser.open(&page("look.html", &outside));
    pictures(&mut browser, "outside");
    assert_eq!(browser.complaints(), [""; 0]);
    browser.open(&page("inside.html", &inside));
    pictures(&mut browser, "inside");
    let mut fewer = example();
    fewer.processes[0].sites.remove(0);
    let difference = Diff::new(View::new(&outside), View::new(&fewer));
    browser.open(&file("diff.html", &diff::html::page(&difference)));
    pictures(&mut browser, "diff");
    assert_eq!(browser.complaints(), [""; 0]);
    let empty = samples::recording(Source::Runtime, Vec::new());
    browser.open(&page("empty.html", &empty));
    pictures(&mut browser, "empty");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn hostile_names_are_shown_and_do_nothing() {
    let hostile = "</script><script>alert(1)</script><img src=x onerror=\"alert(2)\">'\u{202e}&lt;";
    let Some(mut browser) = Browser::start() else { return };
    let mut recording = example();
    recording.run.command = vec![hostile.into(), "$(reboot)".into()];
    recording.processes[0].executable = hostile.into();
    for site in &mut recording.processes[0].sites {
        site.function = hostile.into();
        for frame in site.stack.iter_mut().map(Arc::make_mut).chain([&mut site.caller]) {
            frame.symbol = Some(hostile.into());
            frame.module = hostile.into();
            frame.file = Some(hostile.into());
        }
    }
    browser.open(&page("hostile.html", &recording));
    assert_eq!(browser.complaints(), [""; 0]);
    assert_eq!(browser.evaluate("document.images.length"), 0);
    let shown =
        browser.evaluate("document.querySelector('table.callers tbody th code').textContent");
    assert_eq!(shown, hostile);
    let label = browser.evaluate("document.querySelectorAll('#tree div')[3].textContent");
    assert_eq!(label, hostile);
    pictures(&mut browser, "hostile");
}

#[test]
fn a_hundred_thousand_stacks_still_open() {
    let Some(mut browser) = Browser::start() else { return };
    let recording = samples::many(100_000, 6);
    let path = page("many.html", &recording);
    let start = std::time::Instant::now();
    browser.open(&path);
    println!("opened after {:?}, {} bytes", start.elapsed(), fs::metadata(&path).unwrap().len());
    assert_eq!(browser.complaints(), [""; 0]);
    let shown = browser.evaluate("document.querySelectorAll('#tree div').length").as_u64().unwrap();
    assert!((10..4000).contains(&shown), "{shown}");
    assert_eq!(browser.evaluate("document.querySelectorAll('tbody tr').length"), 200);
    let seen = "[...document.querySelectorAll('tbody tr')].filter(row => !row.hidden).length";
    assert_eq!(browser.evaluate(seen), 12);
    browser.click("document.querySelector('.all-rows')");
    assert_eq!(browser.evaluate(seen), 200);
    assert!(browser.evaluate("document.body.textContent").to_string().contains("99,800 more"));
}
