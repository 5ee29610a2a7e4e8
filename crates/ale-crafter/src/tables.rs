//! The tables of the game: materials, items, actions, achievements, and what collecting, placing and making needs.

/// What a cell is made of. The number is its semantic id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Material {
    None,
    Water,
    Grass,
    Stone,
    Path,
    Sand,
    Tree,
    Lava,
    Coal,
    Iron,
    Diamond,
    Table,
    Furnace,
}

impl Material {
    /// All of them, by id.
    pub const ALL: [Self; 13] = [
        Self::None,
        Self::Water,
        Self::Grass,
        Self::Stone,
        Self::Path,
        Self::Sand,
        Self::Tree,
        Self::Lava,
        Self::Coal,
        Self::Iron,
        Self::Diamond,
        Self::Table,
        Self::Furnace,
    ];

    /// The material with an id.
    pub fn from_id(id: u8) -> Option<Self> {
        Self::ALL.get(usize::from(id)).copied()
    }

    /// The set with this one material.
    const fn set(self) -> MaterialSet {
        MaterialSet(1 << self as u16)
    }
}

/// A set of materials, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaterialSet(u16);

impl MaterialSet {
    const fn of(materials: &[Material]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < materials.len() {
            bits |= materials[i].set().0;
            i += 1;
        }
        Self(bits)
    }

    /// Whether `material` is one of them.
    #[inline]
    pub const fn contains(self, material: Material) -> bool {
        self.0 & material.set().0 != 0
    }

    /// Whether all of `other` are here.
    #[inline]
    pub const fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set with one more material.
    #[inline]
    #[must_use]
    pub const fn with(self, material: Material) -> Self {
        Self(self.0 | material.set().0)
    }

    /// The empty set.
    pub const EMPTY: Self = Self(0);
}

/// Where creatures walk.
pub const WALKABLE: MaterialSet = MaterialSet::of(&[Material::Grass, Material::Path, Material::Sand]);
/// Where the player walks.
pub const PLAYER_WALKABLE: MaterialSet = WALKABLE.with(Material::Lava);
/// Where arrows fly.
pub const ARROW_WALKABLE: MaterialSet = PLAYER_WALKABLE.with(Material::Water);

/// Number of actions.
pub const ACTIONS: usize = 17;
/// The names of the actions.
pub const ACTION_NAMES: [&str; ACTIONS] = [
    "noop",
    "move_left",
    "move_right",
    "move_up",
    "move_down",
    "do",
    "sleep",
    "place_stone",
    "place_table",
    "place_furnace",
    "place_plant",
    "make_wood_pickaxe",
    "make_stone_pickaxe",
    "make_iron_pickaxe",
    "make_wood_sword",
    "make_stone_sword",
    "make_iron_sword",
];

/// Number of items.
pub const ITEMS: usize = 16;
/// The names of the items, by slot.
pub const ITEM_NAMES: [&str; ITEMS] = [
    "health",
    "food",
    "drink",
    "energy",
    "sapling",
    "wood",
    "stone",
    "coal",
    "iron",
    "diamond",
    "wood_pickaxe",
    "stone_pickaxe",
    "iron_pickaxe",
    "wood_sword",
    "stone_sword",
    "iron_sword",
];

/// Slots of the items.
#[expect(missing_docs, reason = "the names say it")]
pub mod item {
    pub const HEALTH: usize = 0;
    pub const FOOD: usize = 1;
    pub const DRINK: usize = 2;
    pub const ENERGY: usize = 3;
    pub const SAPLING: usize = 4;
    pub const WOOD: usize = 5;
    pub const STONE: usize = 6;
    pub const COAL: usize = 7;
    pub const IRON: usize = 8;
    pub const DIAMOND: usize = 9;
    pub const WOOD_PICKAXE: usize = 10;
    pub const STONE_PICKAXE: usize = 11;
    pub const IRON_PICKAXE: usize = 12;
    pub const WOOD_SWORD: usize = 13;
    pub const STONE_SWORD: usize = 14;
    pub const IRON_SWORD: usize = 15;
}

/// The most that is owned of an item.
pub const ITEM_MAX: i8 = 9;

/// Number of achievements.
pub const ACHIEVEMENTS: usize = 22;
/// The names of the achievements.
pub const ACHIEVEMENT_NAMES: [&str; ACHIEVEMENTS] = [
    "collect_coal",
    "collect_diamond",
    "collect_drink",
    "collect_iron",
    "collect_sapling",
    "collect_stone",
    "collect_wood",
    "defeat_skeleton",
    "defeat_zombie",
    "eat_cow",
    "eat_plant",
    "make_iron_pickaxe",
    "make_iron_sword",
    "make_stone_pickaxe",
    "make_stone_sword",
    "make_wood_pickaxe",
    "make_wood_sword",
    "place_furnace",
    "place_plant",
    "place_stone",
    "place_table",
    "wake_up",
];

/// Indices of achievements.
#[expect(missing_docs, reason = "the names say it")]
pub mod achievement {
    pub const COLLECT_COAL: usize = 0;
    pub const COLLECT_DIAMOND: usize = 1;
    pub const COLLECT_DRINK: usize = 2;
    pub const COLLECT_IRON: usize = 3;
    pub const COLLECT_SAPLING: usize = 4;
    pub const COLLECT_STONE: usize = 5;
    pub const COLLECT_WOOD: usize = 6;
    pub const DEFEAT_SKELETON: usize = 7;
    pub const DEFEAT_ZOMBIE: usize = 8;
    pub const EAT_COW: usize = 9;
    pub const EAT_PLANT: usize = 10;
    pub const MAKE_IRON_PICKAXE: usize = 11;
    pub const MAKE_IRON_SWORD: usize = 12;
    pub const MAKE_STONE_PICKAXE: usize = 13;
    pub const MAKE_STONE_SWORD: usize = 14;
    pub const MAKE_WOOD_PICKAXE: usize = 15;
    pub const MAKE_WOOD_SWORD: usize = 16;
    pub const PLACE_FURNACE: usize = 17;
    pub const PLACE_PLANT: usize = 18;
    pub const PLACE_STONE: usize = 19;
    pub const PLACE_TABLE: usize = 20;
    pub const WAKE_UP: usize = 21;
}

/// A direction; the number is its place in every table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    Left,
    Right,
    Up,
    Down,
}

impl Direction {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Left, Self::Right, Self::Up, Self::Down];

    /// The offset of a step.
    #[inline]
    pub const fn offset(self) -> (i32, i32) {
        [(-1, 0), (1, 0), (0, -1), (0, 1)][self as usize]
    }

    /// The way back.
    #[inline]
    #[must_use]
    pub const fn opposite(self) -> Self {
        [Self::Right, Self::Left, Self::Down, Self::Up][self as usize]
    }
}

/// One row of the collect table.
#[derive(Debug)]
pub struct Collect {
    /// What is collected from.
    pub material: Material,
    /// An item that must be owned.
    pub require: Option<usize>,
    /// The item received.
    pub receive: usize,
    /// What the cell becomes.
    pub leaves: Material,
    /// How often it succeeds.
    pub probability: f64,
    /// What is counted.
    pub achievement: usize,
}

const fn collect(
    material: Material,
    require: Option<usize>,
    receive: usize,
    leaves: Material,
    probability: f64,
    achievement: usize,
) -> Collect {
    Collect { material, require, receive, leaves, probability, achievement }
}

/// What "do" collects.
pub const COLLECT: [Collect; 7] = {
    use Material::{Coal, Diamond, Grass, Iron, Path, Stone, Tree, Water};
    use achievement as a;
    use item as i;
    [
        collect(Tree, None, i::WOOD, Grass, 1.0, a::COLLECT_WOOD),
        collect(Stone, Some(i::WOOD_PICKAXE), i::STONE, Path, 1.0, a::COLLECT_STONE),
        collect(Coal, Some(i::WOOD_PICKAXE), i::COAL, Path, 1.0, a::COLLECT_COAL),
        collect(Iron, Some(i::STONE_PICKAXE), i::IRON, Path, 1.0, a::COLLECT_IRON),
        collect(Diamond, Some(i::IRON_PICKAXE), i::DIAMOND, Path, 1.0, a::COLLECT_DIAMOND),
        collect(Water, None, i::DRINK, Water, 1.0, a::COLLECT_DRINK),
        collect(Grass, None, i::SAPLING, Grass, 0.1, a::COLLECT_SAPLING),
    ]
};

/// One row of the place table.
#[derive(Debug)]
pub struct Place {
    /// The item it costs and how many.
    pub uses: (usize, i8),
    /// The materials it is placed on.
    pub allowed: MaterialSet,
    /// The material placed; `None` is a plant.
    pub material: Option<Material>,
    /// What is counted.
    pub achievement: usize,
}

/// What the actions 7 to 10 place.
pub const PLACE: [Place; 4] = [
    Place {
        uses: (item::STONE, 1),
        allowed: WALKABLE.with(Material::Water).with(Material::Lava),
        material: Some(Material::Stone),
        achievement: achievement::PLACE_STONE,
    },
    Place {
        uses: (item::WOOD, 2),
        allowed: WALKABLE,
        material: Some(Material::Table),
        achievement: achievement::PLACE_TABLE,
    },
    Place {
        uses: (item::STONE, 4),
        allowed: WALKABLE,
        material: Some(Material::Furnace),
        achievement: achievement::PLACE_FURNACE,
    },
    Place {
        uses: (item::SAPLING, 1),
        allowed: MaterialSet::of(&[Material::Grass]),
        material: None,
        achievement: achievement::PLACE_PLANT,
    },
];

/// One row of the make table.
#[derive(Debug)]
pub struct Make {
    /// The items it costs, one of each.
    pub uses: &'static [usize],
    /// The materials that must be near.
    pub nearby: MaterialSet,
    /// The tool.
    pub gives: usize,
    /// What is counted.
    pub achievement: usize,
}

/// What the actions 11 to 16 make.
pub const MAKE: [Make; 6] = {
    use achievement as a;
    use item as i;
    const TABLE: MaterialSet = MaterialSet::of(&[Material::Table]);
    const BOTH: MaterialSet = MaterialSet::of(&[Material::Table, Material::Furnace]);
    const WOOD: &[usize] = &[i::WOOD];
    const STONE: &[usize] = &[i::WOOD, i::STONE];
    const IRON: &[usize] = &[i::WOOD, i::COAL, i::IRON];
    const fn make(uses: &'static [usize], nearby: MaterialSet, gives: usize, achievement: usize) -> Make {
        Make { uses, nearby, gives, achievement }
    }
    [
        make(WOOD, TABLE, i::WOOD_PICKAXE, a::MAKE_WOOD_PICKAXE),
        make(STONE, TABLE, i::STONE_PICKAXE, a::MAKE_STONE_PICKAXE),
        make(IRON, BOTH, i::IRON_PICKAXE, a::MAKE_IRON_PICKAXE),
        make(WOOD, TABLE, i::WOOD_SWORD, a::MAKE_WOOD_SWORD),
        make(STONE, TABLE, i::STONE_SWORD, a::MAKE_STONE_SWORD),
        make(IRON, BOTH, i::IRON_SWORD, a::MAKE_IRON_SWORD),
    ]
};
