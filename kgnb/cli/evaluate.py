"""``kgnb evaluate``: an alignment against a reference."""

from __future__ import annotations

import click


@click.command()
@click.argument("found", type=click.Path(exists=True, dir_okay=False))
@click.argument("reference")
@click.option("--any-relation", is_flag=True, help="Count a pair as found whatever its relation.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with scores between 0 and 1.")
def evaluate(found: str, reference: str, any_relation: bool, as_json: bool) -> None:
    """Measure the alignment FOUND against REFERENCE: precision, recall, F1.

    Or measure answers: FOUND is a file of kgnb ask --out, and REFERENCE the questions with their
    values, both .jsonl. Where a question's reference is a table, its cells are measured as well.

    Both are .sssom.tsv, .rdf (OAEI Alignment), triples such as owl:sameAs (.ttl, .nt), or tables of
    pairs (of kgnb align, DeepOnto, LogMap; .tsv, .csv, .txt; ids of rows will do). Relations that the
    reference does not use are left out, and so are mappings of owl:Thing, as the OAEI does. The
    reference may name the two ontologies in either order.

    \b
    Examples:
      kgnb evaluate huts.sssom.tsv huts:reference
      kgnb evaluate cmt-confof.rdf reference/cmt-confof.rdf
      kgnb evaluate found.sssom.tsv reference.rdf --json | jq .f1
      kgnb evaluate answered.jsonl questions.jsonl
    """
    from kgnb.cli import evaluating  # which takes longer to import than help takes to print

    evaluating.evaluate(found, reference, any_relation, as_json)
