import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flag, option } from '@assay/cli/command/option';
import { parseGiven } from '@assay/cli/command/parse';

test('an option is what its parts say, and its text has no line ends', () => {
  assert.deepEqual(
    {
      ...option('FILE', { short: 'o', required: true })`
      Where to write. The default
      is ${7}.`,
    },
    { value: 'FILE', short: 'o', required: true, about: 'Where to write. The default is 7.' },
  );
  assert.deepEqual(
    flag`
    Say \`more\`.`,
    { about: 'Say `more`.' },
  );
});

test('the types of values follow from it', () => {
  const options = {
    file: option('FILE', { required: true })`A file.`,
    size: option('N', { parse: Number, many: true })`A size.`,
    json: flag`As JSON.`,
  };
  const given = parseGiven({ options, operands: {} }, ['--file=a', '--size=1', '--size=2']);
  const file: string = given.file;
  const size: readonly number[] = given.size;
  const json: boolean = given.json;
  assert.deepEqual([file, size, json], ['a', [1, 2], false]);
});
