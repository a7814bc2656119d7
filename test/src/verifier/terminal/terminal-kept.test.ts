import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPLAY_ORIGIN } from '@assay/core/network';
import { parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { edgeGroups } from '@assay/core/terminal/edge/edge-groups';
import { formatWire, type WireObject } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { FindingCode } from '@assay/verifier/verdict/finding';
import { Random } from '../../core/terminal/random.ts';
import { edgeLog } from '../fixture/edge-log.ts';
import { Forge, type Forgeable, type Loose } from '../fixture/forge.ts';
import { type Said, walked, withMisdeeds } from '../fixture/kept-checks.ts';
import { monthlyLog } from '../fixture/monthly-log.ts';
import { chain } from '../fixture/published.ts';
import { LATER_RULE, newestOf, tickedLog } from '../fixture/ticked-log.ts';

/** What misdeeds are among; ticks, of which there is the most to say, more often than others. */
const KINDS = [
  'score-rule/1',
  'asset/1',
  'split/1',
  'tick/1',
  'tick/1',
  'tick/1',
  'event/1',
  'event-close/1',
  'receipt/1',
  'benchmark/1',
  'study/1',
];

test('terminal kept: interrupted before every entry, the check of a log that hands over says the same', async () => {
  const seen = new Set<FindingCode>();
  let late = 0;
  for (let seed = 1; seed <= 20; seed += 1) {
    const log = tickedLog(seed % 3 === 0, seed % 2 === 0 ? LATER_RULE : undefined);
    const forged = withMisdeeds(log, KINDS, new Random(seed), seed <= 2 ? 0 : 4);
    const parts = { ...forged, origin: REPLAY_ORIGIN };
    const whole = await walked(parts, () => false);
    assert.deepEqual(await walked(parts, () => true), whole, `seed ${seed}`);
    for (const { code } of whole.findings) seen.add(code);
    late += whole.terminal[0]?.late ?? 0;
    assert.equal(whole.findings.length === 0, seed <= 2, `seed ${seed}`);
  }
  const kinds = ['event', 'receipt', 'benchmark'];
  const codes = kinds.flatMap((kind) => [`${kind}_missing`, `${kind}_not_due`]);
  codes.push('due_late', 'value_contradicts', 'tick_not_due', 'tick_rule');
  codes.push('split_not_allowed', 'score_rule_not_allowed', 'study_not_due');
  assert.deepEqual(
    codes.filter((code) => !seen.has(code as FindingCode)),
    [],
  );
  assert.ok(late > 1);
});

/** What is said of a log after a change, which is the same wherever its check is interrupted. */
async function saidOf(
  log: Forgeable,
  origin: string,
  change: (forge: Forge) => void = () => undefined,
): Promise<Said> {
  const forge = new Forge(log);
  change(forge);
  const { drafts, blobs } = forge;
  const parts = { entries: chain(drafts as never), blobs, origin };
  const whole = await walked(parts, () => false);
  const studies = drafts.flatMap(({ kind }, seq) => (kind.startsWith('study/') ? [seq] : []));
  const draws = new Random(7);
  // Between ticks and what they open, around studies, and now and then.
  const isCut = (seq: number): boolean =>
    draws.oneIn(60) ||
    (drafts[seq]?.kind === 'event/1' && draws.oneIn(3)) ||
    studies.some((study) => Math.abs(study - seq) < 2);
  assert.deepEqual(await walked(parts, isCut), whole);
  return whole;
}

const brief = ({ findings }: Said): readonly string[] =>
  findings.map(({ code, place }) => `${code} ${place.replace(/^entry \d+/, '')}`);

const skipped = ({ not_checked }: Said): boolean =>
  not_checked.some(({ what }) => what.includes('without a study'));

test('terminal kept: the studies of version 1 that months owe are the same behind an interruption', async () => {
  const log = monthlyLog();
  const live = 'development/monthly';
  const honest = await saidOf(log, live);
  assert.deepEqual([brief(honest), skipped(honest)], [[], false]);
  const none = await saidOf(log, live, ({ drafts }) => {
    const seq = drafts.findIndex(({ kind }) => kind === 'study/1');
    drafts.splice(seq, 1);
  });
  // The second one counts an entry that is gone.
  assert.deepEqual([brief(none), skipped(none)], [['study_not_due /to'], true]);
});

test('terminal kept: the studies of version 2, and what they state again, are the same behind an interruption', async () => {
  const log = edgeLog();
  const live = 'development/edge';
  const honest = await saidOf(log, live);
  assert.deepEqual([brief(honest), skipped(honest)], [[], false]);
  const changed = (change: (study: Loose) => void) => (forge: Forge) => {
    const { draft } = newestOf(forge, 'study/2');
    const bytes = forge.blobs.get(draft.body['blob'] as string) as Uint8Array;
    const study = structuredClone(parseEdgeStudy(bytes)) as unknown as Loose;
    change(study);
    const { class: of, number, moments } = study;
    const made = { ...study, ...edgeGroups(nodeSha256, of, number, moments) };
    draft.body['blob'] = forge.keep(formatWire(made as unknown as WireObject));
  };
  // An event stated this return as its move, long before the study.
  const moved = await saidOf(log, live, (forge) => {
    forge.drafts.splice(newestOf(forge, 'study/2').seq, 1);
    changed(({ moments }) => {
      moments.find(({ symbol }: Loose) => symbol === 'LTC').returns['1d'].ret += 1;
    })(forge);
  });
  assert.deepEqual(brief(moved), ['study_differs , blob/moments/4/returns/1d/ret']);
  const restated = await saidOf(
    log,
    live,
    changed(({ moments }) => {
      moments.find(({ symbol }: Loose) => symbol !== 'BTC').returns['1d'].ret += 1;
    }),
  );
  assert.ok(
    restated.findings.some(({ expected }) => expected.includes('as in the study of entry')),
    JSON.stringify(restated.findings),
  );
});

test('terminal kept: an entry behind the study that ends a replay is found behind an interruption', async () => {
  const more = await saidOf(edgeLog('history'), REPLAY_ORIGIN, ({ drafts }) => {
    drafts.push({ at: drafts.at(-1)?.at ?? '', kind: 'note/1', body: { text: 'on' } });
  });
  assert.deepEqual(brief(more), ['study_not_due /to']);
});
