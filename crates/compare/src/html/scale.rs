// SPDX-License-Identifier: MIT
//! Round ticks from 0 up to what is to be shown.

pub struct Scale {
    pub top: f64,
    pub step: f64,
}

impl Scale {
    /// Steps of 1, 2, 2.5 or 5 times a power of ten, between three and six of them.
    pub fn to(greatest: f64) -> Self {
        let greatest = if greatest > 0.0 { greatest } else { 1.0 };
        let power = 10f64.powf((greatest / 5.0).log10().floor());
        let factors = [1.0, 2.0, 2.5, 5.0, 10.0];
        let fits = |f: &&f64| greatest / (**f * power) <= 5.0;
        let step = power * factors.iter().find(fits).unwrap_or(&10.0);
        Scale { top: (greatest / step).ceil() * step, step }
    }

    pub fn ticks(&self) -> impl Iterator<Item = f64> + '_ {
        let count = (self.top / self.step).round() as u32;
        (0..=count).map(|i| f64::from(i) * self.step)
    }

    /// From 0 at the bottom to 1 at the top.
    pub fn share(&self, value: f64) -> f64 {
        value / self.top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_greatest() {
        for greatest in [0.003, 0.9, 1.0, 4.2, 11.0, 99.0, 30_012.0] {
            let scale = Scale::to(greatest);
            let ticks: Vec<f64> = scale.ticks().collect();
            assert!(scale.top >= greatest, "{greatest}");
            assert!((3..=7).contains(&ticks.len()), "{greatest}: {ticks:?}");
        }
        assert_eq!(Scale::to(11.0).step, 2.5);
    }

    #[test]
    fn nothing_still_has_an_axis() {
        assert_eq!(Scale::to(0.0).top, 1.0);
    }
}
