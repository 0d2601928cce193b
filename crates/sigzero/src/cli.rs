// SPDX-License-Identifier: MIT
//! The command line. Help, manual pages and shell completion are made from this.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, ValueEnum, ValueHint};
use sigzero_export::push::Url;
use sigzero_launch::Mode;

use crate::help;

/// How long a process can be watched.
const MOST_SECONDS: f64 = 86_400.0;

/// Find the system calls that a program makes only to look after its signals, and run it
/// without them
#[derive(Debug, Parser)]
#[command(name = "sigzero", version, after_help = help::after(""), disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub subcommand: Subcommand,
}

#[derive(Debug, clap::Subcommand)]
pub enum Subcommand {
    #[command(after_help = help::after("stat"))]
    Stat(Stat),
    #[command(after_help = help::after("record"))]
    Record(Record),
    #[command(after_help = help::after("report"))]
    Report(Report),
    /// Run a command without the signal system calls that it can do without
    #[command(after_help = help::after("run"))]
    Run(Run),
    #[command(after_help = help::after("compare"))]
    Compare(sigzero_compare::Args),
    /// Tell whether a program can be treated, and why not
    #[command(after_help = help::after("check"))]
    Check(Check),
    #[command(after_help = help::after("doctor"))]
    Doctor(Doctor),
    #[command(after_help = help::after("queue"))]
    Queue(Queue),
    #[command(after_help = help::after("top"))]
    Top(Top),
    #[command(after_help = help::after("export"))]
    Export(Export),
    /// Write the manual pages or the completions for shells
    #[command(hide = true)]
    Generate(Generate),
}

/// Run a command, or look at what runs, and tell which signal system calls it makes, who asks for
/// them, and how many can be removed
///
/// A dynamic program is counted from inside, by the preloaded runtime, which also knows what
/// `sigzero run` would remove. Static programs, Go programs, running processes and the whole machine
/// are counted from outside, by eBPF where CAP_BPF and CAP_PERFMON are granted, else, a command, by
/// ptrace. The report says which it was.
#[derive(Debug, Args)]
pub struct Stat {
    #[command(flatten)]
    pub counted: Counted,
    /// Write the report to FILE instead of standard error
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Write one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
    /// Show the N callers and processes with the most system calls; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
}

/// Count as stat does, and write what was counted to a file
///
/// The file holds everything that was counted: processes, callers, stacks, prices, losses, and where
/// and when it was. `sigzero report` shows it, here or on another machine. A file that is there
/// already gets `.old` at the end of its name.
#[derive(Debug, Args)]
pub struct Record {
    #[command(flatten)]
    pub counted: Counted,
    /// Write the recording to FILE; with --pid or --all `-` is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(default_value = RECORDING)]
    pub output: PathBuf,
}

/// Show what was recorded: as one HTML page, or for other tools
///
/// The page has all in one file and loads nothing: who asks, what can go, a flame graph by calls and by
/// time, what to do next, how it was counted. Times are estimates: calls by the price of one, as
/// measured on the machine of the recording. A recording that was cut off is shown as far as it
/// goes, and that is said.
#[derive(Debug, Args)]
pub struct Report {
    #[command(flatten)]
    pub form: Forms,
    /// Weigh folded stacks by
    #[arg(long, value_name = "WEIGHT", default_value = "calls")]
    pub by: By,
    /// Show what changed from the recording OLD to FILE, as text unless --html or --json is given
    #[arg(long, value_name = "OLD", value_hint = ValueHint::FilePath)]
    pub diff: Option<PathBuf>,
    /// In text, show N callers; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Write to OUT, `-` is standard output; without this a page is written beside the recording, and
    /// all else to standard output
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The recording; `-` is standard input
    #[arg(value_name = "FILE", default_value = RECORDING, value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
}

/// Where recordings are if nothing else is said.
const RECORDING: &str = "sigzero.rec";

#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct Forms {
    /// One page for a browser; the default
    #[arg(long)]
    html: bool,
    /// Tables, as stat shows them
    #[arg(long)]
    text: bool,
    /// A profile for `go tool pprof` and what reads its format
    #[arg(long)]
    pprof: bool,
    /// Folded stacks, for flame graph tools
    #[arg(long)]
    folded: bool,
    /// One JSON document
    #[arg(long)]
    json: bool,
    /// One JSON object a line: the run, processes, callers, stacks
    #[arg(long)]
    ndjson: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Html,
    Text,
    Pprof,
    Folded,
    Json,
    Ndjson,
}

impl Forms {
    pub fn chosen(&self) -> Option<Form> {
        let forms = [
            (self.html, Form::Html),
            (self.text, Form::Text),
            (self.pprof, Form::Pprof),
            (self.folded, Form::Folded),
            (self.json, Form::Json),
            (self.ndjson, Form::Ndjson),
        ];
        forms.into_iter().find(|(chosen, _)| *chosen).map(|(_, form)| form)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// System calls
    Calls,
    /// Estimated nanoseconds
    Time,
}

/// What is counted, and by whom
#[derive(Debug, Args)]
pub struct Counted {
    /// Count the children of the command too, static and setuid programs excepted; from outside
    /// all children are always counted
    #[arg(short, long)]
    pub follow: bool,
    /// Who counts
    #[arg(long, value_name = "SOURCE", default_value = "auto")]
    pub source: Source,
    /// Count a running process and the children it will have, until Ctrl-C; may be given several times
    #[arg(short, long, value_name = "PID", conflicts_with = "command")]
    #[arg(value_parser = clap::value_parser!(i32).range(1..), value_hint = ValueHint::Other)]
    pub pid: Vec<i32>,
    /// Count the whole machine, until Ctrl-C
    #[arg(short, long, conflicts_with_all = ["command", "pid"])]
    pub all: bool,
    /// With --pid or --all: stop after so long
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "command")]
    pub duration: Option<Duration>,
    /// From outside: do not follow stacks, which costs less
    #[arg(long)]
    pub no_stacks: bool,
    /// The command and its arguments
    #[arg(value_name = "CMD", required_unless_present_any = ["pid", "all"], trailing_var_arg = true,
          value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Source {
    /// The best that sees the target and is permitted
    Auto,
    /// The preloaded runtime: dynamic programs only
    Runtime,
    /// The kernel, by eBPF: everything, for whoever has CAP_BPF and CAP_PERFMON
    Bpf,
    /// A tracer that stops the command at each call: slow, needs no privilege
    Ptrace,
}

#[derive(Debug, Args)]
pub struct Run {
    /// What the runtime does
    #[arg(long, value_name = "MODE", default_value = "lazy")]
    pub mode: RunMode,
    /// Treat children too whose executable's name matches PATTERN; may be given several
    /// times, '*' matches all
    #[arg(long, value_name = "PATTERN")]
    pub follow: Vec<String>,
    /// The command and its arguments
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true,
          value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum RunMode {
    /// Tell the kernel of a blocked signal only when it arrives, or when the kernel must know
    Lazy,
    /// Remember the mask: only what changes nothing makes no system call
    Shadow,
    /// As lazy, and after each step ask the kernel and stop at the first difference
    Check,
    /// Only count, into the folder named by SIGZERO_OUT
    Watch,
    /// Do nothing
    Off,
}

impl From<RunMode> for Mode {
    fn from(mode: RunMode) -> Self {
        match mode {
            RunMode::Lazy => Mode::Lazy,
            RunMode::Shadow => Mode::Shadow,
            RunMode::Check => Mode::Check,
            RunMode::Watch => Mode::Watch,
            RunMode::Off => Mode::Off,
        }
    }
}

#[derive(Debug, Args)]
pub struct Check {
    /// Write one JSON document
    #[arg(long)]
    pub json: bool,
    /// A file, or the name of a command
    #[arg(value_name = "FILE", value_hint = ValueHint::CommandName)]
    pub file: OsString,
}

/// Tell what a running process blocks, since when and by whom, and which signals wait
///
/// The process is not stopped. It need not have been started by sigzero; if it was, what it blocks
/// lazily, its critical sections and the callers that changed its masks last are told too.
///
/// Findings are signals that wait while nobody can take them, critical sections that are not left
/// while a signal waits, words of sections that were overwritten or count below zero, and masks that
/// somebody changed without libc. A finding is true at every look; what is only passing is none.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Watch the process for so long; 0 looks once
    #[arg(long, value_name = "SECONDS", default_value = "0.2", value_parser = seconds)]
    #[arg(allow_negative_numbers = true)]
    pub watch: Duration,
    /// Write one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
    /// The number of the process, or of one of its threads
    #[arg(value_name = "PID", value_parser = clap::value_parser!(i32).range(1..))]
    #[arg(value_hint = ValueHint::Other)]
    pub pid: i32,
}

/// Follow the kernel's sigqueues, and tell what a one-slot cache of them saves
///
/// Each signal but SIGKILL takes a struct sigqueue from the kernel's slab and gives it back when it is
/// consumed. The patch kernel/patches/0002 lets each task keep one for its next signal. On a kernel
/// without it the cache is played beside the slab: what it would have served here, by task; who
/// signals whom; how many signals wait; who comes near to RLIMIT_SIGPENDING. On a kernel with the
/// patch it is the kernel's own word. It needs CAP_BPF and CAP_PERFMON.
///
/// With --pid, signals to these processes and those that they send are counted.
#[derive(Debug, Args)]
pub struct Queue {
    /// Watch a running process and the children it will have, until Ctrl-C; may be given several times
    #[arg(short, long, value_name = "PID", conflicts_with = "command")]
    #[arg(value_parser = clap::value_parser!(i32).range(1..), value_hint = ValueHint::Other)]
    pub pid: Vec<i32>,
    /// Watch the whole machine, until Ctrl-C
    #[arg(short, long, conflicts_with_all = ["command", "pid"])]
    pub all: bool,
    /// With --pid or --all: stop after so long
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "command")]
    pub duration: Option<Duration>,
    /// Write the report to FILE instead of standard error
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Write one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
    /// Show the N tasks, senders and targets with the most signals; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// The command and its arguments
    #[arg(value_name = "CMD", required_unless_present_any = ["pid", "all"], trailing_var_arg = true,
          value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

/// Show signal system calls as they are made, by process, with their callers
///
/// The whole machine is shown, or the processes that are given, by eBPF: it needs CAP_BPF and
/// CAP_PERFMON. The keys are those of htop; F1 or h lists them, Enter shows who asks in a process. The
/// time is estimated from what such a call costs on this machine.
#[derive(Debug, Args)]
pub struct Top {
    /// Show a running process and the children it will have, until they end; may be given several times
    #[arg(short, long, value_name = "PID")]
    #[arg(value_parser = clap::value_parser!(i32).range(1..), value_hint = ValueHint::Other)]
    pub pid: Vec<i32>,
    /// Show the whole machine: so it is if no process is given
    #[arg(short, long, conflicts_with = "pid")]
    pub all: bool,
    /// The time between two looks
    #[arg(short, long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub delay: Duration,
    /// The order at the start
    #[arg(short, long, value_name = "ORDER", default_value = "calls")]
    pub sort: TopSort,
    /// Write plain text to standard output, without callers
    #[arg(short, long)]
    pub batch: bool,
    /// With --batch: end after N looks
    #[arg(short = 'n', long, value_name = "N", requires = "batch")]
    pub iterations: Option<u64>,
    /// Do not follow stacks, which costs less; callers are not known then
    #[arg(long)]
    pub no_stacks: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum TopSort {
    /// Calls a second
    Calls,
    /// Time, estimated
    Time,
    /// Calls since the start
    Total,
    Pid,
    Program,
}

/// Serve counts of signal system calls as OpenMetrics, for Prometheus and its like, until Ctrl-C
///
/// The whole machine is counted, or the processes that are given, by eBPF: it needs CAP_BPF and
/// CAP_PERFMON. The metrics are at /metrics. The programs that call most have series of their own, the
/// rest is the program "other", so the number of series is bounded.
///
/// With --push, profiles with whole stacks are sent to Pyroscope too. One that cannot be sent is sent with
/// the next.
#[derive(Debug, Args)]
pub struct Export {
    /// Count a running process and the children it will have, until they end; may be given several times
    #[arg(short, long, value_name = "PID")]
    #[arg(value_parser = clap::value_parser!(i32).range(1..), value_hint = ValueHint::Other)]
    pub pid: Vec<i32>,
    /// Count the whole machine: so it is if no process is given
    #[arg(short, long, conflicts_with = "pid")]
    pub all: bool,
    /// Where to listen; port 0 takes a free one and says which
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9565")]
    pub listen: SocketAddr,
    /// How many programs have series of their own
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub programs: usize,
    /// Send profiles to the Pyroscope at this address
    #[arg(long, value_name = "URL", value_parser = Url::parse, value_hint = ValueHint::Url)]
    pub push: Option<Url>,
    /// How often profiles are sent
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = seconds, requires = "push")]
    pub every: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=MOST_SECONDS).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("give a number of seconds from 0 to {MOST_SECONDS}"))
}

#[derive(Debug, Args)]
pub struct Generate {
    pub what: What,
    /// The folder to write into
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum What {
    Man,
    Completions,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_of_the_command_are_its_own() {
        let words = ["sigzero", "stat", "ls", "--json", "-f"];
        let Subcommand::Stat(stat) = Cli::try_parse_from(words).unwrap().subcommand else {
            panic!("stat was asked for")
        };
        assert!(!stat.json && !stat.counted.follow);
        assert_eq!(stat.counted.command, ["ls", "--json", "-f"]);
    }

    #[test]
    fn what_runs_needs_no_command() {
        let words = ["sigzero", "stat", "-p", "7", "-p", "8", "--duration", "0.5"];
        let Subcommand::Stat(stat) = Cli::try_parse_from(words).unwrap().subcommand else {
            panic!("stat was asked for")
        };
        let Counted { pid, duration, .. } = stat.counted;
        assert_eq!((pid, duration), (vec![7, 8], Some(Duration::from_millis(500))));
    }

    #[test]
    fn a_wrong_option_is_not_taken_for_the_command() {
        assert!(Cli::try_parse_from(["sigzero", "stat", "--bogus", "ls"]).is_err());
        assert!(Cli::try_parse_from(["sigzero", "run", "--mode", "fast", "ls"]).is_err());
        assert!(Cli::try_parse_from(["sigzero", "stat"]).is_err());
        assert!(Cli::try_parse_from(["sigzero", "stat", "-p", "0"]).is_err());
        assert!(Cli::try_parse_from(["sigzero", "stat", "-p", "7", "ls"]).is_err());
        assert!(Cli::try_parse_from(["sigzero", "stat", "-a", "-p", "7"]).is_err());
    }
}
