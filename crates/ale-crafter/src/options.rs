//! What a world can be built with, checked in one place.

use crate::tables::ITEMS;
use crate::world::MAX_CELLS;

/// Where the noise of the night is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NightNoise {
    /// From the world's generator, as in the reference: the size of the picture is part of the game.
    #[default]
    World,
    /// From a generator of its own: the game does not depend on pictures.
    Own,
}

/// Options of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Columns and rows of the world.
    pub area: (usize, usize),
    /// Columns and rows of the view, those of the inventory included.
    pub view: (usize, usize),
    /// Width and height of the picture in pixels.
    pub size: (usize, usize),
    /// Steps after which an episode is cut off; 0 is never.
    pub length: u64,
    /// Where the noise of the night comes from.
    pub noise: NightNoise,
}

impl Default for Options {
    fn default() -> Self {
        Self { area: (64, 64), view: (9, 9), size: (64, 64), length: 10_000, noise: NightNoise::World }
    }
}

/// The most pixels of a picture along an axis.
pub const MAX_SIZE: usize = 4096;

/// An option that is out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The area has no cell or too many.
    #[error("area={0:?} has {cells} cells; accepted: 1 to {MAX_CELLS} cells, both sides at least 1", cells = .0.0.saturating_mul(.0.1))]
    Area((usize, usize)),
    /// The view has no row for the map.
    #[error(
        "view={view:?} leaves no row for the map: the inventory takes {rows}; accepted: 1 to 255 columns and {} to 255 rows",
        rows + 1
    )]
    View {
        /// What came.
        view: (usize, usize),
        /// Rows of the inventory.
        rows: usize,
    },
    /// The picture is too small or too large.
    #[error(
        "size={size:?} gives cells of {unit:?} pixels in a view of {view:?}; accepted: cells of at least 2 x 2 pixels, \
         pictures of at most {MAX_SIZE} x {MAX_SIZE}"
    )]
    Size {
        /// What came.
        size: (usize, usize),
        /// The view.
        view: (usize, usize),
        /// Pixels of a cell.
        unit: (usize, usize),
    },
}

impl Options {
    /// Rows of the view that show the inventory.
    pub fn item_rows(&self) -> usize {
        ITEMS.div_ceil(self.view.0.max(1))
    }

    /// Columns and rows of the view that show the map.
    pub fn grid(&self) -> (usize, usize) {
        (self.view.0, self.view.1 - self.item_rows())
    }

    /// Pixels of a cell.
    pub fn unit(&self) -> (usize, usize) {
        (self.size.0 / self.view.0, self.size.1 / self.view.1)
    }

    /// Pixels of the part of the picture that shows the map.
    pub fn local_size(&self) -> (usize, usize) {
        let ((columns, rows), (width, height)) = (self.grid(), self.unit());
        (columns * width, rows * height)
    }

    /// The options, if a game can be built with them.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn check(self) -> Result<Self, OptionError> {
        let Self { area, view, size, .. } = self;
        if area.0 == 0
            || area.1 == 0
            || area.0.saturating_mul(area.1) > MAX_CELLS
            || area.0.max(area.1) > 32_000
        {
            return Err(OptionError::Area(area));
        }
        let rows = self.item_rows();
        if view.0 == 0 || view.0 > 255 || view.1 <= rows || view.1 > 255 {
            return Err(OptionError::View { view, rows });
        }
        let unit = self.unit();
        if unit.0 < 2 || unit.1 < 2 || size.0 > MAX_SIZE || size.1 > MAX_SIZE {
            return Err(OptionError::Size { size, view, unit });
        }
        Ok(self)
    }
}
