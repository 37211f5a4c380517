"""Reports: a parameterised notebook in, one page and its numbers out.

``parameters`` reads what a report may be told, ``engine`` runs its cells and keeps an honest ledger of them, ``html``
draws the page, ``redaction`` keeps secrets out of all of it, and ``report`` puts them together. What one report
computes and draws is in the package of its name.
"""
