"""The second judge finds what is planted, and nothing else."""
import json
import unittest

from judge import Judge, Record

WORDS = [f'word{number}' for number in range(60)]
HOUR_MS = 3600 * 1000


def text(*words):
    return json.dumps({'title': 'a title', 'body': ' '.join(words)}).encode()


def fingerprint(number):
    """Far from the others, in all four blocks."""
    return number * 0x9e3779b97f4a7c15 & (1 << 64) - 1


class Stream:
    """An app with one input partition. Each record gets its output at once."""

    def __init__(self):
        self.inputs, self.outputs = [], []
        self.first_offsets = {('news', 0): 0}
        self.counts = {}

    def add(self, value, route='unique', more='', simhash=None, timestamp=0, numbers=0):
        offset = len(self.inputs)
        self.inputs.append(Record('news', 0, offset, timestamp, b'key', value, ''))
        simhash = fingerprint(offset + 1) if simhash is None else simhash
        self.put(offset, route, more, f'simhash={simhash:016x};order={simhash:016x};exact={offset:016x};'
                 f'numbers={numbers:016x}')
        return offset

    def put(self, origin, route, more='', fingerprints='', seq=None):
        given = self.inputs[origin]
        seq = seq or len(self.outputs) + 1
        header = ';'.join(filter(None, (f'neardup=seq={seq}', f'origin=news/0/{origin}', more, fingerprints)))
        offset = self.counts[route] = self.counts.get(route, -1) + 1
        self.outputs.append((route, Record(f'news.{route}', 0, offset, given.timestamp, given.key, given.value, header)))

    def faults(self, entries_max=1_000_000):
        return Judge(self, entries_max).faults


def good():
    stream = Stream()
    stream.add(text(*WORDS))
    stream.add(text('another', *WORDS[:10]))
    stream.add(text(*WORDS), 'duplicate', 'original=news/0/0;distance=0;kind=exact', fingerprint(1))
    stream.add(b'no JSON', 'dead-letter', 'reason=parse')
    return stream


class AJudge(unittest.TestCase):
    def assert_one(self, stream, expected, **options):
        faults = stream.faults(**options)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(expected, faults[0])

    def test_finds_nothing_in_a_good_stream(self):
        self.assertEqual(good().faults(), [])

    def test_finds_an_input_without_output(self):
        stream = good()
        stream.inputs.append(Record('news', 0, 4, 0, b'key', text('late'), ''))
        self.assert_one(stream, "('news', 0, 4) is in no output")

    def test_finds_a_record_in_two_outputs(self):
        stream = good()
        stream.put(3, 'dead-letter', 'reason=parse', seq=5)
        self.assertIn('is in two outputs', stream.faults()[0])

    def test_finds_an_output_of_an_aborted_record(self):
        stream = good()
        del stream.inputs[3]
        self.assert_one(stream, 'which is no committed input record')

    def test_passes_over_inputs_that_were_deleted(self):
        stream = good()
        del stream.inputs[0]
        stream.first_offsets['news', 0] = 1
        self.assertEqual(stream.faults(), [])

    def test_finds_each_changed_part_of_a_record(self):
        for name, value in (('key', b'other'), ('value', text('other', *WORDS)), ('timestamp', 1)):
            with self.subTest(name):
                stream = good()
                setattr(stream.outputs[1][1], name, value)
                self.assert_one(stream, 'differs from its input')

    def test_finds_an_output_in_another_partition_or_topic(self):
        for name, value in (('partition', 1), ('topic', 'goods.unique')):
            with self.subTest(name):
                stream = good()
                setattr(stream.outputs[1][1], name, value)
                self.assert_one(stream, 'is not beside its input')

    def test_finds_a_record_without_header(self):
        stream = good()
        stream.outputs[3][1].headers = ''
        self.assertIn('has no header', stream.faults()[0])

    def test_finds_a_hole_in_the_order(self):
        stream = good()
        record = stream.outputs[3][1]
        record.headers = record.headers.replace('seq=4', 'seq=5')
        self.assert_one(stream, 'has seq 5, expected 4')

    def test_finds_a_partition_decided_out_of_order(self):
        stream = good()
        for number, seq in ((1, 4), (3, 2)):
            record = stream.outputs[number][1]
            record.headers = record.headers.replace(f'seq={number + 1}', f'seq={seq}')
        self.assertIn('was decided after a later offset', stream.faults()[0])

    def test_finds_a_duplicate_without_an_earlier_unique_original(self):
        for original in ('news/0/2', 'news/0/3', 'news/0/9'):
            with self.subTest(original):
                stream = good()
                record = stream.outputs[2][1]
                record.headers = record.headers.replace('original=news/0/0', f'original={original}')
                self.assert_one(stream, 'this is no earlier unique record')

    def test_finds_a_duplicate_that_is_too_far_from_its_original(self):
        stream = good()
        stream.add(text('x', *WORDS), 'duplicate', 'original=news/0/0;distance=9;kind=near', fingerprint(1) ^ 0x1ff)
        self.assert_one(stream, '9 bits apart')

    def test_finds_a_near_duplicate_whose_numbers_conflict_with_those_of_its_original(self):
        for numbers, expected in ((0b110, 0), (0b1111 << 8, 0), (0b111111 << 8, 1)):
            stream = Stream()
            stream.add(text('volume 3', *WORDS), numbers=0b111111)
            stream.add(text('volume 4', *WORDS), 'duplicate', 'original=news/0/0;distance=0;kind=near', fingerprint(1),
                       numbers=numbers)
            self.assertEqual(len(stream.faults()), expected, numbers)

    def test_allows_two_near_uniques_whose_numbers_conflict(self):
        for numbers, expected in ((0b11, 1), (0b0, 1), (0b1100, 0)):
            stream = Stream()
            stream.add(text('volume 3', *WORDS), numbers=0b11)
            stream.add(text('volume 4', *WORDS), simhash=fingerprint(1), numbers=numbers)
            self.assertEqual(len(stream.faults()), expected, numbers)

    def test_finds_a_duplicate_outside_of_the_window(self):
        stream = good()
        stream.add(text(*WORDS), 'duplicate', 'original=news/0/0;distance=0;kind=exact', fingerprint(1), 25 * HOUR_MS)
        self.assert_one(stream, 'outside of the window')

    def test_finds_texts_that_are_called_equal_and_differ(self):
        stream = good()
        stream.add(text('x', *WORDS), 'duplicate', 'original=news/0/0;distance=0;kind=exact', fingerprint(1))
        self.assert_one(stream, 'the texts differ')

    def test_finds_two_equal_uniques_whatever_their_fingerprints_say(self):
        stream = good()
        stream.add(text(*WORDS))
        self.assert_one(stream, 'are both unique')

    def test_finds_two_uniques_within_the_guaranteed_distance(self):
        stream = good()
        stream.add(text('x', *WORDS), simhash=fingerprint(1) ^ 0x10100001)
        self.assert_one(stream, 'are both unique, 3 bits apart')

    def test_allows_two_uniques_beyond_the_window_or_the_bound_of_the_index(self):
        stream = good()
        stream.add(text(*WORDS), simhash=fingerprint(1), timestamp=25 * HOUR_MS)
        self.assertEqual(stream.faults(), [])
        stream = good()
        stream.add(text(*WORDS), simhash=fingerprint(1))
        self.assertEqual(stream.faults(entries_max=2), [])

    def test_finds_a_header_that_disagrees_with_the_topic(self):
        stream = good()
        record = stream.outputs[2][1]
        record.headers = record.headers.replace('original=news/0/0;distance=0;kind=exact;', '')
        self.assertIn('its topic and its header disagree', ' '.join(stream.faults()))


if __name__ == '__main__':
    unittest.main()
