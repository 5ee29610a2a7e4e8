//! A game as bytes and back.
//!
//! ```text
//! sealed: options · numbers · generators · player · materials · objects · chunks
//! ```
//!
//! Whatever the bytes say, a game that was read can be played: every number is checked for its range, and what follows
//! from others (object map, counts of chunks) is rebuilt.

use ale_sim::Error;
use ale_sim::bytes::{Reader, Writer, seal, unseal};
use ale_sim::rng::Mt19937;

use crate::chance::Chance;
use crate::game::Game;
use crate::options::{NightNoise, Options};
use crate::player::Player;
use crate::tables::{ACHIEVEMENTS, Direction, ITEM_MAX, ITEMS, Material};
use crate::world::{Kind, Object, World};

/// First letters of the bytes of a game.
const KIND: [u8; 8] = *b"crafter ";
/// Changes with every change of the format.
const VERSION: u32 = 2;

impl Game {
    /// The game as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        self.write(&mut out);
        seal(KIND, VERSION, &out.finish())
    }

    /// Reads [`Game::to_bytes`].
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged, or describe no possible game.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(unseal(KIND, VERSION, bytes)?);
        let game = read(&mut reader)?;
        reader.finish()?;
        Ok(game)
    }

    fn write(&self, out: &mut Writer) {
        let Options { area, view, size, length, noise } = self.options;
        for number in [area.0, area.1, view.0, view.1, size.0, size.1] {
            out.u64(number as u64);
        }
        out.u64(length).flag(noise == NightNoise::Own);
        out.i64(self.base).u64(self.episode).u64(self.step).u32(self.unlocked);
        out.u8(self.last_health as u8).flag(self.night_drawn);
        write_generator(out, self.chance.generator());
        if noise == NightNoise::Own {
            write_generator(out, self.night.generator());
        }
        let player = &self.player;
        out.u8(player.facing as u8).flag(player.sleeping).u8(player.last_health as u8);
        out.raw(&player.inventory.map(|amount| amount as u8));
        for counter in [player.hunger, player.thirst, player.fatigue, player.recover] {
            out.i32(counter.into());
        }
        for count in player.achievements {
            out.u32(count);
        }
        for &material in self.world.materials() {
            out.u8(material as u8);
        }
        out.u64(self.world.objects().len() as u64);
        for object in self.world.objects() {
            out.u8(object.kind as u8).u8(object.facing as u8).u8(object.health as u8);
            out.i32(object.x.into()).i32(object.y.into()).u32(object.counter);
        }
        out.u64(self.world.registered().len() as u64);
        for &number in self.world.registered() {
            out.u32(number.into());
        }
    }
}

fn write_generator(out: &mut Writer, generator: &Mt19937) {
    let (words, next) = generator.parts();
    for &word in words {
        out.u32(word);
    }
    out.u32(next);
}

fn refuse(reason: impl std::fmt::Display) -> Error {
    Error::State(format!("the bytes are no Crafter game: {reason}"))
}

/// A number that has to lie between `low` and `high`.
fn within<T: PartialOrd + std::fmt::Display + Copy>(
    what: &str,
    value: T,
    low: T,
    high: T,
) -> Result<T, Error> {
    if low <= value && value <= high {
        return Ok(value);
    }
    Err(refuse(format_args!("{what} is {value}; possible: {low} to {high}")))
}

/// A byte between `low` and `high`.
fn byte(reader: &mut Reader<'_>, what: &str, low: i8, high: i8) -> Result<i8, Error> {
    within(what, reader.u8()? as i8, low, high)
}

fn counter(reader: &mut Reader<'_>, what: &str, low: i16, high: i16) -> Result<i16, Error> {
    within(what, reader.i32()?, low.into(), high.into()).map(|value| value as i16)
}

fn coordinate(reader: &mut Reader<'_>) -> Result<i16, Error> {
    counter(reader, "a coordinate", 0, i16::MAX)
}

fn size(reader: &mut Reader<'_>) -> Result<usize, Error> {
    usize::try_from(reader.u64()?).map_err(refuse)
}

fn facing(reader: &mut Reader<'_>) -> Result<Direction, Error> {
    Ok(Direction::ALL[byte(reader, "facing", 0, 3)? as usize])
}

fn generator(reader: &mut Reader<'_>) -> Result<Chance, Error> {
    let mut words = [0; 624];
    for word in &mut words {
        *word = reader.u32()?;
    }
    Ok(Chance::from_generator(Mt19937::from_parts(words, reader.u32()?)))
}

fn read(reader: &mut Reader<'_>) -> Result<Game, Error> {
    let mut pair = || Ok::<_, Error>((size(reader)?, size(reader)?));
    let (area, view, picture) = (pair()?, pair()?, pair()?);
    let length = reader.u64()?;
    let noise = if reader.flag()? { NightNoise::Own } else { NightNoise::World };
    let options = Options { area, view, size: picture, length, noise }.check().map_err(refuse)?;
    let (base, episode, step, unlocked) = (reader.i64()?, reader.u64()?, reader.u64()?, reader.u32()?);
    let last_health = byte(reader, "health", 0, ITEM_MAX)?;
    let night_drawn = reader.flag()?;
    let chance = generator(reader)?;
    let night = if noise == NightNoise::Own { generator(reader)? } else { Chance::new(0) };
    let player = player(reader)?;
    let materials = reader.raw(area.0 * area.1)?.iter().map(|&id| Material::from_id(id));
    let materials = materials.collect::<Option<Vec<_>>>().ok_or_else(|| refuse("a material is unknown"))?;
    let objects = objects(reader)?;
    let mut chunks = Vec::new();
    for _ in 0..reader.u64()? {
        chunks.push(within("a chunk", reader.u32()?, 0, u16::MAX.into())? as u16);
    }
    let world = match (objects.is_empty(), episode) {
        // Before the first episode there is no world.
        (true, 0) => World::new(area),
        _ => World::from_parts(area, materials, objects, &chunks)
            .ok_or_else(|| refuse("objects and chunks contradict each other"))?,
    };
    Ok(Game {
        options,
        base,
        episode,
        step,
        chance,
        night,
        world,
        player,
        unlocked,
        last_health,
        night_drawn,
    })
}

fn player(reader: &mut Reader<'_>) -> Result<Player, Error> {
    let (facing, sleeping) = (facing(reader)?, reader.flag()?);
    let last_health = byte(reader, "health", 0, ITEM_MAX)?;
    let mut inventory = [0; ITEMS];
    for amount in &mut inventory {
        *amount = byte(reader, "an amount", 0, ITEM_MAX)?;
    }
    let hunger = counter(reader, "hunger", 0, 50)?;
    let thirst = counter(reader, "thirst", 0, 40)?;
    let fatigue = counter(reader, "fatigue", -10, 30)?;
    let recover = counter(reader, "recover", -30, 50)?;
    let mut achievements = [0; ACHIEVEMENTS];
    for count in &mut achievements {
        *count = reader.u32()?;
    }
    Ok(Player { facing, sleeping, inventory, achievements, hunger, thirst, fatigue, recover, last_health })
}

fn objects(reader: &mut Reader<'_>) -> Result<Vec<Object>, Error> {
    let mut objects = Vec::new();
    for _ in 0..reader.u64()? {
        let kind = Kind::ALL[byte(reader, "a kind", 0, 5)? as usize];
        let (facing, health) = (facing(reader)?, byte(reader, "health", 0, 5)?);
        let (x, y, counter) = (coordinate(reader)?, coordinate(reader)?, reader.u32()?);
        objects.push(Object { kind, facing, health, removed: false, x, y, counter });
    }
    Ok(objects)
}
