import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '@assay/cli/command/command';
import type { Terminal } from '@assay/cli/command/tty';

test('a command reads its arguments before it runs, and a mistake leaves it unrun', async () => {
  const given: object[] = [];
  const { run, kind } = command({
    name: 'x',
    summary: 'X.',
    about: 'X.',
    operands: { file: { value: 'FILE', about: 'A file.' } },
    options: { json: { about: 'As JSON.' } },
    examples: {},
    run: async (values) => {
      given.push(values);
      return 5;
    },
  });
  const terminal = {} as Terminal;
  assert.equal(kind, 'command');
  await assert.rejects(run([], terminal, {}), { name: 'UsageError', message: 'FILE is missing' });
  await assert.rejects(run(['a', '--jsno'], terminal, {}), { name: 'UsageError' });
  assert.deepEqual(given, []);
  assert.equal(await run(['a', '--json'], terminal, {}), 5);
  assert.deepEqual(given, [{ file: 'a', json: true }]);
});
