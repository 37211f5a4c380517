"""Secrets kept in the system's key store, named by ``keyring:SERVICE/USER``: a store that lives in
memory stands in.
"""

from collections.abc import Callable, Iterator

import pytest

from kgnb.errors import ConfigError
from kgnb.settings import Settings, known_secrets, secret

keyring = pytest.importorskip("keyring", reason="needs the package keyring")

from keyring.backend import KeyringBackend  # noqa: E402  only where there is the package
from keyring.backends.fail import Keyring as Absent  # noqa: E402
from keyring.errors import KeyringLocked, PasswordDeleteError, PasswordSetError  # noqa: E402

KEY = "sk-planted-0123456789"


class InMemory(KeyringBackend):
    """A key store of one key."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        return {("openai", "ada"): KEY, ("https://graph.example.org/sparql", "ada"): KEY}.get(
            (service, username)
        )

    def set_password(self, service: str, username: str, password: str) -> None:
        raise PasswordSetError("this store is only read")

    def delete_password(self, service: str, username: str) -> None:
        raise PasswordDeleteError("this store is only read")


class Locked(InMemory):
    """A key store whose owner is away."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked


@pytest.fixture
def use() -> Iterator[Callable[[KeyringBackend], None]]:
    """Puts a key store in the place of this machine's, and the machine's own back at the end."""
    own = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(own)


@pytest.mark.parametrize(
    ("store", "handle", "said"),
    [
        (InMemory(), "keyring:openai/grace", "keyring set openai grace"),
        (InMemory(), "keyring:openai", "keyring:SERVICE/USER"),
        (InMemory(), "keyring:/ada", "keyring:SERVICE/USER"),
        (Locked(), "keyring:openai/ada", "KeyringLocked"),
        (Absent(), "keyring:openai/ada", "env:NAME"),
    ],
    ids=["unknown user", "no user", "no service", "locked", "no store on this machine"],
)
def test_a_key_that_cannot_be_had_says_how_to_mend_it(
    store: KeyringBackend, handle: str, said: str, use: Callable[[KeyringBackend], None]
) -> None:
    use(store)
    with pytest.raises(ConfigError) as caught:
        secret(handle)
    assert said in f"{caught.value} {caught.value.fix}"
    assert known_secrets(Settings(key=handle), {}) == ()  # what is not there needs no hiding
