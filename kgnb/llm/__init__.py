"""Language models: asking one, asking many, replaying what was asked, and making values of what
they say.
"""
