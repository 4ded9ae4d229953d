"""tune, its files, and explain."""

import os
import subprocess

import pytest

import neardup as nd

PROGRAM = os.environ.get("PROGRAM_UNDER_TEST", "")


def test_a_tuning_says_what_it_found_and_writes_a_configuration(articles, tmp_path):
    records, originals = articles
    tuning = nd.tune(records)
    assert tuning.settings["record"]["fields"] == [{"path": "site", "free": True}, "text", {"path": "", "key": True}]
    assert "of planted copies it finds" in tuning.text
    assert "<html" in tuning.report(tmp_path / "report.html") and (tmp_path / "report.html").stat().st_size > 1000
    config = tuning.to_yaml(tmp_path / "articles.yaml")
    assert (tmp_path / "articles.model.json").exists()
    found = nd.Filter(config).decide(records)
    duplicates = {row for row, verdict in zip(found["row"], found["verdict"]) if verdict == "duplicate"}
    assert len(duplicates & originals.keys()) >= 0.98 * len(originals)
    assert nd.dedup(records, config=config).verdicts["original"] == found["original"]


@pytest.mark.skipif(not PROGRAM, reason="PROGRAM_UNDER_TEST names no program; the project's tests name it")
def test_the_program_reads_the_configuration_and_decides_alike(articles, tmp_path):
    import json

    records, originals = articles
    config = nd.tune(records).to_yaml(tmp_path / "articles.yaml")
    records = [*records, *(records[copy] for copy in originals)]  # equal to near duplicates
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for options, result in (
        (["--config", config], nd.dedup(tmp_path / "a.jsonl", config=config)),
        ([], nd.dedup(tmp_path / "a.jsonl")),
        (["--fields", "text"], nd.dedup(tmp_path / "a.jsonl", "text")),
    ):
        done = subprocess.run(
            [PROGRAM, "filter", "--input", tmp_path / "a.jsonl", "--verdicts", tmp_path / "v.tsv", "--json", *options],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        summary = json.loads(done.stderr.splitlines()[-1])
        assert [summary[f"{kind}_duplicates"] for kind in ("exact", "near")] == [result.counts["exact"], result.counts["near"]]
        assert summary["exact_duplicates_of_kind_near"] > 0
        lines = (tmp_path / "v.tsv").read_text().splitlines()[1:]
        expected = []
        for verdict in result.verdicts.to_dicts():
            columns = [verdict["row"] + 1, verdict["verdict"], "", "", ""]
            if verdict["verdict"] == "duplicate":
                columns[2:] = [verdict["original"] + 1, verdict["distance"], verdict["kind"]]
            expected.append("\t".join(str(column) for column in columns))
        assert lines == expected


def test_a_tuning_has_no_empty_parts_and_a_sample_is_named_as_one(tmp_path):
    records = [{"text": f"the council approves bridge {number}"} for number in range(50_001)]
    tuning = nd.tune(records)
    assert "a sample of 50,000 of the 50,001 records (50,000 distinct" in tuning.text
    assert "a sample of 50,000 of the 50,001 records (50,000 distinct" in tuning.report()
    assert not [line for line in str(tuning).splitlines() if line.endswith(" ") or line.startswith(("config", "model", "report"))]
    assert "Files written" not in tuning.report() and "report" not in tuning.details
    assert tuning.details["sample"]["records"] == 50_000 and tuning.details["sample"]["of"] == 50_001
    assert "a sample of 50,000 of the 50,001 records" in repr(nd.dedup(records))
    assert "a sample" not in repr(nd.dedup(records[:300]))


def test_a_result_writes_a_configuration_that_decides_alike(articles, tmp_path):
    result = nd.dedup(articles[0])
    config = result.to_yaml(tmp_path / "learned.yaml")
    assert nd.dedup(articles[0], config=config).verdicts["original"] == result.verdicts["original"]


def test_environment_variables_stand_in_a_configuration(tmp_path, monkeypatch):
    (tmp_path / "a.yaml").write_text(
        "# ${COMMENT}\nmatch:\n  mode: near\n  distance_max: ${DISTANCE:-3}\nkafka: {password: '${OTHER_SECTION}'}\n"
    )
    assert nd.Filter(tmp_path / "a.yaml").settings["match"]["distance_max"] == 3
    monkeypatch.setenv("DISTANCE", "5")
    assert nd.Filter(tmp_path / "a.yaml").settings["match"]["distance_max"] == 5
    (tmp_path / "a.yaml").write_text("match:\n  mode: near\n  distance_max: ${NO_SUCH_NAME}\n")
    with pytest.raises(nd.Error, match="NO_SUCH_NAME is not set"):
        nd.Filter(tmp_path / "a.yaml")
    (tmp_path / "field").write_text("ti$tle\n")
    (tmp_path / "a.yaml").write_text(
        f"match: {{mode: near}}\nrecord:\n  fields: ['${{file:{tmp_path}/field}}', $$price]\n"
    )
    assert nd.Filter(tmp_path / "a.yaml").settings["record"]["fields"] == ["ti$tle", "$price"]


def test_records_that_say_nothing_are_refused():
    with pytest.raises(nd.Error, match="the list"):
        nd.tune([b"no JSON"] * 300)


def test_an_explanation_names_the_words_that_differ():
    a = "the council approves the new harbour bridge after a long debate on cost and traffic in the city"
    explained = nd.explain(a, a.replace("city", "town"))
    assert "city" in explained.text and "town" in explained.text
    assert explained.details["verdict"] in ("duplicate", "unique")
    assert "<html" in explained._page


def test_a_row_of_pandas_is_a_record():
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame([{"title": "Rain in the north", "n": 1}, {"title": "Rain in the NORTH", "n": 1}])
    assert nd.explain(rows.iloc[0], rows.iloc[1], "title").details["verdict"] == "duplicate"
    with pytest.raises(nd.Error, match="expected dict, str, bytes or a row of pandas, found int"):
        nd.explain(1, 2, "title")
