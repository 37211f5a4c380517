"""Data sets, one file a format: files on disk in, typed cases out. No file is read before it is
needed.

``published``       what a matching case is, and figures of other systems, each with its source
``oaei``            conference, anatomy and materials tracks of the OAEI; every ontology-matching
set by name ``entity_folders``  two graphs to align: DBP15K, SRPRS, OpenEA
``questions``       questions with reference answers; ``question_sets`` reads those of benchmarks
``huts``            our own teaching world, shipped with the package, and the records of its notes
``fetch``           where data lies, how to get it, and its checksums
"""
