"""A second judge of the outputs, beside `neardup verify`. It shares no code with neardup: kcat reads the topics,
and the checks are written here again from what the README promises. It reads the headers of
`output.headers: full`."""
import html
import json
import re
import subprocess
import unicodedata

WINDOW_MS = 24 * 3600 * 1000
DISTANCE_GUARANTEED = 3
DISTANCE_MAX = 8
DISTANCE_SUM_MAX = 24
# A record with this many distinct words may use the whole distance (match.features_per_bit).
WORDS_FOR_FULL_DISTANCE = 40
# One number may conflict for so many distinct words (match.numbers). It sets two bits.
WORDS_PER_CONFLICT = 50
ROUTES = ('unique', 'duplicate', 'dead-letter')
FIELDS = ('title', 'body', 'name', 'brand', 'description')


class Record:
    def __init__(self, topic, partition, offset, timestamp, key, value, headers):
        self.topic, self.partition, self.offset = topic, partition, offset
        self.timestamp, self.key, self.value, self.headers = timestamp, key, value, headers

    def place(self):
        return f'{self.topic}/{self.partition}/{self.offset}'


def read(brokers, topic):
    """Returns all committed records of a topic."""
    done = subprocess.run(
        ['kcat', '-C', '-q', '-e', '-b', brokers, '-t', topic, '-o', 'beginning', '-X', 'isolation.level=read_committed',
         '-f', r'%p %o %T %K %S %h\n%k%s\n'], capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f'kcat cannot read {topic}: {done.stderr.decode()}')
    data, at, records = done.stdout, 0, []
    while at < len(data):
        end = data.index(b'\n', at)
        partition, offset, timestamp, key_size, value_size, headers = data[at:end].split(b' ', 5)
        at = end + 1
        cells = []
        for size in (int(key_size), int(value_size)):
            cells.append(None if size < 0 else data[at:at + size])
            at += max(size, 0)
        at += 1
        records.append(Record(topic, int(partition), int(offset), int(timestamp), *cells, headers.decode()))
    return records


def first_offset(brokers, topic, partition):
    done = subprocess.run(['kcat', '-Q', '-b', brokers, '-t', f'{topic}:{partition}:-2'],
                          capture_output=True, text=True, check=True)
    return int(re.search(r'offset (\d+)', done.stdout).group(1))


class Output:
    """An output record with its header taken apart."""

    def __init__(self, record, route):
        self.record, self.route = record, route
        text = record.headers.rsplit('neardup=', 1)[-1]
        self.fields = dict(part.partition('=')[::2] for part in text.split(';'))
        self.seq = int(self.fields['seq'])
        self.origin = self.position(self.fields['origin'])
        self.original = self.position(self.fields['original']) if 'original' in self.fields else None
        self.simhash, self.order, self.numbers = (
            int(self.fields.get(name, '0'), 16) for name in ('simhash', 'order', 'numbers'))

    @staticmethod
    def position(text):
        topic, partition, offset = text.rsplit('/', 2)
        return topic, int(partition), int(offset)


def bits_apart(a, b):
    return (a ^ b).bit_count()


def conflict_bits(a, b):
    """Bits of numbers that only one of two records has, on the side that has fewer of them."""
    return min((a & ~b).bit_count(), (b & ~a).bit_count())


def content(value):
    """The compared fields: (as they are, letters and digits only, number of distinct words)."""
    try:
        fields = [json.loads(value).get(name) for name in FIELDS]
    except (ValueError, AttributeError):
        return None
    plain = ' '.join(str(field) for field in fields if field is not None)
    plain = html.unescape(re.sub(r'<[^<>]*>', ' ', plain))
    plain = unicodedata.normalize('NFKC', plain).casefold()
    words = re.findall(r'\w+', plain)
    return json.dumps(fields), ''.join(words), len(set(words))


class Topics:
    """What stands in the input and output topics of an app, read by kcat."""

    def __init__(self, brokers, names):
        self.inputs = [record for name in names for record in read(brokers, name)]
        self.outputs = [(route, record) for name in names for route in ROUTES
                        for record in read(brokers, f'{name}.{route}')]
        partitions = {(record.topic, record.partition) for record in self.inputs}
        self.first_offsets = {partition: first_offset(brokers, *partition) for partition in partitions}


class Judge:
    """Checks the topics. `faults` lists what is wrong."""

    def __init__(self, topics, entries_max):
        self.faults = []
        self.entries_max = entries_max
        self.first_offsets = topics.first_offsets
        self.inputs = {(record.topic, record.partition, record.offset): record for record in topics.inputs}
        self.outputs = []
        for route, record in topics.outputs:
            if 'neardup=' in record.headers:
                self.outputs.append(Output(record, route))
            else:
                self.faults.append(f'{record.place()} has no header')
        self.outputs.sort(key=lambda output: output.seq)
        self.by_origin = {}
        self.check_coverage()
        self.check_payload()
        self.check_order()
        self.check_duplicates()
        self.check_uniques()

    def check_coverage(self):
        for output in self.outputs:
            other = self.by_origin.setdefault(output.origin, output)
            if other is not output:
                self.faults.append(f'{output.origin} is in two outputs: {other.record.place()} and {output.record.place()}')
            # Records below the first offset were deleted after they were decided.
            deleted = output.origin[2] < self.first_offsets.get(output.origin[:2], 1 << 62)
            if output.origin not in self.inputs and not deleted:
                self.faults.append(f'{output.record.place()} names {output.origin}, which is no committed input record')
        for place in self.inputs:
            if place not in self.by_origin:
                self.faults.append(f'{place} is in no output')

    def check_payload(self):
        for output in self.outputs:
            record, given = output.record, self.inputs.get(output.origin)
            if (record.topic, record.partition) != (f'{output.origin[0]}.{output.route}', output.origin[1]):
                self.faults.append(f'{record.place()} is not beside its input {output.origin}')
            by_reference = output.route == 'dead-letter' and record.value is None
            if given and not by_reference and (record.key, record.value, record.timestamp) != (
                    given.key, given.value, given.timestamp):
                self.faults.append(f'{record.place()} differs from its input {output.origin}')

    def check_order(self):
        last = {}
        for number, output in enumerate(self.outputs, 1):
            if output.seq != number:
                self.faults.append(f'{output.record.place()} has seq {output.seq}, expected {number}')
                return
            if last.get(output.origin[:2], -1) >= output.origin[2]:
                self.faults.append(f'{output.origin} was decided after a later offset')
            last[output.origin[:2]] = output.origin[2]

    def check_duplicates(self):
        for output in self.outputs:
            if (output.route == 'duplicate') != (output.original is not None):
                self.faults.append(f'{output.record.place()}: its topic and its header disagree')
            if output.original is None:
                continue
            original = self.by_origin.get(output.original)
            where = f'{output.record.place()}, duplicate of {output.original}'
            if original is None or original.route != 'unique' or original.seq >= output.seq:
                self.faults.append(f'{where}: this is no earlier unique record')
                continue
            apart = bits_apart(output.simhash, original.simhash)
            if apart > DISTANCE_MAX or apart + bits_apart(output.order, original.order) > DISTANCE_SUM_MAX:
                self.faults.append(f'{where}: {apart} bits apart')
            # Our words are not exactly the tokens of neardup.
            allowed = 2 * (content(output.record.value)[2] // WORDS_PER_CONFLICT + 1)
            if output.fields['kind'] == 'near' and conflict_bits(output.numbers, original.numbers) > allowed:
                self.faults.append(f'{where}: their numbers conflict')
            if abs(output.record.timestamp - original.record.timestamp) > WINDOW_MS:
                self.faults.append(f'{where}: outside of the window')
            if output.fields['kind'] == 'exact' and (
                    content(output.record.value)[1] != content(original.record.value)[1]):
                self.faults.append(f'{where}: called exact, but the texts differ')

    def check_uniques(self):
        """No two uniques are equal, or within the guaranteed distance without conflicting numbers."""
        contents, blocks = {}, {}
        for number, output in enumerate(o for o in self.outputs if o.route == 'unique'):
            if 'late' in output.fields:
                continue
            text = content(output.record.value)
            candidates = [contents.get(text[0])] + [
                found for block in range(4)
                for found in blocks.get((block, output.simhash >> 16 * block & 0xffff), ())]
            for found in candidates:
                if found is None or number - found[0] > self.entries_max // 2 or abs(
                        found[1].record.timestamp - output.record.timestamp) > WINDOW_MS:
                    continue
                equal = found[2][0] == text[0]
                near = bits_apart(found[1].simhash, output.simhash)
                if equal or (near <= DISTANCE_GUARANTEED and min(found[2][2], text[2]) >= WORDS_FOR_FULL_DISTANCE
                             and near + bits_apart(found[1].order, output.order) <= DISTANCE_SUM_MAX
                             and conflict_bits(found[1].numbers, output.numbers) == 0):
                    self.faults.append(f'{found[1].origin} and {output.origin} are both unique, {near} bits apart'
                                       + (' and equal' if equal else ''))
                    break
            row = (number, output, text)
            contents[text[0]] = row
            for block in range(4):
                blocks.setdefault((block, output.simhash >> 16 * block & 0xffff), []).append(row)
