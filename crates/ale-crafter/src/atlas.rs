//! Textures prepared for one size of cells: every material with every object on it, and every amount of every item.

use crate::options::Options;
use crate::tables::{ITEM_MAX, ITEM_NAMES, ITEMS, Material};
use crate::textures::{Image, Textures, blend};
use crate::world::{Kind, Object};

/// Pictures of objects; the number of an object's picture is one more than its place here, 0 is no object.
const SPRITES: [&str; 14] = [
    "zombie",
    "skeleton",
    "cow",
    "player-left",
    "player-right",
    "player-up",
    "player-down",
    "player-sleep",
    "arrow-left",
    "arrow-right",
    "arrow-up",
    "arrow-down",
    "plant",
    "plant-ripe",
];
const SPRITE_STRIDE: usize = 16;
/// Number of tiles: 13 materials with up to 15 sprites each, some numbers unused.
pub(crate) const TILES: usize = 13 * SPRITE_STRIDE;
const OUTSIDE: u8 = 127;
/// What the dark is tinted with.
pub(crate) const TINT: [u16; 3] = [0, 16, 64];

/// The tiles of a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atlas {
    pub(crate) options: Options,
    /// Width and height of a tile.
    pub(crate) unit: (usize, usize),
    /// Tiles in daylight, row by row, three bytes a pixel.
    pub(crate) color: Vec<u8>,
    /// Twice what a pixel is in darkness.
    pub(crate) dark: Vec<u16>,
    /// Tiles of the inventory: item, then amount.
    pub(crate) items: Vec<u8>,
}

/// The tile of a material and the object on it.
#[inline]
pub(crate) fn tile(material: Material, object: Option<&Object>, player: u8) -> u8 {
    let sprite = match object {
        None => 0,
        Some(object) => match object.kind {
            Kind::Player => player,
            Kind::Arrow => 9 + object.facing as u8,
            Kind::Plant => 13 + u8::from(object.is_ripe()),
            creature => 1 + creature as u8,
        },
    };
    material as u8 * SPRITE_STRIDE as u8 + sprite
}

/// The number of the player's picture.
pub(crate) fn player_sprite(player: &crate::player::Player) -> u8 {
    if player.sleeping { 8 } else { 4 + player.facing as u8 }
}

/// Pillow's rounding luma.
#[inline(always)]
pub(crate) fn gray(r: u8, g: u8, b: u8) -> u8 {
    ((19_595 * u32::from(r) + 38_470 * u32::from(g) + 7_471 * u32::from(b) + 32_768) >> 16) as u8
}

/// Twice what a pixel of this colour is in darkness: mostly gray, half tinted.
#[inline]
fn darkness(rgb: [u8; 3]) -> [u16; 3] {
    let gray = u16::from(gray(rgb[0], rgb[1], rgb[2]));
    std::array::from_fn(|i| (3 * gray + 2 * u16::from(rgb[i])) / 5 + TINT[i])
}

impl Atlas {
    /// The textures in the sizes that the options ask for.
    pub fn new(textures: &Textures, options: &Options) -> Self {
        let unit = options.unit();
        let mut color = vec![0; TILES * 3 * unit.0 * unit.1];
        let tiles = color.chunks_exact_mut(3 * unit.0 * unit.1);
        for (number, tile) in tiles.enumerate() {
            let (material, sprite) = (Material::ALL[number / SPRITE_STRIDE], number % SPRITE_STRIDE);
            match material_name(material) {
                None => tile.fill(OUTSIDE),
                Some(name) => copy(tile, &textures.get(name).scaled(unit.0, unit.1)),
            }
            if let Some(name) = sprite.checked_sub(1).and_then(|sprite| SPRITES.get(sprite)) {
                draw(tile, unit.0, (0, 0), &textures.get(name).scaled(unit.0, unit.1));
            }
        }
        let dark = color.as_chunks::<3>().0.iter().flat_map(|&rgb| darkness(rgb)).collect();
        Self { options: *options, unit, color, dark, items: items(textures, unit) }
    }

    /// Bytes of a picture.
    pub(crate) fn picture_len(&self) -> usize {
        3 * self.options.size.0 * self.options.size.1
    }

    /// Bytes of a tile.
    pub(crate) fn tile_len(&self) -> usize {
        3 * self.unit.0 * self.unit.1
    }
}

fn material_name(material: Material) -> Option<&'static str> {
    Some(match material {
        Material::None => return None,
        Material::Water => "water",
        Material::Grass => "grass",
        Material::Stone => "stone",
        Material::Path => "path",
        Material::Sand => "sand",
        Material::Tree => "tree",
        Material::Lava => "lava",
        Material::Coal => "coal",
        Material::Iron => "iron",
        Material::Diamond => "diamond",
        Material::Table => "table",
        Material::Furnace => "furnace",
    })
}

fn copy(tile: &mut [u8], image: &Image) {
    for (pixel, rgba) in tile.chunks_exact_mut(3).zip(image.rgba().chunks_exact(4)) {
        pixel.copy_from_slice(&rgba[..3]);
    }
}

fn draw(canvas: &mut [u8], canvas_width: usize, (left, top): (usize, usize), image: &Image) {
    let (width, _) = image.size();
    for (y, row) in image.rgba().chunks_exact(4 * width).enumerate() {
        for (x, rgba) in row.chunks_exact(4).enumerate() {
            let pixel = &mut canvas[3 * ((top + y) * canvas_width + left + x)..][..3];
            for (channel, &texture) in pixel.iter_mut().zip(rgba) {
                *channel = blend(texture, rgba[3], *channel);
            }
        }
    }
}

fn items(textures: &Textures, unit: (usize, usize)) -> Vec<u8> {
    let amounts = ITEM_MAX as usize + 1;
    let mut items = vec![0; ITEMS * amounts * 3 * unit.0 * unit.1];
    let part = |share: f64| ((share * unit.0 as f64) as usize, (share * unit.1 as f64) as usize);
    let (item_size, item_place) = (part(0.8), part(0.1));
    let (digit_size, digit_place) = (part(0.6), part(0.4));
    for (number, tile) in items.chunks_exact_mut(3 * unit.0 * unit.1).enumerate() {
        let (item, amount) = (number / amounts, number % amounts);
        if amount > 0 {
            draw(tile, unit.0, item_place, &textures.get(ITEM_NAMES[item]).scaled(item_size.0, item_size.1));
            draw(
                tile,
                unit.0,
                digit_place,
                &textures.get(&amount.to_string()).scaled(digit_size.0, digit_size.1),
            );
        }
    }
    items
}
