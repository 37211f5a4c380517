"""The notebook of the magics' tests serves the widgets' as well."""

from tests.magics.conftest import folder, new_shell, notebook

__all__ = ["folder", "new_shell", "notebook"]
