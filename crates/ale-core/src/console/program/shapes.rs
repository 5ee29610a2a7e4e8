//! The opcodes that are decoded: length, cycles, and how they access the bus.

use super::kind;

#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) length: u8,
    pub(super) cycles: u8,
    pub(super) access: Access,
}

#[derive(Clone, Copy)]
pub(super) enum Access {
    /// None, immediate, or found out when it is run.
    None,
    Branch,
    Jump,
    /// Through a pointer in RAM.
    Pointer,
    /// From a fixed address; the op that loads from a device.
    Load(Option<u8>),
    /// To a fixed address, from A (0), X (1) or Y (2).
    Store(u8),
    Modify,
}

/// Length, cycles and access of the opcodes that are decoded.
pub(super) static SHAPES: [Option<Shape>; 256] = {
    use Access::{Branch, Jump, Load, Modify, Pointer, Store};
    let mut table = [None; 256];
    macro_rules! rows {
        ($length:literal, $cycles:literal, $access:expr, [$($opcode:literal)*]) => {
            $(table[$opcode] = Some(Shape { length: $length, cycles: $cycles, access: $access });)*
        };
    }
    // Implied, accumulator, stack.
    rows!(1, 2, Access::None, [0x0A 0x2A 0x4A 0x6A 0x18 0x38 0x58 0x78 0xB8 0xD8 0xF8 0xAA 0xA8 0x8A 0x98 0xBA 0x9A
        0xE8 0xC8 0xCA 0x88 0xEA]);
    rows!(1, 3, Access::None, [0x48 0x08]);
    rows!(1, 4, Access::None, [0x68 0x28]);
    // Immediate.
    rows!(2, 2, Access::None, [0xA9 0xA2 0xA0 0x09 0x29 0x49 0x69 0xE9 0xC9 0xE0 0xC0]);
    // Zero page and absolute.
    rows!(2, 3, Load(None), [0x05 0x25 0x45 0x65 0xE5 0xC5 0xE4 0xC4]);
    rows!(2, 4, Load(None), [0xA7]); // Reference: 3 on the chip.
    rows!(2, 3, Load(Some(kind::LDA_DEVICE)), [0xA5]);
    rows!(2, 3, Load(Some(kind::LDX_DEVICE)), [0xA6]);
    rows!(2, 3, Load(Some(kind::LDY_DEVICE)), [0xA4]);
    rows!(2, 3, Load(Some(kind::BIT_DEVICE)), [0x24]);
    rows!(3, 4, Load(None), [0x0D 0x2D 0x4D 0x6D 0xED 0xCD 0xEC 0xCC]);
    rows!(3, 4, Load(Some(kind::LDA_DEVICE)), [0xAD]);
    rows!(3, 4, Load(Some(kind::LDX_DEVICE)), [0xAE]);
    rows!(3, 4, Load(Some(kind::LDY_DEVICE)), [0xAC]);
    rows!(3, 4, Load(Some(kind::BIT_DEVICE)), [0x2C]);
    rows!(2, 3, Store(0), [0x85]);
    rows!(2, 3, Store(1), [0x86]);
    rows!(2, 3, Store(2), [0x84]);
    rows!(3, 4, Store(0), [0x8D]);
    rows!(3, 4, Store(1), [0x8E]);
    rows!(3, 4, Store(2), [0x8C]);
    rows!(2, 5, Modify, [0x06 0x26 0x46 0x66 0xC6 0xE6 0xC7]);
    rows!(3, 6, Modify, [0x0E 0x2E 0x4E 0x6E 0xCE 0xEE]);
    // Indexed.
    rows!(2, 4, Access::None, [0xB5 0xB4 0xB6 0x15 0x35 0x55 0x75 0xF5 0xD5 0x95 0x94 0x96]);
    rows!(2, 6, Access::None, [0xD6 0xF6 0x16 0x36 0x56 0x76]);
    rows!(3, 4, Access::None, [0xBD 0xB9 0xBE 0xBC 0x1D 0x19 0x3D 0x39 0x5D 0x59 0x7D 0x79 0xFD 0xF9 0xDD 0xD9]);
    rows!(3, 5, Access::None, [0x9D 0x99]);
    rows!(2, 5, Pointer, [0xB1 0x11 0x31 0x51 0x71 0xF1 0xD1 0xB3]);
    rows!(2, 6, Pointer, [0x91]);
    // Program flow.
    rows!(2, 2, Branch, [0x10 0x30 0x50 0x70 0x90 0xB0 0xD0 0xF0]);
    rows!(3, 3, Jump, [0x4C]);
    rows!(3, 6, Jump, [0x20]);
    rows!(1, 6, Jump, [0x60]);
    table
};
