"""What the report on graph construction is made of: enforcement, extraction, feedback on and off, costs."""
