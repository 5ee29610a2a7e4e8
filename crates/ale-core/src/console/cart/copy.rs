//! Copies of a cartridge into the memory of another one. Frames begin with such a copy, so it allocates nothing.

use super::banks::Banks;
use super::commavid::Commavid;
use super::megacart::Megacart;
use super::slices::E7;
use super::supercharger::Supercharger;
use super::tigervision::Tigervision;
use super::{Board, Cart};

/// `Clone` for a board with RAM; all other fields are plain values.
macro_rules! clone_with_ram {
    ($($board:ident { $($field:ident),* })*) => {
        $(impl Clone for $board {
            fn clone(&self) -> Self {
                let Self { ram, $($field),* } = self;
                Self { ram: ram.clone(), $($field: *$field),* }
            }

            fn clone_from(&mut self, source: &Self) {
                let Self { ram, $($field),* } = source;
                self.ram.clone_from(ram);
                $(self.$field = *$field;)*
            }
        })*
    };
}

clone_with_ram! {
    Banks { wiring, bank }
    Commavid { holds_ram }
    Megacart { blocks, locked }
    E7 { slice, ram_bank }
    Supercharger { configuration, held, waited, last }
    Tigervision { size, bank, ram_bank }
}

impl Clone for Cart {
    fn clone(&self) -> Self {
        let Self { map, watches_low_pages, scheme, board } = self;
        let board = match board {
            Board::Banks(board) => Board::Banks(board.clone()),
            Board::E0(board) => Board::E0(board.clone()),
            Board::E7(board) => Board::E7(board.clone()),
            Board::Tigervision(board) => Board::Tigervision(board.clone()),
            Board::Commavid(board) => Board::Commavid(board.clone()),
            Board::Megacart(board) => Board::Megacart(board.clone()),
            Board::Supercharger(board) => Board::Supercharger(board.clone()),
            Board::Dpc(board) => Board::Dpc(board.clone()),
        };
        Self { map: *map, watches_low_pages: *watches_low_pages, scheme: *scheme, board }
    }

    fn clone_from(&mut self, source: &Self) {
        match (&mut self.board, &source.board) {
            (Board::Banks(to), Board::Banks(from)) => to.clone_from(from),
            (Board::E7(to), Board::E7(from)) => to.clone_from(from),
            (Board::Tigervision(to), Board::Tigervision(from)) => to.clone_from(from),
            (Board::Commavid(to), Board::Commavid(from)) => to.clone_from(from),
            (Board::Megacart(to), Board::Megacart(from)) => to.clone_from(from),
            (Board::Supercharger(to), Board::Supercharger(from)) => to.clone_from(from),
            _ => return *self = source.clone(),
        }
        self.map = source.map;
        self.watches_low_pages = source.watches_low_pages;
        self.scheme = source.scheme;
    }
}
