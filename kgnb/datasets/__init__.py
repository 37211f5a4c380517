"""Data sets, one file a format: files on disk in, typed cases out. No file is read before it is needed.

``cases``      what a case is: two ontologies, a reference, published figures
``oaei``       conference, anatomy and materials tracks of the OAEI; every ontology-matching set by name
``huts``       our own teaching world, shipped with the package
``published``  figures of other systems, each with its source
``registry``   home, licence and checksums of the sets we know
``fetch``      where data lies, and how to get it
"""
