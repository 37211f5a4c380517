"""What is said where a package is missing that only an extra brings."""

from kgnb.errors import ConfigError


def needs(what: str, extra: str, instead: str) -> ConfigError:
    """The error of something that needs an extra of kgnb, with the line that installs it."""
    return ConfigError(
        f"{what} needs one more package here.",
        fix=f'Run: pip install "kgnb[{extra}]", or choose another: {instead}.',
    )
