//! Reset, status register, stack, jam, and the oddities of single opcodes.

use super::*;

#[test]
fn a_program_runs_from_the_reset_vector_until_it_jams() {
    // LDA #$11; STA $80; jam
    let mut bus = Recorder::with(&[(0xF000, &[0xA9, 0x11, 0x85, 0x80, 0x02]), (0xFFFC, &[0x00, 0xF0])]);
    let mut cpu = Cpu::new();
    cpu.reset(&mut bus);
    for _ in 0..10 {
        cpu.run_instruction(&mut bus);
    }
    assert!(cpu.jammed());
    assert_eq!((bus.time, cpu.pc, cpu.a, bus.memory[0x80]), (7, 0xF005, 0x11, 0x11));
}

#[test]
fn reset_clears_all_registers_and_flags_even_i_and_ends_a_jam() {
    let mut bus = Recorder::with(&[(0xFFFC, &[0xCD, 0xAB])]);
    let mut cpu = with_p(0xFF, Cpu { a: 1, x: 2, y: 3, sp: 4, pc: 5, jammed: true, ..Cpu::new() });
    cpu.reset(&mut bus);
    assert_eq!(cpu, Cpu { a: 0, x: 0, y: 0, sp: 0xFF, pc: 0xABCD, jammed: false, ..Cpu::new() });
    assert_eq!((flags(&cpu).as_str(), cpu.p()), ("", 0x30));
}

#[test]
fn a_jam_opcode_costs_2_cycles_moves_past_itself_and_then_nothing_happens() {
    for opcode in [0x02, 0x12, 0x22, 0x32, 0x42, 0x52, 0x62, 0x72, 0x92, 0xB2, 0xD2, 0xF2] {
        let mut bus = Recorder::with(&[(PROGRAM, &[opcode, 0xA9, 0x11])]);
        let mut cpu = cpu();
        cpu.run_instruction(&mut bus);
        let jammed = Cpu { pc: PROGRAM + 1, jammed: true, ..Cpu::new() };
        assert_eq!((&cpu, bus.time, bus.accesses.len()), (&jammed, 2, 1), "opcode {opcode:02X}");
        cpu.run_instruction(&mut bus);
        assert_eq!((&cpu, bus.time, bus.accesses.len()), (&jammed, 2, 1), "opcode {opcode:02X}");
    }
}

#[test]
fn no_other_opcode_jams() {
    let jams = |&opcode: &u8| after(cpu(), &[opcode]).jammed();
    assert_eq!((0..=0xFF).filter(jams).count(), 12);
}

#[test]
fn the_status_register_keeps_what_it_was_given_but_bits_5_and_4() {
    for p in 0..=0xFF {
        assert_eq!(with_p(p, cpu()).p(), p | 0x30);
    }
}

#[test]
fn equality_looks_at_flags_and_not_at_how_they_came_about() {
    let loaded = after(cpu(), &[0xA9, 0x00]);
    let set = with_p(0x02, Cpu { pc: PROGRAM + 2, ..cpu() });
    assert_eq!(loaded, set);
    assert_ne!(loaded, with_p(0x00, set));
}

#[test]
fn php_and_brk_push_bits_5_and_4_set_and_plp_and_rti_ignore_them() {
    for p in 0..=0xFF {
        for (opcode, slot) in [(0x08, 0x01FF), (0x00, 0x01FD)] {
            let mut bus = Recorder::with(&[(PROGRAM, &[opcode])]);
            with_p(p, cpu()).run_instruction(&mut bus);
            assert_eq!(bus.memory[slot], p | 0x30);
        }
        for opcode in [0x28, 0x40] {
            let mut bus = Recorder::with(&[(PROGRAM, &[opcode]), (0x01FD, &[p])]);
            let mut cpu = with_p(!p, Cpu { sp: 0xFC, ..cpu() });
            cpu.run_instruction(&mut bus);
            assert_eq!(cpu.p(), p | 0x30);
        }
    }
}

#[test]
fn brk_sets_i_keeps_d_and_returns_two_bytes_further() {
    let mut bus = Recorder::with(&[(PROGRAM, &[0x00]), (0xFFFE, &[0x00, 0xF2]), (0xF200, &[0x40])]);
    let mut cpu = with_p(0x08, cpu());
    cpu.run_instruction(&mut bus); // BRK
    assert_eq!((cpu.pc, cpu.sp, flags(&cpu).as_str()), (0xF200, 0xFC, "DI"));
    cpu.run_instruction(&mut bus); // RTI
    assert_eq!((cpu.pc, cpu.sp, flags(&cpu).as_str()), (PROGRAM + 2, 0xFF, "D"));
}

#[test]
fn the_stack_pointer_wraps_within_its_page_in_both_directions() {
    let mut bus = Recorder::with(&[(PROGRAM, &[0x20, 0x00, 0xF1]), (0xF100, &[0x60])]);
    let mut cpu = Cpu { sp: 0x00, ..cpu() };
    cpu.run_instruction(&mut bus); // JSR
    assert_eq!((cpu.pc, cpu.sp, bus.memory[0x0100], bus.memory[0x01FF]), (0xF100, 0xFE, 0xF0, 0x02));
    cpu.run_instruction(&mut bus); // RTS
    assert_eq!((cpu.pc, cpu.sp), (PROGRAM + 3, 0x00));
}

#[test]
fn the_program_counter_wraps_at_the_end_of_memory() {
    let mut bus = Recorder::with(&[(0xFFFF, &[0xAD]), (0x0000, &[0x34, 0x12]), (0x1234, &[0x77])]);
    let mut cpu = Cpu { pc: 0xFFFF, ..cpu() };
    cpu.run_instruction(&mut bus); // LDA abs
    assert_eq!((cpu.pc, cpu.a), (0x0002, 0x77));
}

#[test]
fn jsr_may_overwrite_its_own_high_byte_before_reading_it() {
    // The stack runs through the instruction: what JSR pushes at $0102 is the high byte of its target.
    let mut bus = Recorder::with(&[(0x0100, &[0x20, 0x34, 0xEE])]);
    let mut cpu = Cpu { pc: 0x0100, sp: 0x02, ..cpu() };
    cpu.run_instruction(&mut bus);
    assert_eq!(cpu.pc, 0x0134);
}

#[test]
fn lax_zero_page_costs_4_cycles_where_its_neighbours_cost_3() {
    let cycles = |opcode: u8| {
        let mut bus = Recorder::with(&[(PROGRAM, &[opcode, 0x80])]);
        cpu().run_instruction(&mut bus);
        bus.time
    };
    assert_eq!([0xA4, 0xA5, 0xA6, 0xA7].map(cycles), [3, 3, 3, 4]);
}

#[test]
fn bit_takes_n_and_v_from_the_operand_and_z_from_the_and() {
    let mut bus = Recorder::with(&[(PROGRAM, &[0x24, 0x80]), (0x80, &[0xC0])]);
    let mut cpu = Cpu { a: 0x3F, ..cpu() };
    cpu.run_instruction(&mut bus);
    assert_eq!((cpu.a, flags(&cpu).as_str()), (0x3F, "NVZ"));
}

#[test]
fn the_unstable_and_instructions_use_the_constant_ee() {
    let start = Cpu { a: 0x01, x: 0xF3, ..cpu() };
    let ane = after(start.clone(), &[0x8B, 0x7F]);
    assert_eq!((ane.a, ane.x), (0x63, 0xF3));
    let lxa = after(start, &[0xAB, 0x7F]);
    assert_eq!((lxa.a, lxa.x), (0x6F, 0x6F));
}

#[test]
fn the_high_byte_stores_mask_with_the_final_address_and_store_0_at_page_ff() {
    let stored = |opcode: u8, base: [u8; 2], at: usize| {
        let mut bus = Recorder::with(&[(PROGRAM, &[opcode, base[0], base[1]])]);
        bus.memory[at] = 0x55;
        let mut cpu = Cpu { a: 0x7F, x: 0xFF, y: 0xFF, ..cpu() };
        cpu.run_instruction(&mut bus);
        (bus.memory[at], cpu.sp)
    };
    // $12FF + $FF = $13FE: the mask is $14.
    assert_eq!(stored(0x9E, [0xFF, 0x12], 0x13FE).0, 0x14); // SHX abs,Y
    assert_eq!(stored(0x9C, [0xFF, 0x12], 0x13FE).0, 0x14); // SHY abs,X
    assert_eq!(stored(0x9F, [0xFF, 0x12], 0x13FE).0, 0x14); // SHA abs,Y
    assert_eq!(stored(0x9B, [0xFF, 0x12], 0x13FE), (0x14, 0x7F)); // SHS abs,Y
    // $FE80 + $FF = $FF7F: the mask is $100, of which a byte has no bit.
    assert_eq!(stored(0x9E, [0x80, 0xFE], 0xFF7F).0, 0x00);
}

#[test]
fn las_leaves_the_stack_pointer_in_a_and_x() {
    let mut bus = Recorder::with(&[(PROGRAM, &[0xBB, 0x00, 0x12]), (0x1200, &[0xA7])]);
    let mut cpu = Cpu { sp: 0xFA, ..cpu() };
    cpu.run_instruction(&mut bus);
    assert_eq!((cpu.a, cpu.x, cpu.sp, flags(&cpu).as_str()), (0xA2, 0xA2, 0xA2, "N"));
}

#[test]
fn many_instructions_at_once_are_as_many_one_by_one() {
    // INX; STX $80; BNE back; jam
    let program: &[(u16, &[u8])] = &[(PROGRAM, &[0xE8, 0x86, 0x80, 0xD0, 0xFB, 0x02])];
    let (mut single, mut single_bus) = (cpu(), Recorder::with(program));
    let (mut many, mut many_bus) = (cpu(), Recorder::with(program));
    for count in [1, 2, 3, 10, 100] {
        for _ in 0..count {
            single.run_instruction(&mut single_bus);
        }
        assert_eq!(many.run_instructions(&mut many_bus, count, |_| false), count);
        assert_eq!((&many, many_bus.text()), (&single, single_bus.text()));
    }
}

#[test]
fn a_run_ends_after_the_instruction_that_asks_for_it_and_with_a_jam() {
    // INX; STX $80; BNE back; jam
    let mut bus = Recorder::with(&[(PROGRAM, &[0xE8, 0x86, 0x80, 0xD0, 0xFB, 0x02])]);
    let mut cpu = cpu();
    assert_eq!(cpu.run_instructions(&mut bus, 10_000, |bus| bus.memory[0x80] == 0x40), 3 * 0x40 - 1);
    assert_eq!((cpu.x, cpu.pc), (0x40, PROGRAM + 3));
    assert_eq!(cpu.run_instructions(&mut bus, 10_000, |_| false), 3 * 0x100 - (3 * 0x40 - 1) + 1);
    assert!(cpu.jammed());
    assert_eq!(cpu.run_instructions(&mut bus, 10_000, |_| false), 0);
}
