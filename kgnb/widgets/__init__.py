"""Live widgets, only where a person acts: forms for the magics, and the review queue."""
