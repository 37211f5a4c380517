"""The agents, one package each: a pipeline that tells the story and one file a stage. They do not
know each other.
"""
