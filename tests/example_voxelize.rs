//! The example `voxelize` as its user meets it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use dot_vox::SceneNode;
use orthant::{
    Ellipsoid, Hollow, VoxelGrid,
    glam::{DVec3, IVec3},
};

/// The program, built as this test was.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let profile = test.ancestors().nth(2).unwrap();
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--example", "voxelize", "--target-dir"]);
        build.arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        assert!(build.status().unwrap().success());
        let name = format!("voxelize{}", std::env::consts::EXE_SUFFIX);
        profile.join("examples").join(name)
    })
}

fn run(args: &str) -> Output {
    Command::new(program())
        .args(args.split_whitespace())
        .output()
        .unwrap()
}

fn last_line(args: &str) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().last().unwrap().to_owned()
}

#[test]
fn counts() {
    assert_eq!(last_line("--radius 8"), "voxels 1184");
    assert_eq!(last_line("--radius 8 --rule half-open"), "voxels 1163");
    assert_eq!(last_line("--radius 4 --voxel 0.5"), "voxels 1184");
    assert_eq!(last_line("--radius 8 --solid"), "voxels 2752");
    assert_eq!(
        last_line("--radius 24 --center 0.5,0.5,0.5"),
        "voxels 10826"
    );
    assert_eq!(last_line("--radius 8 --shape circle"), "voxels 68");
    assert_eq!(last_line("--radius 0 --center -1.5,2.5,0.5"), "voxels 1");
    assert_eq!(last_line("--shape box:3,3,3 --center 0,0,0.5"), "voxels 76");
    assert_eq!(last_line("--shape box:3,3 --solid"), "voxels 16");
    assert_eq!(last_line("--shape ellipsoid:8,8,8"), "voxels 1184");
}

#[test]
fn bad_input_is_an_error_and_nothing_else() {
    let missing = std::env::temp_dir().join("no-such-directory/a.vox");
    let unwritable = format!("--radius 2 --vox {}", missing.display());
    for (args, reason) in [
        ("", "--radius is needed"),
        ("--radius -3", "negative radius -3"),
        ("--radius nan", "not a finite number"),
        ("--radius x", "invalid"),
        ("--radius 8 --voxel 0", "voxel size 0"),
        ("--radius 8 --voxel -1", "voxel size -1"),
        ("--radius 8 --voxel inf", "voxel size inf"),
        ("--radius 8 --center 1,2", "2 coordinates"),
        ("--radius 8 --center 1,2,nan", "not a finite number"),
        ("--radius 8 --shape circle --center 1,2,3", "3 coordinates"),
        ("--radius 1e10", "outside the grid"),
        ("--shape ellipsoid:1,0,2", "0 is not a positive number"),
        ("--shape box:1,-2", "-2 is not a positive number"),
        ("--shape box:1", "expected 2 or 3"),
        ("--shape cube", "expected sphere, circle"),
        (unwritable.as_str(), "a.vox"),
    ] {
        let output = run(args);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{args}");
        assert!(message.contains(reason), "{args}: {message}");
        assert!(!message.contains("panicked"), "{args}: {message}");
    }
}

#[test]
fn a_scene_has_the_voxels_in_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("egg.vox");
    let shape = "--shape ellipsoid:150,20,9 --center -7.25,300,0.5";
    last_line(&format!("{shape} --vox {}", path.display()));

    let data = dot_vox::load(path.to_str().unwrap()).unwrap();
    assert!(data.models.len() > 1);
    let mut found = BTreeSet::new();
    for node in &data.scenes {
        let SceneNode::Transform { frames, child, .. } = node else {
            continue;
        };
        let SceneNode::Shape { models, .. } = &data.scenes[*child as usize] else {
            continue;
        };
        let place = frames[0].position().unwrap();
        let model = &data.models[models[0].model_id as usize];
        assert!(model.size.x.max(model.size.y).max(model.size.z) <= 256);
        for v in &model.voxels {
            let at = |index: u8, size: u32, place| i32::from(index) - size as i32 / 2 + place;
            found.insert([
                at(v.x, model.size.x, place.x),
                at(v.y, model.size.y, place.y),
                at(v.z, model.size.z, place.z),
            ]);
        }
    }
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let egg = Ellipsoid::new(DVec3::new(-7.25, 300.0, 0.5), DVec3::new(150.0, 20.0, 9.0));
    let expected: BTreeSet<_> = grid
        .voxels(Hollow(egg))
        .map(|v: IVec3| v.to_array())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_picture_is_a_png() {
    let folder = tempfile::tempdir().unwrap();
    for shape in [
        "--radius 5",
        "--radius 5 --solid",
        "--radius 5 --shape circle",
    ] {
        let path = folder.path().join("picture.png");
        last_line(&format!("{shape} --png {}", path.display()));
        let image = image::open(&path).unwrap().to_rgb8();
        let paper = *image.get_pixel(0, 0);
        let drawn = image.pixels().filter(|&&pixel| pixel != paper).count();
        assert!(drawn > 10_000, "{shape}: {drawn} pixels");
    }
}
