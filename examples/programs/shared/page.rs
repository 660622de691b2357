//! A page that shows a scene in space: one file, which a browser draws without a server.
//!
//! `page.html` is the frame, `viewer.js` draws it: three.js and the sources in `examples/viewer`, bundled. What is
//! to be seen stands in the page as JSON, and the arrays that it names as base64. Places are whole numbers of
//! 16 bits along each side of the scene's box: as fine as a screen, not as the answers.

use std::io::{Error, Result, Write};

use orthant::glam::DVec3;
use serde_json::{Value, json};

use crate::scale::{Scale, shade};

const FRAME: &str = include_str!("page.html");
const VIEWER: &str = include_str!("viewer.js");
/// What moves takes about so much of a page, by fewer frames.
const FILM_BYTES: usize = 16 << 20;
const MOST_FRAMES: usize = 240;
/// Browsers do not read a text that is much longer.
const MOST_BYTES: usize = 300 << 20;
/// How near the numbers of the legend may be, as a share of its bar.
const GAP: f64 = 0.07;

/// Things that each have a place and a count in every frame.
pub(crate) struct Things {
    /// What one of them is called, and what its count is of.
    pub(crate) one: &'static str,
    pub(crate) what: &'static str,
    pub(crate) size: Size,
    /// Frame by frame.
    pub(crate) places: Vec<DVec3>,
    pub(crate) counts: Vec<u32>,
}

/// How large things are drawn.
pub(crate) enum Size {
    /// As is best for the eye.
    Points,
    Balls(Vec<f64>),
    /// By half their edges.
    Boxes(Vec<DVec3>),
}

/// Voxels in a row: from start to end, exclusive, y and z.
pub(crate) type Run = [i32; 4];

/// Voxels, by their indices.
pub(crate) struct Runs {
    pub(crate) runs: Vec<Run>,
    /// Of a shape without dents: the octant from here upwards can be cut away, and faces that look inwards are
    /// warm. Others are colored by height.
    pub(crate) middle: Option<[i32; 3]>,
    pub(crate) flat: bool,
}

#[derive(Default)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) notes: Vec<String>,
    /// Where from it is seen at first.
    pub(crate) view: DVec3,
    pub(crate) things: Vec<Things>,
    pub(crate) runs: Option<Runs>,
    /// Each from one place to the next.
    pub(crate) lines: Vec<[DVec3; 2]>,
    /// What to write below each frame.
    pub(crate) frames: Vec<String>,
}

/// Of so many steps, the first and the last of which are wanted: whether one becomes a frame.
pub(crate) fn is_frame(step: u32, steps: u32, things: usize) -> bool {
    // Six bytes for the place, and one for the count.
    let most = (FILM_BYTES / (7 * things.max(1))).clamp(2, MOST_FRAMES) as u64 - 1;
    let due = |step: u32| u64::from(step) * most.min(u64::from(steps)) / u64::from(steps);
    step == 0 || due(step) > due(step - 1)
}

impl Page {
    pub(crate) fn write(self, mut to: impl Write) -> Result<()> {
        let mut data = Data::default();
        let space = Space::of(&self);
        let mut layers: Vec<Value> = Vec::new();
        for things in &self.things {
            layers.push(space.things(things, &mut data));
        }
        if !self.lines.is_empty() {
            let places = data.u16s(self.lines.iter().flatten().flat_map(|&at| space.place(at)));
            layers.push(json!({ "kind": "lines", "places": places }));
        }
        let mut scene = json!({
            "title": self.title,
            "notes": self.notes,
            "view": self.view.to_array(),
            "low": space.low.to_array(),
            "high": space.high.to_array(),
            "frames": self.frames,
        });
        if let Some(runs) = &self.runs {
            layers.push(space.runs(runs, &mut data));
            scene["colors"] = colors(|height| {
                let color = colorous::VIRIDIS.eval_continuous(height);
                [color.r, color.g, color.b]
            });
            if runs.middle.is_some() {
                // As examples/viewer/boxes.js has them.
                let cut = (!runs.flat).then_some(["rgb(240 214 150)", "the cut"]);
                let faces = [
                    ["rgb(126 204 222)", "outer faces"],
                    ["rgb(244 150 92)", "inner faces"],
                ];
                scene["swatches"] = json!(faces.into_iter().chain(cut).collect::<Vec<_>>());
            } else {
                let (low, high) = (space.low.z, space.high.z);
                scene["scale"] = json!({ "title": "z, in voxels", "least": low, "most": high, "shift": 1.0,
                    "ticks": [[0.0, low.to_string()], [1.0, high.to_string()]] });
            }
        } else {
            scene["colors"] = colors(|height| shade(height).0);
            let what = self.things.first().map_or("", |things| things.what);
            let counts = self.things.iter().flat_map(|things| &things.counts);
            let mut counts = counts.copied().peekable();
            if counts.peek().is_some() {
                let scale = Scale::of(counts);
                let ticks = scale.ticks(GAP).into_iter();
                let ticks: Vec<_> = ticks
                    .map(|tick| (scale.height(tick.into()), tick.to_string()))
                    .collect();
                scene["scale"] = json!({ "title": what, "least": scale.least, "most": scale.most,
                    "shift": scale.shift, "ticks": ticks });
            }
        }
        scene["layers"] = layers.into();

        if data.0.len() > MOST_BYTES {
            let size = data.0.len() >> 20;
            return Err(Error::other(format!("{size} MiB are too many for a page")));
        }
        // What is written may hold names of files.
        let scene = scene.to_string().replace('<', "\\u003c");
        let (head, rest) = split(FRAME, "{{scene}}");
        let (middle, rest) = split(rest, "{{data}}");
        let (last, tail) = split(rest, "{{viewer}}");
        to.write_all(head.as_bytes())?;
        to.write_all(scene.as_bytes())?;
        to.write_all(middle.as_bytes())?;
        write_base64(&data.0, &mut to)?;
        for part in [last, VIEWER, tail] {
            to.write_all(part.as_bytes())?;
        }
        to.flush()
    }
}

fn split<'a>(text: &'a str, at: &str) -> (&'a str, &'a str) {
    text.split_once(at).expect("page.html names its parts")
}

fn colors(color: impl Fn(f64) -> [u8; 3]) -> Value {
    json!(
        (0..256)
            .map(|i| color(f64::from(i) / 255.0))
            .collect::<Vec<_>>()
    )
}

/// The box of all that is shown.
struct Space {
    low: DVec3,
    high: DVec3,
}

impl Space {
    fn of(page: &Page) -> Self {
        let (mut low, mut high) = (DVec3::MAX, DVec3::MIN);
        let mut add = |from: DVec3, to: DVec3| (low, high) = (low.min(from), high.max(to));
        for things in &page.things {
            for (i, &at) in things.places.iter().enumerate() {
                let reach = match &things.size {
                    Size::Points => DVec3::ZERO,
                    Size::Balls(radii) => DVec3::splat(radii[i % radii.len()]),
                    Size::Boxes(halves) => halves[i % halves.len()],
                };
                add(at - reach, at + reach);
            }
        }
        for &at in page.lines.iter().flatten() {
            add(at, at);
        }
        for run in page.runs.iter().flat_map(|runs| &runs.runs) {
            let [start, end, y, z] = run.map(f64::from);
            add(DVec3::new(start, y, z), DVec3::new(end, y + 1.0, z + 1.0));
        }
        if low.cmpgt(high).any() {
            (low, high) = (DVec3::ZERO, DVec3::ONE);
        }
        Self { low, high }
    }

    /// Half of its sides: halved first, since the difference of two finite numbers may be infinite.
    fn halves(&self) -> DVec3 {
        self.high / 2.0 - self.low / 2.0
    }

    /// Half of the longest side.
    fn longest(&self) -> f64 {
        match self.halves().max_element() {
            0.0 => 1.0,
            longest => longest,
        }
    }

    /// From one end of each side to the other.
    fn place(&self, at: DVec3) -> [u16; 3] {
        let share = (at / 2.0 - self.low / 2.0) / self.halves();
        share
            .to_array()
            .map(|share| (share * 65535.0).round() as u16)
    }

    /// A length, with the longest side as one.
    fn length(&self, length: f64) -> f32 {
        (length / 2.0 / self.longest()) as f32
    }

    /// A radius by which points are seen but do not hide each other.
    fn radius_of_points(&self, points: usize) -> f64 {
        let mut sides = (self.halves() / self.longest()).to_array();
        sides.sort_by(f64::total_cmp);
        let room = sides[2] * sides[1].max(1e-3) / points as f64;
        (0.45 * room.sqrt()).clamp(5e-5, 8e-3)
    }

    fn things(&self, things: &Things, data: &mut Data) -> Value {
        let places = things.places.iter().flat_map(|&at| self.place(at));
        let places = data.u16s(places);
        let counts = data.counts(&things.counts);
        let mut layer =
            json!({ "one": things.one, "what": things.what, "places": places, "counts": counts });
        let items;
        match &things.size {
            Size::Points => {
                items = things.places.len();
                layer["kind"] = "balls".into();
                layer["points"] = true.into();
                layer["radii"] = self.radius_of_points(items).into();
            }
            Size::Balls(radii) => {
                items = radii.len();
                layer["kind"] = "balls".into();
                layer["radii"] = data.f32s(radii.iter().map(|&radius| self.length(radius)));
            }
            Size::Boxes(halves) => {
                items = halves.len();
                layer["kind"] = "boxes".into();
                let halves = halves.iter().flat_map(DVec3::to_array);
                layer["halves"] = data.f32s(halves.map(|half| self.length(half)));
            }
        }
        layer["items"] = items.into();
        layer
    }

    /// By z, y and x, from the box's lower corner on.
    fn runs(&self, runs: &Runs, data: &mut Data) -> Value {
        let low = self.low.to_array().map(|low| low as i32);
        let mut sorted = runs.runs.clone();
        sorted.sort_unstable_by_key(|&[start, _, y, z]| (z, y, start));
        let from = [low[0], low[0], low[1], low[2]];
        let numbers = sorted.iter().flat_map(|run| {
            let shifted: [i32; 4] = std::array::from_fn(|i| run[i].wrapping_sub(from[i]));
            shifted
        });
        let middle = runs
            .middle
            .map(|middle| [0, 1, 2].map(|a| middle[a].wrapping_sub(low[a])));
        json!({ "kind": "runs", "runs": data.i32s(numbers), "low": low, "middle": middle, "flat": runs.flat })
    }
}

/// Arrays one after the other.
#[derive(Default)]
struct Data(Vec<u8>);

impl Data {
    fn array<const N: usize>(
        &mut self,
        kind: &str,
        numbers: impl Iterator<Item = [u8; N]>,
    ) -> Value {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        let at = self.0.len();
        self.0.extend(numbers.flatten());
        json!({ "type": kind, "at": at, "length": (self.0.len() - at) / N })
    }

    fn u16s(&mut self, numbers: impl Iterator<Item = u16>) -> Value {
        self.array("u16", numbers.map(u16::to_le_bytes))
    }

    fn i32s(&mut self, numbers: impl Iterator<Item = i32>) -> Value {
        self.array("i32", numbers.map(i32::to_le_bytes))
    }

    fn f32s(&mut self, numbers: impl Iterator<Item = f32>) -> Value {
        self.array("f32", numbers.map(f32::to_le_bytes))
    }

    /// In as few bytes as they need.
    fn counts(&mut self, counts: &[u32]) -> Value {
        let most = counts.iter().max().copied().unwrap_or(0);
        let counts = counts.iter().copied();
        if most <= u8::MAX.into() {
            self.array("u8", counts.map(|count| [count as u8]))
        } else if most <= u16::MAX.into() {
            self.u16s(counts.map(|count| count as u16))
        } else {
            self.array("u32", counts.map(u32::to_le_bytes))
        }
    }
}

fn write_base64(data: &[u8], to: &mut impl Write) -> Result<()> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for three in data.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let mut four = [18, 12, 6, 0].map(|shift| DIGITS[(bits >> shift & 63) as usize]);
        four[three.len() + 1..].fill(b'=');
        to.write_all(&four)?;
    }
    Ok(())
}
