//! Observations without pixels: the ids of the view, and the symbolic vector that Craftax users know.

use crate::game::Game;
use crate::options::Options;
use crate::tables::{Direction, Material, item};
use crate::world::Kind;

/// Kinds of blocks in the symbolic observation.
const BLOCKS: usize = 17;
/// Numbers per cell: the block, then zombie, cow, skeleton, arrow.
const CELL: usize = BLOCKS + 4;
/// Numbers after the map: 12 amounts, 4 needs, 4 directions, daylight and sleep.
const REST: usize = 12 + 4 + 4 + 2;
/// The number 1.
const ONE: [u8; 4] = 1.0_f32.to_ne_bytes();
const OUTSIDE: usize = 1;
const PLANT: usize = 15;
/// The block of each material.
const BLOCK: [usize; 13] = [0, 3, 2, 4, 7, 13, 5, 14, 8, 9, 10, 11, 12];

/// The amounts of the symbolic observation, in its order.
const AMOUNTS: [usize; 16] = [
    item::WOOD,
    item::STONE,
    item::COAL,
    item::IRON,
    item::DIAMOND,
    item::SAPLING,
    item::WOOD_PICKAXE,
    item::STONE_PICKAXE,
    item::IRON_PICKAXE,
    item::WOOD_SWORD,
    item::STONE_SWORD,
    item::IRON_SWORD,
    item::HEALTH,
    item::FOOD,
    item::DRINK,
    item::ENERGY,
];

/// Length of the symbolic observation: 1,345 for the default view.
pub fn symbolic_len(options: &Options) -> usize {
    let (columns, rows) = options.grid();
    columns * rows * CELL + REST
}

impl Game {
    /// The semantic ids of the view, column by column; 0 outside the area.
    pub fn local_semantic_into(&self, out: &mut [u8]) {
        let (columns, rows) = self.options.grid();
        let (px, py) = self.position();
        let (left, top) = (px - (columns / 2) as i32, py - (rows / 2) as i32);
        for (x, column) in out.chunks_exact_mut(rows).enumerate() {
            for (y, id) in column.iter_mut().enumerate() {
                *id = self.world.index((left + x as i32, top + y as i32)).map_or(0, |index| {
                    self.world.object_at_index(index).map_or(self.world.materials()[index] as u8, |slot| {
                        self.world.objects()[slot].kind.semantic()
                    })
                });
            }
        }
    }

    /// The symbolic observation: row by row a one-hot block and four flags per cell, then amounts, needs, facing,
    /// daylight and sleep; [`symbolic_len`] numbers of 32 bits in the byte order of the machine.
    pub fn symbolic_into(&self, out: &mut [u8]) {
        out.fill(0);
        let out = out.as_chunks_mut().0;
        let (columns, rows) = self.options.grid();
        let (px, py) = self.position();
        let (left, top) = (px - (columns / 2) as i32, py - (rows / 2) as i32);
        let (map, rest) = out.split_at_mut(columns * rows * CELL);
        for (number, cell) in map.chunks_exact_mut(CELL).enumerate() {
            let (x, y) = (left + (number % columns) as i32, top + (number / columns) as i32);
            let Some(index) = self.world.index((x, y)) else {
                cell[OUTSIDE] = ONE;
                continue;
            };
            let mut block = BLOCK[self.world.materials()[index] as usize];
            if let Some(slot) = self.world.object_at_index(index) {
                let object = &self.world.objects()[slot];
                match object.kind {
                    Kind::Zombie => cell[BLOCKS] = ONE,
                    Kind::Cow => cell[BLOCKS + 1] = ONE,
                    Kind::Skeleton => cell[BLOCKS + 2] = ONE,
                    Kind::Arrow => cell[BLOCKS + 3] = ONE,
                    Kind::Plant => block = PLANT + usize::from(object.is_ripe()),
                    Kind::Player => {}
                }
            }
            cell[block] = ONE;
        }
        for (number, &slot) in rest.iter_mut().zip(&AMOUNTS) {
            *number = (f32::from(self.player.inventory[slot]) / 10.0).to_ne_bytes();
        }
        rest[AMOUNTS.len() + self.player.facing as usize] = ONE;
        rest[REST - 2] = (self.daylight() as f32).to_ne_bytes();
        rest[REST - 1] = f32::from(u8::from(self.player.sleeping)).to_ne_bytes();
    }
}

const _: () = assert!(BLOCK.len() == Material::ALL.len() && Direction::ALL.len() == 4);
