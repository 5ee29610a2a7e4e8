//! Frames of recorded games with textures that are given by formula.

mod recorded;

use ale_crafter::{Atlas, Image, Options, Renderer, TEXTURE_NAMES, Textures};
use recorded::{Play, golden, hex, integer, list, sha256};
use sha2::{Digest, Sha256};

fn synthetic() -> Textures {
    let image = |k: usize| {
        let pixels = (0..16).flat_map(|r: usize| {
            (0..16).flat_map(move |c: usize| {
                [
                    ((37 * k + 11 * c + 5 * r) % 256) as u8,
                    ((59 * k + 3 * c + 17 * r + 85) % 256) as u8,
                    ((83 * k + 7 * c + 13 * r + 170) % 256) as u8,
                    [255, 255, 0, 128, 77][(c + 2 * r + k) % 5],
                ]
            })
        });
        Image::new(16, 16, pixels.collect()).expect("its size is right")
    };
    Textures::new((0..TEXTURE_NAMES.len()).map(image).collect()).expect("one per name")
}

#[test]
fn frames_are_those_of_the_reference() {
    let golden = golden();
    let pair = |value: &serde_json::Value| (integer(&value[0]) as usize, integer(&value[1]) as usize);
    let mut compared = 0;
    for run in list(&golden["pixels"]).iter().filter(|run| run["textures"] == "synthetic") {
        let mut episode = run.clone();
        if run["rule"] == "script" {
            let same = |other: &&serde_json::Value| other["rule"] == "script" && other["seed"] == run["seed"];
            episode["actions"] =
                list(&golden["episodes"]).iter().find(same).expect("recorded")["actions"].clone();
        }
        let options = Options {
            area: pair(&run["area"]),
            view: pair(&run["view"]),
            size: pair(&run["size"]),
            ..Options::default()
        };
        let (atlas, mut renderer) = (Atlas::new(&synthetic(), &options), Renderer::new(&options));
        let mut picture = vec![0; renderer.picture_len()];
        let mut play = Play::new(&episode, options);
        let mut roll = Sha256::new();
        let mut semantic = Sha256::new();
        renderer.observe(play.game.get_mut(), &atlas, &mut picture);
        roll.update(&picture);
        let mut frames = list(&run["frames"]).iter();
        assert_eq!(sha256(&picture), frames.next().expect("a first frame")["sha256"]);
        for frame in frames {
            while play.t < integer(&frame["t"]) {
                let outcome = play.step();
                renderer.observe(play.game.get_mut(), &atlas, &mut picture);
                roll.update(&picture);
                semantic.update(recorded::semantic(play.game.get()));
                if play.t == integer(&frame["t"]) {
                    assert_eq!(sha256(&picture), frame["sha256"], "{run}, t {}", play.t);
                    assert_eq!(hex(&roll.clone().finalize()), frame["roll_sha256"], "{run}, t {}", play.t);
                    compared += 1;
                }
                if (outcome.dead || outcome.over) && run["reset_on_done"] == true {
                    play.game.get_mut().reset();
                    renderer.observe(play.game.get_mut(), &atlas, &mut picture);
                    roll.update(&picture);
                }
            }
        }
        assert_eq!(hex(&semantic.finalize()), run["semantic_roll_sha256"]);
    }
    assert!(compared >= 24, "{compared} frames");
}
