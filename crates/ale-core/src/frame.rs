//! The picture of a console: 160 pixels a row, one palette index a pixel.

/// Pixels in a row.
pub const WIDTH: usize = 160;
/// Rows a picture buffer has; a console shows the first `height` of them.
pub const MAX_HEIGHT: usize = 300;
