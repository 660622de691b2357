//! The distance between two bodies that are spanned by edges, in whole numbers.
//!
//! The differences of their points are the sums `c + Σ t g` with each `t` from 0 to 1. The sum nearest to the origin is the foot of the origin
//! on a line, plane or space through up to three `g`, with all other `t` 0 or 1; each foot that is such a sum is no nearer. So all feet are
//! tried.

pub(crate) type Point = [i128; 3];

pub(crate) fn add(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|i| a[i] + b[i])
}

pub(crate) fn dot(a: Point, b: Point) -> i128 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

pub(crate) fn determinant(rows: [Point; 3]) -> i128 {
    dot(rows[0], cross(rows[1], rows[2]))
}

/// Returns the squared distance of the origin from `base + Σ t g`, as numerator and denominator, and the edges whose `t` is free at a nearest
/// foot, as bits.
pub(crate) fn least(base: Point, edges: &[Point]) -> ([i128; 2], usize) {
    let all = (1_usize << edges.len()) - 1;
    let mut best: Option<([i128; 2], usize)> = None;
    for free in (0..=all).filter(|free| free.count_ones() <= 3) {
        let fixed = all & !free;
        let mut ends = fixed;
        // Try all ends of the fixed edges.
        loop {
            let at_end = (0..edges.len()).filter(|i| ends >> i & 1 == 1);
            let start = at_end.fold(base, |sum, i| add(sum, edges[i]));
            if let Some([numerator, denominator]) = foot(start, edges, free)
                && best.is_none_or(|([n, d], _)| numerator * d < n * denominator)
            {
                best = Some(([numerator, denominator], free));
            }
            if ends == 0 {
                break;
            }
            ends = (ends - 1) & fixed;
        }
    }
    best.expect("a corner")
}

/// Returns the squared distance of the foot of the origin on `start + Σ t g` over the free edges, by Cramer's rule, if each `t` is from 0 to 1.
fn foot(start: Point, edges: &[Point], free: usize) -> Option<[i128; 2]> {
    let mut chosen = [[0; 3]; 3];
    let mut products = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let numbers = (0..edges.len()).filter(|i| free >> i & 1 == 1);
    for (to, i) in chosen.iter_mut().zip(numbers) {
        *to = edges[i];
    }
    let count = free.count_ones() as usize;
    for i in 0..count {
        for j in 0..count {
            products[i][j] = dot(chosen[i], chosen[j]);
        }
    }
    let denominator = determinant(products);
    if denominator == 0 {
        return None;
    }
    let right = chosen.map(|edge| -dot(edge, start));
    let mut numerator = dot(start, start) * denominator;
    for i in 0..count {
        // The matrix is symmetric, so a row is replaced instead of a column.
        let mut replaced = products;
        replaced[i] = right;
        let t = determinant(replaced);
        if t < 0 || t > denominator {
            return None;
        }
        numerator -= t * right[i];
    }
    Some([numerator, denominator])
}
