#!/usr/bin/env python3
"""Writes the named characters of HTML 5, which Python's library lists, as elements of a C++ array: the name without '&', as
HTML lists it (with or without ';'), and its one or two characters in UTF-8. They are sorted by the bytes of their names.

  character_names.py FILE
"""
import html.entities
import pathlib
import sys

lines = []
for name, text in sorted(html.entities.html5.items()):
    characters = "".join(f"\\x{byte:02x}" for byte in text.encode())
    lines.append(f'{{"{name}", "{characters}"}},\n')
pathlib.Path(sys.argv[1]).write_text("".join(lines), encoding="ascii")
