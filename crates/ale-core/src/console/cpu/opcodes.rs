//! The instruction set: one row per opcode with its access shape, cycles, addressing mode and operation.
//!
//! The cycles are those of an instruction crossing no page and taking no branch; `shapes.rs` adds the rest.

use super::modes::Mode::{
    Absolute, AbsoluteX, AbsoluteY, Immediate, IndexedIndirect, IndirectIndexed, ZeroPage, ZeroPageX,
    ZeroPageY,
};
use super::modes::{fetch, fetch_word, indirect};
use super::{Bus, Cpu};

impl Cpu {
    /// Fetches the instruction at `pc` and executes it; `pc` moves on to the next. The CPU's own counter
    /// is neither read nor written.
    #[inline(always)]
    #[rustfmt::skip]
    #[expect(clippy::too_many_lines, clippy::match_same_arms, reason = "one row per opcode")]
    pub(crate) fn execute(&mut self, bus: &mut impl Bus, pc: &mut u16) {
        // Macros, because a function handed to a function is not always inlined, and one that is not
        // would tie the registers to memory.
        macro_rules! implied {
            ($cycles:literal, $operation:expr) => {{ bus.tick($cycles); $operation }};
        }
        macro_rules! accumulator {
            ($cycles:literal, $operation:ident) => {{ bus.tick($cycles); self.a = self.$operation(self.a); }};
        }
        macro_rules! load {
            ($cycles:literal, $mode:ident, $operation:ident) => {{
                let value = self.load(bus, pc, $cycles, $mode);
                self.$operation(value);
            }};
        }
        macro_rules! modify {
            ($cycles:literal, $mode:ident, $operation:ident) => {{
                let (address, value) = self.load_to_modify(bus, pc, $cycles, $mode);
                let result = self.$operation(value);
                bus.write(address, result);
            }};
        }
        macro_rules! pull {
            ($cycles:literal, $operation:ident) => {{
                let value = self.pull_register(bus, $cycles);
                self.$operation(value);
            }};
        }
        macro_rules! jump {
            ($cycles:literal, $target:ident) => {{ bus.tick($cycles); *pc = $target(bus, pc); }};
        }
        match fetch(bus, pc) {
            0x00 => self.brk(bus, pc, 7),                                      // BRK
            0x01 => load!(6, IndexedIndirect, ora),                            // ORA (zp,X)
            0x02 => self.jam(bus, 2),                                          // jam
            0x03 => modify!(8, IndexedIndirect, slo),                          // SLO (zp,X)
            0x04 => load!(3, ZeroPage, ignore),                                // NOP zp
            0x05 => load!(3, ZeroPage, ora),                                   // ORA zp
            0x06 => modify!(5, ZeroPage, asl),                                 // ASL zp
            0x07 => modify!(5, ZeroPage, slo),                                 // SLO zp
            0x08 => self.push_register(bus, 3, self.p()),                      // PHP
            0x09 => load!(2, Immediate, ora),                                  // ORA #
            0x0A => accumulator!(2, asl),                                      // ASL A
            0x0B => load!(2, Immediate, anc),                                  // ANC #
            0x0C => load!(4, Absolute, ignore),                                // NOP abs
            0x0D => load!(4, Absolute, ora),                                   // ORA abs
            0x0E => modify!(6, Absolute, asl),                                 // ASL abs
            0x0F => modify!(6, Absolute, slo),                                 // SLO abs
            0x10 => self.branch(bus, pc, 2, self.negative < 0x80),             // BPL
            0x11 => load!(5, IndirectIndexed, ora),                            // ORA (zp),Y
            0x12 => self.jam(bus, 2),                                          // jam
            0x13 => modify!(8, IndirectIndexed, slo),                          // SLO (zp),Y
            0x14 => load!(4, ZeroPageX, ignore),                               // NOP zp,X
            0x15 => load!(4, ZeroPageX, ora),                                  // ORA zp,X
            0x16 => modify!(6, ZeroPageX, asl),                                // ASL zp,X
            0x17 => modify!(6, ZeroPageX, slo),                                // SLO zp,X
            0x18 => implied!(2, self.carry = false),                           // CLC
            0x19 => load!(4, AbsoluteY, ora),                                  // ORA abs,Y
            0x1A => implied!(2, {}),                                           // NOP
            0x1B => modify!(7, AbsoluteY, slo),                                // SLO abs,Y
            0x1C => load!(4, AbsoluteX, ignore),                               // NOP abs,X
            0x1D => load!(4, AbsoluteX, ora),                                  // ORA abs,X
            0x1E => modify!(7, AbsoluteX, asl),                                // ASL abs,X
            0x1F => modify!(7, AbsoluteX, slo),                                // SLO abs,X
            0x20 => self.jsr(bus, pc, 6),                                      // JSR abs
            0x21 => load!(6, IndexedIndirect, and),                            // AND (zp,X)
            0x22 => self.jam(bus, 2),                                          // jam
            0x23 => modify!(8, IndexedIndirect, rla),                          // RLA (zp,X)
            0x24 => load!(3, ZeroPage, bit),                                   // BIT zp
            0x25 => load!(3, ZeroPage, and),                                   // AND zp
            0x26 => modify!(5, ZeroPage, rol),                                 // ROL zp
            0x27 => modify!(5, ZeroPage, rla),                                 // RLA zp
            0x28 => pull!(4, set_p),                                           // PLP
            0x29 => load!(2, Immediate, and),                                  // AND #
            0x2A => accumulator!(2, rol),                                      // ROL A
            0x2B => load!(2, Immediate, anc),                                  // ANC #
            0x2C => load!(4, Absolute, bit),                                   // BIT abs
            0x2D => load!(4, Absolute, and),                                   // AND abs
            0x2E => modify!(6, Absolute, rol),                                 // ROL abs
            0x2F => modify!(6, Absolute, rla),                                 // RLA abs
            0x30 => self.branch(bus, pc, 2, self.negative >= 0x80),            // BMI
            0x31 => load!(5, IndirectIndexed, and),                            // AND (zp),Y
            0x32 => self.jam(bus, 2),                                          // jam
            0x33 => modify!(8, IndirectIndexed, rla),                          // RLA (zp),Y
            0x34 => load!(4, ZeroPageX, ignore),                               // NOP zp,X
            0x35 => load!(4, ZeroPageX, and),                                  // AND zp,X
            0x36 => modify!(6, ZeroPageX, rol),                                // ROL zp,X
            0x37 => modify!(6, ZeroPageX, rla),                                // RLA zp,X
            0x38 => implied!(2, self.carry = true),                            // SEC
            0x39 => load!(4, AbsoluteY, and),                                  // AND abs,Y
            0x3A => implied!(2, {}),                                           // NOP
            0x3B => modify!(7, AbsoluteY, rla),                                // RLA abs,Y
            0x3C => load!(4, AbsoluteX, ignore),                               // NOP abs,X
            0x3D => load!(4, AbsoluteX, and),                                  // AND abs,X
            0x3E => modify!(7, AbsoluteX, rol),                                // ROL abs,X
            0x3F => modify!(7, AbsoluteX, rla),                                // RLA abs,X
            0x40 => self.rti(bus, pc, 6),                                      // RTI
            0x41 => load!(6, IndexedIndirect, eor),                            // EOR (zp,X)
            0x42 => self.jam(bus, 2),                                          // jam
            0x43 => modify!(8, IndexedIndirect, sre),                          // SRE (zp,X)
            0x44 => load!(3, ZeroPage, ignore),                                // NOP zp
            0x45 => load!(3, ZeroPage, eor),                                   // EOR zp
            0x46 => modify!(5, ZeroPage, lsr),                                 // LSR zp
            0x47 => modify!(5, ZeroPage, sre),                                 // SRE zp
            0x48 => self.push_register(bus, 3, self.a),                        // PHA
            0x49 => load!(2, Immediate, eor),                                  // EOR #
            0x4A => accumulator!(2, lsr),                                      // LSR A
            0x4B => load!(2, Immediate, asr),                                  // ASR #
            0x4C => jump!(3, fetch_word),                                      // JMP abs
            0x4D => load!(4, Absolute, eor),                                   // EOR abs
            0x4E => modify!(6, Absolute, lsr),                                 // LSR abs
            0x4F => modify!(6, Absolute, sre),                                 // SRE abs
            0x50 => self.branch(bus, pc, 2, !self.overflow),                   // BVC
            0x51 => load!(5, IndirectIndexed, eor),                            // EOR (zp),Y
            0x52 => self.jam(bus, 2),                                          // jam
            0x53 => modify!(8, IndirectIndexed, sre),                          // SRE (zp),Y
            0x54 => load!(4, ZeroPageX, ignore),                               // NOP zp,X
            0x55 => load!(4, ZeroPageX, eor),                                  // EOR zp,X
            0x56 => modify!(6, ZeroPageX, lsr),                                // LSR zp,X
            0x57 => modify!(6, ZeroPageX, sre),                                // SRE zp,X
            0x58 => implied!(2, self.interrupt = false),                       // CLI
            0x59 => load!(4, AbsoluteY, eor),                                  // EOR abs,Y
            0x5A => implied!(2, {}),                                           // NOP
            0x5B => modify!(7, AbsoluteY, sre),                                // SRE abs,Y
            0x5C => load!(4, AbsoluteX, ignore),                               // NOP abs,X
            0x5D => load!(4, AbsoluteX, eor),                                  // EOR abs,X
            0x5E => modify!(7, AbsoluteX, lsr),                                // LSR abs,X
            0x5F => modify!(7, AbsoluteX, sre),                                // SRE abs,X
            0x60 => self.rts(bus, pc, 6),                                      // RTS
            0x61 => load!(6, IndexedIndirect, adc),                            // ADC (zp,X)
            0x62 => self.jam(bus, 2),                                          // jam
            0x63 => modify!(8, IndexedIndirect, rra),                          // RRA (zp,X)
            0x64 => load!(3, ZeroPage, ignore),                                // NOP zp
            0x65 => load!(3, ZeroPage, adc),                                   // ADC zp
            0x66 => modify!(5, ZeroPage, ror),                                 // ROR zp
            0x67 => modify!(5, ZeroPage, rra),                                 // RRA zp
            0x68 => pull!(4, lda),                                             // PLA
            0x69 => load!(2, Immediate, adc),                                  // ADC #
            0x6A => accumulator!(2, ror),                                      // ROR A
            0x6B => load!(2, Immediate, arr),                                  // ARR #
            0x6C => jump!(5, indirect),                                        // JMP (ind)
            0x6D => load!(4, Absolute, adc),                                   // ADC abs
            0x6E => modify!(6, Absolute, ror),                                 // ROR abs
            0x6F => modify!(6, Absolute, rra),                                 // RRA abs
            0x70 => self.branch(bus, pc, 2, self.overflow),                    // BVS
            0x71 => load!(5, IndirectIndexed, adc),                            // ADC (zp),Y
            0x72 => self.jam(bus, 2),                                          // jam
            0x73 => modify!(8, IndirectIndexed, rra),                          // RRA (zp),Y
            0x74 => load!(4, ZeroPageX, ignore),                               // NOP zp,X
            0x75 => load!(4, ZeroPageX, adc),                                  // ADC zp,X
            0x76 => modify!(6, ZeroPageX, ror),                                // ROR zp,X
            0x77 => modify!(6, ZeroPageX, rra),                                // RRA zp,X
            0x78 => implied!(2, self.interrupt = true),                        // SEI
            0x79 => load!(4, AbsoluteY, adc),                                  // ADC abs,Y
            0x7A => implied!(2, {}),                                           // NOP
            0x7B => modify!(7, AbsoluteY, rra),                                // RRA abs,Y
            0x7C => load!(4, AbsoluteX, ignore),                               // NOP abs,X
            0x7D => load!(4, AbsoluteX, adc),                                  // ADC abs,X
            0x7E => modify!(7, AbsoluteX, ror),                                // ROR abs,X
            0x7F => modify!(7, AbsoluteX, rra),                                // RRA abs,X
            0x80 => load!(2, Immediate, ignore),                               // NOP #
            0x81 => self.store(bus, pc, 6, IndexedIndirect, self.a),           // STA (zp,X)
            0x82 => load!(2, Immediate, ignore),                               // NOP #
            0x83 => self.store(bus, pc, 6, IndexedIndirect, self.a & self.x),  // SAX (zp,X)
            0x84 => self.store(bus, pc, 3, ZeroPage, self.y),                  // STY zp
            0x85 => self.store(bus, pc, 3, ZeroPage, self.a),                  // STA zp
            0x86 => self.store(bus, pc, 3, ZeroPage, self.x),                  // STX zp
            0x87 => self.store(bus, pc, 3, ZeroPage, self.a & self.x),         // SAX zp
            0x88 => implied!(2, self.y = self.dec(self.y)),                    // DEY
            0x89 => load!(2, Immediate, ignore),                               // NOP #
            0x8A => implied!(2, self.lda(self.x)),                             // TXA
            0x8B => load!(2, Immediate, ane),                                  // ANE #
            0x8C => self.store(bus, pc, 4, Absolute, self.y),                  // STY abs
            0x8D => self.store(bus, pc, 4, Absolute, self.a),                  // STA abs
            0x8E => self.store(bus, pc, 4, Absolute, self.x),                  // STX abs
            0x8F => self.store(bus, pc, 4, Absolute, self.a & self.x),         // SAX abs
            0x90 => self.branch(bus, pc, 2, !self.carry),                      // BCC
            0x91 => self.store(bus, pc, 6, IndirectIndexed, self.a),           // STA (zp),Y
            0x92 => self.jam(bus, 2),                                          // jam
            0x93 => self.store_high(bus, pc, 6, IndirectIndexed, self.a & self.x),// SHA (zp),Y
            0x94 => self.store(bus, pc, 4, ZeroPageX, self.y),                 // STY zp,X
            0x95 => self.store(bus, pc, 4, ZeroPageX, self.a),                 // STA zp,X
            0x96 => self.store(bus, pc, 4, ZeroPageY, self.x),                 // STX zp,Y
            0x97 => self.store(bus, pc, 4, ZeroPageY, self.a & self.x),        // SAX zp,Y
            0x98 => implied!(2, self.lda(self.y)),                             // TYA
            0x99 => self.store(bus, pc, 5, AbsoluteY, self.a),                 // STA abs,Y
            0x9A => implied!(2, self.sp = self.x),                             // TXS
            0x9B => self.shs(bus, pc, 5, AbsoluteY),                           // SHS abs,Y
            0x9C => self.store_high(bus, pc, 5, AbsoluteX, self.y),            // SHY abs,X
            0x9D => self.store(bus, pc, 5, AbsoluteX, self.a),                 // STA abs,X
            0x9E => self.store_high(bus, pc, 5, AbsoluteY, self.x),            // SHX abs,Y
            0x9F => self.store_high(bus, pc, 5, AbsoluteY, self.a & self.x),   // SHA abs,Y
            0xA0 => load!(2, Immediate, ldy),                                  // LDY #
            0xA1 => load!(6, IndexedIndirect, lda),                            // LDA (zp,X)
            0xA2 => load!(2, Immediate, ldx),                                  // LDX #
            0xA3 => load!(6, IndexedIndirect, lax),                            // LAX (zp,X)
            0xA4 => load!(3, ZeroPage, ldy),                                   // LDY zp
            0xA5 => load!(3, ZeroPage, lda),                                   // LDA zp
            0xA6 => load!(3, ZeroPage, ldx),                                   // LDX zp
            0xA7 => load!(4, ZeroPage, lax),                                   // LAX zp, 3 on the chip
            0xA8 => implied!(2, self.ldy(self.a)),                             // TAY
            0xA9 => load!(2, Immediate, lda),                                  // LDA #
            0xAA => implied!(2, self.ldx(self.a)),                             // TAX
            0xAB => load!(2, Immediate, lxa),                                  // LXA #
            0xAC => load!(4, Absolute, ldy),                                   // LDY abs
            0xAD => load!(4, Absolute, lda),                                   // LDA abs
            0xAE => load!(4, Absolute, ldx),                                   // LDX abs
            0xAF => load!(4, Absolute, lax),                                   // LAX abs
            0xB0 => self.branch(bus, pc, 2, self.carry),                       // BCS
            0xB1 => load!(5, IndirectIndexed, lda),                            // LDA (zp),Y
            0xB2 => self.jam(bus, 2),                                          // jam
            0xB3 => load!(5, IndirectIndexed, lax),                            // LAX (zp),Y
            0xB4 => load!(4, ZeroPageX, ldy),                                  // LDY zp,X
            0xB5 => load!(4, ZeroPageX, lda),                                  // LDA zp,X
            0xB6 => load!(4, ZeroPageY, ldx),                                  // LDX zp,Y
            0xB7 => load!(4, ZeroPageY, lax),                                  // LAX zp,Y
            0xB8 => implied!(2, self.overflow = false),                        // CLV
            0xB9 => load!(4, AbsoluteY, lda),                                  // LDA abs,Y
            0xBA => implied!(2, self.ldx(self.sp)),                            // TSX
            0xBB => load!(4, AbsoluteY, las),                                  // LAS abs,Y
            0xBC => load!(4, AbsoluteX, ldy),                                  // LDY abs,X
            0xBD => load!(4, AbsoluteX, lda),                                  // LDA abs,X
            0xBE => load!(4, AbsoluteY, ldx),                                  // LDX abs,Y
            0xBF => load!(4, AbsoluteY, lax),                                  // LAX abs,Y
            0xC0 => load!(2, Immediate, cpy),                                  // CPY #
            0xC1 => load!(6, IndexedIndirect, cmp),                            // CMP (zp,X)
            0xC2 => load!(2, Immediate, ignore),                               // NOP #
            0xC3 => modify!(8, IndexedIndirect, dcp),                          // DCP (zp,X)
            0xC4 => load!(3, ZeroPage, cpy),                                   // CPY zp
            0xC5 => load!(3, ZeroPage, cmp),                                   // CMP zp
            0xC6 => modify!(5, ZeroPage, dec),                                 // DEC zp
            0xC7 => modify!(5, ZeroPage, dcp),                                 // DCP zp
            0xC8 => implied!(2, self.y = self.inc(self.y)),                    // INY
            0xC9 => load!(2, Immediate, cmp),                                  // CMP #
            0xCA => implied!(2, self.x = self.dec(self.x)),                    // DEX
            0xCB => load!(2, Immediate, sbx),                                  // SBX #
            0xCC => load!(4, Absolute, cpy),                                   // CPY abs
            0xCD => load!(4, Absolute, cmp),                                   // CMP abs
            0xCE => modify!(6, Absolute, dec),                                 // DEC abs
            0xCF => modify!(6, Absolute, dcp),                                 // DCP abs
            0xD0 => self.branch(bus, pc, 2, self.zero != 0),                   // BNE
            0xD1 => load!(5, IndirectIndexed, cmp),                            // CMP (zp),Y
            0xD2 => self.jam(bus, 2),                                          // jam
            0xD3 => modify!(8, IndirectIndexed, dcp),                          // DCP (zp),Y
            0xD4 => load!(4, ZeroPageX, ignore),                               // NOP zp,X
            0xD5 => load!(4, ZeroPageX, cmp),                                  // CMP zp,X
            0xD6 => modify!(6, ZeroPageX, dec),                                // DEC zp,X
            0xD7 => modify!(6, ZeroPageX, dcp),                                // DCP zp,X
            0xD8 => implied!(2, self.decimal = false),                         // CLD
            0xD9 => load!(4, AbsoluteY, cmp),                                  // CMP abs,Y
            0xDA => implied!(2, {}),                                           // NOP
            0xDB => modify!(7, AbsoluteY, dcp),                                // DCP abs,Y
            0xDC => load!(4, AbsoluteX, ignore),                               // NOP abs,X
            0xDD => load!(4, AbsoluteX, cmp),                                  // CMP abs,X
            0xDE => modify!(7, AbsoluteX, dec),                                // DEC abs,X
            0xDF => modify!(7, AbsoluteX, dcp),                                // DCP abs,X
            0xE0 => load!(2, Immediate, cpx),                                  // CPX #
            0xE1 => load!(6, IndexedIndirect, sbc),                            // SBC (zp,X)
            0xE2 => load!(2, Immediate, ignore),                               // NOP #
            0xE3 => modify!(8, IndexedIndirect, isb),                          // ISB (zp,X)
            0xE4 => load!(3, ZeroPage, cpx),                                   // CPX zp
            0xE5 => load!(3, ZeroPage, sbc),                                   // SBC zp
            0xE6 => modify!(5, ZeroPage, inc),                                 // INC zp
            0xE7 => modify!(5, ZeroPage, isb),                                 // ISB zp
            0xE8 => implied!(2, self.x = self.inc(self.x)),                    // INX
            0xE9 => load!(2, Immediate, sbc),                                  // SBC #
            0xEA => implied!(2, {}),                                           // NOP
            0xEB => load!(2, Immediate, sbc),                                  // SBC #
            0xEC => load!(4, Absolute, cpx),                                   // CPX abs
            0xED => load!(4, Absolute, sbc),                                   // SBC abs
            0xEE => modify!(6, Absolute, inc),                                 // INC abs
            0xEF => modify!(6, Absolute, isb),                                 // ISB abs
            0xF0 => self.branch(bus, pc, 2, self.zero == 0),                   // BEQ
            0xF1 => load!(5, IndirectIndexed, sbc),                            // SBC (zp),Y
            0xF2 => self.jam(bus, 2),                                          // jam
            0xF3 => modify!(8, IndirectIndexed, isb),                          // ISB (zp),Y
            0xF4 => load!(4, ZeroPageX, ignore),                               // NOP zp,X
            0xF5 => load!(4, ZeroPageX, sbc),                                  // SBC zp,X
            0xF6 => modify!(6, ZeroPageX, inc),                                // INC zp,X
            0xF7 => modify!(6, ZeroPageX, isb),                                // ISB zp,X
            0xF8 => implied!(2, self.decimal = true),                          // SED
            0xF9 => load!(4, AbsoluteY, sbc),                                  // SBC abs,Y
            0xFA => implied!(2, {}),                                           // NOP
            0xFB => modify!(7, AbsoluteY, isb),                                // ISB abs,Y
            0xFC => load!(4, AbsoluteX, ignore),                               // NOP abs,X
            0xFD => load!(4, AbsoluteX, sbc),                                  // SBC abs,X
            0xFE => modify!(7, AbsoluteX, inc),                                // INC abs,X
            0xFF => modify!(7, AbsoluteX, isb),                                // ISB abs,X
        }
    }
}
