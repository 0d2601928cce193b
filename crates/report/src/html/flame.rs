// SPDX-License-Identifier: MIT
//! The flame graph: data for the script, and what is said about it.

use maud::{Markup, html};
use serde::Serialize;
use sigzero_number::grouped;

use super::data;
use crate::View;
use crate::tree::{INCOMPLETE, NODES, Tree, Whose};

#[derive(Serialize)]
struct Data<'a> {
    /// Name, module, whose.
    frames: Vec<(&'a str, &'a str, &'static str)>,
    /// Parent, frame, calls, nanoseconds.
    nodes: Vec<(usize, usize, u64, u64)>,
}

pub fn section(view: &View) -> Markup {
    let tree = Tree::of(&view.recording.processes, &view.recording.cost, NODES);
    if tree.nodes[0].calls == 0 {
        return html! {};
    }
    let whole = view.report.stacks.iter().any(|site| !site.stack.is_empty());
    let timed = tree.nodes[0].nanoseconds > 0.0;
    html! {
        section aria-labelledby="flame" {
            h2 #flame { (if whole { "Flame graph" } else { "From caller to call" }) }
            div #graph hidden {
                div.tools {
                    div.choice role="group" aria-label="Width by" {
                        button type="button" data-by="2" aria-pressed="true" { "Calls" }
                        button type="button" data-by="3" aria-pressed="false" disabled[!timed] {
                            "Time, est."
                        }
                    }
                    label.search {
                        span.away { "Search functions" }
                        input type="search" placeholder="Search" autocomplete="off" spellcheck="false";
                    }
                    button type="button" #whole disabled { "Whole graph" }
                    output #matched {}
                }
                div #tree role="tree" aria-label="Stacks, outermost frame first" {}
                p #told aria-live="polite" {}
                ul.legend {
                    (key("program", "program")) (key("library", "libraries")) (key("libc", "libc"))
                    (key("call", "the call")) @if view.classified() { (key("needless", "changes nothing")) }
                }
                p.hint { "Click a frame, or move with the arrow keys and press Enter, to see it at full \
                    width; Escape goes back." }
            }
            p.hint.noscript { "The graph is drawn by the script of this page." }
            @if view.report.estimated > 0 {
                p.hint {
                    (grouped(view.report.estimated)) " calls stand under " code { (INCOMPLETE) }
                    ": their stacks are not known to their end."
                }
            }
            @if tree.summed > 0 {
                p.hint {
                    "The " (grouped(NODES as u64)) " greatest frames of " (grouped(tree.stacks as u64))
                    " stacks; " (grouped(tree.summed as u64)) " smaller ones are summed up beside them. "
                    code { "sigzero report --folded" } " has all."
                }
            }
            @if !whole {
                p.hint { "Counted " (view.source()) ", only the caller is known. For whole stacks: "
                    code { "sigzero record --source bpf" } "." }
            }
            script #stacks type="application/json" { (data(&json(&tree))) }
        }
    }
}

fn key(class: &str, name: &str) -> Markup {
    html! { li { i class=(class) {} (name) } }
}

fn json(tree: &Tree) -> String {
    let frames = tree.frames.iter();
    let frames = frames.map(|f| (f.name.as_str(), f.module.as_str(), class(f.whose))).collect();
    let nodes = tree.nodes.iter();
    let nodes = nodes.map(|n| (n.parent, n.frame, n.calls, n.nanoseconds.round() as u64)).collect();
    serde_json::to_string(&Data { frames, nodes }).expect("arrays of names and numbers")
}

fn class(whose: Whose) -> &'static str {
    match whose {
        Whose::All => "all",
        Whose::Process => "process",
        Whose::Program => "program",
        Whose::Libc => "libc",
        Whose::Library => "library",
        Whose::Unknown => "unknown",
        Whose::Call => "call",
        Whose::Needless => "needless",
        Whose::Asked => "asked",
        Whose::Rest => "rest",
    }
}
