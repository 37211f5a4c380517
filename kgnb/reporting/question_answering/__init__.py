"""What the question-answering report computes and draws; its notebook only calls these functions.

``asking``    every question asked over one graph: ``run_questions`` gives ``AnsweringResults``; the ablation, judges
``results``   one question after another, with what each took; scores by kind, costs, errors
``sections``  tables and pictures; ``metrics.json`` and ``timing.json``
"""

from kgnb.reporting.question_answering.asking import run_questions
from kgnb.reporting.question_answering.results import AnsweringResults
from kgnb.reporting.question_answering.sections import (
    ablation,
    cost,
    errors,
    example,
    headline,
    judges,
    notice,
    published,
    risk,
    save,
    variant_costs,
)
from kgnb.reporting.sections import reproduce, stages
