"""Open databases that a reader may ask: ``kgnb build --tools kgnb.lookups:pubchem``.

PubChem and the Crystallography Open Database, by the interfaces that they document; the latter in
place of the CCDC, whose search needs a licence.
"""

from kgnb.lookups.crystals import CrystallographyOpenDatabase
from kgnb.lookups.pubchem import PubChem

__all__ = ["CrystallographyOpenDatabase", "PubChem", "cod", "pubchem"]

pubchem = PubChem().pubchem
cod = CrystallographyOpenDatabase().cod
