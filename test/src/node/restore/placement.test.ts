import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  findStaged,
  markReady,
  place,
  see,
  setLedgerAside,
  STAGE,
} from '@assay/node/restore/placement';
import { openLevelStore } from '@assay/node/ledger/store/level-store';

const ASIDE = 'set-aside-20300317T174640Z';

/** A folder with an old log, and a new one staged. */
async function stagedFolder(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'assay-place-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  for (const [folder, text] of [
    [root, 'old'],
    [join(root, STAGE), 'new'],
  ] as const) {
    await mkdir(join(folder, 'ledger'), { recursive: true });
    await writeFile(join(folder, 'ledger', 'CURRENT'), text);
    await writeFile(join(folder, 'head'), text);
  }
  await writeFile(join(root, 'shown'), 'old');
  const seen = await see(root);
  await markReady(root, { aside: ASIDE, gone: ['shown'], result: '{"size":3}', seen });
  return root;
}

async function textOf(root: string): Promise<readonly string[]> {
  return Promise.all(
    [join(root, 'ledger', 'CURRENT'), join(root, 'head')].map((path) => readFile(path, 'utf8')),
  );
}

test('placement: what was there goes aside, and what was staged takes its place', async (t) => {
  const root = await stagedFolder(t);
  assert.equal((await findStaged(root))?.result, '{"size":3}');
  await place(root);
  assert.deepEqual(await textOf(root), ['new', 'new']);
  assert.deepEqual(await textOf(join(root, ASIDE)), ['old', 'old']);
  assert.equal(await readFile(join(root, ASIDE, 'shown'), 'utf8'), 'old');
  assert.deepEqual((await readdir(root)).toSorted(), ['head', 'ledger', ASIDE]);
  assert.equal(await findStaged(root), undefined);
});

test('placement: a cut after any of its moves is completed by the next run', async (t) => {
  /** The moves in their order; what a power cut may leave is any number of the first of them. */
  const moves = [
    ['ledger', join(ASIDE, 'ledger')],
    ['head', join(ASIDE, 'head')],
    ['shown', join(ASIDE, 'shown')],
    [join(STAGE, 'head'), 'head'],
    [join(STAGE, 'ledger'), 'ledger'],
  ] as const;
  for (let done = 0; done <= moves.length; done += 1) {
    const root = await stagedFolder(t);
    if (done > 0) await mkdir(join(root, ASIDE));
    for (const [from, to] of moves.slice(0, done)) await rename(join(root, from), join(root, to));
    // A folder with a head guard of one log and a ledger of another would start, and must not be.
    const names = await readdir(root);
    if (names.includes('ledger') && names.includes('head')) {
      const [ledger, head] = await textOf(root);
      assert.equal(ledger, head, `after ${done} moves`);
    }
    assert.notEqual(await findStaged(root), undefined, `after ${done} moves`);
    await place(root);
    assert.deepEqual(await textOf(root), ['new', 'new'], `after ${done} moves`);
    assert.deepEqual(await textOf(join(root, ASIDE)), ['old', 'old'], `after ${done} moves`);
  }
});

test('placement: the old ledger goes first, so that what is cut has none to start on', async (t) => {
  const root = await stagedFolder(t);
  // A folder in the way of the next move: it fails there.
  await mkdir(join(root, ASIDE, 'head', 'in-the-way'), { recursive: true });
  await assert.rejects(place(root));
  assert.equal((await readdir(root)).includes('ledger'), false);
  await rm(join(root, ASIDE, 'head'), { recursive: true });
  await place(root);
  assert.deepEqual(await textOf(root), ['new', 'new']);
});

test('placement: what was staged over another head than is there now is no longer to be placed', async (t) => {
  const root = await stagedFolder(t);
  await writeFile(join(root, 'head'), 'somebody went on');
  assert.equal(await findStaged(root), undefined);
});

test('placement: nothing is moved over another head guard or ledger than was there at the beginning', async (t) => {
  for (const change of ['head', 'ledger'] as const) {
    const root = await stagedFolder(t);
    if (change === 'head') await writeFile(join(root, 'head'), 'somebody went on');
    else {
      await rm(join(root, 'ledger'), { recursive: true });
      const store = await openLevelStore(join(root, 'ledger'));
      const head = new Uint8Array([1]);
      await store.commit({ entries: [], tiles: [], views: [], head });
      await store.close();
    }
    await assert.rejects(place(root), { code: 'refused' }, change);
    assert.deepEqual((await readdir(root)).toSorted(), [STAGE, 'head', 'ledger', 'shown']);
    // The next run begins anew.
    assert.equal(await findStaged(root), undefined);
  }
});

test('placement: a ledger that another process opens at the last moment is moved back', async (t) => {
  const root = await stagedFolder(t);
  await rm(join(root, 'ledger'), { recursive: true });
  const code = [
    `import { openLevelStore } from '@assay/node/ledger/store/level-store';`,
    `await openLevelStore(${JSON.stringify(join(root, 'ledger'))});`,
    `console.log('open');`,
    `setInterval(() => {}, 1000);`,
  ].join('\n');
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  try {
    await once(child.stdout, 'data');
    await assert.rejects(place(root), { code: 'refused' });
    await assert.rejects(setLedgerAside(root, ASIDE), { code: 'refused' });
    assert.deepEqual((await readdir(root)).toSorted(), [STAGE, 'head', 'ledger', 'shown']);
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
  await setLedgerAside(root, ASIDE);
  assert.deepEqual((await readdir(root)).toSorted(), [STAGE, 'head', ASIDE, 'shown']);
});

test('placement: what a restore came to may be of any length, and belongs to its mark', async (t) => {
  const root = await stagedFolder(t);
  const result = JSON.stringify({ lacking: 'x'.repeat(3_000_000) });
  await markReady(root, { aside: ASIDE, gone: [], result, seen: await see(root) });
  assert.equal((await findStaged(root))?.result, result);
  const copy = `${root}-copy`;
  t.after(() => rm(copy, { recursive: true, force: true }));
  await cp(root, copy, { recursive: true });
  assert.equal((await place(root)).result, result);
  for (const change of [
    () => writeFile(join(copy, STAGE, 'result.json'), '{}'),
    () => rm(join(copy, STAGE, 'result.json')),
  ]) {
    await change();
    assert.equal(await findStaged(copy), undefined);
  }
});

test('placement: a stage without its mark is none, and neither is one with a broken mark', async (t) => {
  const root = await stagedFolder(t);
  const copy = `${root}-copy`;
  t.after(() => rm(copy, { recursive: true, force: true }));
  await cp(root, copy, { recursive: true });
  await writeFile(join(root, STAGE, 'ready.json'), '{"type":"assay-restore/2"');
  assert.equal(await findStaged(root), undefined);
  await rm(join(copy, STAGE, 'ready.json'));
  assert.equal(await findStaged(copy), undefined);
});
