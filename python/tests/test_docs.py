"""Runs the page docs/python.md, and the notebook."""

import doctest
import gzip
import os
import pathlib
import re
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the sample of the project, which is the working directory of the test."""
    with gzip.open(ROOT / "config/examples/articles.jsonl.gz") as packed:
        (tmp_path / "articles.jsonl").write_bytes(packed.read())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(not (ROOT / "docs/python.md").exists(), reason="the page is not part of the package")
def test_every_block_of_the_page_holds(folder):
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", None, 0)
    failed, tried = doctest.DocTestRunner(optionflags=FLAGS).run(session)
    assert failed == 0 and tried > 20


@pytest.mark.skipif(not (ROOT / "docs/notebook.ipynb").exists(), reason="the notebook is not part of the package")
def test_the_notebook_runs(folder):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(ROOT / "docs/notebook.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    pictures = [
        kind
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        for kind in output.get("data", {})
        if kind in ("image/png", "text/html")
    ]
    assert pictures.count("image/png") >= 1 and pictures.count("text/html") >= 3
    assert (folder / "articles.yaml").exists()
    if keep := os.environ.get("KEEP_NOTEBOOK"):
        nbformat.write(notebook, keep)
    shutil.rmtree(folder, ignore_errors=True)
