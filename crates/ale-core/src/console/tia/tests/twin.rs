//! The video chip once more, clock by clock: the twin of `motion.rs`, with which it shares no code, and of all that
//! decides which of its pixels are seen.
//!
//! Nothing is deferred, cached or split here. Each displayed clock is drawn from the registers as they are, and where an
//! object is follows from the rules of the strobes in a few lines each. The tables are those of the reference's behaviour,
//! by cycle of the line.

use std::collections::BTreeSet;

const CLOCKS: i64 = 228;
const BLANK: i64 = 68;

/// Objects in the order of their positions and motion registers.
const P0: usize = 0;
const M0: usize = 2;
const BALL: usize = 4;
const PLAYFIELD: usize = 5;

/// What the copies of an object are apart, by NUSIZ.
const APART: [&[i64]; 8] = [&[0], &[0, 16], &[0, 32], &[0, 16, 32], &[0, 64], &[0], &[0, 32, 64], &[0]];

/// The pairs of the collision latches, from bit 0 on.
const LATCHES: [[usize; 2]; 15] = [
    [2, 1],
    [2, 0],
    [3, 0],
    [3, 1],
    [0, 5],
    [0, 4],
    [1, 5],
    [1, 4],
    [2, 5],
    [2, 4],
    [3, 5],
    [3, 4],
    [4, 5],
    [0, 1],
    [2, 3],
];

/// How many pixels an HMOVE at this cycle of the line moves an object to the right.
fn motion(cycle: i64, nibble: u8) -> i64 {
    let wanted = match nibble {
        0..=7 => -i64::from(nibble),
        _ => 16 - i64::from(nibble),
    };
    let at_least = |pixels: i64| wanted.max(pixels);
    let late = |pixels: i64| (wanted + pixels).min(0);
    match cycle {
        0..=3 => at_least(-7),
        4 => at_least(-6),
        5 | 6 => at_least(-5),
        7 => at_least(-4),
        8 => at_least(-3),
        9 | 10 => at_least(-2),
        11 => at_least(-1),
        12 => at_least(0),
        13 | 14 => at_least(1),
        15 => at_least(2),
        16 => at_least(3),
        17 | 18 => at_least(4),
        19 => at_least(5),
        20 => at_least(6),
        21..=54 => 0,
        55 => late(6),
        56 => late(5),
        57 | 58 => late(4),
        59 => late(3),
        60 => late(2),
        61 | 62 => late(1),
        63 => late(0),
        64 => late(-1),
        65 | 66 => late(-2),
        67 => late(-3),
        68 => late(-4),
        69 | 70 => late(-5),
        71 => late(-6),
        72 => late(-7),
        73 | 74 => late(-8),
        _ => wanted,
    }
}

/// How missile 0 looks while it moves by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missile {
    Normal,
    Wider,
    Hidden,
}

#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "registers and latches of one bit")]
pub(super) struct Twin {
    pub(super) positions: [i64; 5],
    pub(super) nibbles: [u8; 5],
    /// The first copy of a player is left out.
    pub(super) first_is_hidden: [bool; 2],
    pub(super) blanks: bool,
    pub(super) drifts: bool,
    pub(super) step: u8,
    pub(super) missile: Missile,
    pub(super) hmove_time: i64,
    pub(super) latches: u16,
    pub(super) reflected: bool,
    pub(super) locked: [bool; 2],
    nusiz: [u8; 2],
    colors: [u8; 4],
    ctrlpf: u8,
    vblank: bool,
    playfield: u32,
    graphics: [u8; 2],
    old_graphics: [u8; 2],
    mirrored: [bool; 2],
    delayed: [bool; 2],
    missiles: [bool; 2],
    ball: bool,
    old_ball: bool,
    ball_is_delayed: bool,
    has_blanks: bool,

    /// Clock at which the frame began, and its first displayed line and the line after the last.
    frame_start: i64,
    lines: [i64; 2],
    /// The next clock to be drawn.
    next: i64,
    pub(super) rows: Vec<[u8; 160]>,
    /// The cases that have been met.
    pub(super) met: BTreeSet<String>,
}

impl Twin {
    /// A chip at the beginning of a frame at clock 0.
    pub(super) fn new(lines: [i64; 2], has_blanks: bool) -> Self {
        let mut twin = Self {
            positions: [0; 5],
            nibbles: [0; 5],
            first_is_hidden: [false; 2],
            blanks: false,
            drifts: false,
            step: 0,
            missile: Missile::Normal,
            hmove_time: 0,
            latches: 0,
            reflected: false,
            locked: [false; 2],
            nusiz: [0; 2],
            colors: [0; 4],
            ctrlpf: 0,
            vblank: false,
            playfield: 0,
            graphics: [0; 2],
            old_graphics: [0; 2],
            mirrored: [false; 2],
            delayed: [false; 2],
            missiles: [false; 2],
            ball: false,
            old_ball: false,
            ball_is_delayed: false,
            has_blanks,
            frame_start: 0,
            lines,
            next: 0,
            rows: vec![[0; 160]; (lines[1] - lines[0]) as usize],
            met: BTreeSet::new(),
        };
        twin.begin_frame(0);
        twin
    }

    /// A frame begins with the line on which the last one stopped at this clock.
    pub(super) fn begin_frame(&mut self, now: i64) {
        self.frame_start = now - self.clock_of_line(now);
        self.next = self.frame_start + CLOCKS * self.lines[0];
    }

    /// The clock at which the display ends.
    pub(super) fn end_of_display(&self) -> i64 {
        self.frame_start + CLOCKS * self.lines[1]
    }

    pub(super) fn clock_of_line(&self, now: i64) -> i64 {
        (now - self.frame_start) % CLOCKS
    }

    /// A write at this clock.
    pub(super) fn write(&mut self, register: u8, value: u8, now: i64) {
        let h = self.clock_of_line(now);
        let delay = match register {
            0x01 | 0x0B | 0x0C | 0x1B | 0x1C => 1,
            0x04 | 0x05 | 0x12 | 0x13 => 8,
            0x0D..=0x0F => [4, 5, 2, 3][(h / 3 % 4) as usize],
            _ => 0,
        };
        self.draw_until(now + delay);
        let on = value & 2 != 0;
        let n = usize::from(register & 1);
        match register {
            0x01 => self.vblank = on,
            0x04 | 0x05 => {
                self.nusiz[n] = value;
                self.first_is_hidden[n] = false;
                if n == 0 {
                    self.missile = Missile::Normal;
                }
            }
            0x06..=0x09 => self.colors[usize::from(register - 6)] = value & 0xFE,
            0x0A => {
                self.ctrlpf = value;
                if h < 147 {
                    self.reflected = value & 1 != 0;
                }
            }
            0x0B => self.mirrored[0] = value & 8 != 0,
            0x0C => self.mirrored[1] = value & 8 != 0,
            0x0D => self.playfield = self.playfield & !0xF | u32::from(value) >> 4,
            0x0E => self.playfield = self.playfield & !0xFF0 | u32::from(value) << 4,
            0x0F => self.playfield = self.playfield & !0xFF000 | u32::from(value) << 12,
            0x10 | 0x11 => self.reset_player(n, now),
            0x12..=0x14 => self.reset_small(usize::from(register - 0x10), now),
            0x1B => {
                self.graphics[0] = value;
                self.old_graphics[1] = self.graphics[1];
            }
            0x1C => {
                self.graphics[1] = value;
                self.old_graphics[0] = self.graphics[0];
                self.old_ball = self.ball;
            }
            0x1D => self.missiles[0] = on,
            0x1E => self.missiles[1] = on,
            0x1F => self.ball = on,
            0x20..=0x24 => {
                let object = usize::from(register - 0x20);
                let is_late = now == self.hmove_time + 63;
                if object == M0 && is_late && self.nibbles[M0] == 7 && value >> 4 == 6 {
                    self.drifts = true;
                    self.step = 0;
                    self.meet("HMM0 from 7 to 6 in time");
                }
                self.nibbles[object] = value >> 4;
            }
            0x25 => self.delayed[0] = value & 1 != 0,
            0x26 => self.delayed[1] = value & 1 != 0,
            0x27 => self.ball_is_delayed = value & 1 != 0,
            0x28 | 0x29 => self.lock(n, on),
            0x2A => self.move_all(now),
            0x2B => self.nibbles = [0; 5],
            0x2C => self.latches = 0,
            _ => {}
        }
    }

    fn meet(&mut self, case: impl Into<String>) {
        self.met.insert(case.into());
    }

    fn reset_player(&mut self, n: usize, now: i64) {
        let h = self.clock_of_line(now);
        let new = if h < BLANK { 3 } else { (h - BLANK + 5) % 160 };
        let size = self.nusiz[n] & 7;
        let width = match size {
            5 => 16,
            7 => 32,
            _ => 8,
        };
        let from_old = (new - self.positions[n]).rem_euclid(160);
        let mut zone = "outside";
        for apart in APART[usize::from(size)] {
            if from_old - apart >= 0 && from_old - apart < 4 {
                zone = "delay";
            } else if from_old - apart >= 4 && from_old - apart < 4 + width {
                zone = "display";
            }
        }
        if zone == "display" {
            self.draw_until(now + 11);
        }
        self.positions[n] = new;
        self.first_is_hidden[n] = zone != "delay";
        self.meet(format!("RESP{n} {zone} of {size}"));
    }

    /// Missiles and ball.
    fn reset_small(&mut self, object: usize, now: i64) {
        let h = self.clock_of_line(now);
        let since = now - self.hmove_time;
        let odd = match (object, since, h) {
            (2, 60, 69) => Some(8),
            (3 | 4, 9, 18) => Some(3),
            (4, 54, 60 | 69) => Some(10),
            (4, 21, 30) => Some(6),
            (4, 18, 27) => Some(5),
            _ => None,
        };
        if odd.is_some() {
            self.meet(format!("strobe of {object} at {h}, {since} after HMOVE"));
        }
        let usual = if h < BLANK { 2 } else { (h - BLANK + 4) % 160 };
        self.positions[object] = odd.unwrap_or(usual);
        if object == M0 {
            self.missile = Missile::Normal;
        }
    }

    fn lock(&mut self, n: usize, on: bool) {
        if self.locked[n] && !on {
            let middle = [4, 4, 4, 4, 4, 8, 4, 16][usize::from(self.nusiz[n] & 7)];
            self.positions[M0 + n] = (self.positions[n] + middle) % 160;
            if n == 0 {
                self.missile = Missile::Normal;
            }
            self.meet(format!("RESMP{n} by {middle}"));
        }
        self.locked[n] = on;
    }

    fn move_all(&mut self, now: i64) {
        let cycle = self.clock_of_line(now) / 3;
        if self.has_blanks && (cycle <= 20 || cycle == 75) {
            self.blanks = true;
        }
        for object in 0..5 {
            let mut position = self.positions[object] + motion(cycle, self.nibbles[object]);
            if position < 0 {
                position += 160;
            } else if position > 159 {
                position -= 160;
            }
            self.positions[object] = position;
            self.meet(format!("HMOVE at {cycle} by {}", self.nibbles[object]));
        }
        self.first_is_hidden = [false; 2];
        self.missile = Missile::Normal;
        self.drifts = false;
        self.hmove_time = now;
    }

    /// Draws the clocks before this one, as far as they are displayed.
    pub(super) fn draw_until(&mut self, clock: i64) {
        while self.next < clock.min(self.end_of_display()) {
            let (line, h) = ((self.next - self.frame_start) / CLOCKS, self.clock_of_line(self.next));
            if h == 0 && line > self.lines[0] {
                self.end_line();
            }
            if h >= BLANK {
                self.rows[(line - self.lines[0]) as usize][(h - BLANK) as usize] = self.pixel(h - BLANK);
            }
            if h == BLANK + 7 {
                self.blanks = false;
            }
            self.next += 1;
        }
    }

    fn end_line(&mut self) {
        self.reflected = self.ctrlpf & 1 != 0;
        self.first_is_hidden = [false; 2];
        if self.drifts {
            self.step = (self.step + 1) % 4;
            self.meet(format!("step {}", self.step));
            let (left, missile) =
                [(18, Missile::Normal), (33, Missile::Wider), (0, Missile::Hidden), (17, Missile::Normal)]
                    [usize::from(self.step)];
            self.positions[M0] = (self.positions[M0] - left).rem_euclid(160);
            self.missile = missile;
        }
    }

    /// Collides and colours a pixel.
    fn pixel(&mut self, x: i64) -> u8 {
        let is_blanked = self.blanks && x < 8;
        if self.vblank {
            return 0;
        }
        let here: [bool; 6] = std::array::from_fn(|object| self.is_at(object, x));
        for (bit, [one, other]) in LATCHES.into_iter().enumerate() {
            if here[one] && here[other] {
                self.latches |= 1 << bit;
            }
        }
        if is_blanked { 0 } else { self.color(here, x) }
    }

    fn color(&self, [p0, p1, m0, m1, ball, playfield]: [bool; 6], x: i64) -> u8 {
        let [color_p0, color_p1, color_pf, color_bk] = self.colors;
        let has_score = self.ctrlpf & 2 != 0;
        let side = if x < 80 { color_p0 } else { color_p1 };
        if self.ctrlpf & 4 != 0 {
            return match () {
                () if playfield && has_score && self.playfield_is_alone() => side,
                () if playfield || ball => color_pf,
                () if p0 || m0 => color_p0,
                () if p1 || m1 => color_p1,
                () => color_bk,
            };
        }
        match () {
            () if p0 || m0 || has_score && playfield && x < 80 => color_p0,
            () if p1 || m1 || has_score && playfield => color_p1,
            () if playfield || ball => color_pf,
            () => color_bk,
        }
    }

    fn playfield_is_alone(&self) -> bool {
        (P0..PLAYFIELD).all(|object| !self.is_enabled(object))
    }

    fn shown_graphics(&self, n: usize) -> u8 {
        let graphics = if self.delayed[n] { self.old_graphics[n] } else { self.graphics[n] };
        if self.mirrored[n] { graphics.reverse_bits() } else { graphics }
    }

    fn is_enabled(&self, object: usize) -> bool {
        match object {
            0 | 1 => self.shown_graphics(object) != 0,
            2 | 3 => self.missiles[object - M0] && !self.locked[object - M0],
            BALL => {
                if self.ball_is_delayed {
                    self.old_ball
                } else {
                    self.ball
                }
            }
            _ => self.playfield != 0,
        }
    }

    fn is_at(&self, object: usize, x: i64) -> bool {
        if !self.is_enabled(object) {
            return false;
        }
        if object == PLAYFIELD {
            return self.playfield_is_at(x);
        }
        let d = (x - self.positions[object]).rem_euclid(160);
        if object == BALL {
            return d < 1 << (self.ctrlpf >> 4 & 3);
        }
        let n = object % 2;
        let size = self.nusiz[n] & 7;
        let mut copies = APART[usize::from(size)].iter();
        if object >= M0 {
            let mut width = 1 << (self.nusiz[n] >> 4 & 3);
            if n == 0 {
                match self.missile {
                    Missile::Normal => {}
                    Missile::Wider => {
                        width = match width {
                            1 => 2,
                            4 => 8,
                            as_it_is => as_it_is,
                        }
                    }
                    Missile::Hidden => return false,
                }
            }
            return copies.any(|apart| (0..width).contains(&(d - apart)));
        }
        let (late, scale) = match size {
            5 => (1, 2),
            7 => (1, 4),
            _ => (0, 1),
        };
        copies.any(|&apart| {
            let offset = d - apart - late;
            let is_hidden = apart == 0 && self.first_is_hidden[n];
            let bit = offset.div_euclid(scale);
            !is_hidden && (0..8).contains(&bit) && self.shown_graphics(n) >> (7 - bit) & 1 == 1
        })
    }

    /// Columns are four pixels wide: PF0 from its low bit up, PF1 from its high bit down, PF2 from its low bit up; then
    /// the same once more, or mirrored.
    fn playfield_is_at(&self, x: i64) -> bool {
        let column = match x / 4 {
            right @ 20.. if self.reflected => 39 - right,
            other => other % 20,
        };
        let bit = match column {
            4..=11 => 4 + 11 - column,
            _ => column,
        };
        self.playfield >> bit & 1 != 0
    }
}
