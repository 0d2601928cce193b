// SPDX-License-Identifier: MIT
//! The experiment: two counted runs, then the pairs.

use std::io;
use std::os::fd::OwnedFd;

use sigzero_count::{Counted, Counts, Method, Spec, count};

use crate::Variables;
use crate::args::{Args, Mode};
use crate::behaviour::{Judge, Side};
use crate::capture::{Ended, Streams};
use crate::error::Error;
use crate::input::Input;
use crate::interrupt::{self, Watch, interrupted};
use crate::program::Program;
use crate::progress::Progress;
use crate::report::{Calls, LIMITS, Pair, Report, Time};
use crate::schedule::first_sides;
use crate::timed::{self, Times};
use crate::units::Unit;
use crate::verdict::{Kind, Verdict};
use sigzero_machine::{Machine, date};

/// Fewer say nothing at all about spread.
const LEAST_PAIRS: usize = 2;

/// Runs the command without and with `variables` as `args` asks.
pub fn measure(args: &Args, variables: &Variables) -> Result<Report, Error> {
    let program = Program::find(&args.command)?;
    let date = date();
    let runs = 2 * (1 + u64::from(args.warmup) + u64::from(args.runs));
    let progress = Progress::new(runs);
    let _watch = Watch::new();
    progress.doing("reading standard input");
    let input = Input::from_stdin().map_err(Error::Input)?;
    let mut bench = Bench { program, variables, input, judge: Judge::new(), progress };
    let counts = bench.count()?;
    let pairs = bench.pairs(args)?;
    let cut_short = interrupted();
    if cut_short && pairs.len() < LEAST_PAIRS {
        return Err(Error::Interrupted);
    }
    bench.report(args, date, &counts, pairs, cut_short)
}

struct Bench<'a> {
    program: Program,
    variables: &'a Variables,
    input: Input,
    judge: Judge,
    progress: Progress,
}

impl Bench<'_> {
    fn count(&mut self) -> Result<[Counts; 2], Error> {
        self.progress.doing("counting system calls");
        Ok([self.count_side(Side::Without)?, self.count_side(Side::With)?])
    }

    fn count_side(&mut self, side: Side) -> Result<Counts, Error> {
        let streams = Streams::new().map_err(Error::Capture)?;
        let spec = self.spec(side, &streams)?;
        let counted = count(&spec);
        interrupt::running(0);
        let Counted { counts, status, .. } = counted.map_err(|e| self.count_failed(e))?;
        if interrupted() {
            return Err(Error::Interrupted);
        }
        streams.complete().map_err(Error::Capture)?;
        // Under ptrace a command may behave differently: it cannot trace, or gain privilege.
        if counts.method == Method::Perf {
            self.judge.see(side, Ended { status, streams }).map_err(Error::Capture)?;
        }
        self.progress.ran();
        Ok(counts)
    }

    fn spec(&self, side: Side, streams: &Streams) -> Result<Spec, Error> {
        let (file, name, arguments) = self.program.words();
        let mut spec = Spec::new(file).args(arguments).env(
            self.variables_of(side).iter().map(|(name, value)| (name.clone(), Some(value.clone()))),
        );
        spec.name = Some(name);
        let copy = streams.try_clone().map_err(Error::Capture)?;
        spec.stdin = Some(self.input.open().map(OwnedFd::from).map_err(Error::Input)?);
        spec.stdout = Some(copy.stdout.into());
        spec.stderr = Some(copy.stderr.into());
        spec.on_start = Some(interrupt::running);
        Ok(spec)
    }

    fn variables_of(&self, side: Side) -> &[(std::ffi::OsString, std::ffi::OsString)] {
        match side {
            Side::Without => &[],
            Side::With => self.variables,
        }
    }

    fn count_failed(&self, error: sigzero_count::Error) -> Error {
        match error {
            sigzero_count::Error::Spawn(error) => self.not_started(error.source),
            other => Error::Count(other.to_string()),
        }
    }

    fn not_started(&self, source: io::Error) -> Error {
        sigzero_launch::Error::of_start(self.program.path(), source).into()
    }

    fn pairs(&mut self, args: &Args) -> Result<Vec<Pair>, Error> {
        let (warmup, runs) = (args.warmup as usize, args.runs as usize);
        let mut pairs = Vec::with_capacity(runs);
        for (i, first) in first_sides(warmup + runs, fastrand::bool).into_iter().enumerate() {
            self.progress.doing(match i.checked_sub(warmup) {
                Some(pair) => format!("pair {} of {runs}", pair + 1),
                None => format!("warming up, pair {} of {warmup}", i + 1),
            });
            let Some(pair) = self.pair(first)? else { break };
            if i >= warmup {
                pairs.push(pair);
            }
        }
        Ok(pairs)
    }

    /// `None` when interrupted: a run that was cut short says nothing.
    fn pair(&mut self, first: Side) -> Result<Option<Pair>, Error> {
        let second = if first == Side::With { Side::Without } else { Side::With };
        let Some(a) = self.timed(first)? else { return Ok(None) };
        let Some(b) = self.timed(second)? else { return Ok(None) };
        let (without, with) = if first == Side::Without { (a, b) } else { (b, a) };
        let seen = [without.0, with.0].into_iter().zip([Side::Without, Side::With]);
        for (ended, side) in seen {
            self.judge.see(side, ended).map_err(Error::Capture)?;
        }
        Ok(Some(Pair { first, without: without.1, with: with.1 }))
    }

    fn timed(&mut self, side: Side) -> Result<Option<(Ended, Times)>, Error> {
        if interrupted() {
            return Ok(None);
        }
        let input = self.input.open().map_err(Error::Input)?;
        let streams = Streams::new().map_err(Error::Capture)?;
        let mut command = self.program.command();
        command.envs(self.variables_of(side).iter().cloned());
        let run = timed::run(&mut command, input, streams).map_err(|e| self.not_started(e))?;
        self.progress.ran();
        if interrupted() {
            return Ok(None);
        }
        run.0.streams.complete().map_err(Error::Capture)?;
        Ok(Some(run))
    }

    fn report(
        self,
        args: &Args,
        date: String,
        [without, with]: &[Counts; 2],
        pairs: Vec<Pair>,
        interrupted: bool,
    ) -> Result<Report, Error> {
        let behaviour = self.judge.result().map_err(Error::Capture)?;
        let wall = Time::of(&pairs, |t| t.wall_s);
        let verdict = match args.mode {
            Mode::Check => Verdict::of_check(&behaviour),
            Mode::Lazy | Mode::Shadow => {
                let ratio = wall.and_then(|w| w.ratio);
                Verdict::new(without.total(), with.total(), ratio, &behaviour)
            }
        };
        let mut notes = self.notes(args, [without, with]);
        notes.extend(wall.and_then(|wall| small_loss(&verdict, &wall)));
        Ok(Report {
            sigzero: env!("CARGO_PKG_VERSION"),
            date,
            machine: Machine::here(),
            command: args.command.iter().map(|w| w.to_string_lossy().into_owned()).collect(),
            mode: args.mode,
            follow: args.follow.clone(),
            verdict,
            calls: Calls::new(without, with),
            wall,
            cpu: Time::of(&pairs, |t| t.user_s + t.system_s),
            user: Time::of(&pairs, |t| t.user_s),
            system: Time::of(&pairs, |t| t.system_s),
            notes,
            behaviour,
            pairs_asked_for: args.runs,
            warmup_pairs: args.warmup,
            interrupted,
            pairs,
            limits: LIMITS.to_vec(),
        })
    }

    fn notes(&self, args: &Args, counts: [&Counts; 2]) -> Vec<String> {
        let mut notes = self.program.obstacles();
        if args.mode == Mode::Check {
            notes.push("mode check asks the kernel after each step: its times mean nothing".into());
        }
        let lost = counts.iter().find_map(|c| c.note.as_deref());
        notes.extend(lost.map(|why| format!("the count of calls is not complete: {why}")));
        notes
    }
}

/// Below this a loss may be nothing but the runtime's start.
const SMALL_LOSS_S: f64 = 2e-3;

fn small_loss(verdict: &Verdict, wall: &Time) -> Option<String> {
    let loss = wall.with.median_s - wall.without.median_s;
    let small = verdict.kind == Kind::Slower && (0.0..SMALL_LOSS_S).contains(&loss);
    small.then(|| {
        let loss = Unit::for_seconds(loss).full(loss);
        format!(
            "the loss is {loss} a run; loading the runtime costs each the same: try longer runs"
        )
    })
}
