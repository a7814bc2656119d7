import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { ScoreRuleEntry } from '@assay/core/kind/score-rule-entry';
import type { Study } from '@assay/core/kind/study';
import { parseStudyBlob } from '@assay/core/terminal/study/study-blob';
import { StudyMaker } from '@assay/core/terminal/study/study-maker';
import { parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { Forge, type LooseDraft } from '../fixture/forge.ts';
import { monthlyLog } from '../fixture/monthly-log.ts';
import { folderOf, judgeFolder, judgeSite, publish, siteOf } from '../fixture/published.ts';
import { LATER_RULE, newestOf, TICKED_RULE, tickedLog } from '../fixture/ticked-log.ts';

type Verified = Extract<Verdict, { readonly outcome: 'verified' }>;

function verified(verdict: Verdict): Verified {
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  return verdict as Verified;
}

const LOG = tickedLog();

test('terminal check: a log as the engine makes it is verified, and the verdict says what it rests on', async () => {
  const whole = publish(LOG.entries, LOG.blobs, LOG.checkpoints);
  for (const verdict of [await judgeSite(siteOf(whole)), await judgeFolder(folderOf(whole))]) {
    const { checked, terminal, not_checked } = verified(verdict);
    const { ticks, events, receipts, benchmarks, studies } = checked;
    assert.equal(ticks, 230);
    assert.equal(studies, 1);
    assert.ok(events >= 4 && receipts > events && benchmarks > 0, JSON.stringify(checked));
    const [facts, ...more] = terminal;
    assert.deepEqual(more, []);
    const { rule, ...said } = facts as Verified['terminal'][number];
    assert.equal(rule.version, 1);
    assert.deepEqual(said, {
      class: 'crypto',
      sources: 1,
      ticks: 230,
      from: '2026-03-01T00:00:00Z',
      to: '2026-03-03T09:15:00Z',
      missed: 0,
      late: 0,
      delisted: 6,
      openings: { within_hour: 0, later: 0, unproven: 4 },
      scores: 'committed',
    });
    assert.ok(
      not_checked.some(({ what, why }) => what.includes('230 ticks') && why.includes('committed')),
    );
  }
});

test('terminal check: a log that hands over its score rule is verified, and its events are those of both', async () => {
  const log = tickedLog(false, LATER_RULE);
  const { checked, terminal } = verified(
    await judgeSite(siteOf(publish(log.entries, log.blobs, log.checkpoints))),
  );
  assert.equal(checked.ticks, 230);
  const hashes = [TICKED_RULE, LATER_RULE].map((rule) => scoreRuleHash(nodeSha256, rule));
  assert.deepEqual(
    terminal.map(({ rule, sources }) => ({ rule, sources })),
    [{ rule: { version: 2, hash: hashes[1], versions: 2 }, sources: 1 }],
  );
  // Two are open when it is handed over, and under the later version ETH's second is not due.
  const events = new Forge(log).drafts.filter(({ kind }) => kind === 'event/1');
  assert.deepEqual(
    events.map(({ body }) => [body['symbol'], hashes.indexOf(body['rule'])]),
    [
      ['ADA', 0],
      ['ETH', 0],
      ['ADA', 1],
    ],
  );
});

test('terminal check: the verdict says the fewest sources that any version has asked for', async () => {
  const { entries, blobs, checkpoints } = tickedLog(false, {
    ...LATER_RULE,
    sources: { ...LATER_RULE.sources, required: 2 },
  });
  const { terminal } = verified(await judgeSite(siteOf(publish(entries, blobs, checkpoints))));
  assert.deepEqual(
    terminal.map(({ rule, sources }) => [rule.version, sources]),
    [[2, 1]],
  );
});

test('terminal check: of several versions between two ticks the newest counts; a first one is any', async () => {
  const forge = new Forge(tickedLog(false, LATER_RULE));
  // The study counts entries.
  forge.drafts.pop();
  const { draft, seq } = newestOf(forge, 'score-rule/1');
  const third = { ...LATER_RULE, version: 3 };
  forge.drafts.splice(seq + 1, 0, { ...structuredClone(draft), body: { rule: third } });
  const hash = scoreRuleHash(nodeSha256, third);
  for (const { body, kind } of forge.drafts.slice(seq + 2)) {
    if (kind === 'tick/1' || kind === 'event/1') body['rule'] = hash;
  }
  const { terminal } = verified(await judgeSite(siteOf(forge.publish())));
  assert.deepEqual(
    terminal.map(({ rule }) => rule),
    [{ version: 3, hash, versions: 2 }],
  );
  const late = new Forge(tickedLog(false, LATER_RULE));
  late.drafts.pop();
  const first = { ...TICKED_RULE, version: 7 };
  const [old, named] = [TICKED_RULE, first].map((rule) => scoreRuleHash(nodeSha256, rule));
  newestOf(late, 'score-rule/1', ({ rule }) => rule.version === 1).draft.body['rule'] = first;
  newestOf(late, 'score-rule/1').draft.body['rule'].version = 8;
  const next = scoreRuleHash(nodeSha256, { ...LATER_RULE, version: 8 });
  for (const { body, kind } of late.drafts) {
    if (kind !== 'tick/1' && kind !== 'event/1') continue;
    body['rule'] = body['rule'] === old ? named : next;
  }
  assert.equal(verified(await judgeSite(siteOf(late.publish()))).terminal[0]?.rule.version, 8);
});

test('terminal check: ticks that were missed or written late are counted', async () => {
  const forge = new Forge(LOG);
  const { seq } = newestOf(forge, 'tick/1', (body) => body['ts'] === '2026-03-01T14:15:00Z');
  (forge.drafts[seq + 1] as { at: string }).at = '2026-03-01T14:45:30Z';
  forge.drafts.splice(seq, 1);
  // The study counts entries.
  forge.drafts.pop();
  const { terminal } = verified(await judgeSite(siteOf(forge.publish())));
  assert.deepEqual(
    terminal.map(({ missed, late }) => ({ missed, late })),
    [{ missed: 1, late: 1 }],
  );
});

test('terminal check: what a tick makes due and a log ends before is named, and found when the log goes on', async () => {
  const forge = new Forge(LOG);
  const { draft, seq } = newestOf(forge, 'event/1');
  forge.drafts.splice(seq);
  const cut = verified(await judgeSite(siteOf(forge.publish())));
  assert.ok(
    cut.not_checked.some(({ what }) => what.includes('1 entries that the newest tick makes due')),
    JSON.stringify(cut.not_checked, null, 1),
  );
  forge.drafts.push({ at: draft.at, kind: 'note/1', body: { text: 'and on' } });
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.equal(verdict.outcome, 'findings');
  if (verdict.outcome !== 'findings') return;
  assert.deepEqual(
    verdict.findings.map(({ code }) => code),
    ['event_missing'],
  );
});

test('terminal check: of a tick that cannot be read one finding is reported, and not all that would follow', async () => {
  const forge = new Forge(LOG);
  const { draft } = newestOf(forge, 'tick/1', (body) => body['ts'] === '2026-03-01T02:00:00Z');
  forge.blobs.delete(draft.body['blob'] as string);
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.equal(verdict.outcome, 'findings');
  if (verdict.outcome !== 'findings') return;
  assert.deepEqual(
    verdict.findings.map(({ code }) => code),
    ['blob_missing'],
  );
  assert.ok(verdict.not_checked.some(({ what }) => what.includes('could not be read')));
});

test('terminal check: the studies that two months owe are verified, at whatever place of their month', async () => {
  const log = monthlyLog();
  const { checked } = verified(
    await judgeSite(siteOf(publish(log.entries, log.blobs, log.checkpoints))),
  );
  assert.equal(checked.studies, 2);
  const forge = new Forge(log);
  const places = forge.drafts.flatMap(({ kind }, seq) => (kind === 'study/1' ? [seq] : []));
  const [study] = places.map((seq) => forge.drafts[seq]?.body as Study);
  assert.equal(forge.drafts[study?.to ?? 0]?.body['ts'], '2026-05-01T00:00:00Z');
  const blob = parseStudyBlob(log.blobs.get((study as Study).blob) as Uint8Array);
  const { '1d': day, '30d': month } = blob.ordinary.horizons;
  // Some have not had their month yet, and some their day.
  assert.ok(month.n > 50 && day.n > month.n && blob.ordinary.excess_7d.n > 50);
  assert.ok(blob.groups.some(({ n }) => n > 3));
});

test('terminal check: a month that owes a study and goes by without one is named', async () => {
  const forge = new Forge(monthlyLog());
  const all = [...forge.drafts];
  // The newest may still come.
  for (const [kept, named] of [
    [
      all.slice(
        0,
        all.findIndex(({ kind }) => kind === 'study/1'),
      ),
      0,
    ],
    [all.filter(({ kind }) => kind !== 'study/1'), 1],
  ] as const) {
    forge.drafts.splice(0, forge.drafts.length, ...kept);
    const { not_checked } = verified(await judgeSite(siteOf(forge.publish())));
    const found = not_checked.filter(({ what }) => what.includes('1 month of crypto without'));
    assert.equal(found.length, named);
  }
});

test('terminal check: a study/1 of all before it may end any log, hides no month without its own, and has nothing behind it', async () => {
  const forge = new Forge(monthlyLog());
  const kept = forge.drafts.filter(({ kind }) => kind !== 'study/1');
  forge.drafts.splice(0, forge.drafts.length, ...kept);
  const [entry] = kept.flatMap(({ kind, body }) =>
    kind === 'score-rule/1' ? (body as unknown as ScoreRuleEntry) : [],
  );
  assert.ok(entry !== undefined);
  const maker = new StudyMaker(nodeSha256, entry.rule);
  for (const { kind, body } of kept) {
    if (kind !== 'tick/1') {
      maker.take({ kind, body } as unknown as KnownBody);
      continue;
    }
    const bytes = forge.blobs.get(body['blob'] as HashHex) as Uint8Array;
    const leaves = new Map(parseTickLeaves(bytes).map((leaf) => [leaf.symbol, leaf]));
    const good = new Set([...leaves.values()].flatMap((leaf) => (leaf.good ? leaf.symbol : [])));
    const scored = [...leaves.values()].flatMap(({ score, symbol }) =>
      score === null ? [] : symbol,
    );
    const ts = parseTime(body['ts'] as TimeText);
    maker.tick({
      ts,
      index: ts / 900,
      good,
      scored: () => scored,
      price: () => 1 + ((ts / 900) % 7),
    });
  }
  const { body, blob } = maker.make(0, kept.length);
  forge.keep(blob);
  forge.drafts.push({ at: kept.at(-1)?.at as TimeText, kind: 'study/1', body: { ...body } });
  const { not_checked } = verified(await judgeSite(siteOf(forge.publish())));
  const found = not_checked.find(({ what }) => what.includes('1 month of crypto without'));
  assert.equal(found?.remedy, 'ask_publisher');
  forge.drafts.push({
    ...(forge.drafts.at(-1) as LooseDraft),
    kind: 'note/1',
    body: { text: 'on' },
  });
  const longer = await judgeSite(siteOf(forge.publish()));
  assert.equal(longer.outcome, 'findings');
  assert.deepEqual(
    longer.findings.map(({ code, expected }) => [code, expected]),
    [['study_not_due', 'nothing after it']],
  );
});
