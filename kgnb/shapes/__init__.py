"""SHACL Core: constraints read from OWL and from SHACL, checked fact by fact, and put in words.

``shape``          one form for every constraint; ``facts`` the graph that is checked, in memory
``tbox``           look-ups in an ontology; ``owl_reading`` its axioms as shapes, read closed-world
``shacl``          SHACL Core as the same shapes, and shapes as SHACL again, for any other engine
``checking``       what does not hold, and whether more facts could make it hold
``datatypes``      XSD literals; ``units`` quantities and their units; ``phrases`` constraints in
plain words

It knows no agent. Its results agree with pyshacl, as ``tests/conformance`` checks.
"""
