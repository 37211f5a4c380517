"""What must hold of which nodes, in SHACL core: read from OWL and from SHACL, judged fact by fact, said in words.

``shape``          one form for every constraint; ``facts`` the graph it is judged over, in memory
``tbox``           an ontology looked up; ``owl_reading`` its axioms as shapes, read closed-world
``shacl``          SHACL core as the same shapes, and shapes as SHACL again, for any other engine
``checking``       what does not hold, and whether more facts could mend it
``datatypes``      XSD literals; ``units`` quantities and their units; ``phrases`` constraints in plain words

It knows no agent. What it says agrees with pyshacl, which referees it in ``tests/conformance``.
"""
