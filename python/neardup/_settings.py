"""Settings: from keyword arguments, dictionaries and configuration files, as the JSON that the library reads."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import yaml

from . import _native
from ._errors import Error

Field = Union[str, Mapping[str, Any]]
"""A field to compare: a name, a JSON Pointer such as ``/article/title``, or ``{"path": "title", "weight": 2}``."""

_SECTIONS = ("record", "feature", "match", "window")
_REFERENCE = re.compile(r"\$\$|\$\{(file:)?([^}:]*)(?:(:-|:\?)([^}]*))?\}")


def _resolved(value: Any, path: Path) -> Any:
    """Replaces references in the values of a configuration file, as the service does: ``${NAME}``,
    ``${NAME:-default}``, ``${NAME:?message}`` and ``${file:/path}``; ``$$`` is one ``$``."""
    if isinstance(value, dict):
        return {key: _resolved(item, path) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolved(item, path) for item in value]
    if not isinstance(value, str) or "$" not in value:
        return value

    def text_of(match: re.Match[str]) -> str:
        file, name, how, rest = match.groups()
        if name is None:
            return "$"
        if file:
            try:
                return Path(name).read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
            except OSError as error:
                raise Error(f"{path}: {match.group()}: cannot read the file: {error.strerror}") from None
        found = os.environ.get(name)
        if found or (found is not None and not how):  # as in a shell, empty counts as unset after a colon
            return found
        if how == ":-":
            return str(rest)
        hint = f": {rest}" if how else f"; set it, or write ${{{name}:-default}}"
        raise Error(f"{path}: the environment variable {name} is not set{hint}")

    text = _REFERENCE.sub(text_of, value)
    number = yaml.safe_load(text) if text != value else text
    return number if isinstance(number, (bool, int, float)) else text


def read_config(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Reads the filter settings of a configuration file, with the model that it names."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise Error(f"{file}: cannot read the configuration: {error.strerror}") from None
    try:
        config = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise Error(f"{file}: not YAML: {error}") from None
    if not isinstance(config, dict):
        raise Error(f"{file}: expected sections such as record and match, found {type(config).__name__}")
    config.update((name, _resolved(config[name], file)) for name in _SECTIONS if name in config)
    model = (config.get("feature") or {}).get("model")
    if model:
        model_file = file.parent / model
        try:
            config["feature"] = {**config["feature"], "model": json.loads(model_file.read_text(encoding="utf-8"))}
        except OSError as error:
            raise Error(f"{file}: feature.model: cannot read {model_file}: {error.strerror}") from None
        except ValueError as error:
            raise Error(f"{file}: feature.model: {model_file} is no model file: {error}") from None
    return config


def with_path(settings: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The settings with one of them set: ``with_path(s, "match.distance_max", 6)``."""
    section, key = path.split(".", 1)
    return {**settings, section: {**(settings.get(section) or {}), key: value}}


def settings_json(
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    fields: Sequence[Field] | str | None = None,
    keys: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    distance_max: int | None = None,
) -> str:
    """Brings everything that was given together. What is named here wins over the configuration."""
    if config is None:
        settings: dict[str, Any] = {}
    elif isinstance(config, Mapping):
        settings = {name: dict(value) if isinstance(value, Mapping) else value for name, value in config.items()}
    else:
        settings = read_config(config)
    if fields is not None or keys is not None:
        named = [fields] if isinstance(fields, str) else list(fields or [])
        chosen: list[Any] = [dict(field) if isinstance(field, Mapping) else field for field in named]
        chosen += [{"path": key, "key": True} for key in keys or []]
        settings = with_path(settings, "record.fields", chosen)
    if exclude is not None:
        settings = with_path(settings, "record.exclude", list(exclude))
    if distance_max is not None:
        settings = with_path(settings, "match.distance_max", distance_max)
    return json.dumps(settings)


def columns_of(settings: str) -> list[str]:
    """The columns of a table that a filter with these settings reads; an empty list stands for all."""
    record = json.loads(settings).get("record") or {}
    fields = record.get("fields") or []
    wanted = [field if isinstance(field, str) else field["path"] for field in fields]
    if not wanted or "" in wanted:
        return []
    if record.get("time_field"):
        wanted.append(record["time_field"])
    return list(dict.fromkeys(_top_level(path) for path in wanted))


def _top_level(path: str) -> str:
    if not path.startswith("/"):
        return path
    return path[1:].split("/", 1)[0].replace("~1", "/").replace("~0", "~")


def yaml_text(settings: str, model_file: str, comments: Sequence[str]) -> str:
    """The settings as a configuration file. Settings with their default values are left out."""
    given = json.loads(settings)
    defaults = json.loads(_native.settings('{"match": {"mode": "near"}}'))
    out: dict[str, Any] = {}
    for section in _SECTIONS:
        kept = {
            key: value
            for key, value in given[section].items()
            if value != defaults[section].get(key) and (section, key) != ("feature", "model")
        }
        if section == "feature" and model_file:
            kept["model"] = model_file
        if section == "record":
            kept.setdefault("fields", given["record"]["fields"])
        if section == "match":
            kept.setdefault("distance_max", given["match"]["distance_max"])
            kept["mode"] = given["match"]["mode"]
        if kept:
            out[section] = kept
    head = "".join(f"# {line}\n" for line in comments)
    return head + yaml.safe_dump(out, sort_keys=False, allow_unicode=True)
