//! The 6507.

/// What the CPU is wired to: three functions, and one of them is time.
pub trait Bus {
    /// Reads a byte; may move the devices.
    fn read(&mut self, address: u16) -> u8;
    /// Writes a byte.
    fn write(&mut self, address: u16, value: u8);
    /// The only way time passes.
    fn tick(&mut self, cpu_cycles: u32);
}
