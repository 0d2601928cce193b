// SPDX-License-Identifier: MIT
//! Numbers as people read them.

/// 1234567 as 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && index % 3 == first {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Seconds with three digits that mean something, in the unit that fits.
pub fn duration(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let fits = units.iter().find(|(size, _)| seconds >= *size);
    match fits {
        None if seconds <= 0.0 => "0 s".into(),
        None => "<1 ns".into(),
        Some((size, unit)) => format!("{} {unit}", three_digits(seconds / size)),
    }
}

fn three_digits(value: f64) -> String {
    match value {
        value if value >= 99.95 => grouped(value.round() as u64),
        value if value >= 9.995 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// A share of a whole. Never 100 % or 0 % by rounding alone.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0 %".into();
    }
    match (part, part as f64 * 100.0 / whole as f64) {
        (0, _) => "0 %".into(),
        (part, _) if part == whole => "100 %".into(),
        (_, percent) => format!("{:.1} %", percent.clamp(0.1, 99.9)),
    }
}

/// A ratio as a percentage.
pub fn percent(ratio: f64) -> String {
    match ratio * 100.0 {
        percent if percent <= 0.0 => "0 %".into(),
        percent if percent < 0.01 => "under 0.01 %".into(),
        percent if percent < 1.0 => format!("{percent:.2} %"),
        percent => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (20_033_025, "20,033,025")];
        cases.iter().for_each(|(number, text)| assert_eq!(grouped(*number), *text));
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn durations_take_the_unit_that_fits() {
        let cases = [
            (0.0, "0 s"),
            (1.5e-9, "1.50 ns"),
            (0.000_160_95, "161 µs"),
            (0.0123, "12.3 ms"),
            (2.5, "2.50 s"),
            (1234.0, "1,234 s"),
        ];
        cases.iter().for_each(|(seconds, text)| assert_eq!(duration(*seconds), *text));
    }

    #[test]
    fn a_share_is_whole_only_if_it_is() {
        assert_eq!(share(29_999, 30_000), "99.9 %");
        assert_eq!(share(30_000, 30_000), "100 %");
        assert_eq!(share(1, 30_000), "0.1 %");
        assert_eq!(share(0, 3), "0 %");
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!((percent(0.0), percent(0.00001).as_str()), ("0 %".into(), "under 0.01 %"));
    }
}
