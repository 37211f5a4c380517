"""A run is a value: what an agent did, step by step, with every model call, judgement and graph
query it made.

>>> def double(numbers: list[int]) -> list[int]:
...     return [2 * number for number in numbers]
>>> with Run("example") as run:
...     run.do(double, [1, 2])
[2, 4]
>>> run
Run(example: done, 1 step)
"""

from kgnb.run.limits import Limits
from kgnb.run.record import CallRecord, Clock, Event, Judgement, QueryRecord, Record, Step, failures
from kgnb.run.run import ChangedVerdict, Forecast, Run, RunComparison

__all__ = [
    "CallRecord",
    "ChangedVerdict",
    "Clock",
    "Event",
    "Forecast",
    "Judgement",
    "Limits",
    "QueryRecord",
    "Record",
    "Run",
    "RunComparison",
    "Step",
    "failures",
]
