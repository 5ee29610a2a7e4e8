//! The arena of a search tree: nodes with sibling lists, and the states of those that may still grow.

const NONE: u32 = u32::MAX;

/// A node: a state reached by an action.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Index of the parent; the root has its own.
    pub parent: u32,
    /// The action that led here.
    pub action: u16,
    /// Frames that were emulated to get here from the parent.
    pub frames: u16,
    /// Decisions from the root.
    pub depth: u32,
    /// Reward of the decision that led here.
    pub reward: f64,
    /// Backed-up value, the reward included; for UCT the sum of returns.
    pub value: f64,
    /// Simulations that passed through (UCT).
    pub visits: u32,
    /// The game ended here.
    pub over: bool,
    /// A sibling has the same future.
    pub duplicate: bool,
    /// Not grown: no novel atom, or solved (width-based planners).
    pub pruned: bool,
    /// Key of the state's future.
    pub(crate) key: u64,
    /// Bit n: action n has been emulated from here.
    pub(crate) tried: u64,
    /// Bit n: nothing is left to explore below action n (Rollout-IW).
    pub(crate) solved: u64,
    /// The search in which the node was last visited (Rollout-IW).
    pub(crate) search: u32,
    /// Decisions in a row that led to the atoms of the parent (Rollout-IW).
    pub(crate) repeats: u16,
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
    state: u32,
    atoms: u32,
}

/// The nodes of a tree in the order of their creation; the root is the first.
#[derive(Debug, Clone, Copy)]
pub struct TreeView<'a> {
    /// All nodes.
    pub nodes: &'a [Node],
}

/// A tree with states `S`.
#[derive(Debug, Clone)]
pub(crate) struct Tree<S> {
    nodes: Vec<Node>,
    states: Slots<S>,
    atoms: Slots<Box<[u32]>>,
}

/// Values by number; numbers are used again.
#[derive(Debug, Clone)]
struct Slots<T> {
    values: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Slots<T> {
    fn new() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }

    fn put(&mut self, value: T) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.values[slot as usize] = Some(value);
            return slot;
        }
        self.values.push(Some(value));
        self.values.len() as u32 - 1
    }

    fn take(&mut self, slot: &mut u32) -> Option<T> {
        let value = self.values.get_mut(*slot as usize)?.take();
        self.free.push(*slot);
        *slot = NONE;
        value
    }
}

impl<S> Tree<S> {
    pub(crate) fn new() -> Self {
        Self { nodes: Vec::new(), states: Slots::new(), atoms: Slots::new() }
    }

    /// A tree of its root alone.
    pub(crate) fn with_root(state: S, key: u64, over: bool) -> Self {
        let mut tree = Self::new();
        tree.add(0, 0, 0.0, over, 0, key, Some(state));
        tree.nodes[0].depth = 0;
        tree
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn view(&self) -> TreeView<'_> {
        TreeView { nodes: &self.nodes }
    }

    pub(crate) fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    pub(crate) fn node_mut(&mut self, index: usize) -> &mut Node {
        &mut self.nodes[index]
    }

    /// Whether there is a root with this future.
    pub(crate) fn has_root(&self, key: u64) -> bool {
        self.nodes.first().is_some_and(|root| root.key == key)
    }

    pub(crate) fn parent(&self, index: usize) -> usize {
        self.nodes[index].parent as usize
    }

    pub(crate) fn children(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = self.nodes[index].first_child;
        std::iter::from_fn(move || {
            let child = (next != NONE).then_some(next as usize)?;
            next = self.nodes[child].next_sibling;
            Some(child)
        })
    }

    pub(crate) fn child(&self, index: usize, action: usize) -> Option<usize> {
        self.children(index).find(|&child| usize::from(self.nodes[child].action) == action)
    }

    pub(crate) fn is_leaf(&self, index: usize) -> bool {
        self.nodes[index].first_child == NONE
    }

    /// A sibling below `parent` with this future and reward that is no duplicate itself.
    pub(crate) fn twin(&self, parent: usize, key: u64, reward: f64, over: bool) -> Option<usize> {
        self.children(parent).find(|&child| {
            let node = &self.nodes[child];
            node.key == key
                && node.reward.to_bits() == reward.to_bits()
                && node.over == over
                && !node.duplicate
        })
    }

    /// Adds a child; its number.
    #[expect(clippy::too_many_arguments, reason = "the fields of a node, in one place")]
    pub(crate) fn add(
        &mut self,
        parent: usize,
        action: usize,
        reward: f64,
        over: bool,
        frames: u64,
        key: u64,
        state: Option<S>,
    ) -> usize {
        let index = self.nodes.len();
        let state = state.map_or(NONE, |state| self.states.put(state));
        let depth = self.nodes.get(parent).map_or(0, |parent| parent.depth + 1);
        self.nodes.push(Node {
            parent: parent as u32,
            action: action as u16,
            frames: frames as u16,
            depth,
            reward,
            value: 0.0,
            visits: 0,
            over,
            duplicate: false,
            pruned: false,
            key,
            tried: 0,
            solved: 0,
            search: 0,
            repeats: 0,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
            state,
            atoms: NONE,
        });
        if index > 0 {
            match self.nodes[parent].last_child {
                NONE => self.nodes[parent].first_child = index as u32,
                last => self.nodes[last as usize].next_sibling = index as u32,
            }
            let parent = &mut self.nodes[parent];
            parent.last_child = index as u32;
            parent.tried |= 1 << action;
        }
        index
    }

    pub(crate) fn state(&self, index: usize) -> Option<&S> {
        self.states.values.get(self.nodes[index].state as usize)?.as_ref()
    }

    /// The node will not grow any more: its state is dropped.
    pub(crate) fn drop_state(&mut self, index: usize) {
        let mut slot = self.nodes[index].state;
        self.states.take(&mut slot);
        self.nodes[index].state = slot;
    }

    pub(crate) fn atoms(&self, index: usize) -> &[u32] {
        self.atoms.values.get(self.nodes[index].atoms as usize).and_then(Option::as_deref).unwrap_or_default()
    }

    pub(crate) fn set_atoms(&mut self, index: usize, atoms: &[u32]) {
        self.nodes[index].atoms = self.atoms.put(atoms.into());
    }

    /// Values from the leaves up: reward plus the discounted best child; −∞ stays and does not count for the parent.
    pub(crate) fn back_up(&mut self, discount: f64) {
        for index in (0..self.nodes.len()).rev() {
            if self.nodes[index].value == f64::NEG_INFINITY {
                continue;
            }
            let values = self.children(index).map(|child| self.nodes[child].value);
            let best = values.fold(f64::NEG_INFINITY, f64::max);
            let future = if best == f64::NEG_INFINITY { 0.0 } else { discount * best };
            let node = &mut self.nodes[index];
            node.value = if node.over { node.reward } else { node.reward + future };
        }
    }

    /// Makes the child for `action` the root and forgets the rest; false when there is no such child.
    pub(crate) fn advance(&mut self, action: usize) -> bool {
        let child = if self.nodes.is_empty() { None } else { self.child(0, action) };
        // A duplicate has no subtree of its own: its twin has it.
        let child = child.map(|child| {
            let node = &self.nodes[child];
            let twin = if node.duplicate { self.twin(0, node.key, node.reward, node.over) } else { None };
            twin.unwrap_or(child)
        });
        let Some(root) = child else {
            *self = Self::new();
            return false;
        };
        self.reroot(root);
        true
    }

    fn reroot(&mut self, root: usize) {
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&from) = order.get(next) {
            order.extend(self.children(from));
            next += 1;
        }
        let mut old = std::mem::take(&mut self.nodes);
        let mut place = vec![NONE; old.len()];
        order.iter().enumerate().for_each(|(index, &from)| place[from] = index as u32);
        let moved = |number: u32| if number == NONE { NONE } else { place[number as usize] };
        let depth = old[root].depth;
        // States and atoms stay in their slots; those of nodes that go are free.
        for (node, _) in old.iter_mut().zip(&place).filter(|(_, place)| **place == NONE) {
            self.states.take(&mut node.state);
            self.atoms.take(&mut node.atoms);
        }
        self.nodes.reserve(order.len());
        for (index, &from) in order.iter().enumerate() {
            let mut node = old[from].clone();
            node.depth -= depth;
            node.first_child = moved(node.first_child);
            node.last_child = moved(node.last_child);
            node.next_sibling = if index == 0 { NONE } else { moved(node.next_sibling) };
            node.parent = if index == 0 { 0 } else { moved(node.parent) };
            self.nodes.push(node);
        }
        let root = &mut self.nodes[0];
        (root.reward, root.duplicate) = (0.0, false);
    }
}
