//! Tests of the example `voxelize`, by its command line.

use std::collections::BTreeSet;
use std::process::Output;
use std::sync::OnceLock;

use super::{example, text};
use dot_vox::SceneNode;
use orthant::{
    BrickSet, Ellipsoid, Hexahedron, Hollow, Moving, Rule, Sphere, VoxelGrid,
    glam::{DVec2, DVec3, IVec3},
};
use ply_rs_bw::{parser::Parser, ply::DefaultElement};

fn run(args: &str) -> Output {
    example("voxelize")
        .args(args.split_whitespace())
        .output()
        .unwrap()
}

fn last_line(args: &str) -> String {
    let text = text(run(args));
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
        ("--shape oriented:1,2", "expected sphere, circle"),
        ("--shape frustum:60,2,1", "behind the near one"),
        ("--shape frustum:180,1,2", "less than 180 degrees"),
        ("--shape frustum:60,0,2", "0 is not a positive number"),
        ("--shape capsule:1,2,3", "--radius is needed"),
        ("--shape capsule:1,2 --radius 1", "2 coordinates given"),
        ("--shape capsule:1,2,inf --radius 1", "not a finite number"),
        ("--radius 8 --rule thick", "expected closed, half-open"),
        ("--radius 8 --rule shell", "expected closed, half-open"),
        ("--radius 8 --rule shell:x", "\"x\" is not a number"),
        ("--radius 8 --rule shell:-1", "shell thickness -1"),
        ("--radius 8 --rule band:nan", "narrow band NaN"),
        ("--radius 1 --shape cloud:nowhere.csv", "nowhere.csv"),
        ("--radius 2 --out a.stl", "supported are .vox .ply"),
        ("--radius 2 --mesh a.stl", "as .obj or .ply"),
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
        "--shape frustum:60,2,9",
        "--shape capsule:4,-3,2 --radius 3",
    ] {
        let path = folder.path().join("picture.png");
        last_line(&format!("{shape} --png {}", path.display()));
        let image = image::open(&path).unwrap().to_rgb8();
        let paper = *image.get_pixel(0, 0);
        let drawn = image.pixels().filter(|&&pixel| pixel != paper).count();
        assert!(drawn > 10_000, "{shape}: {drawn} pixels");
    }
}

#[test]
fn a_page_has_the_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let ball = Sphere::new(DVec3::ZERO, 5.0);
    let ball = VoxelGrid::new(DVec3::ZERO, 1.0).spans(ball).count();
    let circle = Hollow(Sphere::new(DVec2::ZERO, 5.0));
    let circle = VoxelGrid::new(DVec2::ZERO, 1.0).spans(circle).count();
    for (shape, runs) in [
        ("--radius 5 --solid", ball),
        ("--shape circle --radius 5", circle),
    ] {
        last_line(&format!("{shape} --html {}", path.display()));
        let scene = crate::scene(&path);
        assert_eq!(scene["layers"][0]["runs"]["length"], 4 * runs, "{shape}");
    }
}

#[test]
fn rules_are_those_of_the_grid() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let skin = Hollow(Sphere::new(DVec3::ZERO, 8.0));
    for (name, rule) in [
        ("centre", Rule::CenterInside),
        ("thin", Rule::Thin),
        ("shell:2.5", Rule::Shell(2.5)),
        ("band:1.25", Rule::NarrowBand(1.25)),
    ] {
        let count = grid.with_rule(rule).count(skin);
        let line = last_line(&format!("--radius 8 --rule {name}"));
        assert_eq!(line, format!("voxels {count}"), "{name}");
    }
    let all = "--shape oriented:3.5,3.5,3.5 --turn 120 --center 0.5,0.5,0.5";
    assert_eq!(
        last_line(&format!("{all} --rule centre --solid")),
        "voxels 27"
    );
}

/// Compares the counts of all shapes by all rules, solid and hollow, with those of the crate.
#[test]
fn shapes_are_those_of_the_crate() {
    let grid = VoxelGrid::new(DVec3::ZERO, 0.5);
    let capsule = Moving::new(Sphere::new(DVec3::splat(-1.0), 1.25), DVec3::splat(2.0));
    let half = DVec3::new(1.0, 1.5, 2.0);
    let turned = Hexahedron::oriented(DVec3::ZERO, half, DVec3::AXES);
    for (name, rule) in [
        ("closed", Rule::Closed),
        ("half-open", Rule::HalfOpen),
        ("centre", Rule::CenterInside),
        ("thin", Rule::Thin),
        ("shell:0.75", Rule::Shell(0.75)),
        ("band:0.5", Rule::NarrowBand(0.5)),
    ] {
        let grid = grid.with_rule(rule);
        let line = |args: &str| last_line(&format!("--voxel 0.5 --rule {name} --shape {args}"));
        let solid = |count: u64, args: &str| assert_eq!(line(args), format!("voxels {count}"));
        solid(grid.count(Hollow(capsule)), "capsule:2,2,2 --radius 1.25");
        solid(grid.count(capsule), "capsule:2,2,2 --radius 1.25 --solid");
        solid(
            grid.count(Hollow(turned.clone())),
            "oriented:2,3,4 --turn 0",
        );
        solid(
            grid.count(turned.clone()),
            "oriented:2,3,4 --turn 0 --solid",
        );
    }
    // The volume of a pyramid is a third of its height times its base; this one lacks its top.
    let line = last_line("--shape frustum:90,1,40 --turn 17 --rule centre --solid");
    let voxels: f64 = line.strip_prefix("voxels ").unwrap().parse().unwrap();
    let volume = 4.0 * (40f64.powi(3) - 1.0) / 3.0;
    assert!((voxels / volume - 1.0).abs() < 0.01, "{voxels} {volume}");
}

const BALL: &str = "--radius 12.5 --center -3.25,40,7 --voxel 0.5 --solid";

fn ball() -> BrickSet {
    let grid = VoxelGrid::new(DVec3::ZERO, 0.5);
    BrickSet::from_region(&grid, Sphere::new(DVec3::new(-3.25, 40.0, 7.0), 12.5))
}

#[test]
fn a_dense_block_has_the_voxels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.npy");
    last_line(&format!("{BALL} --out {}", path.display()));
    let array = npyz::NpyFile::new(std::fs::File::open(&path).unwrap()).unwrap();
    let (low, high) = ball().bounds().unwrap();
    let [x, y, z] = (high - low + IVec3::ONE).to_array().map(|n| n as u64);
    assert_eq!(array.shape(), [z, y, x]);
    let bits: Vec<bool> = array.into_vec().unwrap();
    let place = |v: IVec3| {
        let at = (v - low).to_array().map(|i| i as u64);
        ((at[2] * y + at[1]) * x + at[0]) as usize
    };
    assert!(ball().iter().all(|voxel| bits[place(voxel)]));
    let many = bits.iter().filter(|&&bit| bit).count();
    assert_eq!(many as u64, ball().len());

    last_line(&format!(
        "--radius 5 --shape circle --out {}",
        path.display()
    ));
    let flat = npyz::NpyFile::new(std::fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(flat.shape(), [12, 12]);
}

#[test]
fn points_are_the_centres() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.ply");
    last_line(&format!("{BALL} --out {}", path.display()));
    let mut file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let ply = Parser::<DefaultElement>::new().read_ply(&mut file).unwrap();
    let centers = ply.payload["vertex"].iter().map(|vertex| {
        let at = |name: &str| match vertex[name] {
            ply_rs_bw::ply::Property::Float(value) => (value / 0.5 - 0.5) as i32,
            _ => panic!("{name} is no float"),
        };
        IVec3::new(at("x"), at("y"), at("z"))
    });
    assert_eq!(centers.collect::<BrickSet>(), ball());
}

/// The volume within a mesh of quadrilaterals that face outwards.
fn volume(corners: &[[f32; 3]], faces: &[Vec<usize>]) -> f64 {
    let corner = |i: usize| DVec3::from(corners[i].map(f64::from));
    let triangles = faces
        .iter()
        .flat_map(|face| [[face[0], face[1], face[2]], [face[0], face[2], face[3]]]);
    triangles
        .map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0)
        .sum()
}

#[test]
fn a_mesh_encloses_the_voxels() {
    let folder = tempfile::tempdir().unwrap();
    let [path, other] = ["ball.obj", "ball.ply"].map(|name| folder.path().join(name));
    last_line(&format!(
        "{BALL} --out {} --mesh {}",
        path.display(),
        other.display()
    ));
    let data = obj::Obj::load(&path).unwrap().data;
    let polygons = data
        .objects
        .iter()
        .flat_map(|o| &o.groups)
        .flat_map(|g| &g.polys);
    let faces: Vec<Vec<usize>> = polygons
        .map(|face| face.0.iter().map(|i| i.0).collect())
        .collect();
    let expected = ball().len() as f64 * 0.125;
    assert!((volume(&data.position, &faces) - expected).abs() < 1e-6 * expected);
    // Merged faces are fewer than the open sides of voxels.
    let open: usize = ball().iter().map(|voxel| 6 - ball_neighbors(voxel)).sum();
    assert!(faces.len() < open * 3 / 4, "{} of {open}", faces.len());

    let mut file = std::io::BufReader::new(std::fs::File::open(&other).unwrap());
    let ply = Parser::<DefaultElement>::new().read_ply(&mut file).unwrap();
    assert_eq!(ply.payload["face"].len(), faces.len());
    assert_eq!(ply.payload["vertex"].len(), data.position.len());
}

fn ball_neighbors(voxel: IVec3) -> usize {
    static BALL: OnceLock<BrickSet> = OnceLock::new();
    let set = BALL.get_or_init(ball);
    set.neighbors(voxel, orthant::Adjacency::Faces).count()
}

#[test]
fn slices_are_the_layers() {
    let folder = tempfile::tempdir().unwrap();
    last_line(&format!("{BALL} --slices {}", folder.path().display()));
    let (low, high) = ball().bounds().unwrap();
    let mut found = BrickSet::new();
    for z in low.z..=high.z {
        let layer = image::open(folder.path().join(format!("{:05}.png", z - low.z))).unwrap();
        for (x, y, pixel) in layer.to_luma8().enumerate_pixels() {
            if pixel.0[0] == 255 {
                found.insert(IVec3::new(low.x + x as i32, high.y - y as i32, z));
            }
        }
    }
    assert_eq!(found, ball());
}

#[test]
fn a_cloud_is_the_union_of_its_balls() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("points.csv");
    std::fs::write(&path, "x,y,z\n0,0,0\n3.5,0,0\n-40,7,100\n").unwrap();
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let mut set = BrickSet::new();
    for center in [DVec3::ZERO, 3.5 * DVec3::X, DVec3::new(-40.0, 7.0, 100.0)] {
        set.insert_region(&grid, Sphere::new(center, 4.0));
    }
    let cloud = format!("--radius 4 --shape cloud:{}", path.display());
    assert_eq!(
        last_line(&format!("{cloud} --solid")),
        format!("voxels {}", set.len())
    );
    let skin = &set - &set.eroded(orthant::Adjacency::Corners);
    let scene = folder.path().join("cloud.vox");
    let line = last_line(&format!("{cloud} --out {}", scene.display()));
    assert_eq!(line, format!("voxels {}", skin.len()));
    let models = dot_vox::load(scene.to_str().unwrap()).unwrap().models;
    assert_eq!(
        models
            .iter()
            .map(|model| model.voxels.len() as u64)
            .sum::<u64>(),
        skin.len()
    );
}
