//! Parts of a console that are kept to be used again: a machine without its generator, the pictures as few bytes.

use super::super::board::Kept;
use super::super::cpu::Cpu;
use super::super::input::{Input, Levels};
use super::codec::Reader;
use super::{Console, Machine, pack};

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

    /// Whether the generators are at the same place.
    pub(crate) fn has_generator_of(&self, other: &Self) -> bool {
        self.board.rng == other.board.rng
    }

    /// All but the generator.
    pub(crate) fn course(&self) -> Course {
        let Self { input, cpu, board } = self;
        Course { input: *input, cpu: cpu.clone(), board: board.kept(), levels: board.levels.clone() }
    }

    /// Becomes like another machine in everything but the generator.
    pub(crate) fn follow(&mut self, course: &Course) {
        self.input = course.input;
        self.cpu.clone_from(&course.cpu);
        self.board.go_back(&course.board);
        self.board.levels.clone_from(&course.levels);
    }
}

/// A machine without its generator, which is most of its bytes.
pub(crate) struct Course {
    input: Input,
    cpu: Cpu,
    board: Kept,
    levels: Levels,
}

impl Console {
    /// [`Machine::follow`] for the machine of this console.
    pub(crate) fn follow(&mut self, course: &Course) {
        self.machine.follow(course);
        // What could not be drawn by lines was elsewhere.
        (self.by_pieces, self.failures) = (0, 0);
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
        let mut reader = Reader { left: bytes };
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
        other.machine.follow(&one.machine.course());
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
