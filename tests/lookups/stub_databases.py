"""PubChem and the Crystallography Open Database as they document their answers, on loopback."""

import json
from urllib.parse import parse_qs, urlsplit

from kgnb.testing.loopback import LoopbackRequest, LoopbackServer

CAFFEINE = {
    "CID": 2519,
    "MolecularFormula": "C8H10N4O2",
    "MolecularWeight": "194.19",
    "SMILES": "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
    "InChI": "InChI=1S/C8H10N4O2/c1-10-4-9-6-5(10)7(13)12(3)8(14)11(6)2/h4H,1-3H3",
    "InChIKey": "RYYVLZVUVIJVGH-UHFFFAOYSA-N",
    "IUPACName": "1,3,7-trimethylpurine-2,6-dione",
    "Title": "Caffeine",
}
NOT_FOUND = {"Fault": {"Code": "PUGREST.NotFound", "Message": "No CID found"}}
CRYSTAL = {
    "file": "2100202",
    "a": "14.8",
    "vol": "1881",
    "sg": "C 1 2/c 1",
    "commonname": None,
    "chemname": "caffeine",
    "formula": "- C8 H10 N4 O2 -",
    "title": "A structure made up for this test",
    "doi": "10.1000/made-up",
}


class StubDatabases(LoopbackServer):
    """Both databases; ``busy`` refusals come first."""

    def __init__(self, busy: int = 0) -> None:
        self.busy, self.asked = busy, list[str]()
        super().__init__()

    def answer(self, request: LoopbackRequest) -> None:
        address = urlsplit(request.path)
        form = parse_qs(request.body.decode() if request.command == "POST" else address.query)
        self.asked.append(f"{request.command} {address.path} {form}")
        if self.busy:
            self.busy -= 1
            fault = {"Fault": {"Code": "PUGREST.ServerBusy", "Message": "Too many requests"}}
            request.send(503, json.dumps(fault).encode(), headers={"Retry-After": "0"})
        elif address.path.startswith("/compound/name/property/"):
            known = form["name"] in (["caffeine"], ["58-08-2"], ["1,3/7"])
            found = {"PropertyTable": {"Properties": [CAFFEINE]}} if known else NOT_FOUND
            request.send(200 if known else 404, json.dumps(found).encode())
        elif address.path == "/result" and form.get("format") == ["json"]:
            known = form.get("formula") == ["C8 H10 N4 O2"] or form.get("text") == ["caffeine"]
            request.send(200, json.dumps([CRYSTAL] * 7 if known else []).encode())
        else:
            request.send(400, b"<html>no such search</html>", "text/html")
