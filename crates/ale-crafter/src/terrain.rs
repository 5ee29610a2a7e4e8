//! World generation: terrain from noise, then the first creatures.

use crate::chance::{Chance, Many};
use crate::noise::Simplex;
use crate::player::PLAYER;
use crate::tables::{Direction, Material, WALKABLE};
use crate::world::{Kind, World};

/// A layer of noise: the third coordinate, and what the cell's coordinates are divided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Layer {
    /// Its place among all layers.
    pub(crate) number: usize,
    pub(crate) z: i32,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
}

/// From a cell's coordinate to the noise's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Axis {
    /// Divided.
    Over(f64),
    /// Doubled, then divided by 3: across a tunnel.
    Across,
    /// Divided by 5, then by 3: along a tunnel.
    Along,
}

impl Axis {
    #[inline]
    pub(crate) fn at(self, cell: usize) -> f64 {
        let cell = cell as f64;
        match self {
            Self::Over(scale) => cell / scale,
            Self::Across => 2.0 * cell / 3.0,
            Self::Along => cell / 5.0 / 3.0,
        }
    }
}

const fn layer(number: usize, z: i32, scale: f64) -> Layer {
    Layer { number, z, x: Axis::Over(scale), y: Axis::Over(scale) }
}

pub(crate) const START: Layer = layer(0, 8, 3.0);
pub(crate) const WATER_COARSE: Layer = layer(1, 3, 15.0);
pub(crate) const WATER_FINE: Layer = layer(2, 3, 5.0);
pub(crate) const MOUNTAIN_COARSE: Layer = layer(3, 0, 15.0);
pub(crate) const MOUNTAIN_FINE: Layer = layer(4, 0, 5.0);
pub(crate) const CAVE: Layer = layer(5, 6, 7.0);
pub(crate) const TUNNEL_HORIZONTAL: Layer = Layer { number: 6, z: 7, x: Axis::Across, y: Axis::Along };
pub(crate) const TUNNEL_VERTICAL: Layer = Layer { number: 7, z: 7, x: Axis::Along, y: Axis::Across };
pub(crate) const COAL: Layer = layer(8, 1, 8.0);
pub(crate) const IRON: Layer = layer(9, 2, 6.0);
pub(crate) const LAVA: Layer = layer(10, 6, 5.0);
pub(crate) const SAND: Layer = layer(11, 4, 9.0);
pub(crate) const TREE: Layer = layer(12, 5, 7.0);

/// The layers at a cell, as numbers or as answers to comparisons.
pub(crate) trait Noise {
    /// Start, water and mountain are compared with constants only: the whole of a cell's ground.
    fn ground(&mut self, x: usize, y: usize) -> Ground;
    /// Whether a layer at a cell is above a number.
    fn above(&mut self, layer: Layer, x: usize, y: usize, threshold: f64) -> bool;
}

/// What the noise of start, water and mountain decides about a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    /// Near the start: grass.
    Start,
    /// Mountain, and which of 0.18 and 0.3 it is above.
    Mountain {
        /// Above 0.18.
        deep: bool,
        /// Above 0.3.
        core: bool,
    },
    /// Neither, by the water's height.
    Plain {
        /// Above 0.25 and not above 0.35.
        shore: bool,
        /// Above 0.3.
        wet: bool,
    },
}

impl Ground {
    /// By the three heights.
    pub(crate) fn of(start: f64, water: f64, mountain: f64) -> Self {
        if start > 0.5 {
            Self::Start
        } else if mountain > 0.15 {
            Self::Mountain { deep: mountain > 0.18, core: mountain > 0.3 }
        } else {
            Self::Plain { shore: 0.25 < water && water <= 0.35, wet: water > 0.3 }
        }
    }
}

/// The literal noise: every value to the last bit.
#[derive(Debug)]
pub(crate) struct Exact<'a> {
    pub(crate) simplex: &'a Simplex,
    pub(crate) player: (usize, usize),
}

impl Exact<'_> {
    pub(crate) fn value(&self, layer: Layer, x: usize, y: usize) -> f64 {
        self.simplex.at(layer.x.at(x), layer.y.at(y), f64::from(layer.z))
    }

    /// What start, water and mountain decide about a cell.
    pub(crate) fn ground_of(&self, x: usize, y: usize) -> Ground {
        let start = 4.0 - euclidean((x, y), self.player);
        let start = start + 2.0 * self.value(START, x, y);
        let start = 1.0 / (1.0 + (-start).exp());
        let water = (self.value(WATER_COARSE, x, y) + 0.15 * self.value(WATER_FINE, x, y)) + 0.1;
        let water = water - 2.0 * start;
        let mountain = (self.value(MOUNTAIN_COARSE, x, y) + 0.3 * self.value(MOUNTAIN_FINE, x, y)) / 1.3;
        let mountain = mountain - (4.0 * start + 0.3 * water);
        Ground::of(start, water, mountain)
    }
}

impl Noise for Exact<'_> {
    fn ground(&mut self, x: usize, y: usize) -> Ground {
        self.ground_of(x, y)
    }

    fn above(&mut self, layer: Layer, x: usize, y: usize, threshold: f64) -> bool {
        self.value(layer, x, y) > threshold
    }
}

pub(crate) fn euclidean(a: (usize, usize), b: (usize, usize)) -> f64 {
    let (dx, dy) = (a.0 as f64 - b.0 as f64, a.1 as f64 - b.1 as f64);
    (dx * dx + dy * dy).sqrt()
}

/// Fills a world that has nothing but the player. `tunnels` is memory for a mark per cell.
pub(crate) fn generate(
    world: &mut World,
    noise: &mut impl Noise,
    chance: &mut Chance,
    tunnels: &mut Vec<bool>,
) {
    let (width, height) = world.area();
    tunnels.clear();
    tunnels.resize(width * height, false);
    let chance = &mut chance.in_blocks();
    for x in 0..width {
        for y in 0..height {
            let (material, tunnel) = material(noise, x, y, chance);
            world.materials[x * height + y] = material;
            tunnels[x * height + y] = tunnel;
        }
    }
    world.count_materials();
    populate(world, chance, tunnels);
}

fn material(noise: &mut impl Noise, x: usize, y: usize, chance: &mut Many<'_>) -> (Material, bool) {
    let material = match noise.ground(x, y) {
        Ground::Start => Material::Grass,
        Ground::Mountain { deep, core } => {
            if core && noise.above(CAVE, x, y, 0.15) {
                Material::Path
            } else if noise.above(TUNNEL_HORIZONTAL, x, y, 0.4) || noise.above(TUNNEL_VERTICAL, x, y, 0.4) {
                return (Material::Path, true);
            } else if noise.above(COAL, x, y, 0.0) && chance.uniform() > 0.85 {
                Material::Coal
            } else if noise.above(IRON, x, y, 0.4) && chance.uniform() > 0.75 {
                Material::Iron
            } else if deep && chance.uniform() > 0.994 {
                Material::Diamond
            } else if core && noise.above(LAVA, x, y, 0.35) {
                Material::Lava
            } else {
                Material::Stone
            }
        }
        Ground::Plain { shore, wet } => {
            if shore && noise.above(SAND, x, y, -0.2) {
                Material::Sand
            } else if wet {
                Material::Water
            } else if noise.above(TREE, x, y, 0.0) && chance.uniform() > 0.8 {
                Material::Tree
            } else {
                Material::Grass
            }
        }
    };
    (material, false)
}

fn populate(world: &mut World, chance: &mut Many<'_>, tunnels: &[bool]) {
    let (width, height) = world.area();
    let (px, py) = world.objects()[PLAYER].cell();
    for x in 0..width {
        let dx = x as i32 - px;
        for y in 0..height {
            let index = x * height + y;
            let material = world.materials[index];
            if !WALKABLE.contains(material) {
                continue;
            }
            let dy = y as i32 - py;
            // Squares of distances: 3 and 10 are whole, so no root is needed.
            let square = i64::from(dx) * i64::from(dx) + i64::from(dy) * i64::from(dy);
            let kind = if square > 9 && material == Material::Grass && chance.uniform() > 0.985 {
                Kind::Cow
            } else if square > 100 && chance.uniform() > 0.993 {
                Kind::Zombie
            } else if tunnels[index] && chance.uniform() > 0.95 {
                Kind::Skeleton
            } else {
                continue;
            };
            world.add(kind, (x as i32, y as i32), Direction::Down);
        }
    }
}
