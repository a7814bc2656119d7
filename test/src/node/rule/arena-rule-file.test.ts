import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { arenaRules } from '@assay/core/view/arena-rules';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { enactArenaRule, readArenaRuleFile } from '@assay/node/rule/arena-rule-file';
import { arenaRule, REFEREE } from '../../core/referee/referee-fixture.ts';
import { filledLedger, memoryPlace, temporaryFolder } from '../ledger/ledger-fixture.ts';

test('arena rule file: appended once, and only in order', async (t) => {
  const ledger = await filledLedger(await memoryPlace(), 1);
  t.after(() => ledger.close());
  assert.equal(await enactArenaRule(ledger, nodeSha256, arenaRule()), true);
  assert.equal(await enactArenaRule(ledger, nodeSha256, arenaRule()), false);
  const changed = arenaRule({ ...REFEREE, threshold: 50 });
  const refused = { code: 'bad_config' } as const;
  await assert.rejects(enactArenaRule(ledger, nodeSha256, changed), refused);
  await assert.rejects(enactArenaRule(ledger, nodeSha256, arenaRule(REFEREE, 3)), refused);
  assert.equal(await enactArenaRule(ledger, nodeSha256, arenaRule(null, 2)), true);
  assert.equal(await enactArenaRule(ledger, nodeSha256, arenaRule()), false);
  assert.deepEqual(
    arenaRules(ledger.tip).map(({ rule }) => rule.version),
    [1, 2],
  );
});

test('arena rule file: read as people write it, or refused with its path', async (t) => {
  const path = join(await temporaryFolder(t), 'arena-rule.json');
  await writeFile(path, JSON.stringify(arenaRule(), null, 4));
  assert.deepEqual(await readArenaRuleFile(nodeSha256, path), arenaRule());
  await writeFile(path, '{"type":"assay-arena-rule/1"}');
  await assert.rejects(readArenaRuleFile(nodeSha256, path), { code: 'bad_config', at: path });
  await assert.rejects(readArenaRuleFile(nodeSha256, `${path}.none`), { code: 'bad_config' });
});
