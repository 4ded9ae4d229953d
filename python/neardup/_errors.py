"""The one exception class of the package."""

from . import _native


class Error(Exception):
    """Something is wrong with the settings, the input or a file. The text says what, and what to do.

    Attributes:
        code: a short name such as ``config``, ``not_found``, ``corrupt`` or ``io``.
    """

    code: str = "config"


_native.set_error_class(Error)
