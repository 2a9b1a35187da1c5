//! How far have operations on sets come, for whoever watches from another thread?

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Figures of the stores that show theirs here ([`Diagrams::show`](crate::Diagrams::show)). Cloning shares them.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<Figures>);

#[derive(Debug, Default)]
struct Figures {
    nodes: AtomicUsize,
    products: AtomicU64,
}

impl Gauge {
    /// Nodes of diagrams, to within some thousands, dead ones that are not yet collected included.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.0.nodes.load(Ordering::Relaxed)
    }

    /// Steps of relational products that were taken, to within some thousands.
    #[must_use]
    pub fn products(&self) -> u64 {
        self.0.products.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, nodes: usize, more_products: u64) {
        self.0.nodes.store(nodes, Ordering::Relaxed);
        self.0.products.fetch_add(more_products, Ordering::Relaxed);
    }
}
