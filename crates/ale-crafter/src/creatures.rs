//! Cows, zombies, skeletons, arrows and plants.

use crate::chance::Chance;
use crate::player::{PLAYER, Player};
use crate::tables::{ARROW_WALKABLE, Direction, Material, WALKABLE};
use crate::world::{Cell, Kind, World, distance};

/// One step of the object at a place of the list, which is not the player.
pub(crate) fn update(slot: usize, world: &mut World, player: &mut Player, chance: &mut Chance) {
    let object = world.objects()[slot];
    // Reference: a creature without health leaves the world and still acts once more.
    if object.kind.is_creature() && object.health == 0 {
        world.remove(slot);
    }
    match object.kind {
        Kind::Cow => cow(slot, world, chance),
        Kind::Zombie => zombie(slot, world, player, chance),
        Kind::Skeleton => skeleton(slot, world, chance),
        Kind::Arrow => arrow(slot, world, player),
        Kind::Plant => plant(slot, world),
        Kind::Player => {}
    }
}

fn wander(slot: usize, world: &mut World, chance: &mut Chance) {
    let direction = Direction::ALL[chance.pick(4) as usize];
    world.try_move(slot, direction.offset(), WALKABLE);
}

/// One cell along the longer or the other axis toward the player; (0, 0) if there is none to go.
fn toward(from: Cell, to: Cell, long: bool) -> (i32, i32) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    if (dx.abs() > dy.abs()) == long { (dx.signum(), 0) } else { (0, dy.signum()) }
}

fn cow(slot: usize, world: &mut World, chance: &mut Chance) {
    if chance.uniform() < 0.5 {
        wander(slot, world, chance);
    }
}

fn zombie(slot: usize, world: &mut World, player: &mut Player, chance: &mut Chance) {
    let goal = world.objects()[PLAYER].cell();
    let cell = world.objects()[slot].cell();
    if distance(cell, goal) <= 8 && chance.uniform() < 0.9 {
        let long = chance.uniform() < 0.8;
        world.try_move(slot, toward(cell, goal, long), WALKABLE);
    } else {
        wander(slot, world, chance);
    }
    let zombie = &mut world.objects[slot];
    if distance(zombie.cell(), goal) <= 1 {
        if zombie.counter > 0 {
            zombie.counter -= 1;
        } else {
            player.damage(if player.sleeping { 7 } else { 2 });
            zombie.counter = 5;
        }
    }
}

fn skeleton(slot: usize, world: &mut World, chance: &mut Chance) {
    let goal = world.objects()[PLAYER].cell();
    let skeleton = &mut world.objects[slot];
    skeleton.counter = skeleton.counter.saturating_sub(1);
    let cell = skeleton.cell();
    let d = distance(cell, goal);
    if d <= 3 {
        let (dx, dy) = toward(cell, goal, chance.uniform() < 0.6);
        if world.try_move(slot, (-dx, -dy), WALKABLE) {
            return;
        }
    }
    if d <= 5 && chance.uniform() < 0.5 {
        shoot(slot, world, goal);
    } else if d <= 8 && chance.uniform() < 0.3 {
        let long = chance.uniform() < 0.6;
        world.try_move(slot, toward(cell, goal, long), WALKABLE);
    } else if chance.uniform() < 0.2 {
        wander(slot, world, chance);
    }
}

fn shoot(slot: usize, world: &mut World, goal: Cell) {
    let skeleton = world.objects()[slot];
    let (x, y) = skeleton.cell();
    let offset = toward((x, y), goal, true);
    let Some(&facing) = Direction::ALL.iter().find(|direction| direction.offset() == offset) else { return };
    let muzzle = (x + offset.0, y + offset.1);
    if skeleton.counter == 0 && world.is_free(muzzle, ARROW_WALKABLE) {
        world.add(Kind::Arrow, muzzle, facing);
        world.objects[slot].counter = 4;
    }
}

fn arrow(slot: usize, world: &mut World, player: &mut Player) {
    let arrow = world.objects()[slot];
    let ((x, y), (dx, dy)) = (arrow.cell(), arrow.facing.offset());
    let goal = (x + dx, y + dy);
    if let Some(hit) = world.object_at(goal) {
        if hit == PLAYER {
            player.damage(2);
        } else {
            let object = &mut world.objects[hit];
            object.health = (object.health - 2).max(0);
        }
        world.remove(slot);
    } else if world.is_free(goal, ARROW_WALKABLE) {
        world.relocate(slot, goal);
    } else {
        world.remove(slot);
        if matches!(world.material(goal), Material::Table | Material::Furnace) {
            world.set_material(goal, Material::Path);
        }
    }
}

fn plant(slot: usize, world: &mut World) {
    let (x, y) = world.objects()[slot].cell();
    let eaten = Direction::ALL.iter().any(|direction| {
        let (dx, dy) = direction.offset();
        world.object_at((x + dx, y + dy)).is_some_and(|other| world.objects()[other].kind.is_creature())
    });
    let plant = &mut world.objects[slot];
    plant.counter = plant.counter.saturating_add(1);
    if eaten {
        plant.health = (plant.health - 1).max(0);
    }
    if plant.health == 0 {
        world.remove(slot);
    }
}
