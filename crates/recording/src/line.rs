// SPDX-License-Identifier: MIT
//! The lines of a recording.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use sigzero_model::report::Run;
use sigzero_model::{Caller, Cost, Counts, Process};

use crate::About;

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    Recording(Box<Header>),
    Process(ProcessLine),
    Frame(Frame),
    Site(Site),
    End(End),
    /// Of a newer sigzero.
    #[serde(other)]
    Unknown,
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
pub struct Header {
    pub format: String,
    pub version: u32,
    #[serde(flatten)]
    pub about: About,
    pub run: Run,
    pub cost: Cost,
}

/// Those without their sites follow by number, from 0.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProcessLine {
    #[serde(flatten, serialize_with = "without_sites")]
    pub process: Process,
}

/// A place in code, by number from 0, before the first site that names it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Frame {
    #[serde(flatten, serialize_with = "without_nulls")]
    pub frame: Caller,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Site {
    pub process: usize,
    pub function: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opaque: bool,
    /// The number of a frame, as are those of the stack.
    pub caller: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<usize>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stack_whole: bool,
    #[serde(serialize_with = "without_zeros")]
    pub counts: Counts,
}

/// The last line: how many of each there are.
#[derive(Debug, Serialize, Deserialize)]
pub struct End {
    pub processes: usize,
    pub frames: usize,
    pub sites: usize,
}

fn without_sites<S: Serializer>(process: &Process, to: S) -> Result<S::Ok, S::Error> {
    let mut value = serde_json::to_value(process).map_err(serde::ser::Error::custom)?;
    value.as_object_mut().map(|fields| fields.remove("sites"));
    value.serialize(to)
}

fn without_nulls<S: Serializer>(frame: &Caller, to: S) -> Result<S::Ok, S::Error> {
    let mut value = serde_json::to_value(frame).map_err(serde::ser::Error::custom)?;
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value.serialize(to)
}

/// Most of the numbers are 0, and there may be very many sites.
fn without_zeros<S: Serializer>(counts: &Counts, to: S) -> Result<S::Ok, S::Error> {
    let mut value = serde_json::to_value(counts).map_err(serde::ser::Error::custom)?;
    drop_zeros(&mut value);
    value.serialize(to)
}

fn drop_zeros(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else { return };
    fields.values_mut().for_each(drop_zeros);
    fields.retain(|_, value| {
        value.as_u64() != Some(0) && value.as_object().is_none_or(|fields| !fields.is_empty())
    });
}
