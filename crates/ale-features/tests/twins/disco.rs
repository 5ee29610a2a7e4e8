//! DISCO as its definition says it: shapes are sets of pixels, everything is looked for everywhere.

use std::collections::{BTreeMap, BTreeSet};

use super::{COLUMNS, ROWS};

/// Pixels of a shape from the upper left corner of its box: row and column.
pub(crate) type Pixels = BTreeSet<(i32, i32)>;

/// A shape with its centre and its displacement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Object {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) shape: Pixels,
    pub(crate) velocity: (i32, i32),
}

fn size(shape: &Pixels) -> (i32, i32) {
    let rows = shape.iter().map(|pixel| pixel.0).max().expect("a shape has pixels") + 1;
    (rows, shape.iter().map(|pixel| pixel.1).max().expect("a shape has pixels") + 1)
}

/// Pixels of a screen as an object without velocity.
fn object(pixels: &BTreeSet<(i32, i32)>) -> Object {
    let top = pixels.iter().map(|pixel| pixel.0).min().expect("pixels");
    let left = pixels.iter().map(|pixel| pixel.1).min().expect("pixels");
    let shape: Pixels = pixels.iter().map(|(row, column)| (row - top, column - left)).collect();
    let (height, width) = size(&shape);
    Object { x: left + width / 2, y: top + height / 2, shape, velocity: (0, 0) }
}

/// Differing pixels centre on centre, and the larger area.
fn distance(a: &Pixels, b: &Pixels) -> (usize, usize) {
    let centred = |shape: &Pixels| -> Pixels {
        let (height, width) = size(shape);
        shape.iter().map(|(row, column)| (row - height / 2, column - width / 2)).collect()
    };
    (centred(a).symmetric_difference(&centred(b)).count(), a.len().max(b.len()))
}

fn within_factor(a: usize, b: usize) -> bool {
    a.max(b) as f64 <= 1.2 * a.min(b) as f64 + 1e-9
}

fn similar(a: &Pixels, b: &Pixels) -> Option<f64> {
    let (differing, larger) = distance(a, b);
    (within_factor(a.len(), b.len()) && differing * 10 < larger).then_some(differing as f64 / larger as f64)
}

fn flips(shape: &Pixels) -> [Pixels; 4] {
    let (height, width) = size(shape);
    let across: Pixels = shape.iter().map(|(row, column)| (*row, width - 1 - column)).collect();
    let down = |shape: &Pixels| shape.iter().map(|(row, column)| (height - 1 - row, *column)).collect();
    [shape.clone(), down(shape), down(&across), across]
}

/// Components of `members`, where neighbours are those that `linked` says.
fn components<T: Clone + Ord>(members: &[T], linked: impl Fn(&T, &T) -> bool) -> Vec<Vec<T>> {
    let mut left: Vec<T> = members.to_vec();
    let mut found = Vec::new();
    while let Some(first) = left.pop() {
        let mut component = vec![first];
        let mut at = 0;
        while at < component.len() {
            let (near, far) = left.into_iter().partition(|other| linked(&component[at], other));
            left = far;
            component.extend::<Vec<T>>(near);
            at += 1;
        }
        found.push(component);
    }
    found
}

/// Regions, then objects, of one screen after another.
#[derive(Default)]
pub(crate) struct Regions {
    before: Vec<Object>,
}

impl Regions {
    pub(crate) fn objects(&mut self, pixels: &[u8], background: &[u8]) -> Vec<Object> {
        let foreground: Vec<(i32, i32)> = (0..ROWS * COLUMNS)
            .filter(|&at| pixels[at] != background[at])
            .map(|at| ((at / COLUMNS) as i32, (at % COLUMNS) as i32))
            .collect();
        let colour = |pixel: &(i32, i32)| pixels[pixel.0 as usize * COLUMNS + pixel.1 as usize];
        let near = |a: &(i32, i32), b: &(i32, i32), reach: i32| {
            (a.0 - b.0).abs() <= reach && (a.1 - b.1).abs() <= reach
        };
        let found = components(&foreground, |a, b| colour(a) == colour(b) && near(a, b, 1));
        let mut regions = Vec::new();
        for region in found {
            let pixels: BTreeSet<(i32, i32)> = region.into_iter().collect();
            let mut whole = object(&pixels);
            whole.velocity = self.velocity(&whole);
            regions.push((whole.velocity, pixels, whole));
        }
        let merged = components(&regions, |a, b| {
            a.0 == b.0 && a.1.iter().any(|pixel| b.1.iter().any(|other| near(pixel, other, 3)))
        });
        self.before = regions.into_iter().map(|region| region.2).collect();
        let mut objects = Vec::new();
        for parts in merged {
            let velocity = parts[0].0;
            let pixels: BTreeSet<(i32, i32)> = parts.into_iter().flat_map(|part| part.1).collect();
            if pixels.len() > 1 {
                objects.push((*pixels.first().expect("pixels"), Object { velocity, ..object(&pixels) }));
            }
        }
        objects.sort();
        objects.into_iter().map(|(_, object)| object).collect()
    }

    fn velocity(&self, region: &Object) -> (i32, i32) {
        let candidate = |old: &Object| {
            let (dx, dy) = (region.x - old.x, region.y - old.y);
            let near = dx.abs() < 8 && dy.abs() < 8;
            let distance = similar(&region.shape, &old.shape).filter(|_| near)?;
            Some((distance, dx * dx + dy * dy, (dx, dy)))
        };
        let found = self.before.iter().filter_map(candidate);
        found.min_by(|a, b| a.partial_cmp(b).expect("no NaN")).map_or((0, 0), |best| best.2)
    }
}

/// A class: its shapes, the screens with a member, the places of members.
#[derive(Default, Clone)]
struct Class {
    shapes: Vec<Pixels>,
    screens: BTreeSet<usize>,
    xs: BTreeSet<i32>,
    ys: BTreeSet<i32>,
}

/// The shape without rows and columns that equal the one before.
fn collapsed(shape: &Pixels) -> Pixels {
    let (height, width) = size(shape);
    let row = |y: i32| (0..width).map(|x| shape.contains(&(y, x))).collect::<Vec<_>>();
    let column = |x: i32| (0..height).map(|y| shape.contains(&(y, x))).collect::<Vec<_>>();
    let rows: Vec<i32> = (0..height).filter(|&y| y == 0 || row(y) != row(y - 1)).collect();
    let columns: Vec<i32> = (0..width).filter(|&x| x == 0 || column(x) != column(x - 1)).collect();
    let mut out = Pixels::new();
    for (to_y, y) in rows.iter().enumerate() {
        for (to_x, x) in columns.iter().enumerate() {
            if shape.contains(&(*y, *x)) {
                out.insert((to_y as i32, to_x as i32));
            }
        }
    }
    out
}

/// Shapes of each class after all screens of one episode.
pub(crate) fn classes(screens: &[Vec<u8>], background: &[u8]) -> Vec<BTreeSet<Pixels>> {
    let mut regions = Regions::default();
    let mut classes: Vec<Class> = Vec::new();
    let mut before: Vec<(Object, usize)> = Vec::new();
    let mut seen = 0;
    'screens: for (number, pixels) in screens.iter().enumerate() {
        if classes.len() == 200 {
            break;
        }
        seen = number + 1;
        let mut now = Vec::new();
        for object in regions.objects(pixels, background) {
            let Some(class) = class_of(&object, &classes, &before) else { break 'screens };
            if class == classes.len() {
                classes.push(Class::default());
            }
            if !classes[class].shapes.contains(&object.shape) {
                classes[class].shapes.push(object.shape.clone());
            }
            classes[class].screens.insert(number);
            classes[class].xs.insert(object.x);
            classes[class].ys.insert(object.y);
            now.push((object, class));
        }
        before = now;
    }
    let span = |values: &BTreeSet<i32>| values.last().expect("seen") - values.first().expect("seen");
    classes
        .retain(|class| class.screens.len() * 5 >= seen && (span(&class.xs) >= 10 || span(&class.ys) >= 10));
    while classes.len() > 10 {
        let mut best: Option<(f64, usize, usize)> = None;
        for a in 0..classes.len() {
            for b in a + 1..classes.len() {
                for shape in &classes[a].shapes {
                    for flip in flips(shape) {
                        for other in &classes[b].shapes {
                            if let Some(distance) = similar(other, &flip)
                                && best.is_none_or(|best| distance < best.0)
                            {
                                best = Some((distance, a, b));
                            }
                        }
                    }
                }
            }
        }
        let Some((_, a, b)) = best else { break };
        let gone = classes.remove(b);
        classes[a].shapes.extend(gone.shapes);
        // Classes are at most ten: where merging ends above that, those on most screens stay.
        if gone.screens.len() > classes[a].screens.len() {
            classes[a].screens = gone.screens;
        }
    }
    classes.sort_by_key(|class| std::cmp::Reverse(class.screens.len()));
    classes.truncate(10);
    classes.into_iter().map(|class| class.shapes.into_iter().collect()).collect()
}

/// The number of an object's class, that of the next one for a new class, `None` for the 201st.
fn class_of(object: &Object, classes: &[Class], before: &[(Object, usize)]) -> Option<usize> {
    let flips = flips(&object.shape);
    let has = |shape: &Pixels| classes.iter().position(|class| class.shapes.contains(shape));
    if let Some(class) = flips.iter().find_map(has) {
        return Some(class);
    }
    let of_size = |flip: &Pixels, other: &Pixels| {
        let ((height, width), (other_height, other_width)) = (size(flip), size(other));
        within_factor(width as usize, other_width as usize)
            && within_factor(height as usize, other_height as usize)
            && within_factor(flip.len(), other.len())
            && collapsed(flip) == collapsed(other)
    };
    let known: Vec<usize> = flips
        .iter()
        .flat_map(|flip| {
            let fits = |class: &Class| class.shapes.iter().any(|other| of_size(flip, other));
            classes.iter().enumerate().filter(move |(_, class)| fits(class)).map(|(number, _)| number)
        })
        .collect();
    if let Some(&class) = known.first() {
        return Some(class);
    }
    let candidate = |(old, class): &(Object, usize)| {
        let (dx, dy) = (object.x - old.x, object.y - old.y);
        let distances = flips.iter().filter_map(|flip| similar(&old.shape, flip));
        let distance = distances.min_by(f64::total_cmp).filter(|_| dx.abs() <= 8 && dy.abs() <= 8)?;
        Some((distance, dx * dx + dy * dy, *class))
    };
    let near = before.iter().filter_map(candidate);
    let nearest = near.min_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).expect("no NaN"));
    let new = (classes.len() < 200).then_some(classes.len());
    nearest.map(|best| best.2).or(new)
}

/// An instance: class, first column, first row, width, height, velocity.
pub(crate) type Instance = (usize, i32, i32, i32, i32, (i32, i32));

/// Every set of pixels that equals a shape in its box, large shapes first; what matched is cleared.
pub(crate) fn instances(pixels: &[u8], background: &[u8], classes: &[Vec<Pixels>]) -> Vec<Instance> {
    let mut mask: Vec<bool> = pixels.iter().zip(background).map(|(now, back)| now != back).collect();
    let mut shapes: Vec<(usize, &Pixels)> = Vec::new();
    for (class, members) in classes.iter().enumerate() {
        shapes.extend(members.iter().map(|shape| (class, shape)));
    }
    shapes.sort_by_key(|(_, shape)| std::cmp::Reverse(shape.len()));
    let mut found = Vec::new();
    for (class, shape) in shapes {
        let (height, width) = size(shape);
        for top in 0..=ROWS as i32 - height {
            for left in 0..=COLUMNS as i32 - width {
                let at = |row: i32, column: i32| (top + row) as usize * COLUMNS + (left + column) as usize;
                let mut places = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
                if places.all(|(row, column)| mask[at(row, column)] == shape.contains(&(row, column))) {
                    for &(row, column) in shape {
                        mask[at(row, column)] = false;
                    }
                    found.push((class, left, top, width, height, (0, 0)));
                }
            }
        }
    }
    found
}

fn centre(instance: &Instance) -> (i32, i32) {
    (instance.1 + instance.3 / 2, instance.2 + instance.4 / 2)
}

/// Sets the velocity of each instance.
pub(crate) fn set_velocities(now: &mut [Instance], before: &[Instance]) {
    for instance in now {
        let (x, y) = centre(instance);
        let moved =
            before.iter().filter(|old| old.0 == instance.0).map(|old| (x - centre(old).0, y - centre(old).1));
        let near = moved.filter(|(dx, dy)| dx.abs() <= 8 && dy.abs() <= 8);
        instance.5 = near.min_by_key(|(dx, dy)| (dx.abs().max(dy.abs()), *dx, *dy)).unwrap_or((0, 0));
    }
}

/// Row and column of the tile of a point in a tiling of 8 x 8 tiles over `range`, shifted by `tiling` eighths of a tile.
fn tile(point: (i32, i32), range: (i32, i32), tiling: i32) -> [i32; 2] {
    let along = |value: i32, range: i32| {
        let side = f64::from(range) / 8.0;
        ((f64::from(value) + f64::from(tiling) / 8.0 * side) / side + 1e-9).floor() as i32
    };
    [along(point.1, range.1), along(point.0, range.0)]
}

/// Every fact with how often it is true.
pub(crate) fn facts(now: &[Instance], classes: usize) -> BTreeMap<(&'static str, Vec<i32>), u32> {
    let (columns, rows) = (COLUMNS as i32, ROWS as i32);
    let mut facts = BTreeMap::new();
    for class in 0..classes {
        if now.iter().all(|instance| instance.0 != class) {
            facts.insert(("absent", vec![class as i32]), 1);
        }
    }
    for a in now {
        for tiling in 0..8 {
            let [row, column] = tile(centre(a), (columns, rows), tiling);
            *facts.entry(("position", vec![a.0 as i32, tiling, row, column])).or_default() += 1;
        }
        for b in now.iter().filter(|b| a.0 < b.0) {
            let (dx, dy) = (centre(a).0 - centre(b).0, centre(a).1 - centre(b).1);
            let approaching = [dx * (a.5.0 - b.5.0) < 0, dy * (a.5.1 - b.5.1) < 0].map(i32::from);
            for tiling in 0..8 {
                let [row, column] = tile((dx + columns, dy + rows), (2 * columns, 2 * rows), tiling);
                let numbers =
                    vec![a.0 as i32, b.0 as i32, approaching[0], approaching[1], tiling, row, column];
                *facts.entry(("relation", numbers)).or_default() += 1;
            }
        }
    }
    facts
}
