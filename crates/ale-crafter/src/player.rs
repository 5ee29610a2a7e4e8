//! The player: what it owns, what its actions do, and how it lives.

use crate::chance::Chance;
use crate::tables::{
    ACHIEVEMENTS, COLLECT, Direction, ITEM_MAX, ITEMS, MAKE, Material, MaterialSet, PLACE, PLAYER_WALKABLE,
    achievement, item,
};
use crate::world::{Cell, Kind, World};

/// The player's place in the list of objects.
pub(crate) const PLAYER: usize = 0;

/// Everything of the player but its place, which the world knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// Where it looks.
    pub facing: Direction,
    /// Asleep.
    pub sleeping: bool,
    /// How many it owns of each item. Health is the first.
    pub inventory: [i8; ITEMS],
    /// How often each achievement was reached.
    pub achievements: [u32; ACHIEVEMENTS],
    /// Hunger in halves.
    pub(crate) hunger: i16,
    /// Thirst in halves.
    pub(crate) thirst: i16,
    /// Fatigue; asleep it is 0 or less.
    pub(crate) fatigue: i16,
    /// Recovery in halves.
    pub(crate) recover: i16,
    /// Health at the end of the last update.
    pub(crate) last_health: i8,
}

impl Default for Player {
    fn default() -> Self {
        let mut inventory = [0; ITEMS];
        inventory[..4].fill(ITEM_MAX);
        Self {
            facing: Direction::Down,
            sleeping: false,
            inventory,
            achievements: [0; ACHIEVEMENTS],
            hunger: 0,
            thirst: 0,
            fatigue: 0,
            recover: 0,
            last_health: ITEM_MAX,
        }
    }
}

impl Player {
    /// Health.
    #[inline]
    pub fn health(&self) -> i8 {
        self.inventory[item::HEALTH]
    }

    /// Takes health away; it never falls below 0.
    #[inline]
    pub(crate) fn damage(&mut self, amount: i8) {
        self.inventory[item::HEALTH] = (self.health() - amount).max(0);
    }

    /// The achievements reached so far, one bit each.
    pub fn unlocked(&self) -> u32 {
        self.achievements.iter().enumerate().fold(0, |set, (i, &count)| set | u32::from(count > 0) << i)
    }

    fn count(&mut self, achievement: usize) {
        self.achievements[achievement] = self.achievements[achievement].saturating_add(1);
    }

    /// One step of the player.
    pub fn update(&mut self, action: u8, world: &mut World, chance: &mut Chance) {
        let (x, y) = world.objects()[PLAYER].cell();
        let (dx, dy) = self.facing.offset();
        let target = (x + dx, y + dy);
        let mut action = action;
        if self.sleeping {
            if self.inventory[item::ENERGY] < ITEM_MAX {
                action = 6;
            } else {
                self.sleeping = false;
                self.count(achievement::WAKE_UP);
            }
        }
        match action {
            1..=4 => self.walk(Direction::ALL[usize::from(action) - 1], world),
            5 => self.interact(target, world, chance),
            6 => self.sleeping |= self.inventory[item::ENERGY] < ITEM_MAX,
            7..=10 => self.place(usize::from(action) - 7, target, world),
            11..=16 => self.make(usize::from(action) - 11, (x, y), world),
            _ => {}
        }
        self.live();
        self.heal();
        for amount in &mut self.inventory {
            *amount = (*amount).clamp(0, ITEM_MAX);
        }
        if self.health() < self.last_health {
            self.sleeping = false;
        }
        self.last_health = self.health();
    }

    fn walk(&mut self, direction: Direction, world: &mut World) {
        self.facing = direction;
        world.try_move(PLAYER, direction.offset(), PLAYER_WALKABLE);
        if world.material(world.objects()[PLAYER].cell()) == Material::Lava {
            self.inventory[item::HEALTH] = 0;
        }
    }

    fn interact(&mut self, target: Cell, world: &mut World, chance: &mut Chance) {
        match world.object_at(target) {
            Some(slot) => self.strike(slot, world),
            None => self.collect(target, world, chance),
        }
    }

    fn strike(&mut self, slot: usize, world: &mut World) {
        let owned = |slot: usize, damage: i8| if self.inventory[slot] > 0 { damage } else { 1 };
        let damage =
            owned(item::WOOD_SWORD, 2).max(owned(item::STONE_SWORD, 3)).max(owned(item::IRON_SWORD, 5));
        let object = &mut world.objects[slot];
        match object.kind {
            Kind::Plant => {
                if object.is_ripe() {
                    object.counter = 0;
                    self.inventory[item::FOOD] += 4;
                    self.count(achievement::EAT_PLANT);
                }
            }
            Kind::Zombie | Kind::Skeleton | Kind::Cow => {
                object.health = (object.health - damage).max(0);
                if object.health == 0 {
                    match object.kind {
                        Kind::Zombie => self.count(achievement::DEFEAT_ZOMBIE),
                        Kind::Skeleton => self.count(achievement::DEFEAT_SKELETON),
                        _ => {
                            self.inventory[item::FOOD] += 6;
                            self.count(achievement::EAT_COW);
                            self.hunger = 0;
                        }
                    }
                }
            }
            Kind::Arrow | Kind::Player => {}
        }
    }

    fn collect(&mut self, target: Cell, world: &mut World, chance: &mut Chance) {
        let material = world.material(target);
        if material == Material::Water {
            self.thirst = 0;
        }
        let Some(row) = COLLECT.iter().find(|row| row.material == material) else { return };
        if row.require.is_some_and(|tool| self.inventory[tool] == 0) {
            return;
        }
        world.set_material(target, row.leaves);
        // Reference: the draw is made where the outcome is certain, too.
        if chance.uniform() <= row.probability {
            self.inventory[row.receive] += 1;
            self.count(row.achievement);
        }
    }

    fn place(&mut self, row: usize, target: Cell, world: &mut World) {
        let row = &PLACE[row];
        let (item, amount) = row.uses;
        if !world.is_free(target, row.allowed) || self.inventory[item] < amount {
            return;
        }
        self.inventory[item] -= amount;
        match row.material {
            Some(material) => world.set_material(target, material),
            None => world.add(Kind::Plant, target, Direction::Down),
        }
        self.count(row.achievement);
    }

    fn make(&mut self, row: usize, (x, y): Cell, world: &World) {
        let row = &MAKE[row];
        // Reference: at the near edges the neighbourhood is empty.
        if x == 0 || y == 0 {
            return;
        }
        let mut nearby = MaterialSet::EMPTY;
        for x in x - 1..=x + 1 {
            for y in y - 1..=y + 1 {
                nearby = nearby.with(world.material((x, y)));
            }
        }
        if !nearby.includes(row.nearby) || row.uses.iter().any(|&item| self.inventory[item] < 1) {
            return;
        }
        for &item in row.uses {
            self.inventory[item] -= 1;
        }
        self.inventory[row.gives] += 1;
        self.count(row.achievement);
    }

    fn live(&mut self) {
        let half_steps = if self.sleeping { 1 } else { 2 };
        self.hunger += half_steps;
        if self.hunger > 2 * 25 {
            self.hunger = 0;
            self.inventory[item::FOOD] -= 1;
        }
        self.thirst += half_steps;
        if self.thirst > 2 * 20 {
            self.thirst = 0;
            self.inventory[item::DRINK] -= 1;
        }
        self.fatigue = if self.sleeping { (self.fatigue - 1).min(0) } else { self.fatigue + 1 };
        if self.fatigue < -10 {
            self.fatigue = 0;
            self.inventory[item::ENERGY] += 1;
        }
        if self.fatigue > 30 {
            self.fatigue = 0;
            self.inventory[item::ENERGY] -= 1;
        }
    }

    fn heal(&mut self) {
        let well = self.inventory[item::FOOD] > 0
            && self.inventory[item::DRINK] > 0
            && (self.inventory[item::ENERGY] > 0 || self.sleeping);
        self.recover += match (well, self.sleeping) {
            (true, false) => 2,
            (true, true) => 4,
            (false, false) => -2,
            (false, true) => -1,
        };
        if self.recover > 2 * 25 {
            self.recover = 0;
            self.inventory[item::HEALTH] += 1;
        }
        if self.recover < -2 * 15 {
            self.recover = 0;
            self.damage(1);
        }
    }
}
