//! Draws numbers that tie from bytes: a few values, their neighbors among the floats, and extreme ones.

use arbitrary::Unstructured;
use orthant::{Scalar, Vector};

/// The scale that turns a small integer into a number: an offset and a step.
type Scale = (f64, f64);

/// The scales: exact lattices, inexact ones, far offsets at which neighbors round together or are adjacent floats, and squares that vanish or
/// overflow in `f32`, or in `f64` too. With the last scales only some squares do; they are used if the first byte is large.
const SCALES: [Scale; 16] = [
    (0.0, 1.0),
    (0.0, 0.25),
    (0.0, 0.1),
    (1e7, 1.0),
    (-1e7, 0.7),
    (16_777_216.0, 2.0),
    (0.0, 1e-30),
    (0.0, 1e-42),
    (0.0, 1e30),
    (0.0, 5e-324),
    (0.0, 1e-160),
    (0.0, 1e160),
    (0.0, 4e18),
    (0.0, 3e153),
    (0.0, 1e-23),
    (0.0, 3e-162),
];

const ODD: [f64; 12] = [
    -0.0,
    f64::MAX,
    f64::MIN,
    f32::MAX as f64,
    f32::MIN as f64,
    f32::MIN_POSITIVE as f64,
    f64::MIN_POSITIVE,
    1e-45,
    1.8e19,
    -1e19,
    1e154,
    5e-324,
];

pub(crate) struct Draw<'a> {
    bytes: Unstructured<'a>,
    /// The state of a pseudorandom generator, which replaces the bytes while a crowd is drawn.
    crowd: Option<u64>,
    scale: Scale,
    /// True if all finite numbers may be drawn.
    wild: bool,
    /// The last numbers that were drawn.
    earlier: [f64; 8],
    drawn: usize,
}

impl<'a> Draw<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        let mut draw = Self::of_scales(data, 12);
        let first = data.first().map_or(0, |&byte| usize::from(byte));
        if first >= 192 {
            draw.scale = SCALES[12 + first % 4];
        }
        draw
    }

    /// Draws from the lattices around zero whose squares are floats.
    pub(crate) fn tame(data: &'a [u8]) -> Self {
        let mut draw = Self::of_scales(data, 3);
        draw.wild = false;
        draw
    }

    /// Draws from lattices far from the origin too, where neighbors round together.
    pub(crate) fn near(data: &'a [u8]) -> Self {
        let mut draw = Self::of_scales(data, 6);
        draw.wild = false;
        draw
    }

    fn of_scales(data: &'a [u8], scales: usize) -> Self {
        let mut draw = Self {
            bytes: Unstructured::new(data),
            crowd: None,
            scale: SCALES[0],
            wild: false,
            earlier: [0.0; 8],
            drawn: 0,
        };
        let first = usize::from(draw.byte());
        draw.scale = SCALES[first % scales];
        draw.wild = first / scales % 4 == 3;
        draw
    }

    pub(crate) fn byte(&mut self) -> u8 {
        if let Some(state) = &mut self.crowd {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            return (*state >> 32) as u8;
        }
        self.bytes.arbitrary().unwrap_or(0)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        (0..8).fold(0, |bits, _| bits << 8 | u64::from(self.byte()))
    }

    /// Returns all remaining bytes.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let left = self.bytes.len();
        self.bytes.bytes(left).unwrap_or_default().to_vec()
    }

    /// Returns true if all bytes are used up.
    pub(crate) fn is_done(&self) -> bool {
        self.crowd.is_none() && self.bytes.is_empty()
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        let mut number = usize::from(self.byte());
        if end > 256 {
            number = number << 8 | usize::from(self.byte());
        }
        number % end
    }

    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.below(many) + 1 == many
    }

    pub(crate) fn of<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.below(some.len())]
    }

    /// Draws some values: mostly few, sometimes enough to fill several levels of a tree.
    pub(crate) fn several<T>(
        &mut self,
        most: usize,
        mut make: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let many = self.below(most + 1);
        let mut all = Vec::new();
        while all.len() < many && !self.is_done() {
            all.push(make(self));
        }
        if self.one_in(6) {
            let seed = 1 + u64::from(self.byte()) + (u64::from(self.byte()) << 32);
            let many = self.below(8 * most);
            let before = self
                .crowd
                .replace(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
            all.extend((0..many).map(|_| make(self)));
            self.crowd = before;
        }
        if all.len() > 1 && self.one_in(12) {
            // All values from one on are made equal.
            let last = all.len() - 1;
            let from = self.below(all.len());
            let mut alike = Vec::new();
            for _ in from..last {
                let before = self.crowd.replace(77);
                alike.push(make(self));
                self.crowd = before;
            }
            all.truncate(from + 1);
            all.extend(alike);
        }
        all
    }

    pub(crate) fn step<S: Scalar>(&self, steps: f64) -> S {
        finite(self.scale.1 * steps)
    }

    pub(crate) fn coordinate<S: Scalar>(&mut self) -> S {
        let (offset, step) = self.scale;
        let byte = self.byte();
        let small = f64::from(byte % 13) - 6.0;
        let value: S = match byte {
            180..212 => self.beside(byte),
            212..236 => {
                let wide = f64::from(self.byte() as i8);
                finite(offset + step * wide)
            }
            236..248 if self.wild => finite(ODD[usize::from(byte - 236)]),
            248.. if self.wild => self.anything(),
            236.. => finite(offset + step * 0.5 * small),
            _ => finite(offset + step * small),
        };
        self.keep(value)
    }

    /// Draws a number of at least zero.
    pub(crate) fn length<S: Scalar>(&mut self) -> S {
        let byte = self.byte();
        let value: S = match byte {
            140..180 => self.step(f64::from(byte % 16)),
            // The number is the difference of two earlier ones, on one axis.
            180..212 => {
                let other = usize::from(byte / 8) % 8;
                let between: S =
                    finite((self.earlier[usize::from(byte) % 8] - self.earlier[other]).abs());
                match byte % 3 {
                    0 => between.next_up(),
                    1 => between.next_down(),
                    _ => between,
                }
            }
            212..236 => {
                let wide = f64::from(self.byte());
                self.step(wide)
            }
            236..248 if self.wild => finite(ODD[usize::from(byte - 236)].abs()),
            248.. if self.wild => self.anything::<S>().abs(),
            _ => self.step(f64::from(byte % 6)),
        };
        if value.is_finite() && value >= S::ZERO {
            value
        } else {
            S::ZERO
        }
    }

    pub(crate) fn positive<S: Scalar>(&mut self) -> S {
        let length = self.length::<S>();
        length.larger(S::ZERO.next_up())
    }

    pub(crate) fn place<V: Vector>(&mut self) -> V {
        V::from_fn(|_| self.coordinate())
    }

    /// Draws a path, often none or along an axis.
    pub(crate) fn way<V: Vector>(&mut self) -> V {
        let kind = self.byte();
        V::from_fn(|a| {
            let zero = V::Scalar::ZERO;
            if kind.is_multiple_of(4) || kind % 4 == 1 && usize::from(kind / 4) % V::DIM != a {
                return zero;
            }
            let length = self.length::<V::Scalar>();
            if self.byte().is_multiple_of(2) {
                length
            } else {
                zero - length
            }
        })
    }

    /// Returns an earlier number, or a float beside it.
    fn beside<S: Scalar>(&self, byte: u8) -> S {
        let known: S = finite(self.earlier[usize::from(byte) % 8]);
        let beside = match byte / 8 % 4 {
            0 => known.next_up(),
            1 => known.next_down(),
            _ => known,
        };
        if beside.is_finite() { beside } else { known }
    }

    fn anything<S: Scalar>(&mut self) -> S {
        let bits = self.bits();
        let value = if S::MAX.into() > 1e300 {
            f64::from_bits(bits)
        } else {
            f64::from(f32::from_bits(bits as u32))
        };
        if value.is_nan() {
            S::ZERO
        } else {
            finite(value)
        }
    }

    fn keep<S: Scalar>(&mut self, value: S) -> S {
        self.earlier[self.drawn % 8] = value.into();
        self.drawn += 1;
        value
    }
}

/// Returns the nearest finite number.
pub(crate) fn finite<S: Scalar>(value: f64) -> S {
    let most: f64 = S::MAX.into();
    S::from_f64(value.clamp(-most, most))
}
