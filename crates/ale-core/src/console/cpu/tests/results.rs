//! What every opcode leaves in registers and memory.

use super::table::Instruction;
use super::twin::Twin;
use super::*;

proptest! {
    #[test]
    fn every_opcode_leaves_the_registers_and_memory_of_the_naive_twin(
        start in any_cpu(),
        memory in any_memory(),
    ) {
        let mut twin = Twin::of(&start, memory.clone());
        let mut bus = Recorder::new(memory);
        for opcode in 0..=0xFF {
            bus.memory[usize::from(start.pc)] = opcode;
            twin.memory[usize::from(start.pc)] = opcode;
            let mut cpu = start.clone();
            bus.accesses.clear();
            cpu.run_instruction(&mut bus);
            twin.set_cpu(&start);
            twin.run_instruction();
            prop_assert_eq!(&cpu, &twin.cpu(), "opcode {:02X}", opcode);
            for access in &bus.accesses {
                let (Access::Read { address, .. } | Access::Write { address, .. }) = *access;
                let at = usize::from(address);
                prop_assert_eq!(bus.memory[at], twin.memory[at], "opcode {:02X} at {:04X}", opcode, at);
            }
        }
        prop_assert!(bus.memory == twin.memory, "the memories differ where the CPU did not go");
    }
}

#[test]
fn every_immediate_opcode_agrees_with_the_twin_on_all_operands_flags_and_many_accumulators() {
    let immediate = (0..=0xFF).filter(|&opcode| Instruction::of(opcode).mode == "imm");
    for opcode in immediate {
        let mut memory = vec![0; 0x1_0000];
        for (operand, a) in (0..=0xFF_u8).flat_map(|m| (0..=0xFF_u8).step_by(5).map(move |a| (m, a))) {
            for p in [0x00, 0x01, 0x08, 0x09] {
                let start = with_p(p, Cpu { a, x: a.rotate_left(3) ^ 0x5A, y: a, sp: 0xFF, ..cpu() });
                memory[usize::from(PROGRAM)] = opcode;
                memory[usize::from(PROGRAM) + 1] = operand;
                let mut twin = Twin::of(&start, memory);
                twin.run_instruction();
                memory = std::mem::take(&mut twin.memory);
                let mut bus = Recorder::new(memory);
                let mut cpu = start.clone();
                cpu.run_instruction(&mut bus);
                memory = bus.memory;
                assert_eq!(cpu, twin.cpu(), "opcode {opcode:02X}, operand {operand:02X}, from {start:?}");
            }
        }
    }
}

#[test]
fn the_text_lists_the_151_documented_opcodes_and_12_jams() {
    let documented = "ADC AND ASL BCC BCS BEQ BIT BMI BNE BPL BRK BVC BVS CLC CLD CLI CLV CMP CPX CPY DEC \
                      DEX DEY EOR INC INX INY JMP JSR LDA LDX LDY LSR ORA PHA PHP PLA PLP ROL ROR RTI RTS SBC \
                      SEC SED SEI STA STX STY TAX TAY TSX TXA TXS TYA";
    // SBC and NOP have opcodes besides those of the manual: $EB, and all NOPs but $EA.
    let is_documented =
        |&opcode: &u8| opcode == 0xEA || documented.contains(Instruction::of(opcode).name) && opcode != 0xEB;
    assert_eq!((0..=0xFF).filter(is_documented).count(), 151);
    assert_eq!((0..=0xFF).filter(|&opcode| Instruction::of(opcode).name == "JAM").count(), 12);
}
