//! People who walk through a bottleneck, frame by frame.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use orthant::glam::Vec2;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// The number of a person, and their position in metres.
pub type Person = (u32, Vec2);

/// The people in each frame.
#[derive(Debug)]
pub struct Crowd {
    /// The people of each frame.
    pub frames: Vec<Vec<Person>>,
}

impl Crowd {
    /// The recorded crowd if `ORTHANT_DATA` is set, else a generated one.
    ///
    /// # Errors
    ///
    /// If a file is missing, or the files do not fit each other.
    pub fn load() -> io::Result<Self> {
        match env::var_os("ORTHANT_DATA") {
            Some(folder) => Self::read(&PathBuf::from(folder)),
            None => Ok(Self::generate(300, 2)),
        }
    }

    /// Reads `crowd_bottleneck` from a folder: x and y of all frames back to back, the number of each row's person, and the row at which each
    /// frame starts, followed by the number of rows.
    ///
    /// # Errors
    ///
    /// If a file is missing, or the files do not fit each other.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let words = |name: &str| {
            let path = folder.join(name);
            let bytes = fs::read(&path)
                .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
            let (words, rest) = bytes.as_chunks::<4>();
            match rest {
                [] => Ok(words.to_vec()),
                _ => Err(invalid(format!("{}: cut off", path.display()))),
            }
        };
        let coordinates = words("crowd_bottleneck.f32.bin")?;
        let ids = words("crowd_bottleneck.ids.u32.bin")?;
        let offsets = words("crowd_bottleneck.offsets.u32.bin")?;
        let (rows, odd) = coordinates.as_chunks::<2>();
        if !odd.is_empty() || rows.len() != ids.len() {
            return Err(invalid(format!(
                "{} coordinates of {} people",
                coordinates.len(),
                ids.len()
            )));
        }
        let people: Vec<Person> = ids
            .into_iter()
            .zip(rows)
            .map(|(id, row)| {
                let at = row.map(f32::from_le_bytes);
                (u32::from_le_bytes(id), Vec2::from_array(at))
            })
            .collect();
        let starts: Vec<usize> = offsets
            .into_iter()
            .map(|offset| u32::from_le_bytes(offset) as usize)
            .collect();
        if starts.first() != Some(&0) || starts.last() != Some(&people.len()) {
            return Err(invalid("the offsets do not cover all rows".into()));
        }
        let frame = |ends: &[usize]| {
            let frame = people.get(ends[0]..ends[1]);
            frame
                .map(<[Person]>::to_vec)
                .ok_or_else(|| invalid(format!("a frame from row {} to {}", ends[0], ends[1])))
        };
        let frames = starts.windows(2).map(frame).collect::<io::Result<_>>()?;
        Ok(Self { frames })
    }

    /// Generates people who come at one end of a room, walk to a gap at the other, squeeze through and go. Their numbers are never reused.
    #[must_use]
    pub fn generate(frames: usize, seed: u64) -> Self {
        /// Metres that a person walks in a frame.
        const STRIDE: f32 = 0.08;
        let gap = Vec2::new(8.0, 0.0);
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut next = 0;
        let mut people: Vec<Person> = Vec::new();
        let frames = (0..frames)
            .map(|_| {
                for _ in 0..random.random_range(0..=2) {
                    people.push((next, Vec2::new(0.0, random.random_range(-2.5..2.5))));
                    next += 1;
                }
                for (_, at) in &mut people {
                    // Past the gap they walk on straight ahead.
                    let ahead = if at.x < gap.x { gap - *at } else { Vec2::X };
                    let sway = Vec2::new(
                        random.random_range(-1.0..1.0),
                        random.random_range(-1.0..1.0),
                    );
                    *at += STRIDE * (ahead.normalize_or_zero() + 0.5 * sway);
                }
                people.retain(|(_, at)| at.x < gap.x + 1.0);
                people.clone()
            })
            .collect();
        Self { frames }
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
