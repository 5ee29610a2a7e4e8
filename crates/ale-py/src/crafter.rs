//! Crafter for Python: textures, and a single game.

use std::sync::Arc;

use ale_crafter::tables::{ACHIEVEMENT_NAMES, ACTION_NAMES, ACTIONS, ITEM_NAMES};
use ale_crafter::{
    Atlas, Game, Image, Layers, NightNoise, Options, Renderer, TEXTURE_NAMES, Textures, symbolic_len,
};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Names of the actions, items, achievements and textures of Crafter.
#[pyfunction]
pub(crate) fn crafter_names() -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>, Vec<&'static str>)
{
    (ACTION_NAMES.to_vec(), ITEM_NAMES.to_vec(), ACHIEVEMENT_NAMES.to_vec(), TEXTURE_NAMES.to_vec())
}

/// A set of the pictures that Crafter draws.
#[pyclass(frozen, module = "ale_rs._native")]
pub(crate) struct CrafterTextures {
    pub(crate) inner: Arc<Textures>,
}

#[pymethods]
impl CrafterTextures {
    /// A set from (width, height, bytes of RGBA), one for each name in order.
    #[new]
    fn new(images: Vec<(usize, usize, Vec<u8>)>) -> PyResult<Self> {
        let read = |(number, (width, height, rgba)): (usize, (usize, usize, Vec<u8>))| {
            let (len, name) = (rgba.len(), TEXTURE_NAMES.get(number).unwrap_or(&"?"));
            Image::new(width, height, rgba).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "the texture {name} has {width} x {height} pixels and {len} bytes; \
                     accepted: sides of 1 to 1024, 4 bytes a pixel"
                ))
            })
        };
        let images = images.into_iter().enumerate().map(read).collect::<PyResult<Vec<_>>>()?;
        let len = images.len();
        let inner = Textures::new(images).ok_or_else(|| {
            PyValueError::new_err(format!("{len} textures; accepted: {}", TEXTURE_NAMES.len()))
        })?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The pictures drawn for this project.
    #[staticmethod]
    fn own() -> Self {
        Self { inner: Arc::new(Textures::own()) }
    }

    /// (width, height, bytes of RGBA) of each name in order.
    fn images<'py>(&self, py: Python<'py>) -> Vec<(usize, usize, Bound<'py, PyBytes>)> {
        let image = |image: &Image| (image.size().0, image.size().1, PyBytes::new(py, image.rgba()));
        self.inner.images().iter().map(image).collect()
    }
}

/// Checked options from Python's arguments.
pub(crate) fn options(
    area: (usize, usize),
    view: (usize, usize),
    size: (usize, usize),
    length: u64,
    noise: &str,
) -> PyResult<Options> {
    let noise = match noise {
        "world" => NightNoise::World,
        "own" => NightNoise::Own,
        other => {
            return Err(PyValueError::new_err(format!("noise={other:?}; accepted: \"world\", \"own\"")));
        }
    };
    let options = Options { area, view, size, length, noise };
    options.check().map_err(|error| PyValueError::new_err(error.to_string()))
}

/// One game of Crafter.
#[pyclass(module = "ale_rs._native")]
pub(crate) struct CrafterGame {
    game: Game,
    textures: Arc<Textures>,
    atlas: Atlas,
    renderer: Renderer,
    layers: Layers,
    /// Atlas and renderer of the last size that a picture was asked for in.
    other: Option<(Options, Atlas, Renderer)>,
}

#[pymethods]
impl CrafterGame {
    /// A game before its first episode; `base` is the hash of the base seed.
    #[new]
    #[pyo3(signature = (base, textures, *, area, view, size, length, noise))]
    fn new(
        base: i64,
        textures: &CrafterTextures,
        area: (usize, usize),
        view: (usize, usize),
        size: (usize, usize),
        length: u64,
        noise: &str,
    ) -> PyResult<Self> {
        let options = options(area, view, size, length, noise)?;
        Ok(Self {
            game: Game::new(options, base),
            textures: Arc::clone(&textures.inner),
            atlas: Atlas::new(&textures.inner, &options),
            renderer: Renderer::new(&options),
            layers: Layers::default(),
            other: None,
        })
    }

    /// The next reset starts episode 1 of another base seed, given by its hash.
    fn seed(&mut self, base: i64) {
        self.game.seed(base);
    }

    /// Starts the next episode.
    fn reset(&mut self, py: Python<'_>) {
        let Self { game, layers, .. } = self;
        py.detach(|| game.reset_with(layers));
    }

    /// Plays an action.
    ///
    /// Returns the reward, whether the player died, whether the time is over, and the achievements unlocked as bits.
    fn step(&mut self, py: Python<'_>, action: i64) -> PyResult<(f64, bool, bool, u32)> {
        let valid = u8::try_from(action).ok().filter(|&action| usize::from(action) < ACTIONS);
        let Some(action) = valid else {
            return Err(PyIndexError::new_err(format!("action {action}; accepted: 0 to {}", ACTIONS - 1)));
        };
        let outcome = py.detach(|| self.game.step(action));
        Ok((outcome.reward, outcome.dead, outcome.over, outcome.unlocked))
    }

    /// The observation in pixels, `(height, width, 3)`.
    fn pixels<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let (width, height) = self.game.options().size;
        let array = PyArray3::zeros(py, [height, width, 3], false);
        self.renderer.observe(&mut self.game, &self.atlas, array.readwrite().as_slice_mut()?);
        Ok(array)
    }

    /// A picture of any size that the game does not notice.
    fn render<'py>(
        &mut self,
        py: Python<'py>,
        width: usize,
        height: usize,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let options = Options { size: (width, height), ..*self.game.options() };
        let options = options.check().map_err(|error| PyValueError::new_err(error.to_string()))?;
        if self.other.as_ref().is_none_or(|(known, ..)| *known != options) {
            self.other = Some((options, Atlas::new(&self.textures, &options), Renderer::new(&options)));
        }
        let array = PyArray3::zeros(py, [height, width, 3], false);
        if let Some((_, atlas, renderer)) = &mut self.other {
            renderer.render(&self.game, atlas, array.readwrite().as_slice_mut()?);
        }
        Ok(array)
    }

    /// The whole map with objects, `(columns, rows)`.
    fn semantic<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let (width, height) = self.game.options().area;
        let array = PyArray2::zeros(py, [width, height], false);
        self.game.world().semantic_into(array.readwrite().as_slice_mut()?);
        Ok(array)
    }

    /// The ids of the view, `(columns, rows)`; 0 outside.
    fn local_semantic<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let (columns, rows) = self.game.options().grid();
        let array = PyArray2::zeros(py, [columns, rows], false);
        self.game.local_semantic_into(array.readwrite().as_slice_mut()?);
        Ok(array)
    }

    /// The symbolic observation.
    fn symbolic<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let mut bytes = vec![0; size_of::<f32>() * symbolic_len(self.game.options())];
        self.game.symbolic_into(&mut bytes);
        let numbers = bytes.as_chunks().0.iter().map(|&bytes| f32::from_ne_bytes(bytes));
        PyArray1::from_iter(py, numbers)
    }

    /// Amounts of the items.
    fn inventory(&self) -> Vec<i64> {
        self.game.player().inventory.map(i64::from).to_vec()
    }

    /// Counts of the achievements.
    fn achievements(&self) -> Vec<i64> {
        self.game.player().achievements.map(i64::from).to_vec()
    }

    /// Column and row of the player.
    #[getter]
    fn position(&self) -> (i32, i32) {
        self.game.position()
    }

    /// Columns and rows of the view that show the map.
    #[getter]
    fn grid(&self) -> (usize, usize) {
        self.game.options().grid()
    }

    /// Length of the symbolic observation.
    #[getter]
    fn symbolic_len(&self) -> usize {
        symbolic_len(self.game.options())
    }

    /// 0 at midnight, 1 at noon.
    #[getter]
    fn daylight(&self) -> f64 {
        self.game.daylight()
    }

    /// Number of the episode, from 1; 0 before the first reset.
    #[getter]
    fn episode(&self) -> u64 {
        self.game.episode()
    }

    /// Steps of the episode.
    #[getter]
    fn steps(&self) -> u64 {
        self.game.steps()
    }

    /// Whether the player sleeps.
    #[getter]
    fn sleeping(&self) -> bool {
        self.game.player().sleeping
    }

    /// All state as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.game.to_bytes())
    }

    /// Goes on where `to_bytes` was called, in a game with the same options.
    fn restore(&mut self, data: &[u8]) -> PyResult<()> {
        let game = Game::from_bytes(data).map_err(|error| PyValueError::new_err(error.to_string()))?;
        if game.options() != self.game.options() {
            return Err(PyValueError::new_err(format!(
                "the snapshot is of a game with other options: {:?}; accepted: {:?}",
                game.options(),
                self.game.options()
            )));
        }
        self.game = game;
        Ok(())
    }
}
