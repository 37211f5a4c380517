"""Chemical compounds by name, from PubChem's PUG REST interface."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from kgnb.errors import shown
from kgnb.lookups.service import JsonService

PROPERTIES = "Title,IUPACName,MolecularFormula,MolecularWeight,SMILES,InChI,InChIKey"
MOST = 5  # compounds of one name; more would crowd a request, and none of them would be sure


@dataclass(frozen=True)
class PubChem:
    """PubChem, or what answers like it at another address.

    https://pubchem.ncbi.nlm.nih.gov/docs/pug-rest
    """

    url: str = "https://pubchem.ncbi.nlm.nih.gov/rest/pug"
    service: JsonService = field(default_factory=lambda: JsonService("PubChem"))

    def pubchem(self, name: str) -> dict[str, Any]:
        """Look a chemical compound up in PubChem, by a name, synonym or CAS number: its CID, names,
        molecular formula and weight, SMILES, InChI and InChIKey. More than one compound: the name
        does not tell them apart.
        """
        if not name.strip():
            raise ValueError("give the name of a compound")
        # in the body: a name may hold slashes, which an address would divide
        form = urlencode({"name": name.strip()}).encode()
        url = f"{self.url}/compound/name/property/{PROPERTIES}/JSON"
        answer = self.service.answer(url, form)
        if answer is None:
            return {"compounds": [], "found": 0}
        table = answer.get("PropertyTable") if isinstance(answer, dict) else None
        compounds = table.get("Properties") if isinstance(table, dict) else None
        if not isinstance(compounds, list) or not all(isinstance(one, dict) for one in compounds):
            came = shown(json.dumps(answer, ensure_ascii=False), 120)
            raise ValueError(f"PubChem answered in another form than it documents: {came}")
        return {"compounds": compounds[:MOST], "found": len(compounds)}
