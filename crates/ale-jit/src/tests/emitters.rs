//! Every emitter of the assembler, with all registers and forms of memory, as the disassembler reads it.

use super::disassembly::{decoded, one};
use crate::x64::{AluOp, Assembler, ByteOperand, Cond, Mem, Reg, Shift, XMM0, XMM1};

const R64: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
    "r15",
];
const R32: [&str; 16] = [
    "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d",
    "r14d", "r15d",
];
const R16: [&str; 16] = [
    "ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w",
    "r15w",
];
/// Without a prefix, 4 to 7 would be other registers: they are never used as bytes.
const R8: [&str; 16] =
    ["al", "cl", "dl", "bl", "", "", "", "", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"];
const HIGH: [&str; 4] = ["ah", "ch", "dh", "bh"];
const ALU: [(AluOp, &str); 8] = [
    (AluOp::Add, "add"),
    (AluOp::Or, "or"),
    (AluOp::Adc, "adc"),
    (AluOp::Sbb, "sbb"),
    (AluOp::And, "and"),
    (AluOp::Sub, "sub"),
    (AluOp::Xor, "xor"),
    (AluOp::Cmp, "cmp"),
];
const CONDITIONS: [(Cond, &str); 10] = [
    (Cond::Overflow, "o"),
    (Cond::NotOverflow, "no"),
    (Cond::Below, "b"),
    (Cond::AboveOrEqual, "ae"),
    (Cond::Zero, "e"),
    (Cond::NotZero, "ne"),
    (Cond::BelowOrEqual, "be"),
    (Cond::Above, "a"),
    (Cond::Sign, "s"),
    (Cond::NotSign, "ns"),
];

fn emitted(emit: impl Fn(&mut Assembler)) -> String {
    let mut code = Assembler::default();
    emit(&mut code);
    one(&code.bytes)
}

#[track_caller]
fn check(expected: &str, emit: impl Fn(&mut Assembler)) {
    assert_eq!(emitted(emit), expected);
}

fn registers() -> impl Iterator<Item = usize> {
    0..16
}

fn bytes() -> impl Iterator<Item = usize> {
    registers().filter(|number| !R8[*number].is_empty())
}

fn reg(number: usize) -> Reg {
    Reg(number as u8)
}

/// Forms of memory, with their texts: all bases, all indices but the stack pointer, short and long distances.
fn memories() -> Vec<(Mem, String)> {
    let mut all = Vec::new();
    for distance in [0_i32, 1, -1, 0x7F, -0x80, 0x80, -0x81, 0x1234_5678] {
        let sign = if distance < 0 { '-' } else { '+' };
        let shown = if distance == 0 {
            String::new()
        } else {
            let size = distance.unsigned_abs();
            if size < 10 { format!("{sign}{size}") } else { format!("{sign}{size:#x}") }
        };
        for base in registers() {
            all.push((Mem::new(reg(base), distance), format!("[{}{shown}]", R64[base])));
            for index in registers().filter(|index| *index != 4) {
                let shift = (base + index) as u8 & 3;
                let scale = if shift == 0 { String::new() } else { format!("*{}", 1 << shift) };
                let text = format!("[{}+{}{scale}{shown}]", R64[base], R64[index]);
                all.push((Mem::indexed(reg(base), reg(index), shift, distance), text));
            }
        }
    }
    all
}

fn few_memories() -> Vec<(Mem, String)> {
    memories().into_iter().step_by(37).collect()
}

#[test]
fn moves_between_registers() {
    for to in registers() {
        check(&format!("push {}", R64[to]), |code| code.push(reg(to)));
        check(&format!("pop {}", R64[to]), |code| code.pop(reg(to)));
        check(&format!("jmp {}", R64[to]).replace("jmp", "notrack jmp"), |code| code.jmp_r(reg(to)));
        check(&format!("xor {0}, {0}", R32[to]), |code| code.mov_ri(reg(to), 0));
        check(&format!("mov {}, 0x12345678", R32[to]), |code| code.mov_ri(reg(to), 0x1234_5678));
        check(&format!("mov {}, 0x123456789abcdef0", R64[to]), |code| {
            code.mov_ri64(reg(to), 0x1234_5678_9ABC_DEF0);
        });
        check(&format!("lea {}, [0]", R64[to]), |code| code.lea_rip(reg(to), 0));
        for from in registers() {
            check(&format!("mov {}, {}", R32[to], R32[from]), |code| code.mov_rr(reg(to), reg(from)));
            check(&format!("mov {}, {}", R64[to], R64[from]), |code| code.mov_rr64(reg(to), reg(from)));
        }
        for from in bytes() {
            check(&format!("movzx {}, {}", R32[to], R8[from]), |code| code.movzx_rr8(reg(to), reg(from)));
            check(&format!("movsx {}, {}", R64[to], R8[from]), |code| code.movsx_rr8(reg(to), reg(from)));
        }
    }
}

#[test]
fn moves_to_and_from_memory() {
    for (at, text) in memories() {
        for number in [0, 5, 9, 15] {
            let (long, short) = (R64[number], R32[number]);
            let reg = reg(number);
            check(&format!("mov {short}, {text}"), |code| code.mov_rm(reg, at));
            check(&format!("mov {long}, {text}"), |code| code.mov_rm64(reg, at));
            check(&format!("mov {text}, {short}"), |code| code.mov_mr(at, reg));
            check(&format!("mov {text}, {long}"), |code| code.mov_mr64(at, reg));
            check(&format!("mov {text}, {}", R16[number]), |code| code.mov_mr16(at, reg));
            check(&format!("movzx {short}, byte ptr {text}"), |code| code.movzx_rm8(reg, at));
            check(&format!("movsx {long}, byte ptr {text}"), |code| code.movsx_rm8(reg, at));
            check(&format!("movzx {short}, word ptr {text}"), |code| code.movzx_rm16(reg, at));
            check(&format!("lea {short}, {text}"), |code| code.lea(reg, at));
            check(&format!("lea {long}, {text}"), |code| code.lea64(reg, at));
        }
        check(&format!("mov {text}, r9b"), |code| code.mov_mr8(at, Reg(9)));
        check(&format!("mov {text}, dl"), |code| code.mov_mr8(at, Reg(2)));
        check(&format!("mov byte ptr {text}, 0xab"), |code| code.mov_mi8(at, 0xAB));
        check(&format!("mov word ptr {text}, 0xabcd"), |code| code.mov_mi16(at, 0xABCD));
    }
}

#[test]
fn arithmetic() {
    for (what, name) in ALU {
        for to in registers() {
            for with in registers() {
                let (to_reg, with_reg) = (reg(to), reg(with));
                check(&format!("{name} {}, {}", R32[to], R32[with]), |code| {
                    code.alu_rr(what, to_reg, with_reg);
                });
                check(&format!("{name} {}, {}", R64[to], R64[with]), |code| {
                    code.alu_rr64(what, to_reg, with_reg);
                });
            }
            for (value, text) in
                [(5, "5"), (-0x80, "0xffffff80"), (0x80, "0x80"), (0x1234_5678, "0x12345678")]
            {
                check(&format!("{name} {}, {text}", R32[to]), |code| code.alu_ri(what, reg(to), value));
                let long = if value < 0 { "0xffffffffffffff80" } else { text };
                check(&format!("{name} {}, {long}", R64[to]), |code| code.alu_ri64(what, reg(to), value));
            }
        }
        for (at, text) in few_memories() {
            check(&format!("{name} r11d, {text}"), |code| code.alu_rm(what, Reg(11), at));
            check(&format!("{name} rdx, {text}"), |code| code.alu_rm64(what, Reg(2), at));
            check(&format!("{name} {text}, eax"), |code| code.alu_mr(what, at, Reg(0)));
            check(&format!("{name} r8b, {text}"), |code| code.alu_r8(what, Reg(8), ByteOperand::Memory(at)));
        }
        for to in bytes() {
            check(&format!("{name} {}, 0x9c", R8[to]), |code| {
                code.alu_r8(what, reg(to), ByteOperand::Constant(0x9C));
            });
            for with in bytes() {
                check(&format!("{name} {}, {}", R8[to], R8[with]), |code| {
                    code.alu_r8(what, reg(to), ByteOperand::Register(reg(with)));
                });
            }
        }
    }
    for (at, text) in few_memories() {
        check(&format!("add byte ptr {text}, 0xfe"), |code| code.add_mi8(at, -2));
        check(&format!("dec byte ptr {text}"), |code| code.dec_m8(at));
        check(&format!("cmp byte ptr {text}, 0xfe"), |code| code.cmp_mi8(at, 0xFE));
        check(&format!("or word ptr {text}, 0x100"), |code| code.or_mi16(at, 0x100));
        check(&format!("cmp r9w, {text}"), |code| code.cmp_rm16(at, Reg(9)));
        check(&format!("cmp r9b, {text}"), |code| code.cmp_rm8(at, Reg(9)));
    }
    for to in registers() {
        for with in [0, 4, 13] {
            let names = |all: &[&str; 16]| {
                // The disassembler names a register once if it is both.
                if to == with { all[to].to_owned() } else { format!("{}, {}", all[to], all[with]) }
            };
            let (to, with) = (reg(to), reg(with));
            check(&format!("imul {}, 0x4c", names(&R32)), |code| code.imul_rri(to, with, 76));
            check(&format!("imul {}, 0x1234", names(&R32)), |code| code.imul_rri(to, with, 0x1234));
            check(&format!("imul {}, 0x12345678", names(&R64)), |code| {
                code.imul_rri64(to, with, 0x1234_5678);
            });
        }
        check(&format!("div {}", R32[to]), |code| code.div(reg(to)));
    }
}

#[test]
fn tests_shifts_and_bits() {
    for number in registers() {
        let reg = reg(number);
        let (long, short) = (R64[number], R32[number]);
        check(&format!("test {short}, 0x280"), |code| code.test_ri(reg, 0x280));
        check(&format!("test {short}, {short}"), |code| code.test_rr(reg));
        check(&format!("test {long}, {long}"), |code| code.test_rr64(reg));
        check(&format!("shl {short}, cl"), |code| code.shl_cl(reg));
        check(&format!("shr {short}, cl"), |code| code.shr_cl(reg));
        check(&format!("shr {long}, cl"), |code| code.shr_cl64(reg));
        check(&format!("shl {short}, 7"), |code| code.shl_ri(reg, 7));
        check(&format!("shr {short}, 8"), |code| code.shr_ri(reg, 8));
        check(&format!("shr {long}, 0x24"), |code| code.shr_ri64(reg, 36));
        check(&format!("bt {short}, 8"), |code| code.bt_ri(reg, 8));
    }
    for number in bytes() {
        let reg = reg(number);
        let byte = R8[number];
        check(&format!("test {byte}, {byte}"), |code| code.test_rr8(reg));
        check(&format!("inc {byte}"), |code| code.inc_dec_r8(reg, false));
        check(&format!("dec {byte}"), |code| code.inc_dec_r8(reg, true));
        for (shift, name) in
            [(Shift::Rcl, "rcl"), (Shift::Rcr, "rcr"), (Shift::Shl, "shl"), (Shift::Shr, "shr")]
        {
            check(&format!("{name} {byte}, 1"), |code| code.shift_r8(shift, reg));
        }
        for (condition, name) in CONDITIONS {
            check(&format!("set{name} {byte}"), |code| code.setcc_r8(condition, reg));
        }
    }
    for (number, high) in HIGH.iter().enumerate() {
        check(&format!("mov {high}, 1"), |code| code.mov_high8_i(reg(number), 1));
        check(&format!("test {high}, 1"), |code| code.test_high8_i(reg(number), 1));
        for (condition, name) in CONDITIONS {
            check(&format!("set{name} {high}"), |code| code.setcc_high8(condition, reg(number)));
        }
    }
    for (condition, name) in CONDITIONS {
        for (at, text) in few_memories() {
            check(&format!("set{name} {text}"), |code| code.setcc_m8(condition, at));
        }
    }
    check("cmc", Assembler::cmc);
}

#[test]
fn numbers_of_double_precision() {
    for (at, text) in few_memories() {
        check(&format!("movsd xmm0, {text}"), |code| code.movsd_xm(XMM0, at));
        check(&format!("movsd {text}, xmm1"), |code| code.movsd_mx(at, XMM1));
        check(&format!("addsd xmm1, {text}"), |code| code.addsd_xm(XMM1, at));
    }
    check("subsd xmm0, xmm1", |code| code.subsd(XMM0, XMM1));
    check("xorps xmm1, xmm1", |code| code.xorps(XMM1, XMM1));
    for number in registers() {
        check(&format!("cvtsi2sd xmm1, {}", R32[number]), |code| code.cvtsi2sd(XMM1, reg(number)));
        check(&format!("cvttsd2si {}, xmm0", R32[number]), |code| code.cvttsd2si(reg(number), XMM0));
    }
}

/// Where the only jump of some code leads.
fn target(code: &Assembler) -> u64 {
    decoded(&code.bytes)
        .iter()
        .map(iced_x86::Instruction::near_branch_target)
        .find(|to| *to != 0)
        .unwrap_or(0)
}

#[test]
fn jumps_lead_where_they_are_bound_to() {
    for (condition, name) in CONDITIONS {
        assert!(
            condition.not().not() as u8 == condition as u8 && condition.not() as u8 == condition as u8 ^ 1
        );
        let mut code = Assembler::default();
        let near = code.jcc(condition);
        let short = code.jcc_short(condition);
        let other = code.jump_short(Some(condition));
        code.ret();
        code.bind(near, 8);
        code.bind_short_to(short, 0);
        code.bind_short(other);
        let all = decoded(&code.bytes);
        let to: Vec<_> = all.iter().take(3).map(iced_x86::Instruction::near_branch_target).collect();
        assert_eq!(to, [8, 0, code.position() as u64], "{name}");
        assert!(one(&code.bytes[..6]).starts_with(&format!("j{name} ")));
        assert!(one(&code.bytes[6..8]).starts_with(&format!("j{name} short")));
    }
    for (emit, size) in [(Assembler::jmp as fn(&mut Assembler) -> usize, 5), (Assembler::call, 5)] {
        let mut code = Assembler::default();
        let jump = emit(&mut code);
        assert_eq!(code.position(), size);
        code.bind(jump, 0x1234);
        assert_eq!(target(&code), 0x1234);
    }
    let mut code = Assembler::default();
    let short = code.jmp_short();
    let other = code.jump_short(None);
    code.bind_short(short);
    code.bind_short_to(other, 1);
    let all = decoded(&code.bytes);
    assert_eq!([all[0].near_branch_target(), all[1].near_branch_target()], [4, 1]);
    check("ret", Assembler::ret);
}

/// The list is complete: an emitter that is not tried above fails here.
#[test]
fn every_emitter_is_tried() {
    let here = include_str!("emitters.rs");
    let sources =
        [include_str!("../x64/assembler.rs"), include_str!("../x64/jumps.rs"), include_str!("../x64/sse.rs")];
    let mut count = 0;
    for line in sources.iter().flat_map(|source| source.lines()) {
        let Some(rest) = line.trim_start().strip_prefix("pub(crate) fn ") else { continue };
        let name = rest.split('(').next().unwrap_or_default();
        let used = here.contains(&format!("code.{name}(")) || here.contains(&format!("Assembler::{name}"));
        assert!(used, "{name} is not tried");
        count += 1;
    }
    assert!(count > 60, "{count} emitters");
}
