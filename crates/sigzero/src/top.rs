// SPDX-License-Identifier: MIT
//! `sigzero top`: signal system calls as they are made.

use std::env;
use std::io::{IsTerminal, Write, stdin, stdout};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use sigzero_bpf::{Live, Options, namespace};
use sigzero_report::listed;
use sigzero_top::{Setup, batch, rows};

use crate::{cli, interrupt, output, target};

/// The screen is not drawn more often.
const SHORTEST: Duration = Duration::from_millis(100);

pub fn main(args: &cli::Top) -> anyhow::Result<ExitCode> {
    let terminal = stdout().is_terminal() && stdin().is_terminal();
    if !(args.batch || terminal) {
        bail!("this is no terminal: give --batch for plain text, as in sigzero top -b -n 3");
    }
    if !args.batch && env::var_os("TERM").is_some_and(|name| name == "dumb") {
        bail!("nothing can be drawn on this terminal (TERM=dumb): give --batch for plain text");
    }
    let setup = Setup {
        target: match args.pid.as_slice() {
            [] if namespace().is_some() => "this PID namespace".into(),
            [] => "the whole machine".into(),
            pids => listed(pids),
        },
        until_gone: !args.pid.is_empty(),
        delay: args.delay.max(SHORTEST),
        sort: match args.sort {
            cli::TopSort::Calls => rows::Sort::Calls,
            cli::TopSort::Time => rows::Sort::Time,
            cli::TopSort::Total => rows::Sort::Total,
            cli::TopSort::Pid => rows::Sort::Pid,
            cli::TopSort::Program => rows::Sort::Program,
        },
        cost: sigzero_calibrate::measure(),
        stacks: !args.no_stacks && !args.batch,
    };
    let live = Live::start(
        &target::running(&args.pid),
        &Options { stacks: setup.stacks, ..Options::default() },
    )?;
    interrupt::watch();
    if args.batch {
        let mut stdout = stdout();
        let out = |text: &str| stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        let written = batch::run(live, &setup, args.iterations, interrupt::came, out);
        output::unless_closed(written)?;
    } else {
        sigzero_top::run(live, &setup, interrupt::came).context("the terminal cannot be used")?;
    }
    Ok(ExitCode::SUCCESS)
}
