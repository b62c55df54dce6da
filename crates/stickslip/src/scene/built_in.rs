//! The scenes that ship with the program.

use super::error::nearest;

/// A scene file in the folder `scenes/`, by its name without ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// The name by which it is run.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! scene {
    ($name:literal) => {
        BuiltIn { name: $name, text: include_str!(concat!("../../scenes/", $name, ".toml")) }
    };
}

/// All scenes that ship with the program.
pub const BUILT_IN: &[BuiltIn] = &[
    scene!("tippe-top"),
    scene!("rolling-disk"),
    scene!("rolling-disk-coulomb"),
    scene!("rolling-disk-coulomb-contour"),
    scene!("rolling-disk-contensou"),
    scene!("rolling-disk-contensou-contour"),
    scene!("slider-crank"),
    scene!("slider-crank-multibody"),
    scene!("friction-mass"),
    scene!("bouncing-mass"),
    scene!("rolling-sphere"),
    scene!("conveyor-masses"),
    scene!("belt-oscillator"),
    scene!("bouncing-ball"),
    scene!("block-on-incline"),
    scene!("newtons-cradle"),
    scene!("tippe-top-world"),
    scene!("rolling-disk-world"),
    scene!("slider-crank-world"),
    scene!("rolling-sphere-world"),
    scene!("conveyor-masses-world"),
    scene!("andrews-squeezer"),
    scene!("arch"),
    scene!("arch-thin"),
    scene!("backspin"),
    scene!("billiard-shot"),
    scene!("box-stack"),
    scene!("brake-squeal"),
    scene!("bricard"),
    scene!("cam-follower"),
    scene!("chain-over-edge"),
    scene!("compass-walker"),
    scene!("curling-stone"),
    scene!("domino-row"),
    scene!("drawer-with-clearance"),
    scene!("drill-string"),
    scene!("dzhanibekov"),
    scene!("four-bar-clearance"),
    scene!("gear-backlash"),
    scene!("geneva-drive"),
    scene!("gripper"),
    scene!("heavy-top"),
    scene!("overrunning-clutch"),
    scene!("painleve-rod"),
    scene!("ratchet"),
    scene!("rattleback"),
    scene!("rimless-wheel"),
    scene!("rocking-block"),
    scene!("screw-jack"),
    scene!("sphere-on-turntable"),
    scene!("sphere-pile"),
    scene!("spinning-coin"),
    scene!("tippedisk"),
    scene!("tumbling-box"),
    scene!("vibrating-table"),
    scene!("impact-oscillator"),
    scene!("walker-standing"),
    scene!("woodpecker-toy"),
];

/// The scene of that name; otherwise a sentence with the nearest name.
pub fn built_in(name: &str) -> Result<&'static BuiltIn, String> {
    if let Some(scene) = BUILT_IN.iter().find(|scene| scene.name == name) {
        return Ok(scene);
    }
    let hint = match nearest(name, BUILT_IN.iter().map(|scene| scene.name)) {
        Some(near) => format!("did you mean {near}?"),
        None => {
            let names: Vec<&str> = BUILT_IN.iter().map(|scene| scene.name).collect();
            format!("there are {}.", names.join(", "))
        }
    };
    Err(format!(
        "there is no scene {name:?}; {hint} A scene file is named with its ending .toml or its folder"
    ))
}
