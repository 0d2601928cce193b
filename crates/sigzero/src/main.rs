// SPDX-License-Identifier: MIT
//! The command `sigzero`: parses its arguments and hands over to one module a subcommand.

mod check;
mod cli;
mod command;
mod compare;
mod doctor;
mod export;
mod failure;
mod generate;
mod help;
mod interrupt;
mod output;
mod queue;
mod record;
mod report;
mod run;
mod stat;
mod table;
mod target;
mod top;
mod words;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Subcommand};
use sigzero_number as number;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::of_arguments(&error),
    };
    let result = match cli.subcommand {
        Subcommand::Stat(args) => stat::main(&args),
        Subcommand::Record(args) => record::main(&args),
        Subcommand::Report(args) => report::main(&args),
        Subcommand::Run(args) => run::main(&args),
        Subcommand::Compare(args) => compare::main(&args),
        Subcommand::Check(args) => check::main(&args),
        Subcommand::Doctor(args) => doctor::main(&args),
        Subcommand::Queue(args) => queue::main(&args),
        Subcommand::Export(args) => export::main(&args),
        Subcommand::Top(args) => top::main(&args),
        Subcommand::Generate(args) => generate::main(&args),
    };
    result.unwrap_or_else(|error| failure::report(&error))
}
