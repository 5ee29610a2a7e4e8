//! LAYER 4, pictures for a network: gray or colour, the maximum of two frames, a new size, a stack of frames.
//!
//! Everything here is a pure function of its inputs and its tables.
#![expect(clippy::cast_precision_loss, reason = "sizes of pictures are small numbers")]

pub mod pool;
pub mod resize;
mod shrink;
pub mod stack;
mod weights;

pub use pool::{Brighter, Brightest, Bytes, Colors, Pooled, Rows};
pub use resize::{Resize, Scratch, Size};
pub use stack::Stack;
