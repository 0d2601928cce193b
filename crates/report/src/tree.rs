// SPDX-License-Identifier: MIT
//! All stacks as one tree, outermost frame first: what a flame graph draws.

use std::collections::HashMap;

use sigzero_model::{Caller, Class, Cost, Process, Site};

/// The greatest nodes are kept; a page with all of many thousands would not open.
pub const NODES: usize = 4000;

/// Stands where frames between the program's start and what was followed are not known.
pub const INCOMPLETE: &str = "[incomplete]";

/// Whose code a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Whose {
    All,
    Process,
    Program,
    Libc,
    Library,
    Unknown,
    /// The function or system call that was counted.
    Call,
    /// What the call asked for, and that changed nothing.
    Needless,
    /// What the call asked for.
    Asked,
    /// Frames too small to be kept.
    Rest,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub name: String,
    pub module: String,
    pub whose: Whose,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Index of a node before it; its own for the first.
    pub parent: usize,
    /// Index in `Tree::frames`.
    pub frame: usize,
    pub calls: u64,
    pub nanoseconds: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub frames: Vec<Frame>,
    pub nodes: Vec<Node>,
    /// How many different stacks there are, and how many nodes were summed up with others.
    pub stacks: usize,
    pub summed: usize,
}

impl Tree {
    pub fn of(processes: &[Process], cost: &Cost, most: usize) -> Self {
        let mut builder = Builder::default();
        let all = Frame { name: "all".into(), module: String::new(), whose: Whose::All };
        let all = builder.frame(all);
        builder.child(0, all);
        let mut stacks = 0;
        for process in processes {
            builder.places.clear();
            for site in process.sites.iter().filter(|site| !site.opaque) {
                builder.add(process, site, cost);
                stacks += 1;
            }
        }
        builder.kept(most, stacks)
    }
}

#[derive(Default)]
struct Builder<'a> {
    frames: Vec<Frame>,
    /// Frames of the process at hand.
    places: HashMap<&'a Caller, usize>,
    frame_numbers: HashMap<Frame, usize>,
    nodes: Vec<Node>,
    children: HashMap<(usize, usize), usize>,
}

impl<'a> Builder<'a> {
    fn frame(&mut self, frame: Frame) -> usize {
        if let Some(number) = self.frame_numbers.get(&frame) {
            return *number;
        }
        let number = self.frames.len();
        self.frames.push(frame.clone());
        self.frame_numbers.insert(frame, number);
        number
    }

    fn child(&mut self, parent: usize, frame: usize) -> usize {
        let (nodes, next) = (&mut self.nodes, self.children.len());
        *self.children.entry((parent, frame)).or_insert_with(|| {
            nodes.push(Node { parent, frame, calls: 0, nanoseconds: 0.0 });
            next
        })
    }

    fn add(&mut self, process: &'a Process, site: &'a Site, cost: &Cost) {
        let classes: Vec<Class> = site.counts.classes().collect();
        if classes.is_empty() {
            return;
        }
        let program = Frame {
            name: named(process.name(), "unknown program"),
            module: process.executable.clone(),
            whose: Whose::Process,
        };
        let program = self.frame(program);
        let mut path = vec![0, self.child(0, program)];
        if site.is_estimate() {
            let unknown =
                Frame { name: INCOMPLETE.into(), module: String::new(), whose: Whose::Unknown };
            let unknown = self.frame(unknown);
            path.push(self.child(path[path.len() - 1], unknown));
        }
        for caller in site.frames().rev() {
            let known = self.places.get(caller).copied();
            let frame = known.unwrap_or_else(|| self.frame(place(caller, process)));
            self.places.insert(caller, frame);
            path.push(self.child(path[path.len() - 1], frame));
        }
        let function =
            Frame { name: site.function.clone(), module: String::new(), whose: Whose::Call };
        let function = self.frame(function);
        path.push(self.child(path[path.len() - 1], function));
        for class in classes {
            let nanoseconds = cost.of_class(&class).unwrap_or(0.0) * class.calls as f64;
            let asked = self.frame(asked(&class));
            let leaf = self.child(path[path.len() - 1], asked);
            for node in path.iter().chain([&leaf]) {
                self.nodes[*node].calls += class.calls;
                self.nodes[*node].nanoseconds += nanoseconds;
            }
        }
    }

    /// The greatest nodes; a parent is never smaller than its child, and comes before it.
    fn kept(mut self, most: usize, stacks: usize) -> Tree {
        let (calls, time) = (self.nodes[0].calls.max(1), self.nodes[0].nanoseconds.max(1.0));
        let weight = |node: &Node| (node.calls as f64 / calls as f64).max(node.nanoseconds / time);
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by(|a, b| {
            weight(&self.nodes[*b]).total_cmp(&weight(&self.nodes[*a])).then(a.cmp(b))
        });
        let summed = order.split_off(most.max(1).min(order.len()));
        let mut place = vec![usize::MAX; self.nodes.len()];
        let mut nodes = Vec::with_capacity(order.len());
        for (new, old) in order.iter().enumerate() {
            place[*old] = new;
            let node = &self.nodes[*old];
            nodes.push(Node { parent: place[node.parent], ..node.clone() });
        }
        let mut rest: HashMap<usize, (u64, u64, f64)> = HashMap::new();
        for old in &summed {
            let node = &self.nodes[*old];
            let parent = place[node.parent];
            if parent != usize::MAX {
                let sum = rest.entry(parent).or_default();
                *sum = (sum.0 + 1, sum.1 + node.calls, sum.2 + node.nanoseconds);
            }
        }
        let mut rest: Vec<_> = rest.into_iter().collect();
        rest.sort_by_key(|(parent, _)| *parent);
        for (parent, (count, calls, nanoseconds)) in rest {
            let name = format!("{} smaller", sigzero_number::grouped(count));
            let frame = self.frame(Frame { name, module: String::new(), whose: Whose::Rest });
            nodes.push(Node { parent, frame, calls, nanoseconds });
        }
        Tree { frames: used(self.frames, &mut nodes), nodes, stacks, summed: summed.len() }
    }
}

/// The frames that the nodes name; these are given their new numbers.
fn used(frames: Vec<Frame>, nodes: &mut [Node]) -> Vec<Frame> {
    let mut numbers = vec![None; frames.len()];
    let mut used = Vec::new();
    for node in nodes {
        node.frame = *numbers[node.frame].get_or_insert_with(|| {
            used.push(frames[node.frame].clone());
            used.len() - 1
        });
    }
    used
}

fn named(name: &str, otherwise: &str) -> String {
    if name.is_empty() { otherwise.into() } else { name.into() }
}

fn place(caller: &Caller, process: &Process) -> Frame {
    let whose = match caller.module_name() {
        name if name.starts_with('[') || name.is_empty() => Whose::Unknown,
        _ if caller.module == process.executable => Whose::Program,
        name if name.starts_with("libc.so") || name.starts_with("libc-2") => Whose::Libc,
        _ => Whose::Library,
    };
    let name = caller.symbol.clone();
    let name = name.unwrap_or_else(|| format!("{}+{:#x}", caller.module_name(), caller.offset));
    Frame { name, module: caller.module.clone(), whose }
}

fn asked(class: &Class) -> Frame {
    let (name, whose) = match class.kind {
        "query" => ("query", Whose::Needless),
        "same" => ("no change", Whose::Needless),
        "" => ("other call", Whose::Asked),
        "unknown" => ("kind not known", Whose::Asked),
        kind => (kind, Whose::Asked),
    };
    Frame { name: name.into(), module: String::new(), whose }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn names(tree: &Tree) -> Vec<(String, u64)> {
        let name = |node: &Node| tree.frames[node.frame].name.clone();
        tree.nodes.iter().map(|node| (name(node), node.calls)).collect()
    }

    #[test]
    fn stacks_with_a_common_start_are_one_branch() {
        let recording = samples::stacks();
        let tree = Tree::of(&recording.processes, &recording.cost, NODES);
        let of = |wanted: &str| names(&tree).iter().filter(|(name, _)| name == wanted).count();
        assert_eq!((of("all"), of("main"), of("work"), of("rest")), (1, 1, 1, 1));
        assert_eq!(tree.nodes[0].calls, recording.report().total.system_calls);
        assert!(tree.nodes.iter().enumerate().all(|(at, node)| at == 0 || node.parent < at));
        assert_eq!((tree.stacks, tree.summed), (2, 0));
    }

    #[test]
    fn a_stack_that_was_not_followed_to_its_end_is_apart() {
        let mut recording = samples::stacks();
        recording.processes[0].sites[1].stack_whole = false;
        let tree = Tree::of(&recording.processes, &recording.cost, NODES);
        let (names, tree) = (names(&tree), tree);
        let at = names.iter().position(|(name, _)| name == INCOMPLETE).unwrap();
        assert_eq!((names[at].1, tree.nodes[at].parent), (5, 1));
        assert_eq!(names.iter().filter(|(name, _)| name == "main").count(), 2);
    }

    #[test]
    fn the_smallest_are_summed_and_nothing_is_lost() {
        let recording = samples::many(1000, 5);
        let tree = Tree::of(&recording.processes, &recording.cost, 50);
        assert!(tree.nodes.len() < 120 && tree.summed > 1000, "{}", tree.nodes.len());
        for (at, node) in tree.nodes.iter().enumerate() {
            let children = tree.nodes.iter().skip(1).filter(|child| child.parent == at);
            let calls: Vec<_> = children.map(|child| child.calls).collect();
            assert!(calls.is_empty() || calls.iter().sum::<u64>() == node.calls);
        }
    }

    #[test]
    fn nothing_is_a_tree_too() {
        let tree = Tree::of(&[], &Cost::default(), NODES);
        assert_eq!(names(&tree), [("all".to_string(), 0)]);
    }
}
