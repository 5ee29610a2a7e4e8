//! The maps of a world: materials, objects in order of creation, and chunks.

use crate::tables::{Direction, Material, MaterialSet};

/// Cells of a chunk along each axis.
pub(crate) const CHUNK: usize = 12;
/// The most cells a world may have: a cell holds one object at most, so 16 bits number them all.
pub const MAX_CELLS: usize = u16::MAX as usize - 1;

/// A cell; outside the area is allowed.
pub type Cell = (i32, i32);

/// The sum of the distances along both axes.
#[inline]
pub(crate) fn distance(a: Cell, b: Cell) -> i32 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

/// What an object is. The creatures that are balanced come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Zombie,
    Skeleton,
    Cow,
    Player,
    Arrow,
    Plant,
}

impl Kind {
    /// All of them, by number.
    pub const ALL: [Self; 6] =
        [Self::Zombie, Self::Skeleton, Self::Cow, Self::Player, Self::Arrow, Self::Plant];

    /// The id in the semantic map.
    #[inline]
    pub const fn semantic(self) -> u8 {
        [15, 16, 14, 13, 17, 18][self as usize]
    }

    /// Zombies, skeletons and cows: what is balanced, and what eats plants.
    #[inline]
    pub const fn is_creature(self) -> bool {
        (self as u8) < 3
    }

    const fn health(self) -> i8 {
        [5, 3, 3, 0, 0, 1][self as usize]
    }
}

/// A creature, an arrow, a plant, or the place of the player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// Where an arrow flies; of no meaning for others.
    pub facing: Direction,
    /// Health, never negative. The player's is in its inventory.
    pub health: i8,
    /// Not in the world any more; forgotten at the end of the step.
    pub removed: bool,
    /// Column.
    pub x: i16,
    /// Row.
    pub y: i16,
    /// Zombie: cooldown; skeleton: reload; plant: how much it has grown.
    pub counter: u32,
}

impl Object {
    /// The cell it stands on.
    #[inline]
    pub fn cell(&self) -> Cell {
        (i32::from(self.x), i32::from(self.y))
    }

    /// A plant that can be eaten.
    #[inline]
    pub fn is_ripe(&self) -> bool {
        self.counter > 300
    }
}

/// What balancing needs to know about a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chunk {
    /// An object has been here.
    pub registered: bool,
    /// Cells of grass.
    pub grass: u8,
    /// Cells of path.
    pub path: u8,
    /// Live zombies, skeletons and cows.
    pub creatures: [u8; 3],
}

/// Materials, objects and chunks of one episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct World {
    width: usize,
    height: usize,
    chunk_rows: usize,
    pub(crate) materials: Vec<Material>,
    /// Per cell one more than the place of its object in `objects`; 0 is none.
    slots: Vec<u16>,
    pub(crate) objects: Vec<Object>,
    chunks: Vec<Chunk>,
    /// Registered chunks in order.
    order: Vec<u16>,
    removed: bool,
}

impl World {
    /// An empty world; the area has at most [`MAX_CELLS`] cells.
    pub fn new((width, height): (usize, usize)) -> Self {
        let chunk_rows = height.div_ceil(CHUNK);
        let chunks = width.div_ceil(CHUNK) * chunk_rows;
        Self {
            width,
            height,
            chunk_rows,
            materials: vec![Material::None; width * height],
            slots: vec![0; width * height],
            objects: Vec::with_capacity(128),
            chunks: vec![Chunk::default(); chunks],
            order: Vec::with_capacity(chunks),
            removed: false,
        }
    }

    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        self.materials.fill(Material::None);
        self.slots.fill(0);
        self.objects.clear();
        self.chunks.fill(Chunk::default());
        self.order.clear();
        self.removed = false;
    }

    /// Columns and rows.
    pub fn area(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The materials, column by column.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// The objects in order of creation; the player is the first.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// The place of a cell in the maps, if it is inside.
    #[inline]
    pub fn index(&self, (x, y): Cell) -> Option<usize> {
        ((x as u32 as usize) < self.width && (y as u32 as usize) < self.height)
            .then(|| x as usize * self.height + y as usize)
    }

    #[inline]
    fn chunk_of(&self, (x, y): Cell) -> usize {
        x as usize / CHUNK * self.chunk_rows + y as usize / CHUNK
    }

    /// The material of a cell; none outside.
    #[inline]
    pub fn material(&self, cell: Cell) -> Material {
        self.index(cell).map_or(Material::None, |index| self.materials[index])
    }

    /// The place in `objects` of the object on a cell.
    #[inline]
    pub fn object_at(&self, cell: Cell) -> Option<usize> {
        self.index(cell).and_then(|index| self.object_at_index(index))
    }

    /// The place in `objects` of the object on a cell given by its place in the maps.
    #[inline]
    pub(crate) fn object_at_index(&self, index: usize) -> Option<usize> {
        usize::from(self.slots[index]).checked_sub(1)
    }

    /// Whether a mover that walks on `allowed` can enter a cell.
    #[inline]
    pub fn is_free(&self, cell: Cell, allowed: MaterialSet) -> bool {
        self.index(cell)
            .is_some_and(|index| self.slots[index] == 0 && allowed.contains(self.materials[index]))
    }

    /// Changes the material of a cell that is inside.
    pub fn set_material(&mut self, cell: Cell, material: Material) {
        let Some(index) = self.index(cell) else { return };
        let before = std::mem::replace(&mut self.materials[index], material);
        let chunk = self.chunk_of(cell);
        let chunk = &mut self.chunks[chunk];
        chunk.grass =
            chunk.grass + u8::from(material == Material::Grass) - u8::from(before == Material::Grass);
        chunk.path = chunk.path + u8::from(material == Material::Path) - u8::from(before == Material::Path);
    }

    /// Adds an object on an empty cell that is inside.
    pub fn add(&mut self, kind: Kind, cell: Cell, facing: Direction) {
        let Some(index) = self.index(cell) else { return };
        let (x, y) = (cell.0 as i16, cell.1 as i16);
        self.objects.push(Object { kind, facing, health: kind.health(), removed: false, x, y, counter: 0 });
        self.slots[index] = self.objects.len() as u16;
        let chunk = self.register(cell);
        if kind.is_creature() {
            self.chunks[chunk].creatures[kind as usize] += 1;
        }
    }

    /// Takes an object out of the world; its place in the list stays until [`World::compact`].
    pub fn remove(&mut self, slot: usize) {
        let object = &mut self.objects[slot];
        if object.removed {
            return;
        }
        object.removed = true;
        self.removed = true;
        let (kind, cell) = (object.kind, object.cell());
        if let Some(index) = self.index(cell) {
            self.slots[index] = 0;
        }
        if kind.is_creature() {
            let chunk = self.chunk_of(cell);
            self.chunks[chunk].creatures[kind as usize] -= 1;
        }
    }

    /// Moves an object to a free cell; one that was removed stays where it was.
    pub fn relocate(&mut self, slot: usize, cell: Cell) {
        let Object { kind, removed, .. } = self.objects[slot];
        let from = self.objects[slot].cell();
        let (Some(old), Some(new), false) = (self.index(from), self.index(cell), removed) else { return };
        self.slots[new] = std::mem::take(&mut self.slots[old]);
        (self.objects[slot].x, self.objects[slot].y) = (cell.0 as i16, cell.1 as i16);
        let (left, entered) = (self.chunk_of(from), self.chunk_of(cell));
        if left != entered {
            self.register(cell);
            if kind.is_creature() {
                self.chunks[left].creatures[kind as usize] -= 1;
                self.chunks[entered].creatures[kind as usize] += 1;
            }
        }
    }

    /// Moves an object by an offset if the goal is free; whether it was.
    #[inline]
    pub fn try_move(&mut self, slot: usize, (dx, dy): (i32, i32), allowed: MaterialSet) -> bool {
        let (x, y) = self.objects[slot].cell();
        let goal = (x + dx, y + dy);
        let free = self.is_free(goal, allowed);
        if free {
            self.relocate(slot, goal);
        }
        free
    }

    fn register(&mut self, cell: Cell) -> usize {
        let chunk = self.chunk_of(cell);
        if !self.chunks[chunk].registered {
            self.chunks[chunk].registered = true;
            self.order.push(chunk as u16);
        }
        chunk
    }

    /// Forgets removed objects; the order of the others stays.
    pub fn compact(&mut self) {
        if !std::mem::take(&mut self.removed) {
            return;
        }
        self.objects.retain(|object| !object.removed);
        for (slot, object) in self.objects.iter().enumerate() {
            self.slots[object.x as usize * self.height + object.y as usize] = slot as u16 + 1;
        }
    }

    /// Numbers of the registered chunks in order.
    pub fn registered(&self) -> &[u16] {
        &self.order
    }

    /// A chunk by its number.
    #[inline]
    pub fn chunk(&self, number: u16) -> &Chunk {
        &self.chunks[usize::from(number)]
    }

    /// The `n`-th cell of a material in a chunk, column by column.
    pub fn nth_cell(&self, number: u16, material: Material, mut n: u32) -> Option<Cell> {
        let (cx, cy) =
            (usize::from(number) / self.chunk_rows * CHUNK, usize::from(number) % self.chunk_rows * CHUNK);
        for x in cx..(cx + CHUNK).min(self.width) {
            for y in cy..(cy + CHUNK).min(self.height) {
                if self.materials[x * self.height + y] == material {
                    if n == 0 {
                        return Some((x as i32, y as i32));
                    }
                    n -= 1;
                }
            }
        }
        None
    }

    /// The `n`-th live object of a kind in a chunk, in order of creation.
    pub fn nth_object(&self, number: u16, kind: Kind, n: u32) -> Option<usize> {
        let here = |object: &Object| {
            object.kind == kind && !object.removed && self.chunk_of(object.cell()) == usize::from(number)
        };
        self.objects
            .iter()
            .enumerate()
            .filter(|(_, object)| here(object))
            .nth(n as usize)
            .map(|(slot, _)| slot)
    }

    /// Counts grass and path anew, after materials were written directly.
    pub(crate) fn count_materials(&mut self) {
        for chunk in &mut self.chunks {
            (chunk.grass, chunk.path) = (0, 0);
        }
        for x in 0..self.width {
            let first = x / CHUNK * self.chunk_rows;
            for (y, material) in self.materials[x * self.height..][..self.height].iter().enumerate() {
                let chunk = &mut self.chunks[first + y / CHUNK];
                chunk.grass += u8::from(*material == Material::Grass);
                chunk.path += u8::from(*material == Material::Path);
            }
        }
    }

    /// The semantic map, column by column: materials, and the objects on them.
    pub fn semantic_into(&self, out: &mut [u8]) {
        for (byte, &material) in out.iter_mut().zip(&self.materials) {
            *byte = material as u8;
        }
        for object in &self.objects {
            out[object.x as usize * self.height + object.y as usize] = object.kind.semantic();
        }
    }

    /// A world from the parts of a snapshot; what follows from them is rebuilt. `None` if they contradict each other.
    pub(crate) fn from_parts(
        area: (usize, usize),
        materials: Vec<Material>,
        objects: Vec<Object>,
        order: &[u16],
    ) -> Option<Self> {
        let mut world = Self::new(area);
        if materials.len() != world.materials.len() {
            return None;
        }
        world.materials = materials;
        world.count_materials();
        for &number in order {
            let chunk = world.chunks.get_mut(usize::from(number))?;
            if std::mem::replace(&mut chunk.registered, true) {
                return None;
            }
            world.order.push(number);
        }
        for (slot, object) in objects.iter().enumerate() {
            let index = world.index(object.cell())?;
            let chunk = world.chunk_of(object.cell());
            let player_is_first = (object.kind == Kind::Player) == (slot == 0);
            if world.slots[index] != 0
                || !world.chunks[chunk].registered
                || !player_is_first
                || object.removed
            {
                return None;
            }
            world.slots[index] = slot as u16 + 1;
            if object.kind.is_creature() {
                world.chunks[chunk].creatures[object.kind as usize] += 1;
            }
        }
        world.objects.extend(objects);
        (!world.objects.is_empty()).then_some(world)
    }
}
