//! Which handler runs which kind of op, alone or fused with the next one into a superinstruction.

#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use ale_jit::opcode::*;

use super::handlers::{Handler, alone, store_after, store_tia, superinstruction, wait, wait_after};
use super::operations::{A, X, Y};
use super::program::kind::{self, Kind};

/// The handler of a kind.
pub(crate) fn handler_of(kind: Kind) -> Handler {
    HANDLERS[usize::from(kind)]
}

/// The handler of two kinds that follow each other, if there is one.
pub(crate) fn superinstruction_of(first: Kind, second: Kind) -> Option<Handler> {
    if second & !0x3F == kind::STORE_TIA {
        return handler_before_store(first, second & 0x3F);
    }
    macro_rules! pairs {
        ($($first:ident: $($second:ident)*;)*) => {
            match first {
                $($first => match second {
                    $($second => Some(superinstruction::<{ $first }, { $second }>),)*
                    _ => None,
                },)*
                _ => None,
            }
        };
    }
    // Those that thirty games run most.
    pairs! {
        ORA_ZP: STA_ZP;
        ORA_IMM: STA_ZP;
        ASL_A: ASL_A;
        CLC: ADC_ZP ADC_IMM;
        BIT_ZP: BPL BMI BVC BVS;
        AND_ZP: BEQ BNE;
        AND_IMM: ORA_ZP ADC_ZPX STA_ZP TAY TAX CMP_IMM BNE BEQ;
        ROL_A: ASL_A;
        SEC: TXA TAY SBC_ZP SBC_IMM;
        EOR_ZP: AND_ZP AND_IMM;
        EOR_IMM: STA_ZP;
        LSR_A: LSR_A STA_ZP TAY BCC BCS;
        ADC_ZP: STA_ZP;
        ADC_IMM: STA_ZP;
        ADC_ZPX: STA_ZP;
        STY_ZP: TXA LDY_ZP;
        STA_ZP: STA_ZP DEY TYA LDA_ZP LDA_IMM LDA_IZY LDA_ZPX CPY_ZP;
        STX_ZP: LDX_ZP;
        DEY: BPL STY_ZP CPY_IMM CPY_ZP DEX BNE BEQ;
        TXA: AND_IMM SEC LSR_A LDX_IMM TAY SBC_ZP INX;
        STA_ZPX: DEY DEX;
        TYA: AND_IMM;
        TXS: LDA_ZP TAX;
        LDY_IMM: AND_IMM SEC TXA;
        LDX_IMM: TXS;
        LDY_ZP: DEY LDA_IZY LDA_ABY CPY_IMM INY BNE BEQ LDA_ROMY;
        LDA_ZP: BPL AND_IMM BMI SEC EOR_ZP LSR_A STA_ZP CMP_ZP CMP_IMM BNE NOP BEQ;
        LDX_ZP: TYA LDA_ZPX BNE BEQ LDA_ROMX;
        TAY: AND_IMM TXA LDA_ZP LDA_IZY LDA_ROMY;
        LDA_IMM: STA_ZP STA_ZPX LDY_ZP BCS BEQ;
        TAX: LDA_IZY LDA_ROMY LDA_ROMX;
        LDA_IZY: AND_IMM STA_ZP LDY_ZP TAY TAX BEQ;
        LDA_ZPX: BPL AND_IMM BMI STA_ZP CMP_IMM BNE BEQ;
        LDA_ABY: BMI STA_ZP;
        CPY_IMM: BCC BCS BNE BEQ;
        CPY_ZP: BCC BCS BNE BEQ;
        CMP_ZP: BCC BCS BNE BEQ;
        DEC_ZP: BPL BMI LDY_ZP LDA_ZP BNE BEQ;
        INY: BMI CPY_IMM INY BNE SBC_IMM;
        CMP_IMM: ROL_A BCC BCS BNE BEQ;
        DEX: BPL BMI DEX BNE CPX_ZP;
        CPX_IMM: BCC BCS BNE BEQ;
        CPX_ZP: BCC BCS BNE BEQ;
        SBC_ZP: AND_ZP AND_IMM STA_ZP LDY_IMM TAY CMP_IMM;
        INC_ZP: BNE;
        INX: STX_ZP BNE CPX_IMM SBC_ZP INX;
        SBC_IMM: STA_ZP BCS;
        NOP: LDA_ZP BCS NOP;
        LDA_ROMY: BMI STA_ZP;
        LDA_ROMX: STA_ZP;
    }
}

/// The handler of a kind that stands before a store of A to a register of the TIA.
fn handler_before_store(first: Kind, register: u16) -> Option<Handler> {
    macro_rules! firsts {
        ($($first:ident)*) => {
            match first {
                $($first => &const { row_of_stores::<{ $first }>() },)*
                _ => return None,
            }
        };
    }
    let row: &[Handler; 64] = firsts!(AND_IMM LSR_A STA_ZP DEY TXA LDA_ZP LDA_IMM LDA_IZY LDA_ZPX LDA_ABY LDA_ABX INY NOP LDA_ROMY LDA_ROMX);
    Some(row[usize::from(register)])
}

const fn row_of_stores<const FIRST: Kind>() -> [Handler; 64] {
    let mut row: [Handler; 64] = [store_after::<FIRST, 0x2D>; 64];
    macro_rules! registers {
        ($($register:literal)*) => {
            $(row[$register] = store_after::<FIRST, $register>;)*
        };
    }
    registers!(0 1 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38
        39 40 41 42 43 44);
    row[2] = wait_after::<FIRST>;
    row
}

const KINDS: usize = 0xA00;

static HANDLERS: [Handler; KINDS] = {
    // What is not decoded is never run.
    let mut table: [Handler; KINDS] = [alone::<{ kind::EXIT }>; KINDS];
    macro_rules! rows {
        ($base:expr; $($kind:expr)*) => {
            $(table[($base + $kind) as usize] = alone::<{ $base + $kind }>;)*
        };
    }
    // Implied, accumulator, stack.
    rows!(0; ASL_A ROL_A LSR_A ROR_A CLC SEC CLI SEI CLV CLD SED TAX TAY TXA TYA TSX TXS INX INY DEX DEY
        NOP PHA PHP PLA PLP);
    // Immediate.
    rows!(0; LDA_IMM LDX_IMM LDY_IMM ORA_IMM AND_IMM EOR_IMM ADC_IMM SBC_IMM CMP_IMM CPX_IMM CPY_IMM);
    // Zero page and absolute.
    rows!(0; LDA_ZP LDX_ZP LDY_ZP BIT_ZP ORA_ZP AND_ZP EOR_ZP ADC_ZP SBC_ZP CMP_ZP CPX_ZP CPY_ZP LAX_ZP);
    rows!(0; LDA_ABS LDX_ABS LDY_ABS BIT_ABS ORA_ABS AND_ABS EOR_ABS ADC_ABS SBC_ABS CMP_ABS CPX_ABS CPY_ABS);
    rows!(0; STA_ZP STX_ZP STY_ZP ASL_ZP ROL_ZP LSR_ZP ROR_ZP DEC_ZP INC_ZP DCP_ZP);
    // Indexed.
    rows!(0; LDA_ZPX LDY_ZPX LDX_ZPY ORA_ZPX AND_ZPX EOR_ZPX ADC_ZPX SBC_ZPX CMP_ZPX STA_ZPX STY_ZPX STX_ZPY DEC_ZPX INC_ZPX ASL_ZPX ROL_ZPX LSR_ZPX ROR_ZPX);
    rows!(0; LDA_ABX LDA_ABY LDX_ABY LDY_ABX ORA_ABX ORA_ABY AND_ABX AND_ABY EOR_ABX EOR_ABY ADC_ABX ADC_ABY SBC_ABX SBC_ABY CMP_ABX CMP_ABY STA_ABX STA_ABY);
    rows!(kind::ROM; LDA_ABX LDA_ABY LDX_ABY LDY_ABX ORA_ABX ORA_ABY AND_ABX AND_ABY EOR_ABX EOR_ABY ADC_ABX ADC_ABY SBC_ABX SBC_ABY CMP_ABX CMP_ABY);
    rows!(0; LDA_IZY ORA_IZY AND_IZY EOR_IZY ADC_IZY SBC_IZY CMP_IZY LAX_IZY STA_IZY LDA_IZX ORA_IZX AND_IZX EOR_IZX ADC_IZX SBC_IZX CMP_IZX);
    // Devices.
    rows!(kind::TIA; LDA_ZP LDX_ZP LDY_ZP BIT_ZP ORA_ZP AND_ZP EOR_ZP ADC_ZP SBC_ZP CMP_ZP CPX_ZP CPY_ZP LAX_ZP);
    rows!(kind::TIA; ASL_ZP ROL_ZP LSR_ZP ROR_ZP DEC_ZP INC_ZP);
    rows!(kind::RIOT; LDA_ZP LDX_ZP LDY_ZP BIT_ZP ORA_ZP AND_ZP EOR_ZP ADC_ZP SBC_ZP CMP_ZP CPX_ZP CPY_ZP LAX_ZP);
    rows!(kind::TIMER; LDA_ZP LDX_ZP LDY_ZP BIT_ZP ORA_ZP AND_ZP EOR_ZP ADC_ZP SBC_ZP CMP_ZP CPX_ZP CPY_ZP LAX_ZP);
    rows!(kind::CART; LDA_ZP LDX_ZP LDY_ZP BIT_ZP ORA_ZP AND_ZP EOR_ZP ADC_ZP SBC_ZP CMP_ZP CPX_ZP CPY_ZP LAX_ZP);
    rows!(kind::FETCH; LDA_ZP LDX_ZP LDY_ZP BIT_ZP ORA_ZP AND_ZP EOR_ZP ADC_ZP SBC_ZP CMP_ZP CPX_ZP CPY_ZP LAX_ZP);
    rows!(kind::TIMER_WAIT; LDA_ZP LDX_ZP LDY_ZP BIT_ZP);
    rows!(kind::STORE_SLOW; 0 1 2);
    // Program flow.
    rows!(0; BPL BMI BVC BVS BCC BCS BNE BEQ JMP_ABS JSR RTS JMP_IND RTI BRK);
    rows!(0; kind::BLOCK_END kind::NEXT_BLOCK kind::JUMP kind::CALL);
    macro_rules! tia_stores {
        ($($register:literal)*) => {
            $(
                table[kind::STORE_TIA as usize + $register] = store_tia::<$register, A>;
                table[(kind::STORE_TIA + kind::SOURCE) as usize + $register] = store_tia::<$register, X>;
                table[(kind::STORE_TIA + 2 * kind::SOURCE) as usize + $register] = store_tia::<$register, Y>;
            )*
        };
    }
    tia_stores!(0 1 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37
        38 39 40 41 42 43 44 45);
    let mut source = 0;
    while source < 3 {
        let first = (kind::STORE_TIA + source * kind::SOURCE) as usize;
        table[first + 2] = wait;
        // Registers without function.
        let mut register = 46;
        while register < 64 {
            table[first + register] = table[first + 45];
            register += 1;
        }
        source += 1;
    }
    table
};
