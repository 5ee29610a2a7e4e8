//! Pictures of materials, objects and items, and how they are scaled and blended.

/// The names of the pictures, sorted.
pub const NAMES: [&str; 48] = [
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "arrow-down",
    "arrow-left",
    "arrow-right",
    "arrow-up",
    "coal",
    "cow",
    "diamond",
    "drink",
    "energy",
    "food",
    "furnace",
    "grass",
    "health",
    "iron",
    "iron_pickaxe",
    "iron_sword",
    "lava",
    "path",
    "plant",
    "plant-ripe",
    "player-down",
    "player-left",
    "player-right",
    "player-sleep",
    "player-up",
    "sand",
    "sapling",
    "skeleton",
    "stone",
    "stone_pickaxe",
    "stone_sword",
    "table",
    "tree",
    "unknown",
    "water",
    "wood",
    "wood_pickaxe",
    "wood_sword",
    "zombie",
];

/// The largest picture that is taken, in pixels along an axis.
pub(crate) const MAX_SIDE: usize = 1024;

/// A picture with transparency, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    rgba: Vec<u8>,
}

impl Image {
    /// A picture from its bytes, four a pixel; `None` if their number is wrong or a side is 0 or above 1024.
    pub fn new(width: usize, height: usize, rgba: Vec<u8>) -> Option<Self> {
        let sides = 1..=MAX_SIDE;
        (sides.contains(&width) && sides.contains(&height) && rgba.len() == 4 * width * height)
            .then_some(Self { width, height, rgba })
    }

    /// Width and height.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The bytes, four a pixel, row by row.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// The picture in another size, by the nearest pixel.
    #[must_use]
    pub fn scaled(&self, width: usize, height: usize) -> Self {
        let (columns, rows) = (nearest(self.width, width), nearest(self.height, height));
        let mut rgba = Vec::with_capacity(4 * width * height);
        for row in rows {
            for &column in &columns {
                rgba.extend_from_slice(&self.rgba[4 * (row * self.width + column)..][..4]);
            }
        }
        Self { width, height, rgba }
    }
}

/// The source pixel of each target pixel along one axis.
fn nearest(source: usize, target: usize) -> Vec<usize> {
    if source == target {
        return (0..target).collect();
    }
    let step = source as f64 / target as f64;
    let mut place = step * 0.5;
    (0..target)
        .map(|_| {
            let index = place as usize;
            // Reference: the place is accumulated, and its rounding shows: 16 to 7 takes pixel 7 in the middle, not 8.
            place += step;
            index.min(source - 1)
        })
        .collect()
}

/// One channel of a texture over a canvas, in single precision.
pub(crate) fn blend(texture: u8, alpha: u8, canvas: u8) -> u8 {
    let a = f32::from(alpha) / 255.0;
    let value = a * (f32::from(texture) / 255.0) + (1.0 - a) * (f32::from(canvas) / 255.0);
    (255.0 * value) as u8
}

/// A complete set of pictures, in the order of [`NAMES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Textures {
    images: Vec<Image>,
}

impl Textures {
    /// A set; `None` unless there is one picture per name.
    pub fn new(images: Vec<Image>) -> Option<Self> {
        (images.len() == NAMES.len()).then_some(Self { images })
    }

    /// The pictures drawn for this project.
    pub fn own() -> Self {
        crate::art::own()
    }

    /// The picture of a name of [`NAMES`].
    pub fn get(&self, name: &str) -> &Image {
        let index = NAMES.binary_search(&name).unwrap_or_else(|_| unreachable!("{name} is a texture's name"));
        &self.images[index]
    }

    /// All pictures, in the order of [`NAMES`].
    pub fn images(&self) -> &[Image] {
        &self.images
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_accumulates_its_place() {
        assert_eq!(nearest(16, 7), [1, 3, 5, 7, 10, 12, 14]);
        assert_eq!(nearest(16, 5), [1, 4, 8, 11, 14]);
        assert_eq!(nearest(16, 4), [2, 6, 10, 14]);
    }

    #[test]
    fn names_are_sorted() {
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn opaque_and_transparent_are_exact() {
        for value in 0..=255 {
            assert_eq!(blend(value, 255, 99), value);
            assert_eq!(blend(99, 0, value), value);
        }
    }
}
