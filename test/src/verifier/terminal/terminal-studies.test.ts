import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, type HashHex, hashHex } from '@assay/core/hash/hash';
import type { Asset } from '@assay/core/kind/asset';
import type { EventOpen } from '@assay/core/kind/event';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { edgeGroups } from '@assay/core/terminal/edge/edge-groups';
import { EdgeStudyMaker } from '@assay/core/terminal/edge/edge-study-maker';
import { monthOf } from '@assay/core/terminal/edge/study-spending';
import { STOCK_REPLAY_RULE } from '@assay/core/terminal/rule/score-rules';
import type { TickInput } from '@assay/core/terminal/score/good';
import { parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { StudyMaker } from '@assay/core/terminal/study/study-maker';
import { Terminal } from '@assay/core/terminal/terminal';
import { DAY_SECONDS, formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import { formatWire, type WireObject, wire } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { shortRule } from '../../core/terminal/score-rule-fixture.ts';
import { EDGE_RULE, edgeLog } from '../fixture/edge-log.ts';
import { Forge, type Forgeable, type LooseDraft } from '../fixture/forge.ts';
import { chain, type Draft, judgeSite, publish, siteOf } from '../fixture/published.ts';
import { beginning, newestOf, tickedLog } from '../fixture/ticked-log.ts';

const MONTHS = edgeLog();

function verified(verdict: Verdict): Extract<Verdict, { readonly outcome: 'verified' }> {
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  return verdict as Extract<Verdict, { readonly outcome: 'verified' }>;
}

function placesOf(verdict: Verdict): readonly string[] {
  assert.equal(verdict.outcome, 'findings', JSON.stringify(verdict, null, 1));
  const { findings } = verdict as Extract<Verdict, { readonly outcome: 'findings' }>;
  return findings.map(({ code, place }) => `${code} ${place.replace(/^.*entry \d+/, '')}`);
}

/** What a verifier says of the log after a change. */
async function judged(log: Forgeable, change: (forge: Forge) => void): Promise<Verdict> {
  const forge = new Forge(log);
  change(forge);
  return judgeSite(siteOf(forge.publish()));
}

const skipped = ({ not_checked }: ReturnType<typeof verified>): readonly string[] =>
  not_checked.flatMap(({ what }) => what.match(/\d+ months? of crypto without/) ?? []);

test('terminal studies: those of version 2 that two months owe are verified, at whatever place of their month', async () => {
  const verdict = verified(
    await judgeSite(siteOf(publish(MONTHS.entries, MONTHS.blobs, MONTHS.checkpoints))),
  );
  assert.equal(verdict.checked.studies, 2);
  assert.deepEqual(skipped(verdict), []);
  assert.ok(verdict.not_checked.some(({ what }) => what.startsWith('ret, base and base_lost')));
});

test('terminal studies: a month without its study of version 2 is named, and the newest may still come', async () => {
  const without = (wanted: (draft: LooseDraft) => boolean) => (forge: Forge) => {
    const kept = forge.drafts.filter((draft) => !wanted(draft));
    forge.drafts.splice(0, forge.drafts.length, ...kept);
  };
  const all = verified(
    await judged(
      MONTHS,
      without(({ kind }) => kind === 'study/2'),
    ),
  );
  assert.deepEqual(skipped(all), ['1 month of crypto without']);
  const newest = newestOf(new Forge(MONTHS), 'study/2').draft.at;
  const last = without(({ kind, at }) => kind === 'study/2' && at === newest);
  assert.deepEqual(skipped(verified(await judged(MONTHS, last))), []);
});

test('terminal studies: a recorded history ends with its study, and nothing follows it', async () => {
  const log = edgeLog('history');
  const { drafts } = new Forge(log);
  const { kind, body } = drafts.at(-1) as LooseDraft;
  assert.deepEqual([kind, body['from'], body['to']], ['study/2', 0, drafts.length - 1]);
  const whole = publish(log.entries, log.blobs, log.checkpoints);
  const verdict = verified(await judgeSite(siteOf(whole)));
  assert.equal(verdict.checked.studies, 1);
  // The months of a replay owe no studies, whether it has ended or may still go on.
  assert.deepEqual(skipped(verdict), []);
  assert.deepEqual(skipped(verified(await judged(log, ({ drafts: all }) => void all.pop()))), []);
  const more = await judged(log, (forge) => {
    forge.drafts.push({ ...(drafts.at(-1) as LooseDraft), kind: 'note/1', body: { text: 'on' } });
  });
  assert.deepEqual(placesOf(more), ['study_not_due /to']);
});

/** A change of the newest study, whose groups are made again. */
function restudied(change: (study: LooseDraft['body'], draft: LooseDraft) => void) {
  return (forge: Forge): void => {
    const { draft } = newestOf(forge, 'study/2');
    const bytes = forge.blobs.get(draft.body['blob'] as string) as Uint8Array;
    const study = structuredClone(parseEdgeStudy(bytes)) as unknown as LooseDraft['body'];
    change(study, draft);
    const { class: of, number, moments } = study;
    const made = { ...study, ...edgeGroups(nodeSha256, of, number, moments) };
    draft.body['blob'] = forge.keep(formatWire(made as unknown as WireObject));
  };
}

const MISDEEDS: readonly (readonly [string, (forge: Forge) => void, readonly string[]])[] = [
  [
    'a study of another number',
    restudied((study) => {
      study['number'] += 2;
    }),
    ['study_differs , blob/number'],
  ],
  [
    'a study of another range',
    restudied((study, { body }) => {
      study['to'] += 1;
      body['to'] += 1;
    }),
    ['study_not_due /to'],
  ],
  [
    'a study from a later entry on',
    restudied((study, { body }) => {
      study['from'] = 1;
      body['from'] = 1;
    }),
    ['study_not_due /to'],
  ],
  [
    'a study without a moment that did not please',
    restudied((study) => {
      study['moments'].splice(9, 1);
    }),
    ['study_differs , blob/moments/9/id'],
  ],
  [
    'a return that the study before stated otherwise',
    restudied((study) => {
      study['moments'].find(({ symbol }: LooseDraft['body']) => symbol !== 'BTC').returns[
        '1d'
      ].ret += 1;
    }),
    ['study_differs , blob/moments/0/returns/1d/ret'],
  ],
  [
    'a control without a price that lost nothing',
    restudied((study) => {
      for (const { returns } of study['moments']) {
        const month = returns['30d'];
        if (month?.unpriced_controls > 0) month.base_lost = month.base;
      }
    }),
    ['study_differs , blob/moments/61/returns/30d/base_lost'],
  ],
  [
    'a control that has a price, and none of it counts',
    restudied((study) => {
      study['moments'][60].returns['30d'].unpriced_controls += 1;
    }),
    ['study_differs , blob/moments/60/returns/30d/unpriced_controls'],
  ],
  [
    'a return that is not the move of an event over the same ticks',
    (forge) => {
      forge.drafts.splice(newestOf(forge, 'study/2').seq, 1);
      restudied((study) => {
        const own = study['moments'].find(({ symbol }: LooseDraft['body']) => symbol === 'LTC');
        own.returns['1d'].ret += 1;
      })(forge);
    },
    ['study_differs , blob/moments/4/returns/1d/ret'],
  ],
  [
    'a study of version 1',
    (forge) => {
      newestOf(forge, 'study/2').draft.kind = 'study/1';
    },
    ['study_not_due /kind'],
  ],
];

for (const [name, change, places] of MISDEEDS) {
  test(`terminal studies: ${name} is found`, async () => {
    assert.deepEqual(placesOf(await judged(MONTHS, change)), places);
  });
}

/**
 * Cuts the log before its first tick at this time or later, and ends it with a study of everything before it, as only a
 * replay does. No price moves in it.
 */
function ended(time: string): (forge: Forge) => void {
  return (forge) => {
    const { drafts } = forge;
    const end = drafts.findIndex(({ kind, body }) => kind === 'tick/1' && body['ts'] >= time);
    if (end >= 0) drafts.splice(end);
    const maker = new EdgeStudyMaker(nodeSha256, EDGE_RULE);
    let quiet: readonly string[] = [];
    for (const { kind, body } of drafts) {
      if (kind === 'event/1') maker.open(body as unknown as EventOpen, quiet);
      if (kind !== 'tick/1') continue;
      const leaves = parseTickLeaves(forge.blobs.get(body['blob'] as HashHex) as Uint8Array);
      const good = leaves.filter((leaf) => leaf.good);
      const isQuiet = (score: number | null) => score !== null && score < EDGE_RULE.event.close;
      quiet = good.flatMap(({ symbol, score }) => (isQuiet(score) ? symbol : []));
      const ts = parseTime(body['ts'] as TimeText);
      const symbols = new Set(good.map(({ symbol }) => symbol));
      maker.tick({ ts, index: ts / 900, good: () => symbols, price: () => 1 });
    }
    const { body, blob } = maker.make(0, drafts.length);
    forge.keep(blob);
    const { at } = drafts.at(-1) as LooseDraft;
    drafts.push({ at, kind: 'study/2', body: wire(body) as LooseDraft['body'] });
  };
}

for (const [name, time] of [
  ['after both that are due', '2027-01-01T00:00:00Z'],
  ['in the middle of a month that has its own', '2026-05-17T00:00:00Z'],
  ['in a month whose own may still come', '2026-05-01T02:00:00Z'],
  ['before the first month', '2026-04-17T00:00:00Z'],
] as const) {
  test(`terminal studies: in a live log one of everything before it is found, ${name}`, async () => {
    assert.deepEqual(placesOf(await judged(MONTHS, ended(time))), ['study_not_due /to']);
  });
}

test('terminal studies: one of a month is found in a replay', async () => {
  const verdict = await judged(edgeLog('history'), ({ drafts }) => {
    const { body } = drafts.at(-1) as LooseDraft;
    body['to'] = drafts.findIndex(({ body: { ts } }) => ts === '2026-06-01T00:00:00Z');
  });
  assert.deepEqual(placesOf(verdict), ['study_not_due /to']);
});

test('terminal studies: one of version 2 where version 1 is due is found', async () => {
  const verdict = await judged(tickedLog(), (forge) => {
    newestOf(forge, 'study/1').draft.kind = 'study/2';
  });
  assert.deepEqual(placesOf(verdict), ['study_not_due /kind']);
});

/** The newest moment of the newest study, which none before it has. */
const LAST = (() => {
  const { body } = newestOf(new Forge(MONTHS), 'study/2').draft;
  const blob = MONTHS.blobs.get(body['blob'] as HashHex) as Uint8Array;
  return parseEdgeStudy(blob).moments.length - 1;
})();

/** What a verifier says of the log after a change, if leaves of a tick in its middle cannot be read. */
async function judgedBlind(change: (forge: Forge) => void): Promise<Verdict> {
  const forge = new Forge(MONTHS);
  const { draft } = newestOf(forge, 'tick/1', ({ ts }) => ts === '2026-04-01T00:00:00Z');
  change(forge);
  const site = siteOf(forge.publish());
  site.delete(`/blob/${draft.body['blob']}`);
  return judgeSite(site);
}

test('terminal studies: leaves that cannot be read leave moments unchecked, which is no finding', async () => {
  const verdict = await judgedBlind(() => undefined);
  assert.deepEqual(
    placesOf(verdict).map((place) => place.split(' ')[0]),
    ['blob_missing'],
  );
  const { not_checked } = verdict as Extract<Verdict, { readonly outcome: 'findings' }>;
  assert.ok(not_checked.some(({ what }) => what.startsWith('which events of crypto are moments')));
});

for (const [name, change, places] of [
  [
    'an event left out of its study',
    restudied((study) => {
      study['moments'].splice(9, 1);
    }),
    ['study_differs , blob/left_out'],
  ],
  [
    'a moment of no event',
    restudied((study) => {
      study['moments'][9].id = '6d74a5cc-5346-8dc9-8483-471003c76924';
    }),
    ['study_differs , blob/moments/9/id'],
  ],
  [
    'an event that is in another group',
    restudied((study) => {
      const [moment] = study['moments'];
      moment.bucket = moment.bucket === 'up_5' ? 'up_15' : 'up_5';
    }),
    ['study_differs , blob/moments/0/bucket'],
  ],
  [
    'a moment that was entered at no tick',
    restudied((study) => {
      study['moments'].at(-1).entered_at += 900;
    }),
    [`study_differs , blob/moments/${LAST}/entered_at`],
  ],
  [
    'a moment that was entered too late',
    restudied((study) => {
      // The log has a tick in every hour, of four counts.
      study['moments'].at(-1).entered_at += 3600 * Math.ceil(EDGE_RULE.event.silent / 4);
    }),
    [`study_differs , blob/moments/${LAST}/entered_at`],
  ],
] as const) {
  test(`terminal studies: ${name} is found though leaves cannot be read`, async () => {
    const found = placesOf(await judgedBlind(change));
    assert.deepEqual(
      found.filter((place) => !place.startsWith('blob_missing')),
      places,
    );
  });
}

const FIRST_RULE = shortRule({ sources: { ...shortRule().sources, required: 1 } });
const SECOND_RULE = {
  ...EDGE_RULE,
  version: FIRST_RULE.version + 1,
  receipts: FIRST_RULE.receipts,
};

function readingAt(ts: number): TickInput {
  const [price, volume24h, stamped_at] = ['100.00', '1000', formatTime(ts)];
  const source = { provider: 'recorded', price, volume_24h: volume24h, stamped_at };
  return { price, volume24h, sources: [source] };
}

/** A log with one tick a day from January 1 on, which goes over to studies of version 2 on April 3. */
function handedLog(): Forgeable {
  const { keys, checkpoints, genesis } = beginning('development/handed');
  const blobs = new Map<HashHex, Uint8Array>();
  const drafts: Draft[] = [];
  const append = (ts: number, kind: string, body: unknown): void => {
    drafts.push({ at: formatTime(ts + 60), kind, body: body as WireObject });
  };
  const keep = (bytes: Uint8Array): void => {
    blobs.set(hashHex(contentHash(nodeSha256, bytes)), bytes);
  };
  const start = parseTime('2026-01-01T00:00:00Z');
  const about = { name: 'BTC', class: 'crypto', decimals: 2, listed: true, display: true } as const;
  const asset: Asset = { symbol: 'BTC', ...about };
  const begin = (rule: typeof FIRST_RULE): Terminal => {
    const seed = new Uint8Array(32).fill(5);
    const terminal = new Terminal({ sha256: nodeSha256, seed, rule, grid: utcGrid });
    terminal.list(asset, start);
    return terminal;
  };
  append(start, 'genesis/1', genesis);
  append(start, 'score-rule/1', { rule: FIRST_RULE });
  append(start, 'asset/1', asset);
  const first = new StudyMaker(nodeSha256, FIRST_RULE);
  const second = new EdgeStudyMaker(nodeSha256, SECOND_RULE);
  let [terminal, isSecond] = [begin(FIRST_RULE), false];
  for (let day = 0; day < 240; day += 1) {
    const ts = start + day * DAY_SECONDS;
    const date = formatTime(ts).slice(0, 10);
    const make = { '2026-04-01': first, '2026-07-01': second, '2026-08-01': second }[date];
    const study = make?.make(0, drafts.length, monthOf(ts));
    if (date === '2026-04-03') {
      append(ts - DAY_SECONDS, 'score-rule/1', { rule: SECOND_RULE });
      [terminal, isSecond] = [begin(SECOND_RULE), true];
    }
    const step = terminal.step(ts, new Map([['BTC', readingAt(ts)]]));
    keep(step.blob);
    (isSecond ? second : first).step(ts, utcGrid.indexOf(ts) as number, step);
    for (const { kind, body } of step.drafts) append(ts, kind, body);
    if (study === undefined) continue;
    keep(study.blob);
    append(ts, make === second ? 'study/2' : 'study/1', wire(study.body));
  }
  return { entries: chain(drafts), blobs, checkpoints, keys };
}

test('terminal studies: a log goes over from version 1 to version 2, with 60 days in between', async () => {
  const log = handedLog();
  const verdict = verified(
    await judgeSite(siteOf(publish(log.entries, log.blobs, log.checkpoints))),
  );
  assert.equal(verdict.checked.studies, 3);
  assert.deepEqual(skipped(verdict), []);
  const back = await judged(log, ({ drafts }) => {
    const { at } = drafts.at(-1) as LooseDraft;
    const rule = { ...FIRST_RULE, version: SECOND_RULE.version + 1 };
    drafts.push({ at, kind: 'score-rule/1', body: { rule } });
  });
  assert.deepEqual(placesOf(back), ['score_rule_not_allowed ']);
});

test('terminal studies: months of stocks owe none', async () => {
  const { checkpoints, genesis } = beginning('development/stocks');
  const blobs = new Map<HashHex, Uint8Array>();
  const drafts: Draft[] = [];
  const append = (ts: number, kind: string, body: unknown): void => {
    drafts.push({ at: formatTime(ts + 60), kind, body: body as WireObject });
  };
  const about = { name: 'SPY', class: 'stock', decimals: 2, listed: true, display: true } as const;
  const asset: Asset = { symbol: 'SPY', ...about };
  const [seed, rule] = [new Uint8Array(32).fill(3), STOCK_REPLAY_RULE];
  const terminal = new Terminal({ sha256: nodeSha256, seed, rule, grid: xnysGrid });
  // One tick in each month of some twenty sessions.
  const first = xnysGrid.indexOf(parseTime('2026-01-05T15:00:00Z')) as number;
  const ticks = Array.from({ length: 6 }, (_, i) => xnysGrid.timeOf(first + i * 26 * 21));
  append(ticks[0] as number, 'genesis/1', genesis);
  append(ticks[0] as number, 'score-rule/1', { rule });
  append(ticks[0] as number, 'asset/1', asset);
  terminal.list(asset, ticks[0] as number);
  for (const ts of ticks) {
    const step = terminal.step(ts, new Map([['SPY', readingAt(ts)]]));
    blobs.set(hashHex(contentHash(nodeSha256, step.blob)), step.blob);
    for (const { kind, body } of step.drafts) append(ts, kind, body);
  }
  const entries = chain(drafts);
  const { not_checked } = verified(await judgeSite(siteOf(publish(entries, blobs, checkpoints))));
  assert.ok(!not_checked.some(({ what }) => what.includes('without a study')));
});
