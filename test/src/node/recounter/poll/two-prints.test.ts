import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as pause } from 'node:timers/promises';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import type { Report } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import { type DateText, formatTime, parseTime } from '@assay/core/time/time';
import type { ViewState } from '@assay/core/view/view';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { TwoPrints } from '@assay/node/recounter/poll/two-prints';
import { REPORT_SIGNER } from '../../ledger/ledger-fixture.ts';
import { CosignedWorld, RELEASE, WEEK } from '../../cosign/cosigner-fixture.ts';
import {
  KEY_0_PERIOD,
  type OtherFinal,
  withFinals,
} from '../../../verifier/fixture/two-key-prints.ts';

const PERIOD = ['LAYOFFS' as Ticker, WEEK as DateText] as const;

/** A log with one report that its publisher signed, and how often somebody asked whose key is in force. */
async function printed() {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const { ledger } = world;
  let keys = 0;
  const shown: ViewState = {
    get: (...args) => ledger.shown.get(...args),
    descend: (table, below) => {
      if (table === 'keys') keys += 1;
      return ledger.shown.descend(table, below);
    },
    list: (table) => {
      if (table === 'keys') keys += 1;
      return ledger.shown.list(table);
    },
  };
  const prints = new TwoPrints({ shown, entry: (seq) => ledger.entry(seq) }, nodeSha256);
  const twin = (i: number): Report => ({
    ...row.report,
    published_at: formatTime(parseTime(RELEASE) - 1 - i),
  });
  const append = (reports: readonly Report[], isSigned: boolean) =>
    ledger.write(() =>
      reports.map((report) => {
        const message = formatPrint(printOf(nodeSha256, report));
        const signature = isSigned ? formatHex(REPORT_SIGNER.sign(message)) : 'ab'.repeat(64);
        return { kind: 'report/1', body: { report, signature } };
      }),
    );
  return { row, prints, twin, append, verified: () => keys };
}

test('two prints: one that the key signed is evidence, however many others are before it', async () => {
  const { prints, twin, append } = await printed();
  assert.equal(await prints.poll(...PERIOD), undefined);
  await append(
    Array.from({ length: 100 }, (_, i) => twin(i)),
    false,
  );
  assert.equal(await prints.poll(...PERIOD), undefined);
  await append([twin(100)], true);
  assert.equal((await prints.poll(...PERIOD))?.evidence?.kind, 'prints');
});

test('two prints: each signature is verified once, where a place is shared, and others have their turn meanwhile', async () => {
  const { row, prints, twin, append, verified } = await printed();
  await append([{ ...row.report, issue: 9 }], true);
  await prints.poll(...PERIOD);
  assert.equal(verified(), 0, 'no place has two');
  await append(
    Array.from({ length: 318 }, (_, i) => twin(i)),
    false,
  );
  let turns = 0;
  const over = new AbortController();
  const others = (async (): Promise<void> => {
    while (!over.signal.aborted) {
      await pause();
      turns += 1;
    }
  })();
  await prints.poll(...PERIOD);
  over.abort();
  await others;
  assert.equal(verified(), 320);
  assert.ok(turns >= 10, `${turns}`);
  await append([twin(400)], false);
  await prints.poll(...PERIOD);
  assert.equal(verified(), 321);
});

test('two prints: of two keys of the publisher, each in its time, they are reported without evidence', async () => {
  const poll = (...others: readonly OtherFinal[]) => {
    const { views, entries } = withFinals(...others);
    const entry = (seq: number) => Promise.resolve(entries[seq]);
    return new TwoPrints({ shown: views, entry }, nodeSha256).poll(...KEY_0_PERIOD);
  };
  assert.deepEqual(await poll({ behind: 0, key: 1, more: 1 }), { evidence: null });
  assert.deepEqual(await poll({ behind: 1, key: 2, more: 1 }), { evidence: null });
  const strange = { behind: 0, key: 0, more: 1 } as const;
  const again = { behind: 0, key: 1, more: 0 } as const;
  assert.equal(await poll(strange, again), undefined, 'the same print again');
  assert.equal(await poll(strange), undefined, 'a key that was replaced');
  assert.equal(await poll({ behind: 1, key: 1, more: 1 }), undefined, 'a key that was revoked');
});
