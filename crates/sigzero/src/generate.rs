// SPDX-License-Identifier: MIT
//! `sigzero generate`: manual pages and shell completions from the one definition.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use roff::{Roff, bold, roman};

use crate::cli::{Cli, Generate, What};
use crate::help::{self, Page};

pub fn main(args: &Generate) -> anyhow::Result<ExitCode> {
    let folder = &args.folder;
    let cannot = || format!("{}: cannot be written: choose another folder", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    match args.what {
        What::Man => man(folder).with_context(cannot)?,
        What::Completions => completions(folder).with_context(cannot)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn completions(folder: &Path) -> std::io::Result<()> {
    let mut command = without_hidden(&Cli::command());
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command, "sigzero", folder)?;
    }
    Ok(())
}

/// Completion would offer what the help does not.
fn without_hidden(command: &Command) -> Command {
    let shown = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    Command::new("sigzero")
        .version(env!("CARGO_PKG_VERSION"))
        .args(command.get_arguments())
        .subcommands(shown.cloned())
        .disable_help_subcommand(true)
}

fn man(folder: &Path) -> std::io::Result<()> {
    let mut command = Cli::command();
    command.build();
    page(folder, &command, "")?;
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        page(folder, subcommand, subcommand.get_name())?;
    }
    Ok(())
}

fn page(folder: &Path, command: &Command, name: &str) -> std::io::Result<()> {
    let title = if name.is_empty() { "sigzero".into() } else { format!("sigzero-{name}") };
    let version = concat!("sigzero ", env!("CARGO_PKG_VERSION"));
    let command = command.clone().display_name(&title);
    let man = Man::new(command).title(title.to_uppercase()).source(version).manual("sigzero");
    let mut file = File::create(folder.join(format!("{title}.1")))?;
    man.render_title(&mut file)?;
    man.render_name_section(&mut file)?;
    man.render_synopsis_section(&mut file)?;
    man.render_description_section(&mut file)?;
    man.render_options_section(&mut file)?;
    if name.is_empty() {
        man.render_subcommands_section(&mut file)?;
    }
    let rest = help::page(name).map(sections).unwrap_or_default();
    file.write_all(rest.to_roff().as_bytes())?;
    file.write_all(see_also(name).to_roff().as_bytes())
}

fn sections(page: &Page) -> Roff {
    let mut roff = Roff::new();
    if !page.statuses.is_empty() {
        roff.control("SH", ["EXIT STATUS"]);
    }
    for (status, meaning) in page.statuses {
        roff.control("TP", []).text([bold(*status)]).text([roman(*meaning)]);
    }
    roff.control("SH", ["EXAMPLES"]);
    for (line, meaning) in page.examples {
        roff.control("TP", []).text([bold(*line)]).text([roman(*meaning)]);
    }
    roff
}

fn see_also(name: &str) -> Roff {
    let others = help::PAGES.iter().filter(|page| page.name != name);
    let names: Vec<_> = others
        .map(|page| match page.name {
            "" => "sigzero(1)".into(),
            name => format!("sigzero-{name}(1)"),
        })
        .collect();
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]).text([roman(names.join(", "))]);
    roff
}
