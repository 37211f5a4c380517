"""The server that answers and fails as told; it is public as ``kgnb.testing``."""

from kgnb.testing.stub_server import *  # noqa: F403
from kgnb.testing.stub_server import LoopbackRequest as Request  # noqa: F401
from kgnb.testing.stub_server import SeenRequest as Seen  # noqa: F401
from kgnb.testing.stub_server import StubCall as Call  # noqa: F401
