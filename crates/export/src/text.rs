// SPDX-License-Identifier: MIT
//! Families of metrics as text: OpenMetrics 1.0, and the older format of Prometheus.

use std::fmt::Write;

/// How the text is written; a reader asks for it by its Accept header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    OpenMetrics,
    Prometheus,
}

impl Format {
    pub fn accepted_by(accept: &str) -> Self {
        match accept.contains("application/openmetrics-text") {
            true => Self::OpenMetrics,
            false => Self::Prometheus,
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    /// Always 1: its labels are what it tells.
    Info,
}

/// One family: its name without the suffixes `_total` and `_info`.
#[derive(Clone, Debug)]
pub struct Family {
    pub name: &'static str,
    pub kind: Kind,
    /// The end of the name, by the rules of OpenMetrics.
    pub unit: Option<&'static str>,
    pub help: &'static str,
    pub samples: Vec<Sample>,
}

#[derive(Clone, Debug)]
pub struct Sample {
    pub labels: Vec<(&'static str, String)>,
    pub value: Value,
}

#[derive(Clone, Copy, Debug)]
pub enum Value {
    Whole(u64),
    Real(f64),
}

impl Family {
    pub fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { name, kind, unit: None, help, samples: Vec::new() }
    }

    pub fn seconds(self) -> Self {
        Self { unit: Some("seconds"), ..self }
    }

    pub fn with(mut self, labels: &[(&'static str, &str)], value: Value) -> Self {
        self.add(labels, value);
        self
    }

    pub fn add(&mut self, labels: &[(&'static str, &str)], value: Value) {
        let labels = labels.iter().map(|(name, value)| (*name, (*value).to_string())).collect();
        self.samples.push(Sample { labels, value });
    }

    fn suffix(&self) -> &'static str {
        match self.kind {
            Kind::Counter => "_total",
            Kind::Gauge => "",
            Kind::Info => "_info",
        }
    }
}

pub fn render(families: &[Family], format: Format) -> String {
    let mut text = String::new();
    for family in families {
        header(&mut text, family, format);
        for sample in &family.samples {
            let _ = write!(text, "{}{}", family.name, family.suffix());
            write_labels(&mut text, &sample.labels);
            let _ = match sample.value {
                Value::Whole(value) => writeln!(text, " {value}"),
                Value::Real(value) => writeln!(text, " {value}"),
            };
        }
    }
    if format == Format::OpenMetrics {
        text.push_str("# EOF\n");
    }
    text
}

fn header(text: &mut String, family: &Family, format: Format) {
    let kind = match (family.kind, format) {
        (Kind::Counter, _) => "counter",
        (Kind::Info, Format::OpenMetrics) => "info",
        _ => "gauge",
    };
    // The older format knows no families: there a name is that of its samples.
    let name = match format {
        Format::OpenMetrics => family.name.to_string(),
        Format::Prometheus => format!("{}{}", family.name, family.suffix()),
    };
    let _ = writeln!(text, "# TYPE {name} {kind}");
    if let (Some(unit), Format::OpenMetrics) = (family.unit, format) {
        let _ = writeln!(text, "# UNIT {name} {unit}");
    }
    let _ = writeln!(text, "# HELP {name} {}", family.help);
}

fn write_labels(text: &mut String, labels: &[(&'static str, String)]) {
    for (index, (name, value)) in labels.iter().enumerate() {
        text.push_str(if index == 0 { "{" } else { "," });
        let _ = write!(text, "{name}=\"");
        for letter in value.chars() {
            match letter {
                '\\' => text.push_str("\\\\"),
                '"' => text.push_str("\\\""),
                '\n' => text.push_str("\\n"),
                // Others do not harm the format, but whoever looks at it in a terminal.
                letter if letter.is_control() => text.push('\u{fffd}'),
                letter => text.push(letter),
            }
        }
        text.push('"');
    }
    if !labels.is_empty() {
        text.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn families() -> Vec<Family> {
        vec![
            Family::new("x_calls", Kind::Counter, "Calls.")
                .with(&[("program", "a\\b\"c\nd\u{1b}[31m")], Value::Whole(7)),
            Family::new("x_spent_seconds", Kind::Counter, "Time.")
                .seconds()
                .with(&[], Value::Real(0.25)),
            Family::new("x_build", Kind::Info, "Version.")
                .with(&[("version", "1")], Value::Whole(1)),
            Family::new("x_series", Kind::Gauge, "Series.").with(&[], Value::Whole(3)),
        ]
    }

    #[test]
    fn openmetrics_has_families_units_and_an_end() {
        let expected = "# TYPE x_calls counter\n\
            # HELP x_calls Calls.\n\
            x_calls_total{program=\"a\\\\b\\\"c\\nd\u{fffd}[31m\"} 7\n\
            # TYPE x_spent_seconds counter\n\
            # UNIT x_spent_seconds seconds\n\
            # HELP x_spent_seconds Time.\n\
            x_spent_seconds_total 0.25\n\
            # TYPE x_build info\n\
            # HELP x_build Version.\n\
            x_build_info{version=\"1\"} 1\n\
            # TYPE x_series gauge\n\
            # HELP x_series Series.\n\
            x_series 3\n\
            # EOF\n";
        assert_eq!(render(&families(), Format::OpenMetrics), expected);
    }

    #[test]
    fn the_older_format_names_its_samples() {
        let text = render(&families(), Format::Prometheus);
        assert!(text.contains("# TYPE x_calls_total counter\n# HELP x_calls_total Calls.\n"));
        assert!(text.contains("# TYPE x_build_info gauge\n"));
        assert!(!text.contains("EOF") && !text.contains("UNIT"));
    }

    #[test]
    fn a_reader_gets_what_it_asks_for() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
        assert_eq!(Format::accepted_by(prometheus), Format::OpenMetrics);
        assert_eq!(Format::accepted_by("*/*"), Format::Prometheus);
        assert!(Format::OpenMetrics.content_type().contains("version=1.0.0; charset=utf-8"));
    }
}
