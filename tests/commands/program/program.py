"""Shared by the tests of the program, whose path is their first argument."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

NEARDUP = str(pathlib.Path(sys.argv.pop(1)).resolve())


def neardup(*words, text=True, **how):
    """Runs the program to its end."""
    return subprocess.run([NEARDUP, *map(str, words)], capture_output=True, text=text, timeout=300, **how)


class FolderTest(unittest.TestCase):
    """Each test has a folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='neardup-program-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
