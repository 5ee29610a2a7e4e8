//! Spawning and despawning of creatures, chunk by chunk, every tenth step.

use crate::chance::Chance;
use crate::player::PLAYER;
use crate::tables::{Direction, Material};
use crate::world::{Kind, World, distance};

/// Steps between two balancings.
pub(crate) const EVERY: u64 = 10;

/// One row of the balance table.
struct Rule {
    kind: Kind,
    material: Material,
    spawn_distance: i32,
    despawn_distance: i32,
    spawn_probability: f64,
    despawn_probability: f64,
    /// Cells of the material below which the lower target is 0.
    min_space: u32,
    /// Lower and upper target by daylight.
    targets: fn(f64) -> (f64, f64),
}

const RULES: [Rule; 3] = [
    Rule {
        kind: Kind::Zombie,
        material: Material::Grass,
        spawn_distance: 6,
        despawn_distance: 0,
        spawn_probability: 0.3,
        despawn_probability: 0.4,
        min_space: 50,
        targets: |daylight| (3.5 - 3.0 * daylight, 3.5 - 3.0 * daylight),
    },
    Rule {
        kind: Kind::Skeleton,
        material: Material::Path,
        spawn_distance: 7,
        despawn_distance: 7,
        spawn_probability: 0.1,
        despawn_probability: 0.1,
        min_space: 6,
        targets: |_| (1.0, 2.0),
    },
    Rule {
        kind: Kind::Cow,
        material: Material::Grass,
        spawn_distance: 5,
        despawn_distance: 5,
        spawn_probability: 0.01,
        despawn_probability: 0.1,
        min_space: 30,
        targets: |daylight| (1.0, 1.5 + daylight),
    },
];

/// Balances all registered chunks in order.
pub(crate) fn balance(world: &mut World, daylight: f64, chance: &mut Chance) {
    let targets = RULES.each_ref().map(|rule| {
        let (low, high) = (rule.targets)(daylight);
        (low as u8, high as u8)
    });
    for i in 0..world.registered().len() {
        let number = world.registered()[i];
        for (rule, &(low, high)) in RULES.iter().zip(&targets) {
            rule.apply(world, number, low, high, chance);
        }
    }
}

impl Rule {
    #[inline]
    fn apply(&self, world: &mut World, number: u16, low: u8, high: u8, chance: &mut Chance) {
        let chunk = world.chunk(number);
        let count = chunk.creatures[self.kind as usize];
        let space = u32::from(if self.material == Material::Grass { chunk.grass } else { chunk.path });
        let low = if space < self.min_space { 0 } else { low };
        let player = world.objects()[PLAYER].cell();
        if count < low && chance.uniform() < self.spawn_probability {
            let n = chance.pick(space);
            let Some(cell) = world.nth_cell(number, self.material, n) else { return };
            if world.object_at(cell).is_none() && distance(player, cell) >= self.spawn_distance {
                world.add(self.kind, cell, Direction::Down);
            }
        } else if count > high && chance.uniform() < self.despawn_probability {
            let n = chance.pick(u32::from(count));
            let Some(slot) = world.nth_object(number, self.kind, n) else { return };
            if distance(player, world.objects()[slot].cell()) >= self.despawn_distance {
                world.remove(slot);
            }
        }
    }
}
