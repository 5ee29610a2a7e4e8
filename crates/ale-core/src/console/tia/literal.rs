//! The renderer to compare with: every pixel by the rules, from the registers alone.

use super::motion::ArkMissile;
use super::shape::{COPIES, PLAYER_WIDTH};
use super::{
    BL, BLANK, COLLISIONS, COLOR_BK, COLOR_P0, COLOR_P1, COLOR_PF, M0, MISSILE, PLAYER, Tia, object, span,
};
use crate::frame::WIDTH;

impl Tia {
    /// Draws the clocks `start..to` of the current line, `start` being visible or `to`.
    pub(super) fn draw_literally(&mut self, start: u32, to: u32, mut row: Option<&mut [u8; WIDTH]>) {
        if to <= BLANK {
            return;
        }
        let (from, to) = (start - BLANK, to - BLANK);
        let enabled = self.enabled_objects();
        for x in from..to {
            let mut pixel = 0;
            if self.vblank & 2 == 0 {
                let set = self.objects_at(x, enabled);
                self.collisions |= COLLISIONS[usize::from(set)];
                pixel = self.color(set, x, enabled);
            }
            if let Some(row) = &mut row {
                row[x as usize] = pixel;
            }
        }
        if from < to && to % 4 != 0 {
            self.draw_surplus_literally(from, to, enabled, row);
        }
    }

    /// Chapter "groups of four".
    fn draw_surplus_literally(&self, from: u32, to: u32, enabled: u8, row: Option<&mut [u8; WIDTH]>) {
        let group = 4 * ((to - 1) / 4);
        let Some(row) = row else { return };
        if group < from || self.vblank & 2 != 0 || !span::stores_groups(enabled, self.ctrlpf) {
            return;
        }
        if (group..group + 4).any(|x| self.area_at(x, enabled) & !object::PF != 0) {
            return;
        }
        for x in to..group + 4 {
            let set = if self.playfield_at(x) { enabled & object::PF } else { 0 };
            row[x as usize] = self.color(set, x, enabled);
        }
    }

    fn enabled_objects(&self) -> u8 {
        let mut set = 0;
        for n in 0..2 {
            if self.player_pixels(n) != 0 {
                set |= PLAYER[n];
            }
            if self.missile_enabled(n) {
                set |= MISSILE[n];
            }
        }
        if self.ball_enabled() {
            set |= object::BL;
        }
        if self.playfield != 0 {
            set |= object::PF;
        }
        set
    }

    /// The enabled objects with a pixel at `x`.
    fn objects_at(&self, x: u32, enabled: u8) -> u8 {
        let mut set = self.area_at(x, enabled);
        for (n, player) in PLAYER.into_iter().enumerate() {
            if set & player != 0 && !self.player_pixel_at(n, x) {
                set &= !player;
            }
        }
        set
    }

    /// The enabled objects whose area, for players whatever their graphics, includes `x`.
    fn area_at(&self, x: u32, enabled: u8) -> u8 {
        let mut set = 0;
        for n in 0..2 {
            if self.player_bit_at(n, x).is_some() {
                set |= PLAYER[n];
            }
            if self.missile_at(n, x) {
                set |= MISSILE[n];
            }
        }
        if self.distance(BL, x) < 1 << (self.ctrlpf >> 4 & 3) {
            set |= object::BL;
        }
        if self.playfield_at(x) {
            set |= object::PF;
        }
        set & enabled
    }

    /// How far right of an object's position `x` is, around the line.
    fn distance(&self, object: usize, x: u32) -> i32 {
        (x as i32 - i32::from(self.positions[object])).rem_euclid(160)
    }

    /// The pixel of the graphics (0 is the leftmost) that a player shows at `x`.
    fn player_bit_at(&self, n: usize, x: u32) -> Option<i32> {
        let mode = usize::from(self.nusiz[n] & 7);
        let distance = self.distance(n, x);
        let (late, scale) = match PLAYER_WIDTH[mode] {
            16 => (1, 2),
            32 => (1, 4),
            _ => (0, 1),
        };
        COPIES[mode]
            .iter()
            .map(|&copy| i32::from(copy))
            .filter(|&copy| !(copy == 0 && self.suppressed[n]))
            .map(|copy| distance - copy - late)
            .find(|&offset| (0..8 * scale).contains(&offset))
            .map(|offset| offset / scale)
    }

    fn player_pixel_at(&self, n: usize, x: u32) -> bool {
        self.player_bit_at(n, x).is_some_and(|bit| self.player_pixels(n) >> bit & 1 == 1)
    }

    fn missile_at(&self, n: usize, x: u32) -> bool {
        let mut code = self.nusiz[n] >> 4 & 3;
        if n == 0 {
            match self.ark.missile {
                ArkMissile::Plain => {}
                ArkMissile::Widened => code |= 1,
                ArkMissile::Invisible => return false,
            }
        }
        let distance = self.distance(M0 + n, x);
        let copies = COPIES[usize::from(self.nusiz[n] & 7)];
        copies.iter().any(|&copy| (0..1 << code).contains(&(distance - i32::from(copy))))
    }

    fn playfield_at(&self, x: u32) -> bool {
        let column = x / 4;
        let i = match column {
            0..20 => column,
            _ if self.reflected => 39 - column,
            _ => column - 20,
        };
        let bit = if (4..12).contains(&i) { 15 - i } else { i };
        self.playfield >> bit & 1 == 1
    }

    fn color(&self, set: u8, x: u32, enabled: u8) -> u8 {
        let has = |objects: u8| set & objects != 0;
        let score = self.ctrlpf & 2 != 0;
        let priority = self.ctrlpf & 4 != 0;
        let left = x < 80;
        let first = has(object::P0 | object::M0);
        let second = has(object::P1 | object::M1);
        let playfield = has(object::PF);
        let chosen = if priority {
            if score && enabled == object::PF && playfield {
                if left { COLOR_P0 } else { COLOR_P1 }
            } else if playfield || has(object::BL) {
                COLOR_PF
            } else if first {
                COLOR_P0
            } else if second {
                COLOR_P1
            } else {
                COLOR_BK
            }
        } else if first || score && playfield && left {
            COLOR_P0
        } else if second || score && playfield {
            COLOR_P1
        } else if playfield || has(object::BL) {
            COLOR_PF
        } else {
            COLOR_BK
        };
        self.shade(self.colors[chosen])
    }
}
