//! A game as bytes and back.
//!
//! ```text
//! "CRAFT" · version · options · numbers · generators · player · materials · objects · chunks · MD5 of all before
//! ```
//!
//! Whatever the bytes say, a game that was read can be played: every number is checked for its range, and what follows
//! from others (object map, counts of chunks) is rebuilt.

use ale_sim::rng::Mt19937;
use md5::{Digest, Md5};

use crate::chance::Chance;
use crate::game::Game;
use crate::options::{NightNoise, Options};
use crate::player::Player;
use crate::tables::{Direction, ITEM_MAX, Material};
use crate::world::{Kind, Object, World};

const MAGIC: &[u8; 5] = b"CRAFT";
const VERSION: u8 = 1;
const CHECKSUM: usize = 16;

/// Bytes that are no game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{len} bytes are no snapshot of a Crafter game: {reason}")]
pub struct SnapshotError {
    len: usize,
    reason: String,
}

impl Game {
    /// The game as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(Vec::with_capacity(12_000));
        out.0.extend_from_slice(MAGIC);
        out.0.push(VERSION);
        let Options { area, view, size, length, noise } = self.options;
        for number in [area.0, area.1, view.0, view.1, size.0, size.1] {
            out.number(number as u64);
        }
        out.number(length);
        out.0.push(u8::from(noise == NightNoise::Own));
        out.number(self.base as u64);
        out.number(self.episode);
        out.number(self.step);
        out.number(u64::from(self.unlocked));
        out.0.extend([self.last_health as u8, u8::from(self.night_drawn)]);
        out.generator(self.chance.generator());
        if noise == NightNoise::Own {
            out.generator(self.night.generator());
        }
        let player = &self.player;
        out.0.extend([player.facing as u8, u8::from(player.sleeping), player.last_health as u8]);
        out.0.extend(player.inventory.map(|amount| amount as u8));
        for counter in [player.hunger, player.thirst, player.fatigue, player.recover] {
            out.0.extend(counter.to_le_bytes());
        }
        out.0.extend(player.achievements.iter().flat_map(|count| count.to_le_bytes()));
        out.0.extend(self.world.materials().iter().map(|&material| material as u8));
        out.number(self.world.objects().len() as u64);
        for object in self.world.objects() {
            out.0.extend([object.kind as u8, object.facing as u8, object.health as u8]);
            out.0.extend(object.x.to_le_bytes());
            out.0.extend(object.y.to_le_bytes());
            out.0.extend(object.counter.to_le_bytes());
        }
        out.number(self.world.registered().len() as u64);
        out.0.extend(self.world.registered().iter().flat_map(|number| number.to_le_bytes()));
        let checksum: [u8; CHECKSUM] = Md5::digest(&out.0).into();
        out.0.extend(checksum);
        out.0
    }

    /// Reads [`Game::to_bytes`].
    ///
    /// # Errors
    /// The bytes are damaged, or describe no possible game.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let refuse = |reason: &str| SnapshotError { len: bytes.len(), reason: reason.to_owned() };
        let (content, checksum) = bytes.split_last_chunk::<CHECKSUM>().ok_or_else(|| refuse("too short"))?;
        if content.first_chunk() != Some(MAGIC) {
            return Err(refuse("they do not start with CRAFT"));
        }
        if <[u8; CHECKSUM]>::from(Md5::digest(content)) != *checksum {
            return Err(refuse("the checksum is wrong"));
        }
        let mut reader = Reader(&content[MAGIC.len()..]);
        read(&mut reader).map_err(|reason| refuse(&reason))
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn generator(&mut self, generator: &Mt19937) {
        let (words, next) = generator.parts();
        self.0.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self.0.extend(next.to_le_bytes());
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], String> {
        let (now, rest) = self.0.split_at_checked(len).ok_or("they end too early")?;
        self.0 = rest;
        Ok(now)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (now, rest) = self.0.split_first_chunk().ok_or("they end too early")?;
        self.0 = rest;
        Ok(*now)
    }

    fn number(&mut self) -> Result<u64, String> {
        self.array().map(u64::from_le_bytes)
    }

    fn size(&mut self) -> Result<usize, String> {
        usize::try_from(self.number()?).map_err(|error| error.to_string())
    }

    /// A byte between `low` and `high`.
    fn between(&mut self, what: &str, low: i8, high: i8) -> Result<i8, String> {
        let [byte] = self.array()?;
        within(what, byte as i8, low, high)
    }

    fn counter(&mut self, what: &str, low: i16, high: i16) -> Result<i16, String> {
        within(what, i16::from_le_bytes(self.array()?), low, high)
    }

    fn flag(&mut self, what: &str) -> Result<bool, String> {
        Ok(self.between(what, 0, 1)? == 1)
    }

    fn facing(&mut self) -> Result<Direction, String> {
        Ok(Direction::ALL[self.between("facing", 0, 3)? as usize])
    }

    fn generator(&mut self) -> Result<Chance, String> {
        let mut words = [0; 624];
        for word in &mut words {
            *word = u32::from_le_bytes(self.array()?);
        }
        Ok(Chance::from_generator(Mt19937::from_parts(words, u32::from_le_bytes(self.array()?))))
    }
}

fn within<T: PartialOrd + std::fmt::Display + Copy>(
    what: &str,
    value: T,
    low: T,
    high: T,
) -> Result<T, String> {
    if low <= value && value <= high {
        return Ok(value);
    }
    Err(format!("{what} is {value}; possible: {low} to {high}"))
}

fn read(reader: &mut Reader<'_>) -> Result<Game, String> {
    let [version] = reader.array()?;
    within("the version", version, VERSION, VERSION)?;
    let mut pair = || Ok::<_, String>((reader.size()?, reader.size()?));
    let (area, view, size) = (pair()?, pair()?, pair()?);
    let length = reader.number()?;
    let noise = if reader.flag("noise")? { NightNoise::Own } else { NightNoise::World };
    let options = Options { area, view, size, length, noise }.check().map_err(|error| error.to_string())?;
    let base = reader.number()? as i64;
    let (episode, step) = (reader.number()?, reader.number()?);
    let unlocked = reader.number()? as u32;
    let last_health = reader.between("health", 0, ITEM_MAX)?;
    let night_drawn = reader.flag("night_drawn")?;
    let chance = reader.generator()?;
    let night = if noise == NightNoise::Own { reader.generator()? } else { Chance::new(0) };
    let player = player(reader)?;
    let materials =
        reader.take(area.0 * area.1)?.iter().map(|&id| Material::from_id(id)).collect::<Option<Vec<_>>>();
    let materials = materials.ok_or("a material is unknown")?;
    let objects = objects(reader)?;
    let chunks = reader.size()?;
    let chunks = reader.take(chunks.checked_mul(2).ok_or("too many chunks")?)?;
    let chunks: Vec<u16> = chunks.as_chunks().0.iter().map(|&bytes| u16::from_le_bytes(bytes)).collect();
    if !reader.0.is_empty() {
        return Err("something follows the end".to_owned());
    }
    let world = match (objects.is_empty(), episode) {
        // Before the first episode there is no world.
        (true, 0) => World::new(area),
        _ => World::from_parts(area, materials, objects, &chunks)
            .ok_or("objects and chunks contradict each other")?,
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

fn player(reader: &mut Reader<'_>) -> Result<Player, String> {
    let facing = reader.facing()?;
    let sleeping = reader.flag("sleeping")?;
    let last_health = reader.between("health", 0, ITEM_MAX)?;
    let mut inventory = [0; crate::tables::ITEMS];
    for amount in &mut inventory {
        *amount = reader.between("an amount", 0, ITEM_MAX)?;
    }
    let hunger = reader.counter("hunger", 0, 50)?;
    let thirst = reader.counter("thirst", 0, 40)?;
    let fatigue = reader.counter("fatigue", -10, 30)?;
    let recover = reader.counter("recover", -30, 50)?;
    let mut achievements = [0; crate::tables::ACHIEVEMENTS];
    for count in &mut achievements {
        *count = u32::from_le_bytes(reader.array()?);
    }
    Ok(Player { facing, sleeping, inventory, achievements, hunger, thirst, fatigue, recover, last_health })
}

fn objects(reader: &mut Reader<'_>) -> Result<Vec<Object>, String> {
    let mut objects = Vec::new();
    for _ in 0..reader.number()? {
        let kind = Kind::ALL[reader.between("a kind", 0, 5)? as usize];
        let facing = reader.facing()?;
        let health = reader.between("health", 0, 5)?;
        let (x, y) = (i16::from_le_bytes(reader.array()?), i16::from_le_bytes(reader.array()?));
        let counter = u32::from_le_bytes(reader.array()?);
        objects.push(Object { kind, facing, health, removed: false, x, y, counter });
    }
    Ok(objects)
}
