"""The work for a record grows with its size, whatever its text: ten times the bytes take about ten times
the instructions. callgrind counts them, also in libraries, so no clock is involved."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Sorting takes n log n, and tables grow in steps.
RATIO_MAX = 14.0
# Below this the text is only skipped, and steps of some kilobytes weigh more than the bytes.
FREE_PER_BYTE = 10


def counts(folder):
    """Returns {(shape, variant): {bytes: instructions}}."""
    found = {}
    for path in folder.glob('out.*'):
        text = path.read_text()
        what = re.search(r'^desc: Trigger: Client Request: (\S+) (\S+) (\d+)$', text, re.M)
        if what:
            shape, variant, size = what.groups()
            instructions = int(re.search(r'^(?:summary|totals): (\d+)', text, re.M).group(1))
            found.setdefault((shape, variant), {})[int(size)] = instructions
    return found


def main(*program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(['valgrind', '--tool=callgrind', '-q', '--compress-strings=no',
                        f'--callgrind-out-file={folder}/out', *program], check=True)
        found = counts(folder)
    bad = 0
    largest = ('', 0.0)
    for (shape, variant), sizes in sorted(found.items()):
        (small, few), (large, many) = sorted(sizes.items())
        ratio = many / few
        if many > FREE_PER_BYTE * large:
            largest = max(largest, (f'{shape} {variant}', ratio), key=lambda each: each[1])
        too_much = ratio > RATIO_MAX and many > FREE_PER_BYTE * large
        if os.environ.get('LINEAR_WORK_PRINT') or too_much:
            print(f'{shape} {variant}: {few} instructions for {small} bytes, {many} for {large}: {ratio:.1f} times')
        bad += too_much
    print(f'{len(found)} pairs measured; the largest ratio is {largest[1]:.1f} ({largest[0]})')
    if len(found) < 80:
        sys.exit(f'expected at least 80 pairs, found {len(found)}')
    if bad:
        sys.exit(f'{bad} texts take more than {RATIO_MAX} times the work for ten times the bytes')


if __name__ == '__main__':
    main(*sys.argv[1:])
