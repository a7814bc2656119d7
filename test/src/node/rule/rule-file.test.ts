import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseRule, type Rule, ruleHash } from '@assay/core/rule/rule';
import { ruleVersions } from '@assay/core/view/rules';
import type { WireObject } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { enactRule, readRuleFile } from '@assay/node/rule/rule-file';
import { genesisBody, memoryPlace, openAt } from '../ledger/ledger-fixture.ts';
import { CLAIMS_RULE, requireVerified, SAMPLES, testNode } from '../fixture/round-fixture.ts';

const badConfig = { name: 'Fault', code: 'bad_config' };

async function fileWith(t: TestContext, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-rule-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'rule.json');
  await writeFile(path, text);
  return path;
}

function changed(change: object): Rule {
  return parseRule(nodeSha256, { ...(CLAIMS_RULE as object), ...change } as WireObject);
}

const second = changed({ version: 2, applies_from: '2026-08-01' });

test('rule file: its layout does not matter, its hash is of its content', async (t) => {
  const compact = await fileWith(t, JSON.stringify(CLAIMS_RULE));
  const rule = await readRuleFile(nodeSha256, compact);
  assert.equal(ruleHash(nodeSha256, rule), ruleHash(nodeSha256, CLAIMS_RULE));
  const shuffled = Object.fromEntries(Object.entries(CLAIMS_RULE).reverse());
  const other = await readRuleFile(
    nodeSha256,
    await fileWith(t, JSON.stringify(shuffled, null, 7)),
  );
  assert.equal(ruleHash(nodeSha256, other), ruleHash(nodeSha256, CLAIMS_RULE));
});

test('rule file: the samples are rules', async () => {
  for (const name of ['LAYOFFS.1.json', 'LAYOFFS.2.json']) {
    const rule = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', name));
    assert.equal(rule.network, 'development');
  }
});

test('rule file: one that is missing, no JSON, or no rule is named in the error', async (t) => {
  for (const text of ['', '{', '[]', 'null', '{}', JSON.stringify({ ...CLAIMS_RULE, more: 1 })]) {
    const path = await fileWith(t, text);
    await assert.rejects(readRuleFile(nodeSha256, path), (error: unknown) => {
      assert.equal((error as { code: string }).code, 'bad_config');
      assert.ok((error as Error).message.includes(path));
      return true;
    });
  }
  await assert.rejects(readRuleFile(nodeSha256, '/nowhere/rule.json'), badConfig);
});

test('enact: a rule once, and again without a trace', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const { ledger } = node;
  assert.equal(ledger.nextSeq, 2);
  assert.equal(await enactRule(ledger, nodeSha256, CLAIMS_RULE), false);
  assert.equal(ledger.nextSeq, 2);
  assert.equal(await enactRule(ledger, nodeSha256, second), true);
  assert.equal(await enactRule(ledger, nodeSha256, second), false);
  assert.equal(await enactRule(ledger, nodeSha256, CLAIMS_RULE), false);
  assert.deepEqual(
    ruleVersions(ledger.shown, CLAIMS_RULE.ticker).map(({ hash, seq }) => [hash, seq]),
    [
      [ruleHash(nodeSha256, CLAIMS_RULE), 1],
      [ruleHash(nodeSha256, second), 2],
    ],
  );
  await requireVerified(node);
});

test('enact: a changed rule of a version that is there, or one that may not come next, is refused', async () => {
  const { ledger } = await testNode('2026-07-20T00:00:00Z');
  for (const change of [
    { title: 'other words' },
    { version: 3, applies_from: '2026-08-01' },
    { version: 2 },
    { version: 2, applies_from: '2026-08-01', decimals: 1 },
    { version: 2, applies_from: '2026-08-01', network: 'production' },
  ]) {
    let rule: Rule;
    try {
      rule = changed(change);
    } catch {
      continue;
    }
    await assert.rejects(enactRule(ledger, nodeSha256, rule), badConfig, JSON.stringify(change));
    assert.equal(ledger.nextSeq, 2);
  }
});

test('enact: no version of a rule has other periods or other decimals than the one before', async () => {
  const { ledger } = await testNode('2026-07-20T00:00:00Z');
  const next = { version: 2, applies_from: '2026-08-01' };
  for (const [change, expected] of [
    [{ period: 'month' }, 'periods of week_ending_saturday'],
    [{ decimals: 1 }, '0 decimals'],
  ] as const) {
    const rule: Rule = { ...changed(next), ...change };
    await assert.rejects(enactRule(ledger, nodeSha256, rule), { ...badConfig, expected });
  }
  assert.equal(ledger.nextSeq, 2);
});

test('enact: a log without genesis takes no rule', async () => {
  const ledger = await openAt(await memoryPlace());
  await assert.rejects(enactRule(ledger, nodeSha256, CLAIMS_RULE), TypeError);
  assert.equal(ledger.nextSeq, 0);
});

test('enact: a sample rule does not enter a production log', async () => {
  const ledger = await openAt(await memoryPlace());
  const body = genesisBody({ origin: 'log.example/assay', network: 'production' });
  await ledger.write(() => [{ kind: 'genesis/1', body }]);
  await assert.rejects(enactRule(ledger, nodeSha256, CLAIMS_RULE), badConfig);
  assert.equal(ledger.nextSeq, 1);
});
