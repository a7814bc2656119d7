import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Desk, follow } from '../../tutorial/follow.ts';

const FENCE = '```';

async function desk(t: TestContext): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-tutorial-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const environment = { PATH: process.env['PATH'] ?? '' };
  return { folder, environment, ports: new Map([['8787', '4321']]) };
}

test('tutorial: a page is followed in one terminal, with its files and its services', async (t) => {
  const text = [
    `${FENCE}console`,
    '$ mkdir a && cd a && word=one',
    FENCE,
    `${FENCE}txt list.txt`,
    'http://127.0.0.1:8787',
    FENCE,
    `${FENCE}console another terminal`,
    '$ pwd; echo "port 8787"; echo $$ > pid; exec sleep 60',
    '…/a',
    'port 8787',
    FENCE,
    `${FENCE}console`,
    '$ echo $word; grep -o 43.. list.txt',
    'one',
    '8787',
    '$ cat; false',
    '$ echo $?',
    '1',
    FENCE,
  ].join('\n');
  const where = await desk(t);
  await follow('page.md', text, where);
  const pid = Number(await readFile(join(where.folder, 'a', 'pid'), 'utf8'));
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, 'the service was stopped');
});

test('tutorial: what differs from the page is named with its line and what came', async (t) => {
  const where = await desk(t);
  for (const [lines, message] of [
    [['$ echo a', 'b'], 'page.md:2: $ echo a\nexpected: b\n--- printed\na\n---'],
    [['$ false'], 'page.md:2: $ false\nended with exit code 1\n--- printed\n---'],
  ] as const)
    await assert.rejects(
      follow('page.md', [`${FENCE}console`, ...lines, FENCE].join('\n'), where),
      { message },
    );
  const service = [`${FENCE}console another terminal`, '$ echo a; exit 3', 'b', FENCE].join('\n');
  await assert.rejects(follow('page.md', service, where), {
    message: 'page.md:2: $ echo a; exit 3\ndid not begin so\n--- printed\na\n---',
  });
});
