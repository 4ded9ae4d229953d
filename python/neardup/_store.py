"""The files of a run: below a local folder that all machines share, or in an object store."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from typing import Any

from . import _native
from ._errors import Error

_SCHEMES = {"s3a": "s3", "s3n": "s3"}
"""Names that only Hadoop has."""
_WHOLE_OBJECTS = ("s3", "gcs")
"""Here a file appears when it is complete, so no rename is needed."""


class Store:
    """A folder. Files in it are named by relative paths and appear whole or not at all.

    It can be sent to other machines. On a local folder it syncs what it writes.
    """

    def __init__(self, uri: str) -> None:
        self.uri = uri.rstrip("/")

    def __repr__(self) -> str:
        return self.uri

    def _local(self) -> str | None:
        """The path of a local folder. Hadoop's addresses hold all characters as they are, so nothing is decoded."""
        if self.uri.startswith("/"):
            return self.uri
        if self.uri.startswith("file:"):
            return "/" + self.uri.removeprefix("file:").lstrip("/")
        return None

    def _remote(self, name: str) -> tuple[Any, str]:
        from pyarrow import fs

        scheme, rest = self.uri.split(":", 1)
        try:
            system, root = fs.FileSystem.from_uri(f"{_SCHEMES.get(scheme, scheme)}:{rest}")
        except (OSError, ValueError) as error:
            raise Error(f"work_dir {self.uri}: pyarrow cannot open it: {error}") from None
        return system, f"{root}/{name}"

    def place(self, name: str) -> str:
        """The address of a file for Spark."""
        return f"{self.uri}/{name}"

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None: there is none."""
        local = self._local()
        try:
            if local is not None:
                with open(os.path.join(local, name), "rb") as file:
                    return file.read()
            system, path = self._remote(name)
            with system.open_input_stream(path) as stream:
                return stream.read()
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Creates or replaces a file in one step."""
        local = self._local()
        folder, _, last = name.rpartition("/")
        hidden = f"{folder}/.{last}.{uuid.uuid4().hex}.tmp" if folder else f".{last}.{uuid.uuid4().hex}.tmp"
        if local is not None:
            path = os.path.join(local, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            temporary = os.path.join(local, hidden)
            with open(temporary, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
            return
        system, path = self._remote(name)
        if system.type_name in _WHOLE_OBJECTS:
            with system.open_output_stream(path) as stream:
                stream.write(data)
            return
        system.create_dir(path.rpartition("/")[0], recursive=True)
        temporary = self._remote(hidden)[1]
        with system.open_output_stream(temporary) as stream:
            stream.write(data)
        system.move(temporary, path)

    def remove(self, name: str) -> None:
        """Removes a file or a folder with all that is in it; nothing happens if there is none."""
        local = self._local()
        if local is not None:
            path = os.path.join(local, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.remove(path)
            return
        from pyarrow import fs

        system, path = self._remote(name)
        kind = system.get_file_info(path).type
        if kind == fs.FileType.Directory:
            system.delete_dir(path)
        elif kind == fs.FileType.File:
            system.delete_file(path)

    def names(self) -> list[str]:
        """What is in the folder itself, without what an interrupted write has left."""
        local = self._local()
        if local is not None:
            found = os.listdir(local) if os.path.isdir(local) else []
        else:
            from pyarrow import fs

            system, path = self._remote("")
            selected = fs.FileSelector(path.rstrip("/"), allow_not_found=True)
            found = [info.base_name for info in system.get_file_info(selected)]
        return sorted(name for name in found if not (name.startswith(".") and name.endswith(".tmp")))

    def read_json(self, name: str) -> Any:
        """The content of a JSON file; None: there is none."""
        data = self.read(name)
        if data is None:
            return None
        try:
            return json.loads(data)
        except ValueError as error:
            raise Error(f"{self.place(name)}: not JSON: {error}; remove work_dir, or take another one") from None

    def write_json(self, name: str, value: Any) -> None:
        self.write(name, json.dumps(value, indent=1, sort_keys=True).encode() + b"\n")


def checksum(data: bytes) -> str:
    """XXH3-64 as 16 hexadecimal digits."""
    return f"{_native.checksum(data):016x}"
