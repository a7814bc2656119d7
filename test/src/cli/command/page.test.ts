import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, group } from '@assay/cli/command/command';
import { pageOf } from '@assay/cli/command/page';

const FILE = { value: 'FILE', about: 'A file.' } as const;

const sample = command({
  name: 'sample',
  summary: 'Sample.',
  about: 'Samples.',
  operands: { first: FILE, more: { ...FILE, many: true, optional: true } },
  options: {
    must: { ...FILE, short: 'm', required: true },
    url: { value: 'URL', about: 'An address.' },
    data: { value: 'FOLDER', about: 'A folder.' },
  },
  oneOf: [['url', 'data']],
  examples: {},
  run: () => Promise.resolve(0),
});

test('the usage of a command names what it cannot do without', () => {
  assert.equal(
    pageOf(sample).usage,
    'assay sample FILE [FILE...] --must FILE (--url URL | --data FOLDER)',
  );
  const { sections } = pageOf(sample);
  assert.deepEqual(
    sections.map(({ title }) => title),
    ['Arguments', 'Options', 'Exit codes'],
  );
});

test('headings are before the first command under each', () => {
  const commands = ['b', 'c', 'd', 'e'].map((word) => ({ ...sample, name: `a ${word}` }));
  const texts = { name: 'a', summary: 'A.', about: 'A.', commands };
  const listed = (headings: Readonly<Record<string, string>>): string =>
    pageOf(group({ ...texts, headings }))
      .sections.map(({ title, rows }) => `${title}: ${rows.map(([term]) => term).join(' ')}`)
      .join('; ');
  assert.equal(listed({ b: 'First', d: 'Then' }), 'First: b c; Then: d e; Options: -h, --help');
  assert.equal(listed({ c: 'Then' }), 'Commands: b; Then: c d e; Options: -h, --help');
});

test('a group lists its commands, and has --help alone', () => {
  const node = group({
    name: 'a',
    summary: 'A.',
    about: 'A.',
    commands: [{ ...sample, name: 'a b' }],
  });
  const { usage, sections } = pageOf(node);
  assert.equal(usage, 'assay a COMMAND [OPTION...]');
  assert.deepEqual(
    sections.map(({ rows }) => rows),
    [[['b', 'Sample.']], [['-h, --help', 'Show this help.']]],
  );
});
