//! Decimal mode. The checksums are those of the reference over all operands.

use super::*;

const D: u8 = 0x08;

/// A, then the flags N V Z C as letters, after `opcode` with an immediate operand in decimal mode.
fn decimal(opcode: u8, a: u8, m: u8, carry: u8) -> String {
    let cpu = after(with_p(D | carry, Cpu { a, ..cpu() }), &[opcode, m]);
    format!("{:02X} {}", cpu.a, flags(&cpu).replace('D', "")).trim_end().to_owned()
}

fn adc(a: u8, m: u8, carry: u8) -> String {
    decimal(0x69, a, m, carry)
}

fn sbc(a: u8, m: u8, carry: u8) -> String {
    decimal(0xE9, a, m, carry)
}

/// CRC-32 of result and flags N V Z C over all carries, accumulators and operands, the operand fastest.
fn checksum(opcode: u8) -> u32 {
    let mut bytes = Vec::new();
    let mut bus = Recorder::with(&[(PROGRAM, &[opcode])]);
    for (carry, a) in (0..=1).flat_map(|carry| (0..=0xFF).map(move |a| (carry, a))) {
        for m in 0..=0xFF {
            bus.memory[usize::from(PROGRAM) + 1] = m;
            bus.accesses.clear();
            let mut cpu = with_p(D | carry, Cpu { a, ..cpu() });
            cpu.run_instruction(&mut bus);
            bytes.extend([cpu.a, cpu.p() & 0xC3]);
        }
    }
    crc32(&bytes)
}

/// The CRC-32 of zlib and PNG.
fn crc32(bytes: &[u8]) -> u32 {
    let shift = |crc: u32| crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| shift(crc)))
}

#[test]
fn the_checksum_of_these_tests_is_that_of_zlib() {
    assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
}

#[test]
fn adc_equals_the_reference_for_all_operands() {
    assert_eq!(checksum(0x69), 0x2B6E_5E52);
}

#[test]
fn sbc_equals_the_reference_for_all_operands() {
    assert_eq!(checksum(0xE9), 0xEE50_D1CF);
    assert_eq!(checksum(0xEB), 0xEE50_D1CF);
}

#[test]
fn arr_equals_the_reference_for_all_operands_in_both_modes() {
    let checksum = |decimal: u8| {
        let mut bytes = Vec::new();
        for (carry, a) in (0..=1).flat_map(|carry| (0..=0xFF).map(move |a| (carry, a))) {
            let cpu = after(with_p(decimal | carry, Cpu { a, ..cpu() }), &[0x6B, 0xFF]);
            bytes.extend([cpu.a, cpu.p() & 0xC3]);
        }
        crc32(&bytes)
    };
    assert_eq!(checksum(0), 0x561D_FFE0);
    assert_eq!(checksum(D), 0x4B34_506F);
}

#[test]
fn arr_adds_6_to_digits_that_were_beyond_5_and_keeps_the_flags_of_the_rotation() {
    let arr = |a, carry| decimal(0x6B, a, 0xFF, carry);
    assert_eq!(arr(0x0F, 0), "0D");
    assert_eq!(arr(0x55, 0), "80 VC");
    assert_eq!(arr(0x66, 0), "99 VC");
}

#[test]
fn adc_adds_two_digits_and_takes_its_flags_from_the_sum() {
    assert_eq!(adc(0x99, 0x01, 0), "00 ZC");
    assert_eq!(adc(0x58, 0x46, 1), "05 C");
}

#[test]
fn adc_counts_digits_beyond_9_as_what_they_are() {
    assert_eq!(adc(0x1F, 0x01, 0), "26");
    assert_eq!(adc(0xFF, 0xFF, 1), "75 VC");
}

#[test]
fn sbc_subtracts_two_digits() {
    assert_eq!(sbc(0x00, 0x01, 1), "99 NV");
    assert_eq!(sbc(0x12, 0x21, 1), "91 NV");
    assert_eq!(sbc(0x40, 0x13, 0), "26 C");
}

#[test]
fn sbc_compares_raw_bytes_for_the_carry_and_knows_digits_beyond_9() {
    assert_eq!(sbc(0x50, 0x4F, 1), "95 NVC");
    assert_eq!(sbc(0x00, 0xFF, 1), "7D");
    assert_eq!(sbc(0x00, 0xFF, 0), "7C");
}

/// The CPU and the operand in memory after `opcode` on zero page.
fn modified(opcode: u8, a: u8, m: u8, carry: u8) -> (Cpu, u8) {
    let mut bus = Recorder::with(&[(0x80, &[m]), (PROGRAM, &[opcode, 0x80])]);
    let mut cpu = with_p(D | carry, Cpu { a, ..cpu() });
    cpu.run_instruction(&mut bus);
    (cpu, bus.memory[0x80])
}

#[test]
fn rra_rotates_and_then_adds_decimally_with_the_carry_rotated_out() {
    for (a, m) in (0..=0xFF).flat_map(|a| (0..=0xFF).map(move |m| (a, m))) {
        for carry in 0..=1 {
            let (cpu, rotated) = modified(0x67, a, m, carry);
            assert_eq!(rotated, m >> 1 | carry << 7);
            let sum = after(with_p(D | m & 1, Cpu { a, ..super::cpu() }), &[0x69, rotated]);
            assert_eq!((cpu.a, cpu.p()), (sum.a, sum.p()), "A {a:02X}, operand {m:02X}, C {carry}");
        }
    }
    let (cpu, rotated) = modified(0x67, 0x45, 0x73, 0); // 45 + 39 + 1
    assert_eq!((cpu.a, rotated, flags(&cpu).as_str()), (0x85, 0x39, "NVD"));
}

#[test]
fn isb_increments_and_then_subtracts_decimally() {
    for (a, m) in (0..=0xFF_u8).flat_map(|a| (0..=0xFF_u8).map(move |m| (a, m))) {
        for carry in 0..=1 {
            let (cpu, incremented) = modified(0xE7, a, m, carry);
            assert_eq!(incremented, m.wrapping_add(1));
            let difference = after(with_p(D | carry, Cpu { a, ..super::cpu() }), &[0xE9, incremented]);
            let expected = (difference.a, difference.p());
            assert_eq!((cpu.a, cpu.p()), expected, "A {a:02X}, operand {m:02X}, C {carry}");
        }
    }
    let (cpu, incremented) = modified(0xE7, 0x42, 0x18, 1); // 42 - 19
    assert_eq!((cpu.a, incremented, flags(&cpu).as_str()), (0x23, 0x19, "DC"));
}

#[test]
fn comparisons_sbx_and_counting_do_not_know_decimal_mode() {
    for opcode in [0xC9, 0xE0, 0xC0, 0xCB, 0xE8, 0xCA] {
        for m in 0..=0xFF {
            let run = |p| after(with_p(p, Cpu { a: 0x1F, x: 0x5A, y: 0x40, ..cpu() }), &[opcode, m]);
            let (binary, mut decimal) = (run(0), run(D));
            decimal.set_p(decimal.p() & !D);
            assert_eq!(binary, decimal, "opcode {opcode:02X}, operand {m:02X}");
        }
    }
}
