//! The rule as it is named on the command line.

use std::fmt;
use std::str::FromStr;

/// A rule of the crate, which can be parsed and printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule(pub(crate) orthant::Rule<f64>);

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, length) = match text.split_once(':') {
            Some((name, length)) => {
                let parsed = length.trim().parse::<f64>();
                (
                    name,
                    Some(parsed.map_err(|_| format!("{length:?} is not a number"))?),
                )
            }
            None => (text, None),
        };
        match (name, length) {
            ("closed", None) => Ok(Self(orthant::Rule::Closed)),
            ("half-open", None) => Ok(Self(orthant::Rule::HalfOpen)),
            ("centre" | "center", None) => Ok(Self(orthant::Rule::CenterInside)),
            ("thin", None) => Ok(Self(orthant::Rule::Thin)),
            ("shell", Some(thickness)) => Ok(Self(orthant::Rule::Shell(thickness))),
            ("band", Some(half_width)) => Ok(Self(orthant::Rule::NarrowBand(half_width))),
            _ => Err("expected closed, half-open, centre, thin, shell:T or band:W".to_owned()),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            orthant::Rule::Closed => write!(f, "closed"),
            orthant::Rule::HalfOpen => write!(f, "half-open"),
            orthant::Rule::CenterInside => write!(f, "centre"),
            orthant::Rule::Thin => write!(f, "thin"),
            orthant::Rule::Shell(thickness) => write!(f, "shell of {thickness}"),
            orthant::Rule::NarrowBand(half_width) => write!(f, "band of half width {half_width}"),
            other => write!(f, "{other:?}"),
        }
    }
}
