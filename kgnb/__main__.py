"""``python -m kgnb``: the same as the ``kgnb`` command."""

import sys

from kgnb.cli import main

sys.exit(main())
