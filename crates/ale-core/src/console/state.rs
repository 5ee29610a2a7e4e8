//! The byte form of a console: everything that decides how it goes on, and both pictures.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `ARCS` |
//! | 2 | version of the form |
//! | 4 | length of the body |
//! | 16 | MD5 of the ROM |
//! | body | what the console was built with, the machine, the pictures |
//! | 8 | 64-bit FNV-1a of all before |
//!
//! Numbers are little endian. What follows from other fields (shapes, memory map) is rebuilt; whether
//! pixels are drawn, and how, is an option of the caller and stays as it is.

mod alike;
mod pack;

use std::convert::Infallible;

pub(crate) use self::alike::MachineCore;
use super::board::Board;
use super::codec::{Codec, FieldReader, FieldWriter, checksum, damaged};
use super::cpu::Cpu;
use super::input::{Charge, Input, Levels};
use super::properties::Television;
use super::riot::{Riot, Timer};
use super::{Console, Machine};
use crate::error::Error;
use crate::rng::Mt19937;
use crate::rom::hex;

const MAGIC: [u8; 4] = *b"ARCS";
const VERSION: u16 = 1;
const HEAD: usize = 26;
const TAIL: usize = 8;

impl Console {
    /// The console as bytes, the same on every platform: for [`Self::restore_bytes`] of a console with this ROM.
    pub fn save_bytes(&self) -> Vec<u8> {
        let mut writer = FieldWriter { out: Vec::with_capacity(8192) };
        writer.out.extend(MAGIC);
        writer.out.extend(VERSION.to_le_bytes());
        writer.out.extend([0; 4]); // the length
        writer.out.extend(self.rom.md5());
        let Ok(()) = Build::of(self).fields(&mut writer);
        let Ok(()) = self.machine.clone().fields(&mut writer);
        let mut out = writer.out;
        pack::pack(&mut out, self.screen(), &[]);
        pack::pack(&mut out, self.previous_screen(), self.screen());
        let length = (out.len() - HEAD) as u32;
        out[6..10].copy_from_slice(&length.to_le_bytes());
        out.extend(checksum(&out).to_le_bytes());
        out
    }

    /// Goes on where [`Self::save_bytes`] was called.
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged, of another version, or of a console with another ROM,
    /// television or picture; nothing has changed then.
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = FieldReader::new(self.check_envelope(bytes)?);
        let mut build = Build::of(self);
        build.fields(&mut reader)?;
        build.check_same(Build::of(self))?;
        let mut machine = self.machine.clone();
        machine.fields(&mut reader)?;
        let size = self.screen().len();
        let current = pack::unpack(&mut reader, size, &[])?;
        let previous = pack::unpack(&mut reader, size, &current)?;
        reader.finish()?;
        self.machine = machine;
        let [own_current, own_previous] = self.picture.buffers_mut();
        own_current.copy_from_slice(&current);
        own_previous.copy_from_slice(&previous);
        Ok(())
    }

    /// The body of the bytes, if they are whole and of this version and ROM.
    fn check_envelope<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], Error> {
        let no_state = |what: String| Err(Error::State(what));
        if !bytes.starts_with(&MAGIC) {
            let start = hex(&bytes[..bytes.len().min(4)]);
            return no_state(format!(
                "these {} bytes are no saved state of a console: they begin with \"{start}\", a state with \"{}\"",
                bytes.len(),
                hex(&MAGIC)
            ));
        }
        let Some((head, rest)) = bytes.split_at_checked(HEAD) else {
            return no_state(format!(
                "the saved state is cut short: {} bytes, its head alone has {HEAD}",
                bytes.len()
            ));
        };
        let version = u16::from_le_bytes([head[4], head[5]]);
        if version != VERSION {
            return no_state(format!("the saved state has version {version}; accepted: version {VERSION}"));
        }
        if head[10..] != *self.rom.md5() {
            return no_state(format!(
                "the saved state is of the ROM with MD5 {}; accepted: that of the console's ROM, {}",
                hex(&head[10..]),
                self.rom.md5_hex()
            ));
        }
        let length = u64::from(u32::from_le_bytes([head[6], head[7], head[8], head[9]]));
        let whole = (HEAD + TAIL) as u64 + length;
        if bytes.len() as u64 != whole {
            let how = if (bytes.len() as u64) < whole { "is cut short" } else { "is too long" };
            return no_state(format!("the saved state {how}: {} bytes, its head says {whole}", bytes.len()));
        }
        let (body, tail) = rest.split_at(rest.len() - TAIL);
        let (found, expected) = (checksum(&bytes[..bytes.len() - TAIL]).to_le_bytes(), tail);
        if found != expected {
            return Err(damaged(format_args!(
                "its checksum is {}, the one at its end {}",
                hex(&found),
                hex(expected)
            )));
        }
        Ok(body)
    }
}

/// Two consoles are equal when the same inputs will always give the same pictures, RAM and sound.
impl PartialEq for Console {
    fn eq(&self, other: &Self) -> bool {
        self.rom == other.rom
            && Build::of(self) == Build::of(other)
            && self.machine == other.machine
            && self.screen() == other.screen()
            && self.previous_screen() == other.previous_screen()
    }
}

/// Two machines are equal when no program can tell them apart.
impl PartialEq for Machine {
    fn eq(&self, other: &Self) -> bool {
        self.saved() == other.saved()
    }
}

/// What a console was built with and a state must fit to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Build {
    television: Television,
    ystart: u16,
    height: u16,
    hmove_blanks: bool,
}

impl Build {
    fn of(console: &Console) -> Self {
        let tia = &console.machine.board.tia;
        Self {
            television: console.television,
            ystart: tia.ystart as u16,
            height: tia.height as u16,
            hmove_blanks: tia.hmove_blanks,
        }
    }

    fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        let Self { television, ystart, height, hmove_blanks } = self;
        let all = [Television::Ntsc, Television::Pal, Television::Pal60, Television::Secam];
        codec.one_of("television", &all, television)?;
        codec.u16("first line", ystart)?;
        codec.u16("height", height)?;
        codec.bool("HMOVE blanks", hmove_blanks)
    }

    fn check_same(self, console: Self) -> Result<(), Error> {
        if self == console {
            return Ok(());
        }
        let text = |build: Self| {
            format!(
                "{:?}, {} rows from line {}, HMOVE blanks {}",
                build.television,
                build.height,
                build.ystart,
                if build.hmove_blanks { "on" } else { "off" }
            )
        };
        Err(Error::State(format!(
            "the saved state is of a console with other properties: {}; accepted: {}",
            text(self),
            text(console)
        )))
    }
}

impl Machine {
    fn saved(&self) -> Vec<u8> {
        let mut writer = FieldWriter { out: Vec::with_capacity(4096) };
        let saved: Result<(), Infallible> = self.clone().fields(&mut writer);
        let Ok(()) = saved;
        writer.out
    }

    /// Moves every field. The patterns name all of them, so that none can be forgotten.
    fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        let Self { input, cpu, board } = self;
        input.fields(codec)?;
        cpu.fields(codec)?;
        board.fields(codec)
    }
}

impl Input {
    fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        let Self {
            joysticks,
            paddle_fire,
            paddle_resistance,
            reset,
            select,
            left_difficulty_a,
            right_difficulty_a,
        } = self;
        let positions = [None, Some(false), Some(true)];
        codec.bytes("joysticks", joysticks)?;
        codec.bools("paddle fire", paddle_fire)?;
        paddle_resistance.iter_mut().try_for_each(|ohm| codec.i32("paddle resistance", ohm))?;
        codec.bool("RESET", reset)?;
        codec.bool("SELECT", select)?;
        codec.one_of("left difficulty", &positions, left_difficulty_a)?;
        codec.one_of("right difficulty", &positions, right_difficulty_a)
    }
}

impl Cpu {
    fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        let mut p = self.p();
        codec.u8("A", &mut self.a)?;
        codec.u8("X", &mut self.x)?;
        codec.u8("Y", &mut self.y)?;
        codec.u8("SP", &mut self.sp)?;
        codec.u16("PC", &mut self.pc)?;
        codec.u8("P", &mut p)?;
        codec.check("P", p & 0x30 == 0x30, p)?;
        self.set_p(p);
        codec.bool("jammed", &mut self.jammed)
    }
}

impl Board {
    fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        let Self { cycles, latch, last_was_read, riot, tia, cart, levels, rng } = self;
        codec.u32("cycles", cycles)?;
        codec.u8("data-bus latch", latch)?;
        codec.bool("last access was a read", last_was_read)?;
        riot.fields(codec)?;
        tia.fields(codec)?;
        codec.cart(cart)?;
        levels.fields(codec)?;
        generator(rng, codec)
    }
}

impl Riot {
    fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        let Self { ram, timer: Timer { value, shift, set, late_read, late }, ddra } = self;
        codec.bytes("RAM", ram)?;
        codec.u32("timer", value)?;
        codec.check("timer", *value < 256, *value)?;
        codec.one_of("timer shift", &[0, 3, 6, 10], shift)?;
        codec.i32("timer set", set)?;
        codec.i32("timer late read", late_read)?;
        codec.bool("timer late", late)?;
        codec.u8("DDRA", ddra)
    }
}

impl Levels {
    fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        let Self { swcha, swchb, trigger, charge } = self;
        codec.u8("SWCHA", swcha)?;
        codec.u8("SWCHB", swchb)?;
        codec.check("SWCHB", *swchb & 0x3C == 0x3C, *swchb)?;
        codec.bools("trigger", trigger)?;
        charge.iter_mut().try_for_each(|charge| charge.fields(codec))
    }
}

impl Charge {
    fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        let (mut kind, mut cycles) = match *self {
            Self::Always => (0, 0),
            Self::Never => (1, 0),
            Self::After(cycles) => (2, cycles),
        };
        codec.below("charge", 3, &mut kind)?;
        codec.u32("charge cycles", &mut cycles)?;
        codec.check("charge cycles", kind == 2 || cycles == 0, cycles)?;
        *self = [Self::Always, Self::Never, Self::After(cycles)][usize::from(kind)];
        Ok(())
    }
}

fn generator<C: Codec>(rng: &mut Mt19937, codec: &mut C) -> Result<(), C::Error> {
    let (words, mut next) = rng.parts();
    let mut words = *words;
    words.iter_mut().try_for_each(|word| codec.u32("generator", word))?;
    codec.u32("generator index", &mut next)?;
    codec.check("generator index", next as usize <= words.len(), next)?;
    *rng = Mt19937::from_parts(words, next);
    Ok(())
}
