import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatWire } from '@assay/core/wire/wire';
import { ruleVersions, tickers } from '@assay/core/view/rules';
import { sealRow } from '@assay/node/ledger/store/sealed-row';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { layoffsRule } from '../../core/fixture/fixture.ts';
import { filledLedger, memoryPlace, note, openAt } from './ledger-fixture.ts';

test('row damage: a row that has changed on the disk is refused when it is read, and all are derived again', async () => {
  const place = await memoryPlace();
  const first = await filledLedger(place, 3);
  await first.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
  // Another one over the same store, which holds no row in memory.
  const ledger = await openAt(place);
  const [ticker] = tickers(ledger.tip);
  assert.ok(ticker !== undefined);
  const table = `rules/${ticker}`;
  const key = String(layoffsRule().version).padStart(7, '0');
  const sealed = sealRow(nodeSha256, { table, key, value: formatWire({ hash: 'true' }) });
  const views = [{ ...sealed, value: formatWire({ hash: 'false' }) }];
  await place.store.commit({ entries: [], tiles: [], views, head: null });
  assert.throws(() => ruleVersions(ledger.shown, ticker), { code: 'ledger_corrupt' });
  await ledger.proven();
  for (let tries = 0; tries < 200 && ledger.mended.length === 0; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await ledger.proven();
  assert.equal(ledger.mended.length, 1);
  assert.deepEqual(ruleVersions(ledger.shown, ticker)[0]?.rule, layoffsRule());
  await ledger.write(() => [note('and goes on')]);
  await ledger.close();
});
