"""The servers of the tests' own; they are public as ``kgnb.testing.loopback``."""

from kgnb.testing.loopback import *  # noqa: F403
from kgnb.testing.loopback import LoopbackRequest as Request  # noqa: F401
