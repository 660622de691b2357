//! The program of the step `sanitizer`: it queries a tree in borrowed memory, copies it, and changes the copy after the memory is gone.

use orthant::{Orthtree, Sphere};

#[test]
fn lent_memory_is_read_within_its_bounds_and_not_after_it_is_gone() {
    for many in [0, 1, 16, 17, 5000] {
        let points: Vec<[f32; 3]> = (0..many)
            .map(|i| [i % 17, i / 17 % 17, i / 289].map(|x| x as f32))
            .collect();
        let built = Orthtree::new(&points);
        let saved = built.to_bytes();
        let mut bytes = vec![0; saved.len() + 63];
        let at = bytes.as_ptr().align_offset(64);
        bytes[at..at + saved.len()].copy_from_slice(&saved);
        let tree = Orthtree::<[f32; 3]>::open(&bytes[at..at + saved.len()]).unwrap();
        tree.check().unwrap();
        let ball = Sphere::new([5.0, 5.0, 5.0], 4.0);
        assert!(tree.query(ball).eq(built.query(ball)));
        assert_eq!(tree.neighbors(1.0), built.neighbors(1.0));
        assert_eq!(tree.to_bytes(), saved);
        let mut own = tree.clone();
        drop(bytes);
        assert_eq!(own.count(ball), built.count(ball));
        own.rebuild(&points[..points.len() / 2]).unwrap();
        assert_eq!(own.len(), points.len() / 2);
    }
}
