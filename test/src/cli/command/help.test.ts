import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '@assay/cli/command/command';
import { helpText, wrapped } from '@assay/cli/command/help';
import { pageOf } from '@assay/cli/command/page';
import { nodes } from '../fixture/all-commands.ts';

const SAMPLE = command({
  name: 'copy',
  summary: 'Copy a file.',
  about: `Copies a file
    to another place.

    Nothing is lost.`,
  operands: { file: { value: 'FILE', about: 'The file to copy.' } },
  options: {
    output: {
      value: 'FOLDER',
      short: 'o',
      required: true,
      about: 'Where to write the copy of the file.',
    },
    key: { value: 'K', many: true, about: 'A key.' },
    timeout: {
      value: 'S',
      fallback: 10,
      about: 'How many seconds it may take.',
      section: 'Limits',
    },
  },
  examples: { 'assay copy a.txt -o /mnt/somewhere/else': 'Copy one.' },
  exits: { 0: 'It is copied.' },
  variables: { ASSAY_PLACE: 'Another place.' },
  run: () => Promise.resolve(0),
});

test('the help of a command, at two widths', () => {
  assert.equal(
    helpText(pageOf(SAMPLE), 80),
    `Usage: assay copy FILE --output FOLDER [OPTION...]

Copies a file to another place.

Nothing is lost.

Arguments:
  FILE  The file to copy.

Options:
  -o, --output FOLDER  Where to write the copy of the file.
  --key K              A key. It may be given more than once.
  -h, --help           Show this help.

Limits:
  --timeout S  How many seconds it may take. The default is 10.

Environment:
  ASSAY_PLACE  Another place.

Exit codes:
  0  It is copied.
  2  The command line or a configuration cannot be understood.
  3  It could not be completed.

Examples:
  Copy one:
    assay copy a.txt -o /mnt/somewhere/else`,
  );
  assert.equal(
    helpText(pageOf(SAMPLE), 36),
    `Usage: assay copy FILE --output
       FOLDER [OPTION...]

Copies a file to another place.

Nothing is lost.

Arguments:
  FILE
      The file to copy.

Options:
  -o, --output FOLDER
      Where to write the copy of the
      file.
  --key K
      A key. It may be given more
      than once.
  -h, --help
      Show this help.

Limits:
  --timeout S
      How many seconds it may take.
      The default is 10.

Environment:
  ASSAY_PLACE
      Another place.

Exit codes:
  0
      It is copied.
  2
      The command line or a
      configuration cannot be
      understood.
  3
      It could not be completed.

Examples:
  Copy one:
    assay copy a.txt -o \\
      /mnt/somewhere/else`,
  );
});

test('lines are broken at spaces, and only a word that is too long is longer', () => {
  assert.deepEqual(wrapped('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapped('a incomprehensibly b', 5), ['a', 'incomprehensibly', 'b']);
  assert.deepEqual(wrapped('one two', 6, '- ', '  '), ['- one', '  two']);
  assert.deepEqual(wrapped('', 5), ['']);
});

for (const width of [40, 80, 100]) {
  test(`help: no line is longer than ${width}, unless it is one word`, () => {
    for (const node of nodes) {
      for (const line of helpText(pageOf(node), width).split('\n')) {
        const isWord = !/\S \S/.test(line.replace(/ \\$/, ''));
        assert.ok(line.length <= width || isWord, `${node.name}: ${line}`);
        assert.equal(line, line.trimEnd(), `${node.name}: ${JSON.stringify(line)}`);
      }
    }
  });
}

test('help says the same at every width', () => {
  const words = (text: string): string => text.replaceAll(/\s+(\\\n)?\s*/g, ' ');
  for (const node of nodes) {
    assert.equal(words(helpText(pageOf(node), 40)), words(helpText(pageOf(node), 100)), node.name);
  }
});
