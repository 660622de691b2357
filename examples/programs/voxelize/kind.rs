//! The shape as it is named on the command line.

use std::path::PathBuf;
use std::str::FromStr;

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Sphere,
    Circle,
    Ellipsoid(Vec<f64>),
    Box(Vec<f64>),
    Oriented(Vec<f64>),
    /// The angle of view in degrees, the near plane and the far plane.
    Frustum([f64; 3]),
    /// The displacement of a ball.
    Capsule([f64; 3]),
    Cloud(PathBuf),
}

impl Kind {
    /// Whether the shape has a radius.
    pub(crate) fn is_round(&self) -> bool {
        matches!(
            self,
            Self::Sphere | Self::Circle | Self::Capsule(_) | Self::Cloud(_)
        )
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("cloud:") {
            return Ok(Self::Cloud(path.into()));
        }
        if let Some(way) = text.strip_prefix("capsule:") {
            let way: Vec<f64> = way.split(',').map(number).collect::<Result<_, _>>()?;
            let way = way.try_into().map_err(|way: Vec<f64>| {
                format!("{} coordinates given for a way, expected 3", way.len())
            });
            return Ok(Self::Capsule(way?));
        }
        let (name, lengths) = match text.split_once(':') {
            Some((name, list)) => (name, Some(lengths(list)?)),
            None => (text, None),
        };
        match (name, lengths) {
            ("sphere", None) => Ok(Self::Sphere),
            ("circle", None) => Ok(Self::Circle),
            ("ellipsoid", Some(semi_axes)) => Ok(Self::Ellipsoid(semi_axes)),
            ("box", Some(edges)) => Ok(Self::Box(edges)),
            ("oriented", Some(edges)) if edges.len() == 3 => Ok(Self::Oriented(edges)),
            ("frustum", Some(seen)) => match seen[..] {
                [degrees, near, far] if degrees < 180.0 && near < far => {
                    Ok(Self::Frustum([degrees, near, far]))
                }
                _ => Err(
                    "expected frustum:DEGREES,NEAR,FAR of less than 180 degrees, the far \
                          plane behind the near one"
                        .to_owned(),
                ),
            },
            _ => Err("expected sphere, circle, ellipsoid:A,B[,C], box:A,B[,C], \
                      oriented:A,B,C, frustum:DEGREES,NEAR,FAR, capsule:X,Y,Z or cloud:FILE"
                .to_owned()),
        }
    }
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse();
    number.map_err(|_| format!("{text:?} is not a number"))
}

fn lengths(list: &str) -> Result<Vec<f64>, String> {
    let parse = |text: &str| match number(text)? {
        length if length > 0.0 && length.is_finite() => Ok(length),
        _ => Err(format!("{text} is not a positive number")),
    };
    let lengths: Vec<f64> = list.split(',').map(parse).collect::<Result<_, _>>()?;
    match lengths.len() {
        2 | 3 => Ok(lengths),
        n => Err(format!("{n} lengths given, expected 2 or 3")),
    }
}
