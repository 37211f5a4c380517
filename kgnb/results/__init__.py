"""Values that show themselves: plain data in, MIME bundle out; knows nothing of any agent."""
