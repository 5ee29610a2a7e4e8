//! The instruction set as a page of text, 16 opcodes after 16.

use std::sync::LazyLock;

/// Name and addressing mode; `izx` is (zp,X), `izy` is (zp),Y.
const INSTRUCTIONS: &str = "
BRK.brk ORA.izx JAM.imp SLO.izx NOP.zpg ORA.zpg ASL.zpg SLO.zpg
    PHP.psh ORA.imm ASL.acc ANC.imm NOP.abs ORA.abs ASL.abs SLO.abs
BPL.rel ORA.izy JAM.imp SLO.izy NOP.zpx ORA.zpx ASL.zpx SLO.zpx
    CLC.imp ORA.aby NOP.imp SLO.aby NOP.abx ORA.abx ASL.abx SLO.abx
JSR.jsr AND.izx JAM.imp RLA.izx BIT.zpg AND.zpg ROL.zpg RLA.zpg
    PLP.pul AND.imm ROL.acc ANC.imm BIT.abs AND.abs ROL.abs RLA.abs
BMI.rel AND.izy JAM.imp RLA.izy NOP.zpx AND.zpx ROL.zpx RLA.zpx
    SEC.imp AND.aby NOP.imp RLA.aby NOP.abx AND.abx ROL.abx RLA.abx
RTI.rti EOR.izx JAM.imp SRE.izx NOP.zpg EOR.zpg LSR.zpg SRE.zpg
    PHA.psh EOR.imm LSR.acc ASR.imm JMP.jmp EOR.abs LSR.abs SRE.abs
BVC.rel EOR.izy JAM.imp SRE.izy NOP.zpx EOR.zpx LSR.zpx SRE.zpx
    CLI.imp EOR.aby NOP.imp SRE.aby NOP.abx EOR.abx LSR.abx SRE.abx
RTS.rts ADC.izx JAM.imp RRA.izx NOP.zpg ADC.zpg ROR.zpg RRA.zpg
    PLA.pul ADC.imm ROR.acc ARR.imm JMP.ind ADC.abs ROR.abs RRA.abs
BVS.rel ADC.izy JAM.imp RRA.izy NOP.zpx ADC.zpx ROR.zpx RRA.zpx
    SEI.imp ADC.aby NOP.imp RRA.aby NOP.abx ADC.abx ROR.abx RRA.abx
NOP.imm STA.izx NOP.imm SAX.izx STY.zpg STA.zpg STX.zpg SAX.zpg
    DEY.imp NOP.imm TXA.imp ANE.imm STY.abs STA.abs STX.abs SAX.abs
BCC.rel STA.izy JAM.imp SHA.izy STY.zpx STA.zpx STX.zpy SAX.zpy
    TYA.imp STA.aby TXS.imp SHS.aby SHY.abx STA.abx SHX.aby SHA.aby
LDY.imm LDA.izx LDX.imm LAX.izx LDY.zpg LDA.zpg LDX.zpg LAX.zpg
    TAY.imp LDA.imm TAX.imp LXA.imm LDY.abs LDA.abs LDX.abs LAX.abs
BCS.rel LDA.izy JAM.imp LAX.izy LDY.zpx LDA.zpx LDX.zpy LAX.zpy
    CLV.imp LDA.aby TSX.imp LAS.aby LDY.abx LDA.abx LDX.aby LAX.aby
CPY.imm CMP.izx NOP.imm DCP.izx CPY.zpg CMP.zpg DEC.zpg DCP.zpg
    INY.imp CMP.imm DEX.imp SBX.imm CPY.abs CMP.abs DEC.abs DCP.abs
BNE.rel CMP.izy JAM.imp DCP.izy NOP.zpx CMP.zpx DEC.zpx DCP.zpx
    CLD.imp CMP.aby NOP.imp DCP.aby NOP.abx CMP.abx DEC.abx DCP.abx
CPX.imm SBC.izx NOP.imm ISB.izx CPX.zpg SBC.zpg INC.zpg ISB.zpg
    INX.imp SBC.imm NOP.imp SBC.imm CPX.abs SBC.abs INC.abs ISB.abs
BEQ.rel SBC.izy JAM.imp ISB.izy NOP.zpx SBC.zpx INC.zpx ISB.zpx
    SED.imp SBC.aby NOP.imp ISB.aby NOP.abx SBC.abx INC.abx ISB.abx";

/// Cycles without the penalties for crossed pages and taken branches.
const CYCLES: &str = "
7 6 2 8 3 3 5 5 3 2 2 2 4 4 6 6
2 5 2 8 4 4 6 6 2 4 2 7 4 4 7 7
6 6 2 8 3 3 5 5 4 2 2 2 4 4 6 6
2 5 2 8 4 4 6 6 2 4 2 7 4 4 7 7
6 6 2 8 3 3 5 5 3 2 2 2 3 4 6 6
2 5 2 8 4 4 6 6 2 4 2 7 4 4 7 7
6 6 2 8 3 3 5 5 4 2 2 2 5 4 6 6
2 5 2 8 4 4 6 6 2 4 2 7 4 4 7 7
2 6 2 6 3 3 3 3 2 2 2 2 4 4 4 4
2 6 2 6 4 4 4 4 2 5 2 5 5 5 5 5
2 6 2 6 3 3 3 4 2 2 2 2 4 4 4 4
2 5 2 5 4 4 4 4 2 4 2 4 4 4 4 4
2 6 2 8 3 3 5 5 2 2 2 2 4 4 6 6
2 5 2 8 4 4 6 6 2 4 2 7 4 4 7 7
2 6 2 8 3 3 5 5 2 2 2 2 4 4 6 6
2 5 2 8 4 4 6 6 2 4 2 7 4 4 7 7";

/// What the text says about one opcode.
#[derive(Clone, Copy)]
pub(super) struct Instruction {
    pub(super) name: &'static str,
    pub(super) mode: &'static str,
    pub(super) cycles: u32,
}

/// What an instruction does with its operand.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Read,
    Write,
    Modify,
}

impl Instruction {
    pub(super) fn of(opcode: u8) -> Self {
        static TABLE: LazyLock<Vec<Instruction>> = LazyLock::new(|| {
            let cells = INSTRUCTIONS.split_whitespace().zip(CYCLES.split_whitespace());
            cells
                .map(|(cell, cycles)| Instruction {
                    name: &cell[..3],
                    mode: &cell[4..],
                    cycles: cycles.parse().expect("a number of cycles"),
                })
                .collect()
        });
        TABLE[usize::from(opcode)]
    }

    pub(super) fn kind(&self) -> Kind {
        match self.name {
            "STA" | "STX" | "STY" | "SAX" | "SHA" | "SHS" | "SHX" | "SHY" => Kind::Write,
            "ASL" | "LSR" | "ROL" | "ROR" | "INC" | "DEC" | "SLO" | "RLA" | "SRE" | "RRA" | "DCP" | "ISB" => {
                Kind::Modify
            }
            _ => Kind::Read,
        }
    }
}
