"""Compares the Python package with others on the same records, in one run.

    scripts/bench python [--records N] [--rounds N] [--peers NAME,...] [--json FILE]

The records are made-up articles. One in ten repeats an earlier one, with a change of a known kind. Each peer runs in a
process of its own, in turns, and gets the texts. Making the texts and importing the package do not count. Printed are the median of the rounds for time and processor time, the peak of memory beyond the input,
and for each kind of change the share of the copies that were found.
"""

import argparse
import collections
import json
import os
import pathlib
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

KINDS = ("equal", "case", "one word", "5 % of words", "20 % of words", "sentence dropped", "sentences reordered")
SYLLABLES = [a + b for a in "bcdfghklmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er")]


def make_words(rng):
    return sorted({"".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4))) for _ in range(20_000)})


def sentence(rng, words):
    chosen = [words[int(rng.random() ** 3 * len(words))] for _ in range(rng.randint(8, 16))]
    return " ".join(chosen).capitalize() + "."


def changed(rng, sentences, kind, words):
    """The sentences of a copy."""
    if kind == "equal":
        return list(sentences)
    if kind == "case":
        return [each.upper() for each in sentences]
    if kind == "sentence dropped":
        drop = rng.randrange(len(sentences))
        return [each for number, each in enumerate(sentences) if number != drop]
    if kind == "sentences reordered":
        return rng.sample(sentences, len(sentences))
    parts = [each.split() for each in sentences]
    places = [(s, w) for s, part in enumerate(parts) for w in range(len(part))]
    share = {"5 % of words": 0.05, "20 % of words": 0.2}.get(kind, 0)
    for s, w in rng.sample(places, max(1, round(share * len(places)))):
        parts[s][w] = rng.choice(words)
    return [" ".join(part) for part in parts]


def make_records(count, seed=7):
    """Texts, and for each copy its kind."""
    rng = random.Random(seed)
    words = make_words(rng)
    texts, kinds, originals = [], {}, []
    for number in range(count):
        if len(originals) > 100 and rng.random() < 0.1:
            kinds[number] = rng.choice(KINDS)
            parts = changed(rng, originals[rng.randrange(len(originals))], kinds[number], words)
        else:
            parts = [sentence(rng, words) for _ in range(rng.randint(5, 9))]
            originals.append(parts)
        texts.append(" ".join(parts))
    return texts, kinds


# What `tune` proposes for texts, without a learned model.
GIVEN = {
    "record": {"fields": ["text"]},
    "match": {"mode": "near", "distance_max": 12, "distance_sum_max": 28, "features_per_bit": 0, "widen": True},
}


def run_neardup(texts, threads, config=None):
    import neardup

    result = neardup.dedup(texts, config=config, threads=threads)
    return [row for row, verdict in enumerate(result.verdicts["verdict"]) if verdict == "duplicate"]


def run_rensa(texts):
    import rensa

    minhashes = rensa.RMinHash.from_token_sets([text.lower().split() for text in texts], num_perm=128, seed=42)
    dedup = rensa.RMinHashDeduplicator(threshold=0.8, num_perm=128, use_lsh=True, num_bands=16)
    added = dedup.add_pairs([(str(row), minhash) for row, minhash in enumerate(minhashes)])
    return [row for row, is_new in enumerate(added) if not is_new]


def run_datasketch(texts):
    from datasketch import MinHash, MinHashLSH

    index, found = MinHashLSH(threshold=0.8, num_perm=128), []
    for row, text in enumerate(texts):
        minhash = MinHash(num_perm=128)
        minhash.update_batch([word.encode() for word in set(text.lower().split())])
        if index.query(minhash):
            found.append(row)
        else:
            index.insert(row, minhash)
    return found


def run_simhash(texts):
    from simhash import Simhash, SimhashIndex

    index, found = SimhashIndex([], k=3), []
    for row, text in enumerate(texts):
        value = Simhash(text.lower().split())
        if index.get_near_dups(value):
            found.append(row)
        else:
            index.add(str(row), value)
    return found


def run_text_dedup(texts, script):
    """A script of text-dedup with its defaults, over a file, in processes of its own. It keeps the last text of each
    cluster, so the newest texts stand first."""
    import pyarrow as pa

    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/texts.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps({"row": row, "text": text}) + "\n" for row, text in [*enumerate(texts)][::-1])
        command = [sys.executable, "-m", f"text_dedup.{script}", "--path", "json", "--data_files", "texts.jsonl", "--split",
                   "train", "--column", "text", "--output", "kept", "--cache_dir", "cache", "--num_proc", "2"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr[-2000:])
        kept = set()
        for path in pathlib.Path(folder, "kept").glob("*.arrow"):
            with pa.memory_map(str(path)) as source:
                kept.update(pa.ipc.open_stream(source).read_all()["row"].to_pylist())
    return [row for row in range(len(texts)) if row not in kept]


def run_exact(texts):
    seen, found = set(), []
    for row, text in enumerate(texts):
        if text in seen:
            found.append(row)
        seen.add(text)
    return found


PEERS = {
    "neardup": lambda texts: run_neardup(texts, 1, GIVEN),
    "neardup, all cores": lambda texts: run_neardup(texts, 0, GIVEN),
    "neardup, learning": lambda texts: run_neardup(texts, 0),
    "rensa": run_rensa,
    "datasketch": run_datasketch,
    "simhash": run_simhash,
    "text-dedup minhash": lambda texts: run_text_dedup(texts, "minhash"),
    "text-dedup simhash": lambda texts: run_text_dedup(texts, "simhash"),
    "equal texts": run_exact,
}
# These take minutes for what the others do in seconds.
SLOW = {"datasketch": 10, "simhash": 10, "text-dedup minhash": 5, "text-dedup simhash": 10}


def cpu_seconds():
    """Of this process and of those that it has started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure(peer, records):
    """Runs one peer in this process, and prints what it took and found as JSON."""
    texts, kinds = make_records(records)
    PEERS[peer](texts[:300])  # imports, and whatever is made once
    peak_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), cpu_seconds()
    found = set(PEERS[peer](texts))
    took = {"wall_s": time.perf_counter() - wall, "cpu_s": cpu_seconds() - cpu}
    # What runs in a process of its own holds the input as well, and Python with its libraries.
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    took["memory_mb"] = (peak - peak_before) / 1024
    of_kind, found_of = collections.Counter(kinds.values()), collections.Counter(kinds[row] for row in found & kinds.keys())
    took["found"] = {kind: found_of[kind] / of_kind[kind] for kind in KINDS if of_kind[kind]}
    right = len(found & kinds.keys())
    took["precision"] = right / len(found) if found else 1.0
    recall = right / len(kinds)
    took["f1"] = 2 * took["precision"] * recall / (took["precision"] + recall) if right else 0.0
    took["records"] = records
    print(json.dumps(took))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        return measure(arguments.measure, arguments.records)
    peers = [name for name in PEERS if name in arguments.peers or name.split(",")[0] in arguments.peers]
    rounds = collections.defaultdict(list)
    for _ in range(arguments.rounds):
        for peer in peers:
            records = arguments.records // SLOW.get(peer, 1)
            command = [sys.executable, __file__, "--measure", peer, "--records", str(records)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{peer} failed:\n{done.stderr[-2000:]}")
            rounds[peer].append(json.loads(done.stdout.splitlines()[-1]))
    sample, kinds = make_records(1000)
    print(f"{arguments.records:,} made-up articles of {sum(map(len, sample)) // len(sample)} bytes, 10 % copies; "
          f"{arguments.rounds} rounds; {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    base = statistics.median(each["cpu_s"] / each["records"] for each in rounds[peers[0]])
    names = [f"{kind}" for kind in KINDS]
    print(f"{'':20s} {'us CPU':>8s} {'ratio':>7s} {'records/s':>10s} {'MB':>6s} {'F1':>6s} {'prec.':>6s}  " + "  ".join(names))
    figures = {}
    for peer in peers:
        runs = rounds[peer]
        cpu = statistics.median(each["cpu_s"] / each["records"] for each in runs)
        rate = statistics.median(each["records"] / each["wall_s"] for each in runs)
        memory = max(each["memory_mb"] for each in runs)
        last = runs[-1]
        shares = "  ".join(f"{last['found'].get(kind, 0):{len(kind)}.3f}" for kind in KINDS)
        note = f"  ({last['records']:,} records)" if last["records"] != arguments.records else ""
        print(f"{peer:20s} {1e6 * cpu:8.2f} {cpu / base:7.1f} {rate:10,.0f} {memory:6.0f} {last['f1']:6.3f} "
              f"{last['precision']:6.3f}  {shares}{note}")
        figures[peer] = {"cpu_us": 1e6 * cpu, "records_per_s": rate, "memory_mb": memory, **last}
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)


if __name__ == "__main__":
    main()
