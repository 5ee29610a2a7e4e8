//! The opcodes that are decoded: length, cycles, and how they access the bus.

#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use ale_jit::opcode::*;

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
    /// From a fixed address.
    Load,
    /// From an address that X or Y is added to.
    Indexed,
    /// To a fixed address, from A (0), X (1) or Y (2).
    Store(u8),
    Modify,
}

/// Length, cycles and access of the opcodes that are decoded.
pub(super) static SHAPES: [Option<Shape>; 256] = {
    use Access::{Branch, Indexed, Jump, Load, Modify, Pointer, Store};
    let mut table = [None; 256];
    macro_rules! rows {
        ($length:literal, $cycles:literal, $access:expr, [$($opcode:ident)*]) => {
            $(table[$opcode as usize] = Some(Shape { length: $length, cycles: $cycles, access: $access });)*
        };
    }
    // Implied, accumulator, stack.
    rows!(1, 2, Access::None, [ASL_A ROL_A LSR_A ROR_A CLC SEC CLI SEI CLV CLD SED TAX TAY TXA TYA TSX TXS
        INX INY DEX DEY NOP]);
    rows!(1, 3, Access::None, [PHA PHP]);
    rows!(1, 4, Access::None, [PLA PLP]);
    // Immediate.
    rows!(2, 2, Access::None, [LDA_IMM LDX_IMM LDY_IMM ORA_IMM AND_IMM EOR_IMM ADC_IMM SBC_IMM CMP_IMM CPX_IMM CPY_IMM]);
    // Zero page and absolute.
    rows!(2, 3, Load, [LDA_ZP LDX_ZP LDY_ZP BIT_ZP ORA_ZP AND_ZP EOR_ZP ADC_ZP SBC_ZP CMP_ZP CPX_ZP CPY_ZP]);
    rows!(2, 4, Load, [LAX_ZP]); // Reference: 3 on the chip.
    rows!(3, 4, Load, [LDA_ABS LDX_ABS LDY_ABS BIT_ABS ORA_ABS AND_ABS EOR_ABS ADC_ABS SBC_ABS CMP_ABS CPX_ABS CPY_ABS]);
    rows!(2, 3, Store(0), [STA_ZP]);
    rows!(2, 3, Store(1), [STX_ZP]);
    rows!(2, 3, Store(2), [STY_ZP]);
    rows!(3, 4, Store(0), [STA_ABS]);
    rows!(3, 4, Store(1), [STX_ABS]);
    rows!(3, 4, Store(2), [STY_ABS]);
    rows!(2, 5, Modify, [ASL_ZP ROL_ZP LSR_ZP ROR_ZP DEC_ZP INC_ZP DCP_ZP]);
    rows!(3, 6, Modify, [ASL_ABS ROL_ABS LSR_ABS ROR_ABS DEC_ABS INC_ABS]);
    // Indexed.
    rows!(2, 4, Access::None, [LDA_ZPX LDY_ZPX LDX_ZPY ORA_ZPX AND_ZPX EOR_ZPX ADC_ZPX SBC_ZPX CMP_ZPX STA_ZPX STY_ZPX STX_ZPY]);
    rows!(2, 6, Access::None, [DEC_ZPX INC_ZPX ASL_ZPX ROL_ZPX LSR_ZPX ROR_ZPX]);
    rows!(3, 4, Indexed, [LDA_ABX LDA_ABY LDX_ABY LDY_ABX ORA_ABX ORA_ABY AND_ABX AND_ABY EOR_ABX EOR_ABY ADC_ABX ADC_ABY SBC_ABX SBC_ABY CMP_ABX CMP_ABY]);
    rows!(3, 5, Access::None, [STA_ABX STA_ABY]);
    rows!(2, 5, Pointer, [LDA_IZY ORA_IZY AND_IZY EOR_IZY ADC_IZY SBC_IZY CMP_IZY LAX_IZY]);
    rows!(2, 6, Pointer, [STA_IZY]);
    rows!(2, 6, Access::None, [LDA_IZX ORA_IZX AND_IZX EOR_IZX ADC_IZX SBC_IZX CMP_IZX]);
    // Program flow.
    rows!(2, 2, Branch, [BPL BMI BVC BVS BCC BCS BNE BEQ]);
    rows!(3, 3, Jump, [JMP_ABS]);
    rows!(3, 6, Jump, [JSR]);
    rows!(3, 5, Jump, [JMP_IND]);
    rows!(1, 6, Jump, [RTS RTI]);
    rows!(2, 7, Jump, [BRK]);
    table
};
