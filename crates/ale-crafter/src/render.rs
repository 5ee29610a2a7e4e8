//! The picture of a game: map by day and night, and the inventory below it.

use crate::atlas::{Atlas, TILES, gray, player_sprite, tile};
use crate::game::Game;
use crate::options::Options;
use crate::shade::{Light, NightRow, night_row, transposed};
use crate::tables::{ITEM_MAX, ITEMS};

/// Draws pictures; keeps the memory that drawing needs.
#[derive(Debug, Clone)]
pub struct Renderer {
    options: Options,
    /// How far the noise reaches, per pixel of the local view, row by row: 0 in the middle.
    vignette: Vec<f64>,
    /// Noise of the night, column by column as it is drawn.
    noise: Vec<f64>,
    /// The noise as colours, row by row.
    noise_rows: Vec<f64>,
    /// A row of the local view.
    row: NightRow,
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
            noise_rows: vec![0.0; width * height],
            row: NightRow::new(width),
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
        let light = Light::new(daylight);
        for &number in &self.grid {
            let number = usize::from(number);
            if std::mem::replace(&mut self.fresh[number], self.pictures) != self.pictures {
                let lit = &mut self.lit[number * len..][..len];
                light.apply(&atlas.color[number * len..][..len], &atlas.dark[number * len..][..len], lit);
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
                let tile = &self.lit[usize::from(number) * len..][..len];
                stamp(out, self.options.size.0, place, atlas.unit.0, tile);
            }
        }
    }

    /// At night every pixel has its own noise.
    fn paint_night(&mut self, atlas: &Atlas, daylight: f64, sleeping: bool, out: &mut [u8]) {
        let (width, height) = self.options.local_size();
        let (left, top) = self.border();
        let (unit_width, unit_height) = atlas.unit;
        let columns = self.options.grid().0;
        transposed(&self.noise, height, &mut self.noise_rows);
        for y in 0..height {
            let numbers = &self.grid[y / unit_height * columns..][..columns];
            let line = 3 * unit_width * (y % unit_height);
            for (target, &number) in self.row.color.chunks_exact_mut(3 * unit_width).zip(numbers) {
                let source = usize::from(number) * atlas.tile_len() + line;
                target.copy_from_slice(&atlas.color[source..][..3 * unit_width]);
            }
            let place = 3 * ((top + y) * self.options.size.0 + left);
            let out = &mut out[place..][..3 * width];
            let of_row = y * width..(y + 1) * width;
            night_row(&mut self.row, &self.noise_rows[of_row.clone()], &self.vignette[of_row], daylight, out);
            if sleeping {
                dream(out);
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
    let place = 3 * (top * picture_width + left);
    let lines = out[place..].chunks_mut(3 * picture_width);
    // The usual width is known when this is compiled: a few moves instead of a call per line.
    if let (7, (tile, [])) = (tile_width, tile.as_chunks::<21>()) {
        for (line, tile) in lines.zip(tile) {
            if let Some(target) = line.first_chunk_mut() {
                *target = *tile;
            }
        }
        return;
    }
    for (line, tile) in lines.zip(tile.chunks_exact(3 * tile_width)) {
        line[..tile.len()].copy_from_slice(tile);
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
