//! The instruction set: one row per opcode with its access shape, cycles, addressing mode and operation.
//!
//! The cycles are those of an instruction crossing no page and taking no branch; `shapes.rs` adds the rest.

use super::modes::Mode::{
    Absolute, AbsoluteX, AbsoluteY, Immediate, IndexedIndirect, IndirectIndexed, ZeroPage, ZeroPageX,
    ZeroPageY,
};
use super::{Bus, Cpu};

impl Cpu {
    /// Fetches the next instruction and executes it.
    #[inline(always)]
    #[rustfmt::skip]
    #[expect(clippy::too_many_lines, clippy::match_same_arms, reason = "one row per opcode")]
    pub(super) fn execute(&mut self, bus: &mut impl Bus) {
        match self.fetch(bus) {
            0x00 => self.brk(bus, 7),                                          // BRK
            0x01 => self.load(bus, 6, IndexedIndirect, Self::ora),             // ORA (zp,X)
            0x02 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0x03 => self.modify(bus, 8, IndexedIndirect, Self::slo),           // SLO (zp,X)
            0x04 => self.load(bus, 3, ZeroPage, Self::ignore),                 // NOP zp
            0x05 => self.load(bus, 3, ZeroPage, Self::ora),                    // ORA zp
            0x06 => self.modify(bus, 5, ZeroPage, Self::asl),                  // ASL zp
            0x07 => self.modify(bus, 5, ZeroPage, Self::slo),                  // SLO zp
            0x08 => self.push_register(bus, 3, self.p()),                      // PHP
            0x09 => self.load(bus, 2, Immediate, Self::ora),                   // ORA #
            0x0A => self.accumulator(bus, 2, Self::asl),                       // ASL A
            0x0B => self.load(bus, 2, Immediate, Self::anc),                   // ANC #
            0x0C => self.load(bus, 4, Absolute, Self::ignore),                 // NOP abs
            0x0D => self.load(bus, 4, Absolute, Self::ora),                    // ORA abs
            0x0E => self.modify(bus, 6, Absolute, Self::asl),                  // ASL abs
            0x0F => self.modify(bus, 6, Absolute, Self::slo),                  // SLO abs
            0x10 => self.branch(bus, 2, self.negative < 0x80),                 // BPL
            0x11 => self.load(bus, 5, IndirectIndexed, Self::ora),             // ORA (zp),Y
            0x12 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0x13 => self.modify(bus, 8, IndirectIndexed, Self::slo),           // SLO (zp),Y
            0x14 => self.load(bus, 4, ZeroPageX, Self::ignore),                // NOP zp,X
            0x15 => self.load(bus, 4, ZeroPageX, Self::ora),                   // ORA zp,X
            0x16 => self.modify(bus, 6, ZeroPageX, Self::asl),                 // ASL zp,X
            0x17 => self.modify(bus, 6, ZeroPageX, Self::slo),                 // SLO zp,X
            0x18 => self.implied(bus, 2, |cpu| cpu.carry = false),             // CLC
            0x19 => self.load(bus, 4, AbsoluteY, Self::ora),                   // ORA abs,Y
            0x1A => self.implied(bus, 2, |_| {}),                              // NOP
            0x1B => self.modify(bus, 7, AbsoluteY, Self::slo),                 // SLO abs,Y
            0x1C => self.load(bus, 4, AbsoluteX, Self::ignore),                // NOP abs,X
            0x1D => self.load(bus, 4, AbsoluteX, Self::ora),                   // ORA abs,X
            0x1E => self.modify(bus, 7, AbsoluteX, Self::asl),                 // ASL abs,X
            0x1F => self.modify(bus, 7, AbsoluteX, Self::slo),                 // SLO abs,X
            0x20 => self.jsr(bus, 6),                                          // JSR abs
            0x21 => self.load(bus, 6, IndexedIndirect, Self::and),             // AND (zp,X)
            0x22 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0x23 => self.modify(bus, 8, IndexedIndirect, Self::rla),           // RLA (zp,X)
            0x24 => self.load(bus, 3, ZeroPage, Self::bit),                    // BIT zp
            0x25 => self.load(bus, 3, ZeroPage, Self::and),                    // AND zp
            0x26 => self.modify(bus, 5, ZeroPage, Self::rol),                  // ROL zp
            0x27 => self.modify(bus, 5, ZeroPage, Self::rla),                  // RLA zp
            0x28 => self.pull_register(bus, 4, Self::set_p),                   // PLP
            0x29 => self.load(bus, 2, Immediate, Self::and),                   // AND #
            0x2A => self.accumulator(bus, 2, Self::rol),                       // ROL A
            0x2B => self.load(bus, 2, Immediate, Self::anc),                   // ANC #
            0x2C => self.load(bus, 4, Absolute, Self::bit),                    // BIT abs
            0x2D => self.load(bus, 4, Absolute, Self::and),                    // AND abs
            0x2E => self.modify(bus, 6, Absolute, Self::rol),                  // ROL abs
            0x2F => self.modify(bus, 6, Absolute, Self::rla),                  // RLA abs
            0x30 => self.branch(bus, 2, self.negative >= 0x80),                // BMI
            0x31 => self.load(bus, 5, IndirectIndexed, Self::and),             // AND (zp),Y
            0x32 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0x33 => self.modify(bus, 8, IndirectIndexed, Self::rla),           // RLA (zp),Y
            0x34 => self.load(bus, 4, ZeroPageX, Self::ignore),                // NOP zp,X
            0x35 => self.load(bus, 4, ZeroPageX, Self::and),                   // AND zp,X
            0x36 => self.modify(bus, 6, ZeroPageX, Self::rol),                 // ROL zp,X
            0x37 => self.modify(bus, 6, ZeroPageX, Self::rla),                 // RLA zp,X
            0x38 => self.implied(bus, 2, |cpu| cpu.carry = true),              // SEC
            0x39 => self.load(bus, 4, AbsoluteY, Self::and),                   // AND abs,Y
            0x3A => self.implied(bus, 2, |_| {}),                              // NOP
            0x3B => self.modify(bus, 7, AbsoluteY, Self::rla),                 // RLA abs,Y
            0x3C => self.load(bus, 4, AbsoluteX, Self::ignore),                // NOP abs,X
            0x3D => self.load(bus, 4, AbsoluteX, Self::and),                   // AND abs,X
            0x3E => self.modify(bus, 7, AbsoluteX, Self::rol),                 // ROL abs,X
            0x3F => self.modify(bus, 7, AbsoluteX, Self::rla),                 // RLA abs,X
            0x40 => self.rti(bus, 6),                                          // RTI
            0x41 => self.load(bus, 6, IndexedIndirect, Self::eor),             // EOR (zp,X)
            0x42 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0x43 => self.modify(bus, 8, IndexedIndirect, Self::sre),           // SRE (zp,X)
            0x44 => self.load(bus, 3, ZeroPage, Self::ignore),                 // NOP zp
            0x45 => self.load(bus, 3, ZeroPage, Self::eor),                    // EOR zp
            0x46 => self.modify(bus, 5, ZeroPage, Self::lsr),                  // LSR zp
            0x47 => self.modify(bus, 5, ZeroPage, Self::sre),                  // SRE zp
            0x48 => self.push_register(bus, 3, self.a),                        // PHA
            0x49 => self.load(bus, 2, Immediate, Self::eor),                   // EOR #
            0x4A => self.accumulator(bus, 2, Self::lsr),                       // LSR A
            0x4B => self.load(bus, 2, Immediate, Self::asr),                   // ASR #
            0x4C => self.jump(bus, 3, Self::fetch_word),                       // JMP abs
            0x4D => self.load(bus, 4, Absolute, Self::eor),                    // EOR abs
            0x4E => self.modify(bus, 6, Absolute, Self::lsr),                  // LSR abs
            0x4F => self.modify(bus, 6, Absolute, Self::sre),                  // SRE abs
            0x50 => self.branch(bus, 2, !self.overflow),                       // BVC
            0x51 => self.load(bus, 5, IndirectIndexed, Self::eor),             // EOR (zp),Y
            0x52 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0x53 => self.modify(bus, 8, IndirectIndexed, Self::sre),           // SRE (zp),Y
            0x54 => self.load(bus, 4, ZeroPageX, Self::ignore),                // NOP zp,X
            0x55 => self.load(bus, 4, ZeroPageX, Self::eor),                   // EOR zp,X
            0x56 => self.modify(bus, 6, ZeroPageX, Self::lsr),                 // LSR zp,X
            0x57 => self.modify(bus, 6, ZeroPageX, Self::sre),                 // SRE zp,X
            0x58 => self.implied(bus, 2, |cpu| cpu.interrupt = false),         // CLI
            0x59 => self.load(bus, 4, AbsoluteY, Self::eor),                   // EOR abs,Y
            0x5A => self.implied(bus, 2, |_| {}),                              // NOP
            0x5B => self.modify(bus, 7, AbsoluteY, Self::sre),                 // SRE abs,Y
            0x5C => self.load(bus, 4, AbsoluteX, Self::ignore),                // NOP abs,X
            0x5D => self.load(bus, 4, AbsoluteX, Self::eor),                   // EOR abs,X
            0x5E => self.modify(bus, 7, AbsoluteX, Self::lsr),                 // LSR abs,X
            0x5F => self.modify(bus, 7, AbsoluteX, Self::sre),                 // SRE abs,X
            0x60 => self.rts(bus, 6),                                          // RTS
            0x61 => self.load(bus, 6, IndexedIndirect, Self::adc),             // ADC (zp,X)
            0x62 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0x63 => self.modify(bus, 8, IndexedIndirect, Self::rra),           // RRA (zp,X)
            0x64 => self.load(bus, 3, ZeroPage, Self::ignore),                 // NOP zp
            0x65 => self.load(bus, 3, ZeroPage, Self::adc),                    // ADC zp
            0x66 => self.modify(bus, 5, ZeroPage, Self::ror),                  // ROR zp
            0x67 => self.modify(bus, 5, ZeroPage, Self::rra),                  // RRA zp
            0x68 => self.pull_register(bus, 4, Self::lda),                     // PLA
            0x69 => self.load(bus, 2, Immediate, Self::adc),                   // ADC #
            0x6A => self.accumulator(bus, 2, Self::ror),                       // ROR A
            0x6B => self.load(bus, 2, Immediate, Self::arr),                   // ARR #
            0x6C => self.jump(bus, 5, Self::indirect),                         // JMP (ind)
            0x6D => self.load(bus, 4, Absolute, Self::adc),                    // ADC abs
            0x6E => self.modify(bus, 6, Absolute, Self::ror),                  // ROR abs
            0x6F => self.modify(bus, 6, Absolute, Self::rra),                  // RRA abs
            0x70 => self.branch(bus, 2, self.overflow),                        // BVS
            0x71 => self.load(bus, 5, IndirectIndexed, Self::adc),             // ADC (zp),Y
            0x72 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0x73 => self.modify(bus, 8, IndirectIndexed, Self::rra),           // RRA (zp),Y
            0x74 => self.load(bus, 4, ZeroPageX, Self::ignore),                // NOP zp,X
            0x75 => self.load(bus, 4, ZeroPageX, Self::adc),                   // ADC zp,X
            0x76 => self.modify(bus, 6, ZeroPageX, Self::ror),                 // ROR zp,X
            0x77 => self.modify(bus, 6, ZeroPageX, Self::rra),                 // RRA zp,X
            0x78 => self.implied(bus, 2, |cpu| cpu.interrupt = true),          // SEI
            0x79 => self.load(bus, 4, AbsoluteY, Self::adc),                   // ADC abs,Y
            0x7A => self.implied(bus, 2, |_| {}),                              // NOP
            0x7B => self.modify(bus, 7, AbsoluteY, Self::rra),                 // RRA abs,Y
            0x7C => self.load(bus, 4, AbsoluteX, Self::ignore),                // NOP abs,X
            0x7D => self.load(bus, 4, AbsoluteX, Self::adc),                   // ADC abs,X
            0x7E => self.modify(bus, 7, AbsoluteX, Self::ror),                 // ROR abs,X
            0x7F => self.modify(bus, 7, AbsoluteX, Self::rra),                 // RRA abs,X
            0x80 => self.load(bus, 2, Immediate, Self::ignore),                // NOP #
            0x81 => self.store(bus, 6, IndexedIndirect, self.a),               // STA (zp,X)
            0x82 => self.load(bus, 2, Immediate, Self::ignore),                // NOP #
            0x83 => self.store(bus, 6, IndexedIndirect, self.a & self.x),      // SAX (zp,X)
            0x84 => self.store(bus, 3, ZeroPage, self.y),                      // STY zp
            0x85 => self.store(bus, 3, ZeroPage, self.a),                      // STA zp
            0x86 => self.store(bus, 3, ZeroPage, self.x),                      // STX zp
            0x87 => self.store(bus, 3, ZeroPage, self.a & self.x),             // SAX zp
            0x88 => self.implied(bus, 2, |cpu| cpu.y = cpu.dec(cpu.y)),        // DEY
            0x89 => self.load(bus, 2, Immediate, Self::ignore),                // NOP #
            0x8A => self.implied(bus, 2, |cpu| cpu.lda(cpu.x)),                // TXA
            0x8B => self.load(bus, 2, Immediate, Self::ane),                   // ANE #
            0x8C => self.store(bus, 4, Absolute, self.y),                      // STY abs
            0x8D => self.store(bus, 4, Absolute, self.a),                      // STA abs
            0x8E => self.store(bus, 4, Absolute, self.x),                      // STX abs
            0x8F => self.store(bus, 4, Absolute, self.a & self.x),             // SAX abs
            0x90 => self.branch(bus, 2, !self.carry),                          // BCC
            0x91 => self.store(bus, 6, IndirectIndexed, self.a),               // STA (zp),Y
            0x92 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0x93 => self.store_high(bus, 6, IndirectIndexed, self.a & self.x), // SHA (zp),Y
            0x94 => self.store(bus, 4, ZeroPageX, self.y),                     // STY zp,X
            0x95 => self.store(bus, 4, ZeroPageX, self.a),                     // STA zp,X
            0x96 => self.store(bus, 4, ZeroPageY, self.x),                     // STX zp,Y
            0x97 => self.store(bus, 4, ZeroPageY, self.a & self.x),            // SAX zp,Y
            0x98 => self.implied(bus, 2, |cpu| cpu.lda(cpu.y)),                // TYA
            0x99 => self.store(bus, 5, AbsoluteY, self.a),                     // STA abs,Y
            0x9A => self.implied(bus, 2, |cpu| cpu.sp = cpu.x),                // TXS
            0x9B => self.shs(bus, 5, AbsoluteY),                               // SHS abs,Y
            0x9C => self.store_high(bus, 5, AbsoluteX, self.y),                // SHY abs,X
            0x9D => self.store(bus, 5, AbsoluteX, self.a),                     // STA abs,X
            0x9E => self.store_high(bus, 5, AbsoluteY, self.x),                // SHX abs,Y
            0x9F => self.store_high(bus, 5, AbsoluteY, self.a & self.x),       // SHA abs,Y
            0xA0 => self.load(bus, 2, Immediate, Self::ldy),                   // LDY #
            0xA1 => self.load(bus, 6, IndexedIndirect, Self::lda),             // LDA (zp,X)
            0xA2 => self.load(bus, 2, Immediate, Self::ldx),                   // LDX #
            0xA3 => self.load(bus, 6, IndexedIndirect, Self::lax),             // LAX (zp,X)
            0xA4 => self.load(bus, 3, ZeroPage, Self::ldy),                    // LDY zp
            0xA5 => self.load(bus, 3, ZeroPage, Self::lda),                    // LDA zp
            0xA6 => self.load(bus, 3, ZeroPage, Self::ldx),                    // LDX zp
            0xA7 => self.load(bus, 4, ZeroPage, Self::lax),                    // LAX zp, 3 on the chip
            0xA8 => self.implied(bus, 2, |cpu| cpu.ldy(cpu.a)),                // TAY
            0xA9 => self.load(bus, 2, Immediate, Self::lda),                   // LDA #
            0xAA => self.implied(bus, 2, |cpu| cpu.ldx(cpu.a)),                // TAX
            0xAB => self.load(bus, 2, Immediate, Self::lxa),                   // LXA #
            0xAC => self.load(bus, 4, Absolute, Self::ldy),                    // LDY abs
            0xAD => self.load(bus, 4, Absolute, Self::lda),                    // LDA abs
            0xAE => self.load(bus, 4, Absolute, Self::ldx),                    // LDX abs
            0xAF => self.load(bus, 4, Absolute, Self::lax),                    // LAX abs
            0xB0 => self.branch(bus, 2, self.carry),                           // BCS
            0xB1 => self.load(bus, 5, IndirectIndexed, Self::lda),             // LDA (zp),Y
            0xB2 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0xB3 => self.load(bus, 5, IndirectIndexed, Self::lax),             // LAX (zp),Y
            0xB4 => self.load(bus, 4, ZeroPageX, Self::ldy),                   // LDY zp,X
            0xB5 => self.load(bus, 4, ZeroPageX, Self::lda),                   // LDA zp,X
            0xB6 => self.load(bus, 4, ZeroPageY, Self::ldx),                   // LDX zp,Y
            0xB7 => self.load(bus, 4, ZeroPageY, Self::lax),                   // LAX zp,Y
            0xB8 => self.implied(bus, 2, |cpu| cpu.overflow = false),          // CLV
            0xB9 => self.load(bus, 4, AbsoluteY, Self::lda),                   // LDA abs,Y
            0xBA => self.implied(bus, 2, |cpu| cpu.ldx(cpu.sp)),               // TSX
            0xBB => self.load(bus, 4, AbsoluteY, Self::las),                   // LAS abs,Y
            0xBC => self.load(bus, 4, AbsoluteX, Self::ldy),                   // LDY abs,X
            0xBD => self.load(bus, 4, AbsoluteX, Self::lda),                   // LDA abs,X
            0xBE => self.load(bus, 4, AbsoluteY, Self::ldx),                   // LDX abs,Y
            0xBF => self.load(bus, 4, AbsoluteY, Self::lax),                   // LAX abs,Y
            0xC0 => self.load(bus, 2, Immediate, Self::cpy),                   // CPY #
            0xC1 => self.load(bus, 6, IndexedIndirect, Self::cmp),             // CMP (zp,X)
            0xC2 => self.load(bus, 2, Immediate, Self::ignore),                // NOP #
            0xC3 => self.modify(bus, 8, IndexedIndirect, Self::dcp),           // DCP (zp,X)
            0xC4 => self.load(bus, 3, ZeroPage, Self::cpy),                    // CPY zp
            0xC5 => self.load(bus, 3, ZeroPage, Self::cmp),                    // CMP zp
            0xC6 => self.modify(bus, 5, ZeroPage, Self::dec),                  // DEC zp
            0xC7 => self.modify(bus, 5, ZeroPage, Self::dcp),                  // DCP zp
            0xC8 => self.implied(bus, 2, |cpu| cpu.y = cpu.inc(cpu.y)),        // INY
            0xC9 => self.load(bus, 2, Immediate, Self::cmp),                   // CMP #
            0xCA => self.implied(bus, 2, |cpu| cpu.x = cpu.dec(cpu.x)),        // DEX
            0xCB => self.load(bus, 2, Immediate, Self::sbx),                   // SBX #
            0xCC => self.load(bus, 4, Absolute, Self::cpy),                    // CPY abs
            0xCD => self.load(bus, 4, Absolute, Self::cmp),                    // CMP abs
            0xCE => self.modify(bus, 6, Absolute, Self::dec),                  // DEC abs
            0xCF => self.modify(bus, 6, Absolute, Self::dcp),                  // DCP abs
            0xD0 => self.branch(bus, 2, self.zero != 0),                       // BNE
            0xD1 => self.load(bus, 5, IndirectIndexed, Self::cmp),             // CMP (zp),Y
            0xD2 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0xD3 => self.modify(bus, 8, IndirectIndexed, Self::dcp),           // DCP (zp),Y
            0xD4 => self.load(bus, 4, ZeroPageX, Self::ignore),                // NOP zp,X
            0xD5 => self.load(bus, 4, ZeroPageX, Self::cmp),                   // CMP zp,X
            0xD6 => self.modify(bus, 6, ZeroPageX, Self::dec),                 // DEC zp,X
            0xD7 => self.modify(bus, 6, ZeroPageX, Self::dcp),                 // DCP zp,X
            0xD8 => self.implied(bus, 2, |cpu| cpu.decimal = false),           // CLD
            0xD9 => self.load(bus, 4, AbsoluteY, Self::cmp),                   // CMP abs,Y
            0xDA => self.implied(bus, 2, |_| {}),                              // NOP
            0xDB => self.modify(bus, 7, AbsoluteY, Self::dcp),                 // DCP abs,Y
            0xDC => self.load(bus, 4, AbsoluteX, Self::ignore),                // NOP abs,X
            0xDD => self.load(bus, 4, AbsoluteX, Self::cmp),                   // CMP abs,X
            0xDE => self.modify(bus, 7, AbsoluteX, Self::dec),                 // DEC abs,X
            0xDF => self.modify(bus, 7, AbsoluteX, Self::dcp),                 // DCP abs,X
            0xE0 => self.load(bus, 2, Immediate, Self::cpx),                   // CPX #
            0xE1 => self.load(bus, 6, IndexedIndirect, Self::sbc),             // SBC (zp,X)
            0xE2 => self.load(bus, 2, Immediate, Self::ignore),                // NOP #
            0xE3 => self.modify(bus, 8, IndexedIndirect, Self::isb),           // ISB (zp,X)
            0xE4 => self.load(bus, 3, ZeroPage, Self::cpx),                    // CPX zp
            0xE5 => self.load(bus, 3, ZeroPage, Self::sbc),                    // SBC zp
            0xE6 => self.modify(bus, 5, ZeroPage, Self::inc),                  // INC zp
            0xE7 => self.modify(bus, 5, ZeroPage, Self::isb),                  // ISB zp
            0xE8 => self.implied(bus, 2, |cpu| cpu.x = cpu.inc(cpu.x)),        // INX
            0xE9 => self.load(bus, 2, Immediate, Self::sbc),                   // SBC #
            0xEA => self.implied(bus, 2, |_| {}),                              // NOP
            0xEB => self.load(bus, 2, Immediate, Self::sbc),                   // SBC #
            0xEC => self.load(bus, 4, Absolute, Self::cpx),                    // CPX abs
            0xED => self.load(bus, 4, Absolute, Self::sbc),                    // SBC abs
            0xEE => self.modify(bus, 6, Absolute, Self::inc),                  // INC abs
            0xEF => self.modify(bus, 6, Absolute, Self::isb),                  // ISB abs
            0xF0 => self.branch(bus, 2, self.zero == 0),                       // BEQ
            0xF1 => self.load(bus, 5, IndirectIndexed, Self::sbc),             // SBC (zp),Y
            0xF2 => self.implied(bus, 2, |cpu| cpu.jammed = true),             // jam
            0xF3 => self.modify(bus, 8, IndirectIndexed, Self::isb),           // ISB (zp),Y
            0xF4 => self.load(bus, 4, ZeroPageX, Self::ignore),                // NOP zp,X
            0xF5 => self.load(bus, 4, ZeroPageX, Self::sbc),                   // SBC zp,X
            0xF6 => self.modify(bus, 6, ZeroPageX, Self::inc),                 // INC zp,X
            0xF7 => self.modify(bus, 6, ZeroPageX, Self::isb),                 // ISB zp,X
            0xF8 => self.implied(bus, 2, |cpu| cpu.decimal = true),            // SED
            0xF9 => self.load(bus, 4, AbsoluteY, Self::sbc),                   // SBC abs,Y
            0xFA => self.implied(bus, 2, |_| {}),                              // NOP
            0xFB => self.modify(bus, 7, AbsoluteY, Self::isb),                 // ISB abs,Y
            0xFC => self.load(bus, 4, AbsoluteX, Self::ignore),                // NOP abs,X
            0xFD => self.load(bus, 4, AbsoluteX, Self::sbc),                   // SBC abs,X
            0xFE => self.modify(bus, 7, AbsoluteX, Self::inc),                 // INC abs,X
            0xFF => self.modify(bus, 7, AbsoluteX, Self::isb),                 // ISB abs,X
        }
    }
}
