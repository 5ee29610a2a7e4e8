//! Each rule of the cartridges, on images whose bytes tell where they come from.

mod shipped;
