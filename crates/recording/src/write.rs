// SPDX-License-Identifier: MIT
//! A recording, line by line.

use std::collections::HashMap;
use std::io::{self, Write};

use sigzero_model::{Caller, Process};

use crate::line::{End, Frame, Header, Line, ProcessLine, Site};
use crate::{FORMAT, Recording, VERSION};

pub fn write(recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer { out, frames: HashMap::new(), sites: 0 };
    writer.line(&Line::Recording(Box::new(Header {
        format: FORMAT.into(),
        version: VERSION,
        about: recording.about.clone(),
        run: recording.run.clone(),
        cost: recording.cost,
    })))?;
    for (number, process) in recording.processes.iter().enumerate() {
        writer.process(number, process)?;
    }
    let (processes, frames) = (recording.processes.len(), writer.frames.len());
    let end = End { processes, frames, sites: writer.sites };
    writer.line(&Line::End(end))
}

struct Writer<'a> {
    out: &'a mut dyn Write,
    frames: HashMap<&'a Caller, usize>,
    sites: usize,
}

impl<'a> Writer<'a> {
    fn line(&mut self, line: &Line) -> io::Result<()> {
        serde_json::to_writer(&mut *self.out, line)?;
        self.out.write_all(b"\n")
    }

    fn process(&mut self, number: usize, process: &'a Process) -> io::Result<()> {
        let bare = clone_without_sites(process);
        self.line(&Line::Process(ProcessLine { process: bare }))?;
        for site in &process.sites {
            let caller = self.frame(&site.caller)?;
            let stack: io::Result<_> = site.stack.iter().map(|frame| self.frame(frame)).collect();
            self.line(&Line::Site(Site {
                process: number,
                function: site.function.clone(),
                opaque: site.opaque,
                caller,
                stack: stack?,
                stack_whole: site.stack_whole,
                counts: site.counts,
            }))?;
            self.sites += 1;
        }
        Ok(())
    }

    fn frame(&mut self, frame: &'a Caller) -> io::Result<usize> {
        if let Some(number) = self.frames.get(frame) {
            return Ok(*number);
        }
        let number = self.frames.len();
        self.line(&Line::Frame(Frame { frame: frame.clone() }))?;
        self.frames.insert(frame, number);
        Ok(number)
    }
}

/// There may be very many sites.
fn clone_without_sites(process: &Process) -> Process {
    Process {
        pid: process.pid,
        parent: process.parent,
        executable: process.executable.clone(),
        start_ns: process.start_ns,
        lost: process.lost,
        vfork_calls: process.vfork_calls,
        added: process.added,
        note: process.note.clone(),
        damage: process.damage.clone(),
        sites: Vec::new(),
    }
}
