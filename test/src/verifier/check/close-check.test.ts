import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitmentOf } from '@assay/core/hash/commitment';
import type { HashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { closeMessage } from '@assay/core/report/close';
import { type Kit, overdueReason } from '@assay/core/answer/listing';
import { reportsOf } from '@assay/core/view/reports';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { closesOf } from '@assay/core/view/closes';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { CLOSES } from '../../core/fixture/close-fixture.ts';
import { WEEKS } from '../../node/fixture/closes-world.ts';
import { closedLog } from '../fixture/closed-log.ts';
import { Forge, type Loose, type LooseDraft } from '../fixture/forge.ts';
import {
  codesOf,
  folderOf,
  judge,
  judgeFolder,
  judgeSite,
  publish,
  siteOf,
  siteReader,
} from '../fixture/published.ts';

const log = await closedLog();
const published = publish(log.entries, log.blobs, log.checkpoints);

function leftOut({ not_checked: list }: Verdict): readonly string[] {
  return list.map(({ what }) => what);
}

function requireVerified(verdict: Verdict): void {
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
}

test('close check: an honest log is verified from its server, its folder and a static copy', async () => {
  const site = await judgeSite(siteOf(published));
  const folder = await judgeFolder(folderOf(published));
  const reader = siteReader(siteOf(published), false);
  const copy = await judge({ kind: 'log', reader });
  for (const verdict of [site, folder, copy]) {
    requireVerified(verdict);
    assert.equal(verdict.checked.closes, 5);
    const named = leftOut(verdict).filter((what) => what.startsWith('not_reexecutable: '));
    assert.equal(named.length, 1, leftOut(verdict).join('\n'));
    assert.match(named[0] ?? '', /levels and z of hidden/);
  }
  assert.ok(leftOut(site).some((what) => what.startsWith('where listing kits')));
  assert.ok(leftOut(site).some((what) => what.startsWith('answers of the API for earlier Closes')));
  assert.ok(leftOut(copy).includes('listing kits'));
});

test('close check: a settlement file that is not served is named, and is no finding', async () => {
  const site = siteOf(published);
  const paths = [...site.keys()].filter((path) => path.startsWith('/settlement/2026-07-30/v1/'));
  assert.equal(paths.length, 4);
  const whole = await judgeSite(site);
  for (const path of paths) site.delete(path);
  const verdict = await judgeSite(site);
  requireVerified(verdict);
  for (const path of paths) {
    assert.ok(leftOut(verdict).includes(path.replace('/settlement/', 'settlement file ')), path);
  }
  assert.equal(whole.checked.api_answers - verdict.checked.api_answers, 4);
});

test('close check: the signature is for this log, this day and this content', async () => {
  for (const row of ['2026-07-09', '2026-07-30'].flatMap((day) =>
    closesOf(published.views, day as DateText),
  )) {
    const message = closeMessage(log.ledger.log as HashHex, row.content.day, row.hash);
    const signature = parseHex(row.signature, 64);
    assert.ok(nodeVerifySignature(log.keys.report.publicKey, message, signature));
  }
});

test('close check: Closes of strangers, and of any day, are findings and nothing fails', async () => {
  for (const { name, entry } of CLOSES) {
    for (const size of [1, 3, log.entries.length]) {
      const forge = new Forge(log, size);
      const { at } = forge.drafts.at(-1) as LooseDraft;
      forge.drafts.push({ at, kind: 'close/1', body: structuredClone(entry) as Loose });
      for (const verdict of [
        await judgeSite(siteOf(forge.publish())),
        await judgeFolder(folderOf(forge.publish())),
      ]) {
        assert.equal(verdict.outcome, 'findings', name);
        const codes = codesOf(verdict);
        assert.ok(codes.includes('close_bad_signature'), name);
        assert.ok(codes.includes('close_not_due'), `${name}: ${codes.join()}`);
      }
    }
  }
});

/** The log up to its newest withheld final, changed and signed again. */
function lastWithheld(change: (report: Loose) => void): Forge {
  const forge = new Forge(log);
  const { draft, seq } = forge.newest(
    ({ body }) => body['report']?.ticker === 'HIDDEN' && body['report'].status === 'final',
  );
  forge.drafts.splice(seq + 1);
  change(draft.body['report'] as Loose);
  forge.sign(draft);
  return forge;
}

test('withheld: what only the level would show, its publisher says alone, and the verdict says so', async () => {
  const lies: readonly ((report: Loose) => void)[] = [
    (report) => {
      report['commitment'] = 'ab'.repeat(32);
    },
    (report) => {
      const z = Number(report['z']);
      report['z'] = (z + (z > 0 ? 0.1 : -0.1)).toFixed(1);
    },
    (report) => {
      Object.assign(report, { z: null, band: null });
    },
  ];
  for (const lie of lies) {
    const verdict = await judgeSite(siteOf(lastWithheld(lie).publish()));
    requireVerified(verdict);
    assert.ok(leftOut(verdict).some((what) => what.startsWith('not_reexecutable')));
  }
});

test('withheld: whoever is given the openings can check every commitment, and z with it', () => {
  const opened = WEEKS.map(([period]) => {
    const final = reportsOf(published.views, 'HIDDEN' as Ticker, period as DateText).find(
      ({ report }) => report.status === 'final',
    );
    const commitment = final?.report.commitment as HashHex;
    const opening = log.openings.get(commitment);
    assert.ok(opening !== undefined, period);
    assert.equal(commitmentOf(nodeSha256, opening.salt, opening.value), commitment);
    return opening.value;
  });
  assert.deepEqual(
    opened,
    WEEKS.map(([, , , level]) => BigInt(level)),
  );
  const salts = new Set(
    [...log.openings.values()].map(({ salt }) => Buffer.from(salt).toString('hex')),
  );
  assert.equal(salts.size, log.openings.size, 'no salt twice');
  // A dishonest commitment does not open.
  const forge = lastWithheld((report) => {
    report['commitment'] = 'ab'.repeat(32);
  });
  const { body } = forge.drafts.at(-1) as LooseDraft;
  assert.equal(log.openings.get(body['report'].commitment as HashHex), undefined);
});

test('withheld: the newest z is the one of the levels that are opened', () => {
  const [, , , newest] = WEEKS[3] as (typeof WEEKS)[number];
  const before = WEEKS.slice(0, 3).map(([, , , level]) => level);
  const sorted = [...before].sort((a, b) => a - b);
  const middle = sorted[1] as number;
  const mad = before.map((each) => Math.abs(each - middle)).sort((a, b) => a - b)[1] as number;
  const z = ((newest - middle) / (mad * 1.4826)).toFixed(1);
  const final = reportsOf(published.views, 'HIDDEN' as Ticker, '2026-07-25' as DateText).at(-1);
  assert.deepEqual([final?.report.z, final?.report.value], [z, null]);
});

test('withheld: a proof of one number proves what can be proven, and names the rest', async () => {
  const bytes = await makeBundle(
    siteReader(siteOf(published)),
    { index: 'hidden', period: '2026-07-25' },
    nodeSha256,
  );
  const verdict = await judge({ kind: 'bundle', bytes });
  requireVerified(verdict);
  assert.ok(verdict.outcome === 'verified');
  assert.deepEqual(
    [verdict.number?.value, verdict.number?.settleable, verdict.number?.status],
    [null, false, 'final'],
  );
  assert.ok(leftOut(verdict).some((what) => what.startsWith('not_reexecutable')));
});

test('close check: a kit refused because its print is due is named, and is no finding', async () => {
  const site = siteOf(published);
  const path = '/indices/LAYOFFS/listing.json';
  const served = site.get(path);
  assert.ok(served !== undefined);
  const kit = JSON.parse(Buffer.from(served.body).toString()) as Kit;
  const refusal = { error: 'no_kit', detail: overdueReason(kit) };
  site.set(path, { ...served, status: 404, body: Buffer.from(JSON.stringify(refusal)) });
  const verdict = await judgeSite(site);
  requireVerified(verdict);
  const named = `whether the print of LAYOFFS ${kit.period} is overdue`;
  assert.ok(
    leftOut(verdict).some((what) => what.startsWith(named)),
    leftOut(verdict).join('\n'),
  );
});
