"""Records for the tests: made-up texts with copies whose truth is known."""

import random

import pytest

WORDS = [a + b + c for a in "bcdfglmnprst" for b in "aeiou" for c in ("n", "r", "st", "l", "nd", "x")]


def text(rng, words=40):
    return " ".join(rng.choice(WORDS) for _ in range(words))


def copy_of(rng, original):
    words = original.split()
    words[rng.randrange(len(words))] = rng.choice(WORDS)
    return " ".join(words)


def make_articles(count=2000, seed=1):
    """Records with metadata and a text; every tenth is a copy of an earlier text with one word replaced."""
    rng = random.Random(seed)
    records, originals = [], {}
    for number in range(count):
        if number > 20 and rng.random() < 0.1:
            original = rng.randrange(number)
            while original in originals:
                original = rng.randrange(number)
            originals[number] = original
            body = copy_of(rng, records[original]["text"])
        else:
            body = text(rng)
        records.append(
            {
                "id": f"r{number:05}",
                "site": rng.choice(["a.example", "b.example", "c.example"]),
                "crawled": f"2026-11-{1 + number % 28:02}T10:{number % 60:02}:00Z",
                "text": body,
            }
        )
    return records, originals


@pytest.fixture(scope="session")
def articles():
    return make_articles()
