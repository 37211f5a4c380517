"""One function a task, as a script calls it: one file an agent; what they share is in ``running``."""
