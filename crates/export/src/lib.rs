// SPDX-License-Identifier: MIT
//! Counted signal system calls for monitoring systems: OpenMetrics over HTTP, profiles by push.

pub mod http;
pub mod metrics;
pub mod push;
pub mod series;
pub mod text;

pub use metrics::{Metrics, State};
pub use series::Series;
