//! The order of bus accesses, and the time each of them sees.
//!
//! In the texts, `6 read 01FF` is a read of $01FF at a time when 6 cycles have passed since the opcode fetch.

use super::table::{Instruction, Kind};
use super::*;

/// The accesses of one instruction at $F000 as text; `parts` are the memory besides.
fn trace(mut cpu: Cpu, bytes: &[u8], parts: &[(u16, &[u8])]) -> String {
    let mut bus = Recorder::with(&[&[(PROGRAM, bytes)], parts].concat());
    cpu.run_instruction(&mut bus);
    bus.text()
}

#[test]
fn the_opcode_is_fetched_before_any_time_passes_and_everything_else_after_all_of_it() {
    assert_eq!(trace(cpu(), &[0xA9, 0x11], &[]), "0 read F000, 2 read F001"); // LDA #
    assert_eq!(trace(cpu(), &[0xEA], &[]), "0 read F000"); // NOP
    assert_eq!(trace(cpu(), &[0x4A], &[]), "0 read F000"); // LSR A
    assert_eq!(trace(cpu(), &[0xA5, 0x80], &[]), "0 read F000, 3 read F001, 3 read 0080"); // LDA zp
    assert_eq!(trace(cpu(), &[0x85, 0x80], &[]), "0 read F000, 3 read F001, 3 write 0080"); // STA zp
}

#[test]
fn zero_page_indexing_wraps_and_reads_nothing_on_the_way() {
    let cpu = Cpu { x: 0x90, y: 0xA0, ..cpu() };
    let text = "0 read F000, 4 read F001, 4 read 0010"; // LDA zp,X
    assert_eq!(trace(cpu.clone(), &[0xB5, 0x80], &[]), text);
    assert_eq!(trace(cpu, &[0x96, 0x80], &[]), "0 read F000, 4 read F001, 4 write 0020"); // STX zp,Y
}

#[test]
fn a_read_across_a_page_comes_one_cycle_later_and_a_write_does_not() {
    let cpu = Cpu { x: 0x10, y: 0x10, ..cpu() };
    // LDA abs,X
    let text = "0 read F000, 4 read F001, 4 read F002, 4 read 12FF";
    assert_eq!(trace(cpu.clone(), &[0xBD, 0xEF, 0x12], &[]), text);
    let text = "0 read F000, 4 read F001, 4 read F002, 5 read 1300";
    assert_eq!(trace(cpu.clone(), &[0xBD, 0xF0, 0x12], &[]), text);
    // LDA (zp),Y
    let text = "0 read F000, 5 read F001, 5 read 0080, 5 read 0081, 6 read 1300";
    assert_eq!(trace(cpu.clone(), &[0xB1, 0x80], &[(0x80, &[0xF0, 0x12])]), text);
    // STA abs,X
    let text = "0 read F000, 5 read F001, 5 read F002, 5 write 1300";
    assert_eq!(trace(cpu, &[0x9D, 0xF0, 0x12], &[]), text);
}

#[test]
fn an_absolute_address_wraps_at_the_end_of_memory() {
    let cpu = Cpu { x: 0x02, ..cpu() };
    let text = "0 read F000, 4 read F001, 4 read F002, 5 read 0001";
    assert_eq!(trace(cpu, &[0xBD, 0xFF, 0xFF], &[]), text);
}

#[test]
fn a_read_modify_write_instruction_reads_once_and_writes_once() {
    let text = "0 read F000, 5 read F001, 5 read 0080, 5 write 0080"; // INC zp
    assert_eq!(trace(cpu(), &[0xE6, 0x80], &[]), text);
    let text = "0 read F000, 7 read F001, 7 read F002, 7 read 1300, 7 write 1300"; // ASL abs,X
    assert_eq!(trace(Cpu { x: 1, ..cpu() }, &[0x1E, 0xFF, 0x12], &[]), text);
}

#[test]
fn the_high_byte_of_a_pointer_at_ff_comes_from_0100() {
    let parts: &[(u16, &[u8])] = &[(0x00FF, &[0x34, 0x12])];
    let text = "0 read F000, 6 read F001, 6 read 00FF, 6 read 0100, 6 read 1234"; // LDA (zp,X)
    assert_eq!(trace(Cpu { x: 0x0F, ..cpu() }, &[0xA1, 0xF0], parts), text);
    let text = "0 read F000, 5 read F001, 5 read 00FF, 5 read 0100, 5 read 1235"; // LDA (zp),Y
    assert_eq!(trace(Cpu { y: 0x01, ..cpu() }, &[0xB1, 0xFF], parts), text);
}

#[test]
fn an_indirect_jump_takes_both_bytes_from_the_same_page() {
    let text = "0 read F000, 5 read F001, 5 read F002, 5 read 12FF, 5 read 1200";
    assert_eq!(trace(cpu(), &[0x6C, 0xFF, 0x12], &[]), text);
    let text = "0 read F000, 5 read F001, 5 read F002, 5 read 1234, 5 read 1235";
    assert_eq!(trace(cpu(), &[0x6C, 0x34, 0x12], &[]), text);
    assert_eq!(trace(cpu(), &[0x4C, 0x34, 0x12], &[]), "0 read F000, 3 read F001, 3 read F002");
}

#[test]
fn jsr_reads_the_stack_pushes_and_only_then_reads_the_high_byte() {
    let text = "0 read F000, 6 read F001, 6 read 01FF, 6 write 01FF, 6 write 01FE, 6 read F002";
    assert_eq!(trace(cpu(), &[0x20, 0x34, 0x12], &[]), text);
}

#[test]
fn rts_reads_the_stack_first_and_the_byte_it_returns_to_last() {
    let text = "0 read F000, 6 read 01FD, 6 read 01FE, 6 read 01FF, 6 read 1234";
    assert_eq!(trace(Cpu { sp: 0xFD, ..cpu() }, &[0x60], &[(0x01FE, &[0x34, 0x12])]), text);
}

#[test]
fn rti_reads_the_stack_first_and_nothing_at_the_place_it_returns_to() {
    let text = "0 read F000, 6 read 01FC, 6 read 01FD, 6 read 01FE, 6 read 01FF";
    assert_eq!(trace(Cpu { sp: 0xFC, ..cpu() }, &[0x40], &[]), text);
}

#[test]
fn a_push_only_writes_and_a_pull_reads_twice() {
    assert_eq!(trace(cpu(), &[0x48], &[]), "0 read F000, 3 write 01FF"); // PHA
    assert_eq!(trace(cpu(), &[0x08], &[]), "0 read F000, 3 write 01FF"); // PHP
    assert_eq!(trace(cpu(), &[0x68], &[]), "0 read F000, 4 read 01FF, 4 read 0100"); // PLA
    assert_eq!(trace(cpu(), &[0x28], &[]), "0 read F000, 4 read 01FF, 4 read 0100"); // PLP
}

#[test]
fn brk_reads_the_byte_behind_it_pushes_three_and_reads_the_vector() {
    let text = "0 read F000, 7 read F001, 7 write 01FF, 7 write 01FE, 7 write 01FD, 7 read FFFE, 7 read FFFF";
    assert_eq!(trace(cpu(), &[0x00], &[]), text);
}

#[test]
fn reset_reads_the_vector_low_byte_first_and_takes_no_time() {
    let mut bus = Recorder::with(&[(0xFFFC, &[0x34, 0x12])]);
    let mut cpu = Cpu::new();
    cpu.reset(&mut bus);
    assert_eq!((bus.text().as_str(), bus.time, cpu.pc), ("0 read FFFC, 0 read FFFD", 0, 0x1234));
}

#[test]
fn a_branch_costs_2_not_taken_3_taken_and_4_when_it_leaves_the_page() {
    let branches = [(0x10, 0x80, false), (0x30, 0x80, true), (0x50, 0x40, false), (0x70, 0x40, true)];
    let others = [(0x90, 0x01, false), (0xB0, 0x01, true), (0xD0, 0x02, false), (0xF0, 0x02, true)];
    for (opcode, flag, taken_if_set) in branches.into_iter().chain(others) {
        let run = |taken: bool, from: u16, offset: u8| {
            let p = if taken == taken_if_set { flag } else { !flag };
            let mut cpu = with_p(p, Cpu { pc: from, ..cpu() });
            let mut bus = Recorder::with(&[(from, &[opcode, offset])]);
            cpu.run_instruction(&mut bus);
            assert_eq!(bus.text(), format!("0 read {from:04X}, 2 read {:04X}", from + 1));
            (bus.time, cpu.pc)
        };
        assert_eq!(run(false, 0xF000, 0x10), (2, 0xF002));
        assert_eq!(run(true, 0xF000, 0x10), (3, 0xF012));
        assert_eq!(run(true, 0xF000, 0xFE), (3, 0xF000));
        assert_eq!(run(true, 0xF000, 0xFD), (4, 0xEFFF));
        assert_eq!(run(true, 0xF0F0, 0x7F), (4, 0xF171));
        // The page that counts is that of the next instruction, not that of the branch.
        assert_eq!(run(true, 0xF0FE, 0x00), (3, 0xF100));
        assert_eq!(run(true, 0xF0FE, 0xFF), (4, 0xF0FF));
    }
}

#[test]
fn only_indexed_reads_pay_for_a_crossed_page() {
    let cycles = |opcode: u8, index: u8| {
        let mut bus = Recorder::with(&[(0x80, &[0x80, 0x12]), (PROGRAM, &[opcode, 0x80, 0x12])]);
        Cpu { x: index, y: index, ..cpu() }.run_instruction(&mut bus);
        bus.time
    };
    let pays: Vec<u8> = (0..=0xFF).filter(|&opcode| cycles(opcode, 0x90) > cycles(opcode, 0x00)).collect();
    let expected = [
        0x11, 0x19, 0x1C, 0x1D, // ORA and NOP
        0x31, 0x39, 0x3C, 0x3D, // AND
        0x51, 0x59, 0x5C, 0x5D, // EOR
        0x71, 0x79, 0x7C, 0x7D, // ADC
        0xB1, 0xB3, 0xB9, 0xBB, 0xBC, 0xBD, 0xBE, 0xBF, // LDA, LAX, LAS, LDY, LDX
        0xD1, 0xD9, 0xDC, 0xDD, // CMP
        0xF1, 0xF9, 0xFC, 0xFD, // SBC
    ];
    assert_eq!(pays, expected);
}

/// The accesses an opcode must make, told by its addressing mode, and the time at its end.
fn expected(cpu: &Cpu, memory: &[u8], opcode: u8) -> (Vec<Access>, u32) {
    let instruction = Instruction::of(opcode);
    let byte = |address: u16| memory[usize::from(address)];
    let word = |low: u16, high: u16| u16::from_le_bytes([byte(low), byte(high)]);
    let behind = |bytes: u16| cpu.pc.wrapping_add(bytes);
    let stack = |offset: i8| 0x0100 + u16::from(cpu.sp.wrapping_add_signed(offset));
    let mut time = instruction.cycles;

    // Reads up to the operand, then the operand itself: base address and index.
    let (reads, operand): (Vec<u16>, Option<(u16, u8)>) = match instruction.mode {
        "imp" | "acc" | "psh" => (vec![], None),
        "imm" => (vec![], Some((behind(1), 0))),
        "zpg" => (vec![behind(1)], Some((byte(behind(1)).into(), 0))),
        "zpx" => (vec![behind(1)], Some((byte(behind(1)).wrapping_add(cpu.x).into(), 0))),
        "zpy" => (vec![behind(1)], Some((byte(behind(1)).wrapping_add(cpu.y).into(), 0))),
        "abs" => (vec![behind(1), behind(2)], Some((word(behind(1), behind(2)), 0))),
        "abx" => (vec![behind(1), behind(2)], Some((word(behind(1), behind(2)), cpu.x))),
        "aby" => (vec![behind(1), behind(2)], Some((word(behind(1), behind(2)), cpu.y))),
        "izx" => {
            let pointer = u16::from(byte(behind(1)).wrapping_add(cpu.x));
            (vec![behind(1), pointer, pointer + 1], Some((word(pointer, pointer + 1), 0)))
        }
        "izy" => {
            let pointer = u16::from(byte(behind(1)));
            (vec![behind(1), pointer, pointer + 1], Some((word(pointer, pointer + 1), cpu.y)))
        }
        "rel" | "brk" => (vec![behind(1)], None),
        "jmp" => (vec![behind(1), behind(2)], None),
        "ind" => {
            let pointer = word(behind(1), behind(2));
            let second = if pointer % 256 == 255 { pointer - 255 } else { pointer + 1 };
            (vec![behind(1), behind(2), pointer, second], None)
        }
        "jsr" => (vec![behind(1), stack(0)], None),
        "pul" => (vec![stack(0), stack(1)], None),
        "rts" => (vec![stack(0), stack(1), stack(2), word(stack(1), stack(2))], None),
        "rti" => (vec![stack(0), stack(1), stack(2), stack(3)], None),
        mode => panic!("no mode {mode}"),
    };

    let mut accesses = vec![Access::Read { address: cpu.pc, time: 0 }];
    accesses.extend(reads.into_iter().map(|address| Access::Read { address, time }));
    if let Some((base, index)) = operand {
        let address = base.wrapping_add(index.into());
        if instruction.kind() == Kind::Read && address / 256 != base / 256 {
            time += 1;
        }
        let (read, write) = (Access::Read { address, time }, Access::Write { address, time });
        accesses.extend(match instruction.kind() {
            Kind::Read => vec![read],
            Kind::Write => vec![write],
            Kind::Modify => vec![read, write],
        });
    }
    match instruction.mode {
        "psh" => accesses.push(Access::Write { address: stack(0), time }),
        "jsr" => {
            accesses.extend([0, -1].map(|offset| Access::Write { address: stack(offset), time }));
            accesses.push(Access::Read { address: behind(2), time });
        }
        "brk" => {
            accesses.extend([0, -1, -2].map(|offset| Access::Write { address: stack(offset), time }));
            accesses.extend([0xFFFE, 0xFFFF].map(|address| Access::Read { address, time }));
        }
        "rel" => {
            let bit = match instruction.name {
                "BPL" | "BMI" => 0x80,
                "BVC" | "BVS" => 0x40,
                "BNE" | "BEQ" => 0x02,
                _ => 0x01,
            };
            let wanted = matches!(instruction.name, "BMI" | "BVS" | "BEQ" | "BCS");
            if (cpu.p() & bit != 0) == wanted {
                let target = behind(2).wrapping_add_signed(byte(behind(1)).cast_signed().into());
                time += if target / 256 == behind(2) / 256 { 1 } else { 2 };
            }
        }
        _ => {}
    }
    (accesses, time)
}

proptest! {
    #[test]
    fn every_opcode_makes_the_accesses_of_its_kind_at_their_times(
        start in any_cpu(),
        mut memory in any_memory(),
    ) {
        for opcode in 0..=0xFF {
            memory[usize::from(start.pc)] = opcode;
            let expected = expected(&start, &memory, opcode);
            let mut cpu = start.clone();
            let mut bus = Recorder::new(memory);
            cpu.run_instruction(&mut bus);
            prop_assert_eq!((bus.accesses, bus.time), expected, "opcode {:02X}", opcode);
            memory = bus.memory;
        }
    }
}
