// SPDX-License-Identifier: MIT
//! Reads what is there. Nothing in a recording is trusted: others may have made it.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use serde::Deserialize;
use sigzero_model::{Caller, Site};

use crate::line::{self, Header, Line};
use crate::{FORMAT, Recording, VERSION};

/// No line of ours is nearly as long.
const LONGEST: u64 = 1 << 26;

const START: &[u8] = br#"{"type":"recording","#;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("not a recording of sigzero: `sigzero record` makes one")]
    Foreign,
    #[error("an empty file: the recording was never written")]
    Empty,
    #[error("cut off in its first line: nothing of the recording is left")]
    Nothing,
    #[error(
        "a recording of version {0}, and this sigzero reads up to version {VERSION}: use the sigzero \
         that made it, or a newer one"
    )]
    Newer(u64),
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Only as much of the first line as tells whose it is.
#[derive(Deserialize)]
struct Kind {
    format: String,
    version: u64,
}

/// Up to its end, or to where it was cut off: then `Recording::damage` says so.
pub fn read(mut from: impl BufRead) -> Result<Recording, Error> {
    let first = line(&mut from)?;
    if first.is_empty() {
        return Err(Error::Empty);
    }
    if first.starts_with(START) && !first.ends_with(b"\n") {
        return Err(Error::Nothing);
    }
    let kind: Kind = serde_json::from_slice(&first).map_err(|_| Error::Foreign)?;
    if kind.format != FORMAT {
        return Err(Error::Foreign);
    }
    if kind.version > u64::from(VERSION) {
        return Err(Error::Newer(kind.version));
    }
    let Ok(Line::Recording(header)) = serde_json::from_slice(&first) else {
        return Err(Error::Foreign);
    };
    let mut reader = Reader::new(*header);
    let mut number = 1;
    let damage = loop {
        number += 1;
        let text = line(&mut from)?;
        if text.is_empty() {
            break Some(format!("the recording was cut off after line {}", number - 1));
        }
        match serde_json::from_slice(&text).ok().and_then(|line| reader.add(line)) {
            Some(More::Lines) => {}
            Some(More::Nothing) => break None,
            None if text.ends_with(b"\n") => {
                break Some(format!("line {number} of the recording is damaged"));
            }
            None => break Some(format!("the recording was cut off in line {number}")),
        }
    };
    let mut recording = reader.recording;
    recording.damage = damage.map(|damage| format!("{damage}: what came after it is missing"));
    Ok(recording)
}

fn line(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LONGEST).read_until(b'\n', &mut bytes)?;
    Ok(bytes)
}

enum More {
    Lines,
    Nothing,
}

struct Reader {
    recording: Recording,
    frames: Vec<Arc<Caller>>,
    sites: usize,
}

impl Reader {
    fn new(header: Header) -> Self {
        let Header { about, run, cost, .. } = header;
        let recording = Recording { about, run, cost, ..Recording::default() };
        Self { recording, frames: Vec::new(), sites: 0 }
    }

    /// `None` if the line cannot be right here.
    fn add(&mut self, line: Line) -> Option<More> {
        match line {
            Line::Recording(_) => return None,
            Line::Process(line) => self.recording.processes.push(line.process),
            Line::Frame(line) => self.frames.push(line.frame.into()),
            Line::Site(line) => self.site(line)?,
            Line::End(end) => {
                let there = (self.recording.processes.len(), self.frames.len(), self.sites);
                return ((end.processes, end.frames, end.sites) == there).then_some(More::Nothing);
            }
            Line::Unknown => {}
        }
        Some(More::Lines)
    }

    fn site(&mut self, line: line::Site) -> Option<()> {
        let frame = |number: &usize| self.frames.get(*number);
        let site = Site {
            function: line.function,
            opaque: line.opaque,
            caller: Caller::clone(frame(&line.caller)?),
            stack: line.stack.iter().map(|number| frame(number).cloned()).collect::<Option<_>>()?,
            stack_whole: line.stack_whole,
            counts: line.counts,
        };
        self.recording.processes.get_mut(line.process)?.sites.push(site);
        self.sites += 1;
        Some(())
    }
}
