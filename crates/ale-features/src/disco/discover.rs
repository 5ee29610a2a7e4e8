//! Discovery: which classes of objects a game has, from the screens of play.
//!
//! Each object of a screen gets a class. It is that of a known shape when the two are equal, one of them mirrored if
//! need be, or differ in size alone; else that of a similar object within 8 pixels on the screen before; else it is a
//! new class. A shape that is seen for the first time becomes one of its class. At the end classes that are rare or
//! that stay where they are go, and the closest ones are merged until at most 10 are left.

use std::collections::HashMap;

use super::classes::Classes;
use super::regions::{Object, Regions};
use super::shape::{Distance, Shape, within_factor};
use crate::background::Background;
use crate::input::Screen;

/// Discovery ends with so many classes.
const MOST_CLASSES: usize = 200;
/// Farthest object of the screen before that may be the same.
const REACH: i32 = 8;
/// A class must be on one of so many screens.
const RARE: u32 = 5;
/// Columns and rows that a class spans at least, along one axis.
const SPAN: i32 = 10;

/// A class that grows.
#[derive(Debug, Default)]
struct Growing {
    shapes: Vec<Shape>,
    /// Screens that show a member, and the last of them.
    screens: u32,
    last: u32,
    /// Least and largest column, least and largest row of members' centres.
    bounds: Option<[i32; 4]>,
}

/// A shape without its repeated rows and columns, and the classes that have it in some size.
type Sizes = HashMap<Shape, Vec<(u8, usize, u16, usize)>>;

/// Looks at screens and gathers classes.
#[derive(Debug)]
pub struct Discovery {
    background: Background,
    regions: Regions,
    /// Objects of the screen before with their classes.
    before: Vec<(Object, usize)>,
    classes: Vec<Growing>,
    class_of: HashMap<Shape, usize>,
    sizes: Sizes,
    screens: u32,
}

impl Discovery {
    /// Nothing is known but the background.
    pub fn new(background: Background) -> Self {
        Self {
            background,
            regions: Regions::default(),
            before: Vec::new(),
            classes: Vec::new(),
            class_of: HashMap::new(),
            sizes: HashMap::new(),
            screens: 0,
        }
    }

    /// The next screen begins an episode.
    pub fn reset(&mut self) {
        self.regions.reset();
        self.before.clear();
    }

    /// Looks at the next screen. `false` when there are 200 classes: further screens are not wanted.
    pub fn observe(&mut self, screen: Screen<'_>) -> bool {
        if self.classes.len() >= MOST_CLASSES {
            return false;
        }
        self.screens += 1;
        let objects = self.regions.objects(screen, &self.background);
        let mut now = Vec::with_capacity(objects.len());
        for object in objects {
            let class = self.classify(&object.shape, (object.x, object.y));
            let Some(class) = class else { return false };
            let growing = &mut self.classes[class];
            growing.screens += u32::from(growing.last != self.screens);
            growing.last = self.screens;
            let [left, right, top, bottom] =
                growing.bounds.unwrap_or([object.x, object.x, object.y, object.y]);
            growing.bounds =
                Some([left.min(object.x), right.max(object.x), top.min(object.y), bottom.max(object.y)]);
            now.push((object, class));
        }
        self.before = now;
        true
    }

    /// The class of an object; `None` when it would be one too many.
    fn classify(&mut self, shape: &Shape, place: (i32, i32)) -> Option<usize> {
        if let Some(&class) = self.class_of.get(shape) {
            return Some(class);
        }
        let flips = shape.flips();
        let known = flips.iter().find_map(|flip| self.class_of.get(flip).copied());
        let class = known.or_else(|| self.of_other_size(&flips)).or_else(|| self.near(&flips, place));
        let class = match class {
            Some(class) => class,
            None if self.classes.len() == MOST_CLASSES => return None,
            None => {
                self.classes.push(Growing::default());
                self.classes.len() - 1
            }
        };
        self.classes[class].shapes.push(shape.clone());
        self.class_of.insert(shape.clone(), class);
        let size = (shape.width, shape.height(), shape.area, class);
        self.sizes.entry(shape.collapsed()).or_default().push(size);
        Some(class)
    }

    fn of_other_size(&self, flips: &[Shape; 4]) -> Option<usize> {
        flips.iter().find_map(|flip| {
            let sizes = self.sizes.get(&flip.collapsed())?;
            let fits = |&&(width, height, area, _): &&_| flip.is_of_size(width, height, area);
            sizes.iter().find(fits).map(|&(.., class)| class)
        })
    }

    /// The class of the most similar object nearby on the screen before, the nearer one of two.
    fn near(&self, flips: &[Shape; 4], (x, y): (i32, i32)) -> Option<usize> {
        let mut best: Option<(Distance, i32, usize)> = None;
        for (old, class) in &self.before {
            let moved = (x - old.x, y - old.y);
            if moved.0.abs() > REACH || moved.1.abs() > REACH {
                continue;
            }
            let Some(distance) = old.shape.similar_flipped(flips) else { continue };
            let far = moved.0 * moved.0 + moved.1 * moved.1;
            let better = best.is_none_or(|(least, nearest, _)| {
                distance.is_less(least) || distance.is_equal(least) && far < nearest
            });
            if better {
                best = Some((distance, far, *class));
            }
        }
        best.map(|(.., class)| class)
    }

    /// The classes that are frequent and move, at most ten.
    pub fn finish(self) -> Classes {
        let screens = self.screens;
        let stays = |class: &Growing| {
            class.bounds.is_none_or(|[left, right, top, bottom]| right - left < SPAN && bottom - top < SPAN)
        };
        let keeps = |class: &Growing| class.screens * RARE >= screens && !stays(class);
        let kept: Vec<Growing> = self.classes.into_iter().filter(keeps).collect();
        let mut classes = merged(kept);
        // Whom no merging brings down to ten: those on most screens stay.
        classes.sort_by_key(|class| std::cmp::Reverse(class.screens));
        classes.truncate(Classes::MAX);
        let by_size = |class: Growing| {
            let mut shapes = class.shapes;
            shapes.sort_by(|a, b| b.area.cmp(&a.area).then_with(|| a.cmp(b)));
            shapes
        };
        Classes { background: self.background, classes: classes.into_iter().map(by_size).collect() }
    }
}

/// Merges the two closest classes until ten are left or none are close.
fn merged(mut classes: Vec<Growing>) -> Vec<Growing> {
    let count = classes.len();
    let mut alive = vec![true; count];
    let mut closest = vec![None; count * count];
    if count > Classes::MAX {
        for a in 0..count {
            for b in a + 1..count {
                closest[a * count + b] = distance(&classes[a].shapes, &classes[b].shapes);
            }
        }
    }
    for _ in Classes::MAX..count {
        let mut best: Option<(Distance, usize, usize)> = None;
        for a in (0..count).filter(|&a| alive[a]) {
            for b in (a + 1..count).filter(|&b| alive[b]) {
                let Some(found) = closest[a * count + b] else { continue };
                if best.is_none_or(|(least, ..)| Distance::is_less(found, least)) {
                    best = Some((found, a, b));
                }
            }
        }
        let Some((_, a, b)) = best else { break };
        let gone = std::mem::take(&mut classes[b]);
        classes[a].shapes.extend(gone.shapes);
        classes[a].screens = classes[a].screens.max(gone.screens);
        alive[b] = false;
        for other in (0..count).filter(|&other| other != a && other != b) {
            let far = closest[other.min(b) * count + other.max(b)];
            let near = &mut closest[other.min(a) * count + other.max(a)];
            *near = match (*near, far) {
                (Some(near), Some(far)) => Some(if far.is_less(near) { far } else { near }),
                (near, far) => near.or(far),
            };
        }
    }
    classes.into_iter().zip(alive).filter_map(|(class, alive)| alive.then_some(class)).collect()
}

/// The smallest distance among similar members of two classes.
fn distance(first: &[Shape], second: &[Shape]) -> Option<Distance> {
    let mut best: Option<Distance> = None;
    for shape in first {
        let mut flips = None;
        for other in second.iter().filter(|other| within_factor(shape.area.into(), other.area.into())) {
            let flips = flips.get_or_insert_with(|| shape.flips());
            if let Some(found) = other.similar_flipped(flips)
                && best.is_none_or(|best| found.is_less(best))
            {
                best = Some(found);
            }
        }
    }
    best
}
