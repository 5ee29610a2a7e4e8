//! Parts of a console that are kept to be used again: a machine without its generator, the pictures as few bytes.

use super::super::board::Checkpoint;
use super::super::codec::{FieldReader, FieldWriter};
use super::super::cpu::Cpu;
use super::super::input::Input;
use super::{Console, Machine, pack};
use crate::error::Error;

/// Bytes of a generator: 624 words and the index of the next one.
const GENERATOR: usize = 4 * 625;

impl Machine {
    /// All but the generator, as bytes. Machines with the same bytes go on in the same way until one of them draws.
    pub(crate) fn bytes_but_generator(&self) -> Vec<u8> {
        let mut bytes = self.saved();
        // It is the last of the fields.
        bytes.truncate(bytes.len() - GENERATOR);
        bytes
    }

    /// Reads [`Self::bytes_but_generator`]; the generator stays as it is. Nothing has changed when this fails.
    pub(crate) fn read_but_generator(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let own = self.saved();
        let whole = [bytes, &own[own.len() - GENERATOR..]].concat();
        let (mut machine, mut reader) = (self.clone(), FieldReader::new(&whole));
        machine.fields(&mut reader)?;
        reader.finish()?;
        *self = machine;
        Ok(())
    }

    /// Whether the generators are at the same place.
    pub(crate) fn has_generator_of(&self, other: &Self) -> bool {
        self.board.rng == other.board.rng
    }

    /// All but the generator.
    pub(crate) fn core(&self) -> MachineCore {
        let Self { input, cpu, board } = self;
        MachineCore { input: *input, cpu: cpu.clone(), board: board.checkpoint(), swchb: board.levels.swchb }
    }
}

/// A machine without its generator, which is most of its bytes.
#[derive(Debug, Clone)]
pub(crate) struct MachineCore {
    input: Input,
    cpu: Cpu,
    board: Checkpoint,
    /// The console switches. The other levels follow from the inputs.
    swchb: u8,
}

impl MachineCore {
    /// The 128 bytes of RAM.
    pub(crate) fn ram(&self) -> &[u8; 128] {
        &self.board.riot.ram
    }

    /// Everything the future depends on. The next frame replaces the inputs and the levels of all pins but those of
    /// the difficulty switches, so these are left out; so are the positions of the sound generators, which no program
    /// can read.
    pub(crate) fn write_future(&self, out: &mut Vec<u8>) {
        let Checkpoint { cycles, latch, last_was_read, riot, tia, cart } = &self.board;
        let mut writer = FieldWriter { out: std::mem::take(out) };
        let Ok(()) = self.cpu.clone().fields(&mut writer);
        writer.out.extend(cycles.to_le_bytes());
        writer.out.extend([*latch, u8::from(*last_was_read), self.swchb]);
        let Ok(()) = riot.clone().fields(&mut writer);
        let mut tia = tia.clone();
        std::mem::take(&mut tia.audio);
        let Ok(()) = tia.fields(&mut writer);
        cart.save(&mut writer.out);
        *out = writer.out;
    }

    fn bytes(&self) -> Vec<u8> {
        let mut writer = FieldWriter { out: Vec::with_capacity(1024) };
        let Ok(()) = { self.input }.fields(&mut writer);
        let Ok(()) = self.board.tia.clone().fields(&mut writer);
        self.write_future(&mut writer.out);
        writer.out
    }
}

/// Two cores are equal when no program can tell them apart.
impl PartialEq for MachineCore {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Console {
    /// Becomes like another console of this cartridge in everything but the generator and the pictures.
    pub(crate) fn set_core(&mut self, core: &MachineCore) {
        let Machine { input, cpu, board } = &mut self.machine;
        *input = core.input;
        cpu.clone_from(&core.cpu);
        board.rollback(&core.board);
        board.levels.swchb = core.swchb;
        board.levels.set(input, &self.properties);
        // The rollbacks were those of another core.
        (self.exact_frames, self.rollbacks) = (0, 0);
    }

    /// Goes on with the machine of [`Machine::bytes_but_generator`], of a console with the same cartridge.
    pub(crate) fn read_machine(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.machine.read_but_generator(bytes)
    }

    /// Both pictures, in a few kilobytes.
    pub(crate) fn packed_pictures(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        pack::pack(&mut bytes, self.screen(), &[]);
        pack::pack(&mut bytes, self.previous_screen(), self.screen());
        bytes
    }

    /// Shows the pictures that a console of the same cartridge packed.
    pub(crate) fn unpack_pictures(&mut self, bytes: &[u8]) {
        let mut reader = FieldReader::new(bytes);
        let size = self.screen().len();
        let current = pack::unpack(&mut reader, size, &[]).expect("it was packed from a picture");
        let previous = pack::unpack(&mut reader, size, &current).expect("it was packed from a picture");
        self.picture.clear();
        let [own_current, own_previous] = self.picture.buffers_mut();
        own_current.copy_from_slice(&current);
        own_previous.copy_from_slice(&previous);
    }
}

#[cfg(test)]
mod tests {
    use crate::console::{Console, Properties};
    use crate::rom::Rom;

    #[test]
    fn the_bytes_leave_out_the_generator_and_nothing_else() {
        let rom = Rom::new(crate::embedded::GAMES[0].image);
        let load = |seed| Console::load(&rom, &Properties::of(&rom), seed).expect("it is a cartridge");
        let (one, mut other) = (load(1), load(2));
        assert!(one.machine != other.machine);
        other.set_core(&one.machine.core());
        assert!(one.machine != other.machine && !one.machine.has_generator_of(&other.machine));
        assert_eq!(one.machine.bytes_but_generator(), other.machine.bytes_but_generator());
        other.machine.board.rng = one.machine.board.rng.clone();
        assert!(one.machine == other.machine);
        other.machine.board.riot.ram[5] ^= 1;
        assert_ne!(one.machine.bytes_but_generator(), other.machine.bytes_but_generator());
    }

    #[test]
    fn pictures_come_back_in_another_console() {
        let rom = Rom::new(crate::embedded::GAMES[0].image);
        let mut console = Console::load(&rom, &Properties::of(&rom), 1).expect("it is a cartridge");
        let mut other = console.clone();
        (0..61).for_each(|_| console.run_frame());
        other.unpack_pictures(&console.packed_pictures());
        assert!(other.picture == console.picture && other.picture.current_is_exact());
    }
}
