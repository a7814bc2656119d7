import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDataFolder } from '@assay/cli/data-reader';
import { nodeEnvironment } from '@assay/cli/node-environment';
import { logRow } from '@assay/core/view/log';
import { periodRows } from '@assay/core/view/periods';
import type { Ticker } from '@assay/core/ticker';
import { DEMO_NOTICE, startDemo } from '@assay/node/demo/demo';
import { DEVELOPMENT_INDICES } from '@assay/node/demo/development-indices';
import { makeLogger } from '@assay/node/log';
import type { RunningNode } from '@assay/node/node';
import { OPEN_POLICY } from '@assay/verifier/policy';
import type { Verdict } from '@assay/verifier/verdict';
import { verify } from '@assay/verifier/verify';
import { firstClose } from '../demo-node.ts';

async function place(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-demo-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

const start = (data: string, weekSeconds: number, indices?: string[]): Promise<RunningNode> =>
  startDemo({
    data,
    ...(indices === undefined ? {} : { indices }),
    environment: { ASSAY_PORT: '0' },
    log: makeLogger('silent'),
    weekSeconds,
  });

async function verdictOn(data: string): Promise<Verdict> {
  const { folder, close } = await openDataFolder(data);
  try {
    const environment = nodeEnvironment();
    return await verify({ kind: 'folder', folder }, OPEN_POLICY, { environment });
  } finally {
    await close();
  }
}

const weeks = ({ ledger }: RunningNode): readonly string[] =>
  periodRows(ledger.shown, 'LAYOFFS' as Ticker).map(([period]) => period);

test('demo: all eleven indexes in a development log that says so', async (t) => {
  const data = await place(t);
  const node = await start(data, 86_400);
  const base = `http://127.0.0.1:${node.port}`;
  const json = async (path: string): Promise<unknown> => (await fetch(`${base}${path}`)).json();
  try {
    assert.match(logRow(node.ledger.shown)?.origin ?? '', /^development\/[0-9a-f]{12}$/);
    assert.equal(logRow(node.ledger.shown)?.network, 'development');
    assert.equal(weeks(node).length, 82);
    assert.match(DEMO_NOTICE, /Nothing here may be settled on/);
    assert.equal(((await json('/status')) as { notice: string }).notice, DEMO_NOTICE);
    const indices = (await json('/indices')) as { ticker: string }[];
    assert.deepEqual(indices.map(({ ticker }) => ticker).sort(), [...DEVELOPMENT_INDICES].sort());
    for (const name of DEVELOPMENT_INDICES) {
      const { status } = await fetch(`${base}/indices/${name}/listing.json`);
      const kit = ['LAYOFFS', 'MINTS', 'GIGS', 'WAGE'].includes(name);
      assert.equal(status, kit ? 200 : 404, name);
    }
    await firstClose(base);
    const close = (await json('/indices/close')) as { day: string; indices: unknown[] };
    assert.deepEqual([close.day, close.indices.length], ['2026-07-30', 11]);
  } finally {
    await node.close();
  }
  const verdict = await verdictOn(data);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
});

test('demo: started again it goes on in its log', async (t) => {
  const data = await place(t);
  const first = await start(data, 1, ['LAYOFFS']);
  const { log } = first.ledger;
  const before = weeks(first).length;
  for (let i = 0; i < 100 && weeks(first).length < before + 2; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(weeks(first).length >= before + 2, 'invented weeks come in a second each');
  await first.close();
  const shown = weeks(first);
  const again = await start(data, 86_400, ['LAYOFFS']);
  assert.equal(again.ledger.log, log);
  assert.deepEqual(weeks(again).slice(0, shown.length), shown);
  const size = again.ledger.nextSeq;
  await again.close();
  assert.ok(size >= first.ledger.nextSeq);
  const verdict = await verdictOn(data);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
});
