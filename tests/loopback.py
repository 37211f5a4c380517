"""The servers of the tests' own; they are public as ``kgnb.testing.loopback``."""

from kgnb.testing.loopback import *  # noqa: F403
