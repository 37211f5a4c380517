"""A bound on processor time, which a busy machine does not stretch as it does a bound on time."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TooLong(BaseException):
    """More processor time than allowed; no ``except Exception`` takes it for an answer."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TooLong once the block has used so much processor time. Main thread only."""

    def ring(*_: object) -> None:
        raise TooLong(f"more than {seconds} s of processor time")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
