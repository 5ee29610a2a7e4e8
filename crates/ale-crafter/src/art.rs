//! Our own pictures, read from pixel maps.

use std::collections::BTreeMap;

use ale_sim::rng::SplitMix64;

use crate::textures::{Image, NAMES, Textures};

const SIDE: usize = 16;
const TRANSPARENT: u8 = b'.';
const MAPS: &str = include_str!("../art/own.txt");

/// 16 x 16 letters.
type Map = [[u8; SIDE]; SIDE];

/// The pictures drawn for this project.
pub(crate) fn own() -> Textures {
    let mut sections =
        MAPS.split("\n[").skip(1).map(|section| section.split_once("]\n").expect("a name in brackets"));
    let (_, palette) = sections.next().expect("the palette comes first");
    let palette: BTreeMap<u8, [u8; 4]> = palette.lines().map(color).collect();
    let mut maps: BTreeMap<&str, Map> = BTreeMap::new();
    for (name, section) in sections {
        let map = read(section, &maps);
        maps.insert(name, map);
    }
    let image = |name: &&str| {
        let letters = maps[name].as_flattened();
        let rgba = letters.iter().flat_map(|letter| palette.get(letter).copied().unwrap_or([0; 4]));
        Image::new(SIDE, SIDE, rgba.collect()).expect("the size is right")
    };
    Textures::new(NAMES.iter().map(image).collect()).expect("one per name")
}

fn color(line: &str) -> (u8, [u8; 4]) {
    let (letter, numbers) = line.split_at(1);
    let mut numbers = numbers.split_whitespace().map(|number| number.parse().expect("a byte"));
    let mut next = || numbers.next().expect("three numbers");
    (letter.as_bytes()[0], [next(), next(), next(), 255])
}

fn read(section: &str, maps: &BTreeMap<&str, Map>) -> Map {
    let mut lines = section.lines().peekable();
    let mut map = [[TRANSPARENT; SIDE]; SIDE];
    if let Some((order, what)) = lines.peek().and_then(|line| line.split_once(' ')) {
        lines.next();
        map = match order {
            "speckle" => speckle(what.as_bytes()),
            "over" | "recolour" => maps[what],
            "mirror" => turned(&maps[what], |row, column| (row, SIDE - 1 - column)),
            "flip" => turned(&maps[what], |row, column| (SIDE - 1 - row, column)),
            "transpose" => turned(&maps[what], |row, column| (column, row)),
            _ => panic!("{order} is no order of a picture"),
        };
    }
    for (row, line) in map.iter_mut().zip(lines) {
        for (letter, &drawn) in row.iter_mut().zip(line.as_bytes()) {
            if drawn != TRANSPARENT {
                *letter = drawn;
            }
        }
    }
    map
}

fn speckle(letters: &[u8]) -> Map {
    let mut source = SplitMix64::new(letters.len() as u64);
    [(); SIDE].map(|()| [(); SIDE].map(|()| letters[(source.next_u64() % letters.len() as u64) as usize]))
}

fn turned(map: &Map, from: impl Fn(usize, usize) -> (usize, usize)) -> Map {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let (row, column) = from(row, column);
            map[row][column]
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_drawn_and_materials_are_opaque() {
        let textures = own();
        for (name, image) in NAMES.iter().zip(textures.images()) {
            let opaque = image.rgba().chunks_exact(4).filter(|pixel| pixel[3] == 255).count();
            assert!(opaque > 30, "{name} has {opaque} pixels");
        }
        for name in [
            "grass", "sand", "water", "stone", "path", "tree", "lava", "coal", "iron", "diamond", "table",
            "furnace",
        ] {
            assert!(textures.get(name).rgba().chunks_exact(4).all(|pixel| pixel[3] == 255), "{name}");
        }
    }

    #[test]
    fn every_letter_has_a_colour() {
        let palette: Vec<u8> = MAPS
            .split("\n[")
            .nth(1)
            .expect("a palette")
            .lines()
            .skip(1)
            .map(|line| line.as_bytes()[0])
            .collect();
        for section in MAPS.split("\n[").skip(2) {
            for line in section.lines().skip(1).filter(|line| line.len() == SIDE && !line.contains(' ')) {
                for letter in line.bytes() {
                    assert!(
                        letter == TRANSPARENT || palette.contains(&letter),
                        "{} in {line}",
                        letter as char
                    );
                }
            }
        }
    }
}
