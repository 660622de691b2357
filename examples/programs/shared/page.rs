//! Writes a page that shows a scene in space: one file, which a browser draws without a server.
//!
//! `page.html` is the frame. `viewer.js` draws the scene; it bundles three.js and the sources in `examples/viewer`.
//! The page holds the scene as JSON, and the arrays that the scene names as base64. Places are 16-bit integers along
//! each side of the scene's box: precise enough for a screen, but not as precise as the answers.

use std::io::{Error, Result, Write};

use orthant::glam::DVec3;
use serde_json::{Value, json};

use crate::scale::{Scale, shade};

const FRAME: &str = include_str!("page.html");
const VIEWER: &str = include_str!("viewer.js");
/// Approximate limit for the frames of moving things, in bytes: the more things, the fewer frames.
const FILM_BYTES: usize = 16 << 20;
const MOST_FRAMES: usize = 240;
/// Largest size of the arrays: browsers do not read a text that is much longer.
const MOST_BYTES: usize = 300 << 20;
/// Smallest distance between numbers of the legend, as a share of its bar.
const GAP: f64 = 0.07;

/// Points, balls or boxes, each with a place and a count in every frame.
pub(crate) struct Things {
    /// The name of one of them, such as "ball".
    pub(crate) one: &'static str,
    /// The name of what is counted, such as "pairs".
    pub(crate) what: &'static str,
    pub(crate) size: Size,
    /// The places of all things in the first frame, then in the second, and so on; `counts` too.
    pub(crate) places: Vec<DVec3>,
    pub(crate) counts: Vec<u32>,
}

/// How large things are drawn.
pub(crate) enum Size {
    /// Points, drawn at a size at which they are easy to see.
    Points,
    /// Balls with these radii.
    Balls(Vec<f64>),
    /// Boxes with these half edges.
    Boxes(Vec<DVec3>),
}

/// Voxels in a row: the start and the (exclusive) end on the first axis, y and z.
pub(crate) type Run = [i32; 4];

/// Voxels, as runs of indices.
pub(crate) struct Runs {
    pub(crate) runs: Vec<Run>,
    /// The center of a convex shape. The octant above it can be cut away, and faces that look inwards have warm
    /// colors. `None` for other shapes, which are colored by height.
    pub(crate) middle: Option<[i32; 3]>,
    /// Whether the voxels lie in a plane.
    pub(crate) flat: bool,
}

#[derive(Default)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) notes: Vec<String>,
    /// The direction from which the scene is seen at first.
    pub(crate) view: DVec3,
    pub(crate) things: Vec<Things>,
    pub(crate) runs: Option<Runs>,
    /// Line segments, by their two ends.
    pub(crate) lines: Vec<[DVec3; 2]>,
    /// The text below each frame.
    pub(crate) frames: Vec<String>,
}

/// Whether a step becomes a frame. Frames are spread evenly over the steps, and include the first and the last step.
pub(crate) fn is_frame(step: u32, steps: u32, things: usize) -> bool {
    // A thing takes six bytes for its place, and one for its count.
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
                // The colors are those of examples/viewer/boxes.js.
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
        // A name of a file may hold a `<`, which must not end the script element.
        let scene = scene.to_string().replace('<', "\\u003c");
        // Write the frame, with the scene, the arrays and the viewer in their places.
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

/// The bounding box of the scene.
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

    /// Half of each side. The corners are halved before the subtraction, since the difference of two finite numbers
    /// may be infinite.
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

    /// Scales a place to integers, from 0 at the lower end of each side to 65535 at the upper.
    fn place(&self, at: DVec3) -> [u16; 3] {
        let share = (at / 2.0 - self.low / 2.0) / self.halves();
        share
            .to_array()
            .map(|share| (share * 65535.0).round() as u16)
    }

    /// A length as a share of the longest side.
    fn length(&self, length: f64) -> f32 {
        (length / 2.0 / self.longest()) as f32
    }

    /// A radius at which points are visible but do not hide each other.
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

    /// Sorts the runs by z, y and x, and counts their indices from the lower corner of the box.
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

/// The arrays of a page, one after the other.
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

    /// Writes each count in as few bytes as the largest one needs.
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
