//! Short programs whose code is listed.

use crate::kind;
#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use crate::opcode::*;
use crate::{CYCLE_BITS, Instruction, Kind};

/// An instruction in the middle of a basic block.
pub(super) fn plain(kind: Kind, operand: u16) -> Instruction {
    Instruction {
        kind,
        operand,
        offset: 0x123,
        cycles_after: 7,
        last_byte: operand as u8,
        ..Instruction::default()
    }
}

/// One that jumps to an op, to a block of two instructions and five cycles.
pub(super) fn jump(kind: Kind, operand: u16, target: u16) -> Instruction {
    Instruction { target, time_delta: (-2 << CYCLE_BITS) + 5, ..plain(kind, operand) }
}

fn wait(kind: Kind, operand: u16, wait_loop: u8) -> Instruction {
    Instruction { wait_loop, ..plain(kind, operand) }
}

/// A store of A, X or Y to a register of the TIA.
fn store_tia(register: Kind, source: Kind) -> Instruction {
    plain(kind::STORE_TIA + kind::SOURCE * source + register, register)
}

/// Names and instructions.
pub(super) fn programs() -> Vec<(&'static str, Vec<Instruction>)> {
    let exit = plain(kind::EXIT, 0);
    vec![
        ("empty_with_functions", vec![]),
        ("lda_immediate", vec![plain(LDA_IMM, 0x12)]),
        ("ldx_ldy_zero_page", vec![plain(LDX_ZP, 0x81), plain(LDY_ZP, 0x82)]),
        ("lda_zero_page_x", vec![plain(LDA_ZPX, 0x90)]),
        ("ldx_zero_page_y", vec![plain(LDX_ZPY, 0x90)]),
        ("lax_zero_page", vec![plain(LAX_ZP, 0x90)]),
        ("lda_absolute_rom", vec![plain(LDA_ABS, 0xF123)]),
        ("lda_absolute_ram", vec![plain(LDA_ABX, 0x0180)]),
        ("lda_absolute_x", vec![plain(LDA_ABX, 0xF123)]),
        ("ldy_absolute_x_low", vec![plain(LDY_ABX, 0x0010)]),
        ("lda_rom_x", vec![plain(LDA_ROMX, 0x0123)]),
        ("lda_rom_y_at_the_end", vec![plain(LDA_ROMY, 0xFF80)]),
        ("lda_pointer_y", vec![plain(LDA_IZY, 0x90)]),
        ("eor_pointer_x", vec![plain(EOR_IZX, 0x90)]),
        ("ora_and_eor", vec![plain(ORA_IMM, 1), plain(AND_ZP, 0x90), plain(EOR_IMM, 0xFF)]),
        ("adc_immediate", vec![plain(CLC, 0), plain(ADC_IMM, 5)]),
        ("sbc_zero_page", vec![plain(SEC, 0), plain(SBC_ZP, 0x99)]),
        ("compare", vec![plain(CMP_IMM, 3), plain(CPX_ZP, 0x90), plain(CPY_IMM, 9)]),
        ("bit_zero_page", vec![plain(BIT_ZP, 0x90)]),
        ("shifts_of_a", vec![plain(ASL_A, 0), plain(ROL_A, 0), plain(LSR_A, 0), plain(ROR_A, 0)]),
        ("rmw_zero_page", vec![plain(INC_ZP, 0x80), plain(ROR_ZP, 0x81), plain(DCP_ZP, 0x82)]),
        ("rmw_zero_page_x", vec![plain(DEC_ZPX, 0x80)]),
        ("rmw_tia", vec![plain(INC_TIA, 0x3F)]),
        (
            "implied",
            vec![plain(TAX, 0), plain(INY, 0), plain(TSX, 0), plain(TXS, 0), plain(SED, 0), plain(CLV, 0)],
        ),
        ("stack", vec![plain(PHA, 0), plain(PLA, 0)]),
        ("status_on_the_stack", vec![plain(PHP, 0), plain(PLP, 0)]),
        ("store_ram", vec![plain(STA_ZP, 0x80), plain(STX_ZP, 0x81), plain(STY_ZP, 0xFF)]),
        ("store_zero_page_x", vec![plain(STA_ZPX, 0x80)]),
        ("store_absolute_y", vec![plain(STA_ABY, 0x00F0)]),
        ("store_pointer_y", vec![plain(STA_IZY, 0x90)]),
        ("store_colubk", vec![store_tia(0x09, 0)]),
        ("store_resp0", vec![store_tia(0x10, 1)]),
        ("store_grp0_grp1", vec![store_tia(0x1B, 0), store_tia(0x1C, 2)]),
        ("store_enabl_vblank", vec![store_tia(0x1F, 0), store_tia(0x01, 0)]),
        ("store_wsync_vsync", vec![store_tia(0x02, 0), store_tia(0x00, 0)]),
        ("store_timer", vec![plain(kind::STORE_SLOW, 0x296), plain(kind::STORE_SLOW_Y, 0x281)]),
        ("load_inputs", vec![plain(kind::TIA + LDA_ZP, 0x3C), plain(kind::TIA + BIT_ZP, 0x38)]),
        ("load_ports", vec![plain(kind::RIOT + LDA_ZP, 0x280), plain(kind::RIOT + LDA_ZP, 0x285)]),
        ("load_timer", vec![plain(kind::TIMER + LDX_ZP, 0x284)]),
        ("wait_for_timer", vec![wait(kind::TIMER_WAIT + LDA_ZP, 0x284, 9), jump(BNE, 0, 0)]),
        (
            "fetch_with_functions",
            vec![plain(kind::FETCH + LDA_ZP, 0x1008), plain(kind::FETCH + LDA_ZP, 0x1004)],
        ),
        (
            "branches_back",
            vec![plain(DEX, 0), jump(BNE, 0, 0), jump(BPL, 0, 0), jump(BVC, 0, 0), jump(BCS, 0, 0)],
        ),
        (
            "branch_forward",
            vec![exit, jump(BEQ, 0, 3), plain(TXA, 0), plain(TAY, 0), jump(kind::NEXT_BLOCK, 0, 1)],
        ),
        ("loop_with_writes", vec![exit, store_tia(0x10, 0), plain(INX, 0), jump(kind::NEXT_BLOCK, 0, 1)]),
        ("jump_within_a_bank", vec![exit, jump(kind::JUMP, 0xF123, 0)]),
        ("call_within_a_bank", vec![exit, jump(kind::CALL, 0xF123, 0)]),
        ("jump_and_call_far", vec![plain(JMP_ABS, 0xF123), plain(JSR, 0xF456)]),
        ("jump_through_a_pointer", vec![plain(JMP_IND, 0x90)]),
        ("return", vec![plain(RTS, 0)]),
        ("break_and_return", vec![plain(BRK, 0xF123), plain(RTI, 0)]),
        ("end_of_a_block", vec![plain(kind::BLOCK_END, 0)]),
        ("bail_out", vec![plain(kind::CART + LDA_ZP, 0x1008), plain(kind::TIA + LDA_ZP, 0x01)]),
    ]
}
