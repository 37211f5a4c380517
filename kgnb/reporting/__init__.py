"""Reports: a parameterised notebook in, one page and its numbers out.

``parameters`` reads what a report can be given, ``engine`` runs its cells and keeps a ledger of
them, ``html`` draws the page, ``scan`` keeps secrets out of it, and ``report`` puts them together.
What one report computes and draws is in the module of its name.
"""
