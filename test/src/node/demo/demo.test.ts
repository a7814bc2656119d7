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
import { makeLogger } from '@assay/node/log';
import type { RunningNode } from '@assay/node/node';
import { OPEN_POLICY } from '@assay/verifier/policy';
import type { Verdict } from '@assay/verifier/verdict';
import { verify } from '@assay/verifier/verify';

async function place(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-demo-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

const start = (data: string, weekSeconds: number): Promise<RunningNode> =>
  startDemo({
    data,
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

test('demo: a development log with the typed-in weeks, that says so', async (t) => {
  const data = await place(t);
  const node = await start(data, 86_400);
  try {
    assert.match(logRow(node.ledger.shown)?.origin ?? '', /^development\/[0-9a-f]{12}$/);
    assert.equal(logRow(node.ledger.shown)?.network, 'development');
    assert.equal(weeks(node).length, 82);
    assert.match(DEMO_NOTICE, /Nothing here may be settled on/);
    const status = await fetch(`http://127.0.0.1:${node.port}/status`);
    assert.equal(((await status.json()) as { notice: string }).notice, DEMO_NOTICE);
  } finally {
    await node.close();
  }
  assert.equal((await verdictOn(data)).outcome, 'verified');
});

test('demo: started again it goes on in its log', async (t) => {
  const data = await place(t);
  const first = await start(data, 1);
  const { log } = first.ledger;
  const before = weeks(first).length;
  for (let i = 0; i < 100 && weeks(first).length < before + 2; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(weeks(first).length >= before + 2, 'invented weeks come in a second each');
  await first.close();
  const shown = weeks(first);
  const again = await start(data, 86_400);
  assert.equal(again.ledger.log, log);
  assert.deepEqual(weeks(again).slice(0, shown.length), shown);
  const size = again.ledger.nextSeq;
  await again.close();
  assert.ok(size >= first.ledger.nextSeq);
  const verdict = await verdictOn(data);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
});
