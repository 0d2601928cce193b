// SPDX-License-Identifier: MIT
//! The parts of the help that are more than options: examples and exit statuses. The
//! help on the terminal and the manual pages are both made from these.

pub struct Page {
    /// Name of the subcommand; empty for `sigzero` itself.
    pub name: &'static str,
    pub examples: &'static [(&'static str, &'static str)],
    pub statuses: &'static [(&'static str, &'static str)],
}

const OF_COMMAND: &[(&str, &str)] = &[
    ("125", "sigzero itself failed, or was given a wrong option"),
    ("126", "the command was found but cannot be executed"),
    ("127", "the command was not found"),
    ("otherwise", "that of the command; if a signal killed it, sigzero dies by the same"),
];

pub const PAGES: &[Page] = &[
    Page {
        name: "",
        examples: &[
            ("sigzero stat -- tcsh script.csh", "which signal system calls, how many, who asked"),
            ("sigzero run -- tcsh script.csh", "the same program without those it can do without"),
            (
                "sigzero compare -- tcsh script.csh",
                "both, in pairs: what is gained, and that nothing else changed",
            ),
            ("sigzero check tcsh", "whether a program can be treated, and why not"),
            ("sigzero doctor 4711", "what a running process blocks, and which signals wait"),
            ("sigzero queue -a", "who signals whom, and what a cache of sigqueues would save"),
            ("sigzero top", "the machine as it works, like top"),
            ("sigzero export", "counts for Prometheus"),
        ],
        statuses: OF_COMMAND,
    },
    Page {
        name: "stat",
        examples: &[
            ("sigzero stat -- bash -c 'while read l; do :; done' <words", "one program"),
            ("sigzero stat --follow -- make", "with all its children"),
            ("sigzero stat --json -o report.json -- zsh script", "for another program to read"),
            ("sigzero stat --source bpf -- ./static", "from outside, with whole stacks"),
            ("sigzero stat -p 4711 --duration 10", "a running process, for ten seconds"),
            ("sigzero stat -a", "the whole machine, until Ctrl-C"),
        ],
        statuses: OF_COMMAND,
    },
    Page {
        name: "record",
        examples: &[
            ("sigzero record -- zsh script", "one program, into sigzero.rec"),
            ("sigzero record --source bpf -o zsh.rec -- zsh script", "with whole stacks"),
            (
                "sigzero record -a --duration 10 -o machine.rec",
                "the whole machine, for ten seconds",
            ),
            ("sigzero record -p 4711 -o - | sigzero report --json -", "without a file"),
        ],
        statuses: &[
            (
                "125",
                "sigzero itself failed, was given a wrong option, or could not write the recording",
            ),
            ("126", "the command was found but cannot be executed"),
            ("127", "the command was not found"),
            ("otherwise", "that of the command; if a signal killed it, sigzero dies by the same"),
        ],
    },
    Page {
        name: "report",
        examples: &[
            ("sigzero report", "sigzero.rec as a page, sigzero.html"),
            (
                "sigzero report --pprof -o zsh.pb.gz zsh.rec && go tool pprof -top zsh.pb.gz",
                "a profile",
            ),
            ("sigzero report --folded --by time zsh.rec", "folded stacks by estimated time"),
            ("sigzero report --diff old.rec new.rec", "what went away, and what came"),
        ],
        statuses: &[
            ("0", "it was shown; of a recording that was cut off, what there is"),
            (
                "125",
                "sigzero itself failed, was given a wrong option, or FILE is no recording that it can read",
            ),
        ],
    },
    Page {
        name: "run",
        examples: &[
            ("sigzero run -- gnuplot plots.gp", "without the calls that it can do without"),
            (
                "sigzero run --mode shadow -- gnuplot plots.gp",
                "only without those that change nothing: each block reaches the kernel",
            ),
            ("sigzero run --mode check -- gnuplot plots.gp", "ask the kernel after each step"),
            ("sigzero run --follow 'bash' -- make", "children named bash too"),
        ],
        statuses: OF_COMMAND,
    },
    Page {
        name: "compare",
        examples: &[
            ("sigzero compare -- tcsh script.csh", "ten pairs of runs"),
            ("sigzero compare -n 30 --html result.html -- tcsh script.csh", "more, with a chart"),
        ],
        // Its description has them: they go beyond those of env(1).
        statuses: &[],
    },
    Page {
        name: "check",
        examples: &[
            ("sigzero check ./program", "a file"),
            ("sigzero check --json bash", "a command, for another program to read"),
        ],
        statuses: &[
            ("0", "the program can be treated"),
            ("1", "it cannot, for the reasons given"),
            ("125", "sigzero itself failed, or there is no such file or command"),
        ],
    },
    Page {
        name: "queue",
        examples: &[
            ("sigzero queue -- make -j2", "a command and its children"),
            ("sigzero queue -a --duration 10", "the whole machine, for ten seconds"),
            (
                "sigzero queue -p 4711 -p 4712 --json",
                "running processes, for another program to read",
            ),
        ],
        statuses: OF_COMMAND,
    },
    Page {
        name: "top",
        examples: &[
            ("sigzero top", "the whole machine"),
            ("sigzero top -p 4711 -s time", "a process and its children, by time"),
            ("sigzero top -b -n 3 -d 5", "three tables as text, five seconds apart"),
        ],
        statuses: &[
            ("0", "it was ended by a key or a signal, or the processes have ended"),
            ("125", "sigzero itself failed: no privilege, no terminal, no such process"),
        ],
    },
    Page {
        name: "export",
        examples: &[
            ("sigzero export", "the whole machine, at http://127.0.0.1:9565/metrics"),
            ("sigzero export --listen 0.0.0.0:9565", "for a Prometheus on another machine"),
            ("sigzero export -p 4711 --push http://127.0.0.1:4040", "profiles for Pyroscope too"),
        ],
        statuses: &[
            ("0", "it was ended by Ctrl-C or SIGTERM, or the processes have ended"),
            ("125", "sigzero itself failed: no privilege, the port is in use, no such process"),
        ],
    },
    Page {
        name: "doctor",
        examples: &[
            ("sigzero doctor 4711", "a running process"),
            ("sigzero doctor --watch 5 $(pgrep -n zsh)", "the newest zsh, for five seconds"),
            ("sigzero doctor --json 4711", "for another program to read"),
        ],
        statuses: &[
            ("0", "nothing wrong was found"),
            ("1", "there are findings"),
            ("125", "sigzero itself failed, or there is no such process"),
        ],
    },
];

pub fn page(name: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.name == name)
}

/// What follows the options in the help of the terminal.
pub fn after(name: &str) -> String {
    let Some(page) = page(name) else { return String::new() };
    let statuses: String =
        page.statuses.iter().map(|(code, text)| format!("  {code:<10} {text}\n")).collect();
    let heading = if statuses.is_empty() { "" } else { "\nExit status:\n" };
    format!("Examples:\n{}{heading}{statuses}", examples(page))
}

fn examples(page: &Page) -> String {
    let width = page.examples.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
    page.examples.iter().map(|(line, text)| format!("  {line:<width$}  {text}\n")).collect()
}
