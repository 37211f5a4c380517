"""A port for a server of another program, which cannot be told to let the system choose one."""

import socket
from random import SystemRandom  # a seed would give all processes of a test run the same ports


def free_port() -> int:
    """A port of loopback nobody listens on, below those that the system gives to whoever asks for
    any.
    """
    while True:
        port = SystemRandom().randrange(15_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
