//! Samples of one figure, and what is said of them.

/// Measured values, in one unit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The smallest value that is at least as large as `percent` of all; NaN without samples.
    pub(crate) fn percentile(&self, percent: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
        sorted
            .get(rank.saturating_sub(1))
            .copied()
            .unwrap_or(f64::NAN)
    }

    pub(crate) fn median(&self) -> f64 {
        self.percentile(50.0)
    }

    pub(crate) fn max(&self) -> f64 {
        self.percentile(100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let mut samples = Samples::default();
        for value in [5.0, 1.0, 4.0, 2.0, 3.0] {
            samples.push(value);
        }
        assert_eq!(samples.median(), 3.0);
        assert_eq!(samples.percentile(99.0), 5.0);
        assert_eq!(samples.percentile(1.0), 1.0);
        assert!(Samples::default().median().is_nan());
    }
}
