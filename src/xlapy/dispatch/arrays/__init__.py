"""Arrays as buffers and views: what a view shows, indexing, values of arrays."""
