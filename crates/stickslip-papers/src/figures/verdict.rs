//! How a number of ours compares with the paper and with a reference.

use serde::Serialize;

/// A number from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// The number.
    pub value: f64,
    /// How far ours may be from it.
    pub tolerance: f64,
    /// Where it is from, and why this tolerance.
    pub source: &'static str,
}

impl Known {
    fn agrees(&self, ours: Option<f64>) -> bool {
        ours.is_some_and(|v| (v - self.value).abs() <= self.tolerance)
    }
}

/// Which of our numbers a reference is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ours {
    /// The one at the settings of the paper.
    AtPaperSettings,
    /// The converged one.
    #[default]
    Converged,
}

/// A quantity of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What it is.
    pub quantity: String,
    /// Its unit.
    pub unit: &'static str,
    /// What the paper says, if it gives a number in its text.
    pub paper: Option<Known>,
    /// Ours with the scheme and step of the paper.
    pub at_paper_settings: Option<f64>,
    /// Ours in the limit of small steps.
    pub converged: Option<f64>,
    /// An independent number.
    pub reference: Option<Known>,
    /// What the reference is compared with.
    pub reference_is_for: Ours,
    /// Why the paper differs, where it does.
    pub because: Option<&'static str>,
    /// What is to be said where the verdict stays open.
    pub remark: Option<&'static str>,
    /// What is to be said whatever the verdict is.
    pub note: Option<String>,
    /// Whether the converged number is that of a quick look.
    pub quick: bool,
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// We agree with the paper, and with the reference if there is one, or a note says how that one differs.
    MatchesPaper,
    /// The paper gives no number; we agree with the reference.
    MatchesReference,
    /// We agree with the reference and not with the paper, and it is known why.
    PaperDiffers,
    /// None of these.
    Open,
}

impl Row {
    /// A quantity that is not compared with anything yet.
    pub fn new(quantity: impl Into<String>, unit: &'static str) -> Self {
        Self { quantity: quantity.into(), unit, ..Self::default() }
    }

    /// What the paper says.
    pub fn paper(mut self, value: f64, tolerance: f64, source: &'static str) -> Self {
        self.paper = Some(Known { value, tolerance, source });
        self
    }

    /// Our number at the settings of the paper.
    pub fn ours(mut self, value: f64) -> Self {
        self.at_paper_settings = Some(value);
        self
    }

    /// Our converged number.
    pub fn converged(mut self, value: f64) -> Self {
        self.converged = Some(value);
        self
    }

    /// A reference for the converged number.
    pub fn limit(mut self, value: f64, tolerance: f64, source: &'static str) -> Self {
        self.reference = Some(Known { value, tolerance, source });
        self.reference_is_for = Ours::Converged;
        self
    }

    /// A reference for the number at the settings of the paper.
    pub fn at_step(mut self, value: f64, tolerance: f64, source: &'static str) -> Self {
        self.reference = Some(Known { value, tolerance, source });
        self.reference_is_for = Ours::AtPaperSettings;
        self
    }

    /// Why the paper differs.
    pub fn because(mut self, reason: &'static str) -> Self {
        self.because = Some(reason);
        self
    }

    /// What is open, for the case that it is.
    pub fn remark(mut self, text: &'static str) -> Self {
        self.remark = Some(text);
        self
    }

    /// What is to be said whatever the verdict is.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.note = Some(text.into());
        self
    }

    /// Compares. The paper is compared with our number at its settings, or with the converged one
    /// where there is no other. A row that agrees with the paper is not open because a reference differs, if a note
    /// says how it does. A number that is missing or not finite agrees with nothing.
    pub fn verdict(&self) -> Verdict {
        let by_paper = self.at_paper_settings.or(self.converged);
        let paper = self.paper.map(|known| known.agrees(by_paper));
        let by_reference = match self.reference_is_for {
            Ours::AtPaperSettings => self.at_paper_settings,
            Ours::Converged => self.converged,
        };
        let reference = self.reference.map(|known| known.agrees(by_reference));
        match (paper, reference) {
            (Some(true), Some(true) | None) => Verdict::MatchesPaper,
            (Some(true), Some(false)) if self.note.is_some() => Verdict::MatchesPaper,
            (None, Some(true)) => Verdict::MatchesReference,
            (Some(false), Some(true)) if self.because.is_some() => Verdict::PaperDiffers,
            _ => Verdict::Open,
        }
    }

    /// The verdict in words.
    pub fn words(&self) -> String {
        let verdict = match self.verdict() {
            Verdict::MatchesPaper => "matches paper".into(),
            Verdict::MatchesReference => "matches reference".into(),
            Verdict::PaperDiffers => {
                format!("matches reference, paper differs because {}", self.because.unwrap_or(""))
            }
            Verdict::Open => {
                self.open_remark().map_or("open".into(), |text| format!("open: {text}"))
            }
        };
        self.note.iter().fold(verdict, |verdict, note| format!("{verdict}; {note}"))
    }

    /// What is to be said where the verdict is open.
    fn open_remark(&self) -> Option<String> {
        let coarse = (self.quick && self.converged.is_some()).then_some(COARSE);
        match (self.remark, coarse) {
            (None, None) => None,
            (remark, coarse) => {
                Some([remark, coarse].into_iter().flatten().collect::<Vec<_>>().join("; "))
            }
        }
    }

    /// The row as it is written to files.
    pub fn record(&self, figure: &'static str) -> Record {
        let verdict = self.verdict();
        let decisive = match verdict {
            Verdict::MatchesPaper => self.paper,
            _ => self.reference.or(self.paper),
        };
        let finite = |v: Option<f64>| v.filter(|v| v.is_finite());
        Record {
            figure,
            quantity: self.quantity.clone(),
            unit: self.unit,
            paper: self.paper.map(|k| k.value),
            paper_source: self.paper.map(|k| k.source),
            at_paper_settings: finite(self.at_paper_settings),
            converged: finite(self.converged),
            reference: self.reference.map(|k| k.value),
            reference_source: self.reference.map(|k| k.source),
            tolerance: decisive.map(|k| k.tolerance),
            verdict: match verdict {
                Verdict::MatchesPaper => "matches paper",
                Verdict::MatchesReference => "matches reference",
                Verdict::PaperDiffers => "matches reference, paper differs",
                Verdict::Open => "open",
            },
            because: self.because.filter(|_| verdict == Verdict::PaperDiffers),
            remark: self.open_remark().filter(|_| verdict == Verdict::Open),
            note: self.note.clone(),
            quick: self.quick,
        }
    }
}

/// Why a verdict of a quick look may be open.
const COARSE: &str = "the converged run of a quick look is coarse";

/// A row of verdicts.json.
#[derive(Serialize)]
pub struct Record {
    figure: &'static str,
    quantity: String,
    unit: &'static str,
    paper: Option<f64>,
    paper_source: Option<&'static str>,
    at_paper_settings: Option<f64>,
    converged: Option<f64>,
    reference: Option<f64>,
    reference_source: Option<&'static str>,
    tolerance: Option<f64>,
    verdict: &'static str,
    because: Option<&'static str>,
    remark: Option<String>,
    note: Option<String>,
    quick: bool,
}

/// A number with six digits that count, or a dash.
pub fn number(value: Option<f64>) -> String {
    let Some(value) = value else { return "—".into() };
    if !value.is_finite() {
        return "none".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let size = value.abs().log10().floor();
    let text = if (-4.0..7.0).contains(&size) {
        let digits = (5.0 - size).clamp(0.0, 9.0) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    } else {
        format!("{value:.3e}")
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::{Row, Verdict, number};

    fn row() -> Row {
        Row::new("t", "s").ours(1.0).converged(2.0)
    }

    #[test]
    fn the_paper_is_compared_at_its_settings() {
        assert_eq!(row().paper(1.05, 0.1, "").verdict(), Verdict::MatchesPaper);
        assert_eq!(row().paper(2.0, 0.1, "").verdict(), Verdict::Open);
        let only_converged = Row::new("t", "s").converged(2.0).paper(2.0, 0.1, "");
        assert_eq!(only_converged.verdict(), Verdict::MatchesPaper);
    }

    #[test]
    fn a_reference_is_compared_with_what_it_is_for() {
        assert_eq!(row().limit(2.0, 0.1, "").verdict(), Verdict::MatchesReference);
        assert_eq!(row().at_step(2.0, 0.1, "").verdict(), Verdict::Open);
        assert_eq!(row().at_step(1.0, 0.1, "").verdict(), Verdict::MatchesReference);
    }

    #[test]
    fn an_explanation_excuses_the_paper_and_never_ourselves() {
        let differs = row().paper(5.0, 0.1, "").limit(2.0, 0.1, "");
        assert_eq!(differs.verdict(), Verdict::Open);
        assert_eq!(differs.clone().because("of that").verdict(), Verdict::PaperDiffers);
        assert!(differs.because("of that").words().ends_with("because of that"));
        let remarked = row().remark("so far");
        assert_eq!((remarked.verdict(), remarked.words()), (Verdict::Open, "open: so far".into()));
        let coarse = Row { quick: true, ..row().remark("so far") };
        assert_eq!(coarse.words(), format!("open: so far; {}", super::COARSE));
        let wrong = row().paper(5.0, 0.1, "").limit(3.0, 0.1, "").because("of that").note("so far");
        assert_eq!(wrong.verdict(), Verdict::Open);
        let agrees_with_paper_only = row().paper(1.0, 0.1, "").limit(3.0, 0.1, "").because("x");
        assert_eq!(agrees_with_paper_only.verdict(), Verdict::Open);
        let noted = agrees_with_paper_only.note("the reference is that of another step");
        assert_eq!(noted.verdict(), Verdict::MatchesPaper);
        assert!(noted.words().starts_with("matches paper; the reference"), "{}", noted.words());
    }

    #[test]
    fn what_is_missing_agrees_with_nothing() {
        assert_eq!(row().verdict(), Verdict::Open);
        assert_eq!(Row::new("t", "s").paper(1.0, 9.0, "").verdict(), Verdict::Open);
        let nan = Row::new("t", "s").ours(f64::NAN).converged(f64::NAN);
        assert_eq!(nan.clone().paper(1.0, 9.0, "").verdict(), Verdict::Open);
        assert_eq!(nan.limit(1.0, 9.0, "").verdict(), Verdict::Open);
    }

    #[test]
    fn numbers_are_written_with_six_digits() {
        let shown = |v| number(Some(v));
        assert_eq!(shown(1.370_81), "1.37081");
        assert_eq!(shown(-0.5), "−0.5");
        assert_eq!(shown(21.699_77), "21.6998");
        assert_eq!(shown(1.28e-6), "1.280e−6");
        assert_eq!((shown(0.0), number(None)), ("0".into(), "—".into()));
    }
}
