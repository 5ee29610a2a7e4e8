//! The picture of a game: map by day and night, and the inventory below it.

use crate::atlas::{Atlas, TILES, darkness, gray, player_sprite, tile};
use crate::game::Game;
use crate::options::Options;
use crate::tables::{ITEM_MAX, ITEMS};

/// Draws pictures; keeps the memory that drawing needs.
#[derive(Debug, Clone)]
pub struct Renderer {
    options: Options,
    /// How far the noise reaches, per pixel of the local view, row by row: 0 in the middle.
    vignette: Vec<f64>,
    /// Noise of the night, column by column as it is drawn.
    noise: Vec<f64>,
    /// Tiles of the view, row by row.
    grid: Vec<u8>,
    /// Lit tiles of this picture.
    lit: Vec<u8>,
    /// Which tiles are in `lit`: the number of the picture that they were lit for.
    fresh: Vec<u64>,
    pictures: u64,
}

impl Renderer {
    /// A renderer for games with these options.
    pub fn new(options: &Options) -> Self {
        let (width, height) = options.local_size();
        let (columns, rows) = options.grid();
        let (unit_width, unit_height) = options.unit();
        Self {
            options: *options,
            vignette: vignette(width, height),
            noise: vec![0.0; width * height],
            grid: vec![0; columns * rows],
            lit: vec![0; TILES * 3 * unit_width * unit_height],
            fresh: vec![0; TILES],
            pictures: 0,
        }
    }

    /// Bytes of a picture.
    pub fn picture_len(&self) -> usize {
        3 * self.options.size.0 * self.options.size.1
    }

    /// Draws the observation: the noise of the night comes from the game's generator, once per step.
    ///
    /// Renderer and atlas were made for the game's options.
    pub fn observe(&mut self, game: &mut Game, atlas: &Atlas, out: &mut [u8]) {
        if game.is_night() {
            if game.night_drawn {
                // A second observation of the same step shows other noise, and the game does not notice.
                game.night_generator().clone().fill(&mut self.noise);
            } else {
                game.draw_night(&mut self.noise);
            }
        }
        self.paint(game, atlas, out);
    }

    /// Draws a picture that the game does not notice: its noise comes from a copy of the generator.
    pub fn render(&mut self, game: &Game, atlas: &Atlas, out: &mut [u8]) {
        if game.is_night() {
            game.night_generator().clone().fill(&mut self.noise);
        }
        self.paint(game, atlas, out);
    }

    fn paint(&mut self, game: &Game, atlas: &Atlas, out: &mut [u8]) {
        debug_assert_eq!(out.len(), self.picture_len());
        out.fill(0);
        self.pictures += 1;
        self.look(game);
        let daylight = game.daylight();
        let sleeping = game.player().sleeping;
        if game.is_night() {
            self.paint_night(atlas, daylight, sleeping, out);
        } else {
            self.paint_day(atlas, daylight, sleeping, out);
        }
        self.paint_items(game, atlas, out);
    }

    /// Finds the tiles of the view.
    fn look(&mut self, game: &Game) {
        let (columns, rows) = self.options.grid();
        let (px, py) = game.position();
        let (left, top) = (px - (columns / 2) as i32, py - (rows / 2) as i32);
        let player = player_sprite(game.player());
        let world = game.world();
        for (row, line) in self.grid.chunks_exact_mut(columns).enumerate() {
            for (column, number) in line.iter_mut().enumerate() {
                *number = world.index((left + column as i32, top + row as i32)).map_or(0, |index| {
                    let object = world.object_at_index(index).map(|slot| &world.objects()[slot]);
                    tile(world.materials()[index], object, player)
                });
            }
        }
    }

    /// Left and top of the local view in the picture.
    fn border(&self) -> (usize, usize) {
        let Options { size, view, .. } = self.options;
        let unit = self.options.unit();
        ((size.0 - unit.0 * view.0) / 2, (size.1 - unit.1 * view.1) / 2)
    }

    /// By day the light depends on a pixel's colour only: every distinct tile is lit once and copied.
    fn paint_day(&mut self, atlas: &Atlas, daylight: f64, sleeping: bool, out: &mut [u8]) {
        let len = atlas.tile_len();
        for &number in &self.grid {
            let number = usize::from(number);
            if std::mem::replace(&mut self.fresh[number], self.pictures) != self.pictures {
                let lit = &mut self.lit[number * len..][..len];
                light(&atlas.color[number * len..][..len], &atlas.dark[number * len..][..len], daylight, lit);
                if sleeping {
                    dream(lit);
                }
            }
        }
        let columns = self.options.grid().0;
        let (left, top) = self.border();
        for (row, line) in self.grid.chunks_exact(columns).enumerate() {
            for (column, &number) in line.iter().enumerate() {
                let place = (left + column * atlas.unit.0, top + row * atlas.unit.1);
                stamp(
                    out,
                    self.options.size.0,
                    place,
                    atlas.unit.0,
                    &self.lit[usize::from(number) * len..][..len],
                );
            }
        }
    }

    /// At night every pixel has its own noise.
    fn paint_night(&mut self, atlas: &Atlas, daylight: f64, sleeping: bool, out: &mut [u8]) {
        let (width, height) = self.options.local_size();
        let (left, top) = self.border();
        let (unit_width, unit_height) = atlas.unit;
        let columns = self.options.grid().0;
        let strength = 2.0 * (0.5 - daylight);
        for y in 0..height {
            for x in 0..width {
                let number = usize::from(self.grid[y / unit_height * columns + x / unit_width]);
                let source = number * atlas.tile_len() + 3 * (y % unit_height * unit_width + x % unit_width);
                let color = &atlas.color[source..][..3];
                let m = strength * self.vignette[y * width + x];
                let n = 32.0 + 95.0 * self.noise[x * height + y];
                let noisy: [u8; 3] = std::array::from_fn(|i| ((1.0 - m) * f64::from(color[i]) + m * n) as u8);
                let dark = darkness(noisy);
                let pixel = &mut out[3 * ((top + y) * self.options.size.0 + left + x)..][..3];
                light(color, &dark, daylight, pixel);
                if sleeping {
                    dream(pixel);
                }
            }
        }
    }

    fn paint_items(&self, game: &Game, atlas: &Atlas, out: &mut [u8]) {
        let len = atlas.tile_len();
        let (left, top) = self.border();
        let columns = self.options.view.0;
        let first_row = self.options.grid().1;
        for item in 0..ITEMS {
            let amount = game.player().inventory[item].clamp(0, ITEM_MAX) as usize;
            if amount > 0 {
                let number = item * (ITEM_MAX as usize + 1) + amount;
                let place =
                    (left + item % columns * atlas.unit.0, top + (first_row + item / columns) * atlas.unit.1);
                stamp(out, self.options.size.0, place, atlas.unit.0, &atlas.items[number * len..][..len]);
            }
        }
    }
}

/// Mixes colours with what they are in darkness (given twice).
fn light(color: &[u8], dark: &[u16], daylight: f64, out: &mut [u8]) {
    let night = (1.0 - daylight) * 0.5;
    for ((out, &color), &dark) in out.iter_mut().zip(color).zip(dark) {
        *out = (daylight * f64::from(color) + night * f64::from(dark)) as u8;
    }
}

/// What a sleeper sees: gray, a little blue.
fn dream(pixels: &mut [u8]) {
    for pixel in pixels.chunks_exact_mut(3) {
        let gray = gray(pixel[0], pixel[1], pixel[2]);
        pixel[0] = gray / 2;
        pixel[1] = gray / 2;
        pixel[2] = gray.midpoint(16);
    }
}

/// Copies a tile into the picture.
fn stamp(out: &mut [u8], picture_width: usize, (left, top): (usize, usize), tile_width: usize, tile: &[u8]) {
    for (row, line) in tile.chunks_exact(3 * tile_width).enumerate() {
        out[3 * ((top + row) * picture_width + left)..][..line.len()].copy_from_slice(line);
    }
}

fn vignette(width: usize, height: usize) -> Vec<f64> {
    let axis = |n: usize| -> Vec<f64> {
        let step = 2.0 / (n as f64 - 1.0);
        (0..n).map(|i| if i + 1 == n { 1.0 } else { i as f64 * step + -1.0 }).collect()
    };
    let (xs, ys) = (axis(width), axis(height));
    ys.iter().flat_map(|y| xs.iter().map(move |x| 1.0 - (-0.5 * (x * x + y * y) / 0.25).exp())).collect()
}
