"""The server that answers and fails as told; it is public as ``kgnb.testing``."""

from kgnb.testing.stub_server import *  # noqa: F403
