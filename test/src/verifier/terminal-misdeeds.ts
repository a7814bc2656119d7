import { contentHash, hashHex } from '@assay/core/hash';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Study } from '@assay/core/kind/study';
import { makeStudy } from '@assay/core/terminal/base-rate';
import { eventId } from '@assay/core/terminal/event-id';
import { scoreRuleHash } from '@assay/core/terminal/score-rule';
import { formatStudyBlob, parseStudyBlob } from '@assay/core/terminal/study-blob';
import { StudyEvents } from '@assay/core/terminal/study-events';
import { TICK_LEAF_BYTES, tickRoot } from '@assay/core/terminal/tick-leaf';
import { parseTime } from '@assay/core/time';
import { formatWire, type WireObject } from '@assay/core/wire';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { FindingCode } from '@assay/verifier/finding';
import { Forge, type Forgeable, type Loose, type LooseDraft } from './forge.ts';
import { bundleOf, judgeBundle, type Misdeed } from './misdeeds.ts';
import { monthlyLog } from './monthly-log.ts';
import { judgeSite, proven, siteOf } from './published.ts';
import { LATER_RULE, newestOf, TICKED_RULE, tickedLog } from './ticked-log.ts';

type Change = (forge: Forge) => void;

/** Of a publisher with every key: entries are linked, folded and signed again behind the change. */
function ticked(
  name: string,
  code: FindingCode,
  change: Change,
  place?: string,
  log: () => Forgeable = tickedLog,
): Misdeed {
  return {
    name,
    code,
    ...(place === undefined ? {} : { place }),
    async verdict() {
      const forge = new Forge(log());
      change(forge);
      return judgeSite(siteOf(forge.publish()));
    },
  };
}

/** The same of a log whose score rule is handed over. */
function handed(name: string, code: FindingCode, change: Change, place?: string): Misdeed {
  return {
    name,
    code,
    ...(place === undefined ? {} : { place }),
    async verdict() {
      const forge = new Forge(tickedLog(false, LATER_RULE));
      change(forge);
      return judgeSite(siteOf(forge.publish()));
    },
  };
}

function drop(of: string, wanted?: (body: Loose) => boolean): Change {
  return (forge) => forge.drafts.splice(newestOf(forge, of, wanted).seq, 1);
}

function alter(
  of: string,
  change: (body: Loose) => void,
  wanted?: (body: Loose) => boolean,
): Change {
  return (forge) => change(newestOf(forge, of, wanted).draft.body);
}

/** Puts an entry of the same kind once more, behind the first. */
function double(of: string): Change {
  return (forge) => {
    const { draft, seq } = newestOf(forge, of);
    forge.drafts.splice(seq + 1, 0, structuredClone(draft));
  };
}

/** The tick that an event opened at, or the one so many before. */
function tickBefore(forge: Forge, seq: number, back = 0): LooseDraft {
  const ticks = forge.drafts.slice(0, seq).filter(({ kind }) => kind === 'tick/1');
  return ticks.at(-1 - back) as LooseDraft;
}

/** Changes a byte of a tick's blob, which the entry then names; the root too where it is made again. */
function bendBlob(
  forge: Forge,
  tick: LooseDraft,
  at: number,
  change: (byte: number) => number,
  root = true,
): void {
  const bytes = Uint8Array.from(forge.blobs.get(tick.body['blob'] as string) as Uint8Array);
  bytes[at] = change(bytes[at] as number);
  tick.body['blob'] = forge.keep(bytes);
  if (root) tick.body['root'] = hashHex(tickRoot(nodeSha256, bytes));
}

const SCORE = 38;

const TICKS: readonly Misdeed[] = [
  {
    name: 'one bit of a tick blob as it is served',
    code: 'blob_differs',
    async verdict() {
      const forge = new Forge(tickedLog());
      const { draft } = newestOf(forge, 'tick/1');
      const hash = draft.body['blob'] as string;
      const bytes = Uint8Array.from(forge.blobs.get(hash) as Uint8Array);
      bytes[SCORE] = (bytes[SCORE] as number) ^ 1;
      forge.blobs.set(hash, bytes);
      return judgeSite(siteOf(forge.publish()));
    },
  },
  ticked(
    'a tick whose blob is not there',
    'blob_missing',
    (forge) => void forge.blobs.delete(newestOf(forge, 'tick/1').draft.body['blob'] as string),
  ),
  ticked('one bit of the tag of a leaf', 'tick_malformed', (forge) =>
    bendBlob(forge, newestOf(forge, 'tick/1').draft, TICK_LEAF_BYTES, (byte) => byte ^ 1),
  ),
  ticked(
    'a score changed in the blob, under the old root',
    'tick_differs',
    (forge) => bendBlob(forge, newestOf(forge, 'tick/1').draft, SCORE, (byte) => byte ^ 1, false),
    'root',
  ),
  ticked(
    'a tick of fewer leaves than it says',
    'tick_differs',
    alter('tick/1', (body) => {
      body['size'] += 1;
    }),
    'size',
  ),
  ticked(
    'leaves of another time',
    'tick_differs',
    (forge) => {
      const { draft, seq } = newestOf(forge, 'tick/1');
      for (const part of ['blob', 'root']) draft.body[part] = tickBefore(forge, seq).body[part];
    },
    'ts',
  ),
  ticked(
    'a leaf of an asset that is not listed',
    'tick_differs',
    (forge) => {
      const { draft } = newestOf(forge, 'tick/1');
      bendBlob(forge, draft, TICK_LEAF_BYTES + 14, () => 'X'.charCodeAt(0));
    },
    'leaf',
  ),
  ticked('a tick that stands twice', 'tick_not_due', double('tick/1')),
  ticked(
    'a tick off the grid',
    'tick_not_due',
    alter('tick/1', (body) => {
      body['ts'] = (body['ts'] as string).replace(/..Z$/, '01Z');
    }),
  ),
  ticked('a tick of a time to come', 'tick_not_due', (forge) => {
    const { draft } = newestOf(forge, 'tick/1');
    draft.body['ts'] = (draft.body['ts'] as string).replace('2026', '2027');
  }),
  ticked(
    'a tick under a rule that nobody recorded',
    'tick_rule',
    alter('tick/1', (body) => {
      body['rule'] = 'ab'.repeat(32);
    }),
  ),
  ticked('a tick under the version before the newest', 'tick_rule', (forge) => {
    const { draft, seq } = newestOf(forge, 'tick/1');
    const rule = { ...TICKED_RULE, version: 2 };
    forge.drafts.splice(seq, 0, { at: draft.at, kind: 'score-rule/1', body: { rule } });
  }),
  handed('a tick under the older version behind one under the newer', 'tick_rule', (forge) => {
    const { draft } = newestOf(forge, 'tick/1');
    draft.body['rule'] = scoreRuleHash(nodeSha256, TICKED_RULE);
  }),
  handed('a tick under a version that is recorded behind it', 'tick_rule', (forge) => {
    const { seq } = newestOf(forge, 'score-rule/1');
    const [rule] = forge.drafts.splice(seq, 1) as [LooseDraft];
    forge.drafts.splice(seq + 1, 0, { ...rule, at: (forge.drafts[seq] as LooseDraft).at });
  }),
  handed(
    'an event under another version than its tick',
    'event_differs',
    alter('event/1', (body) => {
      body['rule'] = scoreRuleHash(nodeSha256, TICKED_RULE);
    }),
    '/rule',
  ),
];

const LISTS: readonly Misdeed[] = [
  ticked('a score rule that stands twice', 'score_rule_not_allowed', double('score-rule/1')),
  handed(
    'a version that is left out',
    'score_rule_not_allowed',
    alter('score-rule/1', ({ rule }) => {
      rule.version = 3;
    }),
  ),
  handed(
    'a version with other receipts',
    'score_rule_not_allowed',
    alter('score-rule/1', ({ rule }) => {
      rule.receipts.void_after_s += 1;
    }),
  ),
  ticked(
    'an asset with other decimals than at first',
    'asset_not_allowed',
    alter('asset/1', (body) => {
      body['decimals'] = 3;
    }),
  ),
  ticked('a split that comes behind its first tick', 'split_not_allowed', (forge) => {
    const { draft, seq } = newestOf(forge, 'split/1');
    const [split] = forge.drafts.splice(seq, 1) as [LooseDraft];
    forge.drafts.splice(seq + 1, 0, { ...split, at: (forge.drafts[seq] as LooseDraft).at });
    return draft;
  }),
  ticked(
    'a split of no asset',
    'split_not_allowed',
    alter('split/1', (body) => {
      body['symbol'] = 'NONE';
    }),
  ),
];

/** The newest asset that is not listed any more is again, as if it had been away for a tick. */
const RELISTED: Change = (forge) => {
  const { draft, seq } = newestOf(forge, 'asset/1', ({ listed }) => listed === false);
  const from = forge.drafts.findIndex(({ kind }, i) => i > seq && kind === 'tick/1');
  const behind = forge.drafts.findIndex(({ kind }, i) => i > from && kind === 'tick/1');
  const { at } = forge.drafts[behind - 1] as LooseDraft;
  const again = { at, kind: 'asset/1', body: { ...draft.body, listed: true } };
  forge.drafts.splice(behind, 0, again);
};

const LISTED_AGAIN: readonly Misdeed[] = [
  ticked('an asset that was away for one tick, its receipts void', 'asset_not_allowed', RELISTED),
  ticked('a split that stands twice', 'split_not_allowed', double('split/1')),
  ticked('another split of the same day', 'split_not_allowed', (forge) => {
    const { draft, seq } = newestOf(forge, 'split/1');
    const effective_at = (draft.body['effective_at'] as string).replace(
      /T..:..:..Z$/,
      'T23:59:59Z',
    );
    const split = { ...draft, body: { ...draft.body, effective_at, numerator: 1 } };
    forge.drafts.splice(seq + 1, 0, split);
  }),
  ticked(
    'a split of a million for one',
    'entry_malformed',
    alter('split/1', (body) => {
      body['numerator'] = 1_000_000;
    }),
  ),
];

/** A bundle shows no whole log: what a tick makes due cannot be seen in it. */
const BUNDLES: readonly Misdeed[] = [
  {
    name: 'a bundle with an entry of the Terminal',
    code: 'not_understood',
    async verdict({ log }) {
      const forge = new Forge(log);
      const [asset] = new Forge(tickedLog()).drafts.filter(({ kind }) => kind === 'asset/1');
      forge.drafts.push({ ...(asset as LooseDraft), at: forge.report('final').draft.at });
      const published = forge.publish();
      const bundle = structuredClone(await bundleOf(published)) as Loose;
      bundle['entries'].push(proven(published, published.entries.length - 1));
      return judgeBundle(bundle);
    },
  },
];

/** A score that the publisher lifts so that an event would open, with blob and root made again. */
const LIFTED: Change = (forge) => {
  const { seq } = newestOf(forge, 'event/1');
  bendBlob(forge, tickBefore(forge, seq, 1), SCORE, () => 99);
};

const EVENTS: readonly Misdeed[] = [
  ticked('an event left out', 'event_missing', drop('event/1')),
  ticked('a close left out', 'event_missing', drop('event-close/1')),
  ticked('a score that opens an event which is not there', 'event_missing', LIFTED),
  ticked(
    'another score than the leaf has',
    'event_differs',
    alter('event/1', (body) => {
      body['score'] -= 1;
    }),
    '/score',
  ),
  ticked(
    'an event without a move',
    'event_differs',
    alter('event/1', (body) => {
      body['move_24h'] = null;
    }),
    '/move_24h',
  ),
  ticked(
    'a breadth of more assets than were good',
    'event_differs',
    alter('event/1', (body) => {
      body['breadth'].of = 4;
    }),
    '/breadth/of',
  ),
  ticked(
    'a breadth without an asset that was good at both ends',
    'event_differs',
    alter('event/1', (body) => {
      body['breadth'].of = 2;
    }),
    '/breadth/of',
  ),
  ticked(
    'a volume that cannot make the score',
    'event_differs',
    alter('event/1', (body) => {
      body['vol_mult'] = 0;
    }),
    '/vol_mult',
  ),
  ticked(
    'another peak than the leaves have',
    'event_differs',
    alter('event-close/1', (body) => {
      body['peak_score'] -= 1;
    }),
    '/peak_score',
  ),
  ticked(
    'another reason to close',
    'event_differs',
    alter('event-close/1', (body) => {
      body['reason'] = 'silent';
    }),
    '/reason',
  ),
  ticked('an event that no score opened', 'event_not_due', (forge) => {
    const { draft, seq } = newestOf(forge, 'event/1');
    const { body: tick, at } = tickBefore(forge, seq, 1);
    const body = structuredClone(draft.body);
    body['opened_at'] = tick['ts'];
    body['id'] = eventId(nodeSha256, body['symbol'] as string, parseTime(tick['ts'] as string));
    const behind = forge.drafts.findIndex((each) => each.body === tick) + 1;
    forge.drafts.splice(behind, 0, { at, kind: 'event/1', body });
  }),
  ticked('an event that stands twice', 'event_not_due', double('event/1')),
  ticked('an event before the one that comes first', 'event_not_due', (forge) => {
    const both = forge.drafts.findIndex(
      ({ kind }, i) => kind === 'event/1' && forge.drafts[i + 1]?.kind === 'event/1',
    );
    if (both < 0) throw new TypeError('no tick with two events');
    forge.drafts.splice(both, 0, ...forge.drafts.splice(both + 1, 1));
  }),
  ticked('an event that another entry comes before', 'event_missing', (forge) => {
    const { draft, seq } = newestOf(forge, 'event/1');
    const note = { at: draft.at, kind: 'note/1', body: { text: 'between a tick and its event' } };
    forge.drafts.splice(seq, 0, note);
  }),
];

const isResolved = ({ status }: Loose): boolean => status === 'resolved';

const RECEIPTS: readonly Misdeed[] = [
  ticked('a receipt left out', 'receipt_missing', drop('receipt/1')),
  ticked(
    'a void in place of a return',
    'receipt_differs',
    alter(
      'receipt/1',
      (body) => {
        const nothing = { resolved_at: null, ret: null, price: null };
        Object.assign(body, { ...nothing, status: 'void', reason: 'no_data' });
      },
      isResolved,
    ),
    '/status',
  ),
  ticked(
    'a receipt that another tick resolved',
    'receipt_differs',
    alter(
      'receipt/1',
      (body) => {
        body['resolved_at'] = (body['resolved_at'] as string).replace('2026', '2025');
      },
      isResolved,
    ),
    '/resolved_at',
  ),
  ticked('a receipt that stands twice', 'receipt_not_due', double('receipt/1')),
  ticked('a benchmark left out', 'benchmark_missing', drop('benchmark/1')),
  ticked(
    'a benchmark over another time',
    'benchmark_differs',
    alter('benchmark/1', (body) => {
      body['from'] = (body['from'] as string).replace('2026', '2025');
    }),
    '/from',
  ),
  ticked('a benchmark that stands twice', 'benchmark_not_due', double('benchmark/1')),
];

/** The two newest events that opened at one tick. */
function twins(forge: Forge): readonly [Loose, Loose] {
  const at = forge.drafts.findLastIndex(
    ({ kind }, i) => kind === 'event/1' && forge.drafts[i + 1]?.kind === 'event/1',
  );
  if (at < 0) throw new TypeError('no tick with two events');
  return [(forge.drafts[at] as LooseDraft).body, (forge.drafts[at + 1] as LooseDraft).body];
}

const isMeasured = ({ reason }: Loose): boolean => reason === null;

const STAYING = (): Forgeable => tickedLog(true);

/** Two benchmarks over the same two ticks. */
function sameTicks(forge: Forge): readonly [Loose, Loose] {
  const all = forge.drafts.flatMap(({ kind, body }) =>
    kind === 'benchmark/1' && isMeasured(body) ? [body] : [],
  );
  for (const [i, one] of all.entries()) {
    const two = all[i + 1];
    if (one['from'] === two?.['from'] && one['to'] === two?.['to']) return [one, two as Loose];
  }
  throw new TypeError('no two benchmarks over the same ticks');
}

const openOf = (forge: Forge, { id }: Loose): Loose =>
  newestOf(forge, 'event/1', (body) => body['id'] === id).draft.body;

const LATE: readonly Misdeed[] = [
  ticked('an event that was written when its outcome was known', 'due_late', (forge) => {
    const { draft, seq } = newestOf(forge, 'event/1');
    forge.drafts.length = seq + 1;
    draft.at = '2027-01-10T00:00:00Z';
  }),
];

const VALUES: readonly Misdeed[] = [
  ticked(
    'two events of one tick with different breadths',
    'value_contradicts',
    (forge) => void (twins(forge)[1]['breadth'] = { up: 1, down: 2, of: 3 }),
    '/breadth',
  ),
  ticked(
    'a breadth without the events of the tick itself',
    'value_contradicts',
    (forge) => {
      for (const body of twins(forge)) body['breadth'] = { up: 1, down: 1, of: 3 };
    },
    '/breadth',
  ),
  ticked(
    'a benchmark that did two things over the same time',
    'value_contradicts',
    (forge) => void (sameTicks(forge)[1]['ret'] = -9999),
    '/ret',
    STAYING,
  ),
  ticked(
    'a benchmark with two prices at one tick',
    'value_contradicts',
    (forge) => void (sameTicks(forge)[1]['from_price'] = '4'.repeat(64)),
    '/from_price',
    STAYING,
  ),
  ticked(
    'a price at the end of a receipt that is the one at its beginning',
    'value_contradicts',
    (forge) => {
      const { body } = newestOf(forge, 'receipt/1', isResolved).draft;
      body['price'] = openOf(forge, body)['price'];
    },
    '/price',
  ),
];

/** A score at the log's very first tick, and the event that it opens. */
const FIRST_SCORE: Change = (forge) => {
  const first = forge.drafts.findIndex(({ kind }) => kind === 'tick/1');
  const { body } = structuredClone(newestOf(forge, 'event/1').draft);
  forge.drafts.length = first + 1;
  const { at, body: tick } = forge.drafts[first] as LooseDraft;
  bendBlob(forge, forge.drafts[first] as LooseDraft, SCORE, () => 100);
  const opened_at = tick['ts'] as string;
  const id = eventId(nodeSha256, 'ADA', parseTime(opened_at));
  Object.assign(body, {
    id,
    symbol: 'ADA',
    opened_at,
    score: 100,
    breadth: { up: 0, down: 0, of: 0 },
  });
  forge.drafts.push({ at, kind: 'event/1', body });
};

const SCORES: readonly Misdeed[] = [
  ticked('a score before there can be one', 'score_unfounded', FIRST_SCORE, ', ADA'),
];

/** A change of the study, which its entry then names. */
function studied(name: string, code: FindingCode, change: (study: Loose) => void): Misdeed {
  return ticked(name, code, (forge) => {
    const { draft } = newestOf(forge, 'study/1');
    const bytes = forge.blobs.get(draft.body['blob'] as string) as Uint8Array;
    const study = JSON.parse(new TextDecoder().decode(bytes)) as Loose;
    change(study);
    const bent = formatWire(study as WireObject);
    draft.body['blob'] = hashHex(contentHash(nodeSha256, bent));
    forge.keep(bent);
  });
}

/** A study that holds together, of other ordinary moments or another range. */
function restudied(
  name: string,
  bend: (ordinary: Loose) => void,
  change: Change = () => undefined,
  code: FindingCode = 'study_differs',
): Misdeed {
  return ticked(name, code, (forge) => {
    change(forge);
    const { draft } = newestOf(forge, 'study/1');
    const { from, to, rule } = draft.body as Study;
    const bytes = forge.blobs.get(draft.body['blob'] as string) as Uint8Array;
    const ordinary = structuredClone(parseStudyBlob(bytes).ordinary);
    bend(ordinary as unknown as Loose);
    const events = new StudyEvents('crypto');
    for (const entry of forge.drafts.slice(from, to)) events.take(entry as unknown as KnownBody);
    const data = { class: 'crypto', rule, from, to, events: events.closed, ordinary } as const;
    draft.body['blob'] = forge.keep(formatStudyBlob(makeStudy(nodeSha256, data)));
  });
}

/** Of a publisher whose log lives for months. */
function monthly(name: string, change: Change): Misdeed {
  return {
    name,
    code: 'study_not_due',
    async verdict() {
      const forge = new Forge(monthlyLog());
      change(forge);
      return judgeSite(siteOf(forge.publish()));
    },
  };
}

function studiesOf(forge: Forge): readonly [first: number, second: number] {
  const [first = -1, second = -1] = forge.drafts.flatMap(({ kind }, seq) =>
    kind === 'study/1' ? [seq] : [],
  );
  return [first, second];
}

const STUDIES: readonly Misdeed[] = [
  studied('a study without a group', 'study_malformed', (study) => void study['groups'].pop()),
  studied('a study that withholds less than it must', 'study_differs', (study) => {
    study['groups'][0].withheld.pop();
  }),
  studied('a study without one of its assets', 'study_differs', (study) => {
    study['symbols'].pop();
  }),
  restudied('a study of more ordinary moments than the leaves have', ({ horizons }) => {
    horizons['1d'].n += 1;
  }),
  restudied('a study of ordinary moments that had no time for their returns', ({ horizons }) => {
    Object.assign(horizons['7d'], { n: 3, up_share: 3333, median_ret: 7 });
  }),
  restudied('a study of excess returns that nothing was held against', (ordinary) => {
    ordinary['excess_7d'] = { n: 1, sum: '-999999999999' };
    ordinary['horizons']['7d'].median_excess = 5;
  }),
  restudied('a share that no number of ordinary moments has', ({ horizons }) => {
    horizons['1d'].up_share = 9999;
  }),
  restudied('a median above 0 where few rose', ({ horizons }) => {
    Object.assign(horizons['1d'], { up_share: 0, median_ret: 5 });
  }),
  restudied(
    'a study under a rule that no tick had',
    () => undefined,
    (forge) => {
      const rule = { ...TICKED_RULE, version: 2 };
      const { draft, seq } = newestOf(forge, 'study/1');
      forge.drafts.splice(seq, 0, { at: draft.at, kind: 'score-rule/1', body: { rule } });
      draft.body['rule'] = scoreRuleHash(nodeSha256, rule);
      draft.body['to'] += 1;
    },
  ),
  restudied(
    'a study of the events behind some of its choice',
    () => undefined,
    (forge) => {
      const first = forge.drafts.findIndex(({ kind }) => kind === 'event/1');
      newestOf(forge, 'study/1').draft.body['from'] = first + 1;
    },
    'study_not_due',
  ),
  restudied(
    'a study that leaves out the newest entries',
    () => undefined,
    (forge) => void (newestOf(forge, 'study/1').draft.body['to'] -= 3),
    'study_not_due',
  ),
  ticked('a study of entries to come', 'study_not_due', (forge) => {
    newestOf(forge, 'study/1').draft.body['to'] += 1;
  }),
  ticked('a study of stocks, which have no ticks', 'study_not_due', (forge) => {
    newestOf(forge, 'study/1').draft.body['class'] = 'stock';
  }),
  ticked('a study of all before it, in the middle of a log', 'study_not_due', (forge) => {
    const { draft } = newestOf(forge, 'study/1');
    forge.drafts.push({ at: draft.at, kind: 'note/1', body: { text: 'and on' } });
  }),
  ticked('a study that stands twice', 'study_not_due', double('study/1')),
  monthly('a month with two studies', double('study/1')),
  monthly('a study of May when June has begun', (forge) => {
    const [first, second] = studiesOf(forge);
    forge.drafts.splice(second, 1, ...forge.drafts.splice(first, 1));
  }),
  monthly('a study up to another tick than the first of its month', (forge) => {
    const { draft } = newestOf(forge, 'study/1');
    draft.body['to'] += 1;
  }),
  monthly('a study of a month in which the class was too young', (forge) => {
    const early = forge.drafts.findIndex(({ body }) => body['ts'] === '2026-04-01T00:00:00Z');
    const [first] = studiesOf(forge);
    const [study] = forge.drafts.splice(first, 1) as [LooseDraft];
    study.body['to'] = early;
    study.at = (forge.drafts[early] as LooseDraft).at;
    forge.drafts.splice(early + 1, 0, study);
  }),
];

/** What a publisher with every key does with the Terminal's ticks and what follows from them. */
export const TERMINAL_MISDEEDS: readonly Misdeed[] = [
  ...TICKS,
  ...LISTS,
  ...LISTED_AGAIN,
  ...BUNDLES,
  ...EVENTS,
  ...RECEIPTS,
  ...LATE,
  ...VALUES,
  ...SCORES,
  ...STUDIES,
];
