import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { hashHex, leafHash, type HashHex } from '@assay/core/hash/hash';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import { entryBody, formatEntry, parseEntry, scanEntry } from '@assay/core/log/entry';
import { type Message, messagesOf, messageText } from '@assay/core/message/message';
import { subjectOf } from '@assay/core/message/subject';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import type { WireObject } from '@assay/core/wire/wire';
import { refereedLog } from '../../verifier/fixture/refereed-log.ts';
import { ArenaLog, secretForecaster } from '../arena/arena-log.ts';
import { cosignOf, HANDS, recountedLog, recountedReport } from '../fixture/cosigner-fixture.ts';
import { layoffsRule, sha256 } from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from '../view/small-log.ts';

const ORIGIN = 'log.example/assay';

interface Told {
  readonly seq: number;
  readonly leaf: HashHex;
  /** What is said when the log ends with the entry, and what is said at the end of the log. */
  readonly atOnce: readonly Message[];
  readonly later: readonly Message[];
}

/** The messages of every entry of a log. */
function toldBy(entries: readonly Uint8Array[]): readonly Told[] {
  const parse = bodyParser(sha256);
  const state = new MemoryViews();
  const log = hashHex(leafHash(sha256, entries[0] as Uint8Array));
  const known = entries.map((bytes) => {
    const layout = scanEntry(bytes);
    const body = parse(layout.kind, entryBody(bytes, layout)) as KnownBody;
    const leaf = hashHex(leafHash(sha256, bytes));
    return { ...body, seq: layout.seq, at: layout.at, leaf };
  });
  const at = { origin: ORIGIN, state, sha256 };
  const atOnce = known.map((entry) => {
    state.write(foldEntry({ ...entry, log }, state, sha256));
    return messagesOf(entry, at);
  });
  return known.map((entry, i) => ({
    seq: entry.seq,
    leaf: entry.leaf,
    atOnce: atOnce[i] as readonly Message[],
    later: messagesOf(entry, at),
  }));
}

function graded(): ArenaLog {
  const log = new ArenaLog();
  log.print('2026-08-02', '210000', '2026-08-03T08:30:00Z');
  log.play('2026-08-03', '215000', [[secretForecaster('one'), 214_000n]]);
  return log;
}

function recounted(): ReturnType<typeof recountedLog> {
  const log = recountedLog();
  log.append('rule/1', { rule: layoffsRule() });
  const report = recountedReport('final', { log: log.log });
  log.append('report/1', { report, signature: SIGNATURE });
  for (const hand of HANDS) log.append('cosign/1', cosignOf(report, hand));
  return log;
}

const LOGS: Readonly<Record<string, readonly Uint8Array[]>> = {
  numbers: smallLog().entries,
  recounted: recounted().entries,
  referee: refereedLog().entries,
  arena: graded().entries,
};

const kindsOf = (told: readonly Told[]): readonly string[] =>
  told.flatMap(({ later }) => later.map(({ type, data }) => `${type} ${data['kind'] as string}`));

test('messages: what each kind of log tells', () => {
  assert.deepEqual(kindsOf(toldBy(LOGS['numbers'] as Uint8Array[])), [
    'revision revision',
    'revision revision',
    'print report',
    'print report',
    'revision revision',
    'print report',
    'print report',
  ]);
  assert.deepEqual(kindsOf(toldBy(LOGS['recounted'] as Uint8Array[])), [
    'print report',
    'print quorum',
  ]);
  assert.deepEqual(kindsOf(toldBy(LOGS['arena'] as Uint8Array[])), [
    'print report',
    'round open',
    'round closed',
    'print report',
    'round graded',
  ]);
  const referee = new Set(kindsOf(toldBy(LOGS['referee'] as Uint8Array[])));
  for (const each of [
    'score_event open',
    'heat_event open',
    'score_event closed',
    'heat_event resolved',
    'receipt receipt',
    'receipt benchmark',
    'question open',
    'question closed',
    'question resolved',
  ]) {
    assert.ok(referee.has(each), `${each} in ${[...referee].join(', ')}`);
  }
});

for (const [name, entries] of Object.entries(LOGS)) {
  test(`messages: what the log "${name}" tells about an entry does not change with the log`, () => {
    const told = toldBy(entries);
    assert.ok(told.some(({ atOnce }) => atOnce.length > 0));
    const ids = new Set<string>();
    for (const { seq, leaf, atOnce, later } of told) {
      assert.deepEqual(later, atOnce, `entry ${seq}`);
      for (const [place, message] of atOnce.entries()) {
        assert.equal(message.ordinal, place);
        assert.equal(message.id, `msg_${leaf.slice(0, 32)}_${place}`);
        assert.deepEqual(message.data['log'], { origin: ORIGIN, seq, leaf_hash: leaf });
        assert.deepEqual(Object.keys(JSON.parse(messageText(message)) as object), [
          'type',
          'timestamp',
          'data',
        ]);
        assert.ok(messageText(message).length < 20_000);
        ids.add(message.id);
      }
    }
    assert.equal(
      ids.size,
      told.flatMap(({ atOnce }) => atOnce).length,
      'each message has an id of its own',
    );
  });
}

/** The entries of a log, and further ones that repeat or change what it states. */
function continued(
  entries: readonly Uint8Array[],
  drafts: readonly { readonly kind: string; readonly body: WireObject }[],
): readonly Uint8Array[] {
  let last = parseEntry(entries.at(-1) as Uint8Array);
  let prev = hashHex(leafHash(sha256, entries.at(-1) as Uint8Array));
  return [
    ...entries,
    ...drafts.map((draft) => {
      last = { ...last, ...draft, seq: last.seq + 1, prev };
      const bytes = formatEntry(last);
      prev = hashHex(leafHash(sha256, bytes));
      return bytes;
    }),
  ];
}

test('messages: an asset that is renamed or hidden later changes no message, and hides the next ones', () => {
  const entries = LOGS['referee'] as readonly Uint8Array[];
  const before = toldBy(entries);
  const assets = entries
    .map(parseEntry)
    .filter(({ kind }) => kind === 'asset/1')
    .map(({ kind, body }) => ({ kind, body: { ...body, name: 'Another', display: false } }));
  assert.ok(assets.length > 0);
  const after = toldBy(continued(entries, assets)).slice(0, entries.length);
  assert.ok(before.some(({ atOnce }) => atOnce[0]?.type === 'score_event'));
  assert.deepEqual(after, before);
  const genesis = entries.slice(0, 1);
  const rest = entries.slice(1).map(parseEntry);
  const hidden = rest.map(({ kind, body }) => ({
    kind,
    body: kind === 'asset/1' ? { ...body, display: false } : body,
  }));
  const types = toldBy(continued(genesis, hidden)).flatMap(({ later }) =>
    later.map(({ type }) => type),
  );
  assert.deepEqual([...new Set(types)], ['question']);
});

test('messages: an entry that repeats what the log has stated has none', () => {
  for (const name of ['referee', 'arena']) {
    const entries = LOGS[name] as readonly Uint8Array[];
    const repeated = entries
      .map(parseEntry)
      .filter(({ kind }) => kind !== 'report/1' && kind !== 'genesis/1');
    const told = toldBy(continued(entries, repeated)).slice(entries.length);
    assert.ok(told.length > 5);
    assert.deepEqual(
      told.flatMap(({ later }) => later),
      [],
      name,
    );
  }
});

test('messages: the deprecated twin of a score event', () => {
  const [open] = toldBy(LOGS['referee'] as Uint8Array[]).filter(
    ({ atOnce }) => atOnce.length === 2,
  );
  const [score, heat] = open?.atOnce ?? [];
  const { log, ...event } = score?.data ?? {};
  assert.deepEqual(Object.keys(event), [
    'id',
    'kind',
    'symbol',
    'name',
    'opened_at',
    'score_at_open',
    'peak_score',
    'peak_heat',
    'heat_at_open',
  ]);
  assert.deepEqual(heat?.data, score?.data);
  assert.notEqual(heat?.id, score?.id);
  assert.ok(log !== undefined);
});

test('messages: a report does not say that money may settle on it, its quorum does', () => {
  const [report, quorum] = toldBy(LOGS['recounted'] as Uint8Array[]).flatMap(
    ({ atOnce }) => atOnce,
  );
  assert.equal(report?.data['settleable'], undefined);
  assert.equal(report?.data['settleable_with_quorum'], true);
  assert.equal(quorum?.data['settleable'], true);
  assert.equal(
    (quorum?.data['cosigners'] as readonly string[] | undefined)?.length,
    report?.data['quorum_required'],
  );
});

test('messages: each has the subject that a filter looks for', () => {
  const subjects = (name: string): ReadonlySet<string> =>
    new Set(
      toldBy(LOGS[name] as Uint8Array[]).flatMap(({ atOnce }) =>
        atOnce.map(({ type, subject }) => `${type} ${subject.ticker} ${subject.symbol}`),
      ),
    );
  assert.deepEqual(subjects('recounted'), new Set(['print LAYOFFS null']));
  assert.ok(subjects('numbers').has('revision CPI null'));
  assert.ok(subjects('arena').has('round LAYOFFS null'));
  for (const each of subjects('referee')) assert.match(each, /^\w+ null [A-Z]+$/);
});

test('subject: what an unknown event or round is about', () => {
  const state = new MemoryViews();
  const receipt = { kind: 'receipt/1', body: { id: 'none' } } as unknown as KnownBody;
  const freeze = {
    kind: 'freeze/1',
    body: { round: 'layoffs-2026-01-01' },
  } as unknown as KnownBody;
  for (const entry of [receipt, freeze]) {
    assert.deepEqual(subjectOf(entry, state, sha256), { ticker: null, symbol: null });
  }
});

test('messages: the example of docs/spec/message.md is a message of a log', () => {
  const page = readFileSync(
    new URL('../../../../../docs/spec/message.md', import.meta.url),
    'utf8',
  );
  const example = /```json message\n([\s\S]*?)\n```/.exec(page)?.[1];
  const [report] = toldBy(LOGS['recounted'] as Uint8Array[]).flatMap(({ atOnce }) => atOnce);
  assert.ok(report !== undefined);
  assert.equal(example, messageText(report));
});
