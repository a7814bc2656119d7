import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHex } from '@assay/core/bytes/hex';
import { toHash } from '@assay/core/hash/hash';
import { parseUnseal, type UnsealVoid } from '@assay/core/kind/unseal';
import { parseTime, toTime } from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import { NO_LIMIT } from '@assay/core/work-budget';
import { UnsealCheck } from '@assay/verifier/arena/unseal-check';
import { EvidenceReader } from '@assay/verifier/reader/blobs';
import { Findings } from '@assay/verifier/verdict/finding';
import { emptyTally, NotCheckedList } from '@assay/verifier/verdict/verdict';
import { ArenaLog, DAILY, INDEX } from '../../core/arena/arena-log.ts';
import { rootAt } from '../../core/fixture/anchor-fixture.ts';
import { resumed } from '../../core/fixture/resumed.ts';
import { layoffsRule } from '../../core/fixture/fixture.ts';
import { ENVIRONMENT } from '../fixture/published.ts';

const [OWN, OTHER] = ['layoffs-2026-08-02', 'other-2026-08-02'];
const FROZEN = '2026-08-03T07:30:00Z';

interface World {
  readonly log: ArenaLog;
  readonly findings: Findings;
  readonly notChecked: NotCheckedList;
  /** Checks an unsealing at a time, and appends it. */
  readonly unseal: (id: string, at: string, reason?: UnsealVoid) => Promise<void>;
}

/**
 * Two indexes whose rounds close together; `keeps` says how many entries back the tree is kept. Where `isCut`, another check
 * goes on before every unsealing.
 */
function world(keeps = Number.POSITIVE_INFINITY, isCut = false): World {
  const other = layoffsRule({ ...DAILY, ticker: 'OTHER', display: 'OTHER', slug: 'other' });
  const log = new ArenaLog({ indices: [INDEX, { ...INDEX, ticker: other.ticker }] });
  log.append('rule/1', { rule: other }, '2026-07-01T12:00:00Z');
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  log.print('2026-08-01', '2000', '2026-08-02T08:40:00Z', { ticker: 'OTHER' });
  log.open('2026-08-03T02:00:00Z');
  const findings = new Findings();
  const notChecked = new NotCheckedList();
  const tally = emptyTally();
  const evidence = new EvidenceReader(
    async () => undefined,
    ENVIRONMENT,
    findings,
    tally,
    NO_LIMIT,
  );
  const context = { evidence, findings, tally, notChecked, work: NO_LIMIT };
  let check = new UnsealCheck(ENVIRONMENT, context);
  const unseal: World['unseal'] = async (id, at, reason) => {
    const opened = {
      signature: log.beacon(id),
      note: log.note(parseTime(FROZEN)),
      void_reason: null,
    };
    const shut = { signature: null, note: null, void_reason: reason ?? null };
    const body = { round: id, ...(reason === undefined ? opened : shut) };
    const seq = log.entries.length;
    const root = (size: number) =>
      seq - size > keeps ? undefined : toHash(parseHex(rootAt(log, size), 32));
    const where = { seq, at: toTime(at), place: `entry ${seq}` };
    if (isCut) check = resumed(check, new UnsealCheck(ENVIRONMENT, context));
    await check.check(parseUnseal(wire(body), 'body'), where, { state: log.views, rootAt: root });
    log.append('unseal/1', body, at);
  };
  return { log, findings, notChecked, unseal };
}

const codes = ({ findings }: World): readonly string[] => findings.list.map(({ code }) => code);

test('unseal check: no beacon and too late are refuted by a signature that the log has in time', async () => {
  for (const reason of ['no_beacon', 'too_late'] as const) {
    const each = world();
    for (const id of [OWN, OTHER]) each.log.freeze(id, FROZEN);
    await each.unseal(OTHER, '2026-08-03T07:31:00Z');
    assert.deepEqual(codes(each), []);
    await each.unseal(OWN, '2026-08-03T08:30:00Z', reason);
    assert.deepEqual(codes(each), ['unseal_void_refuted'], reason);
  }
});

test('unseal check: unwitnessed is refuted by a note over both freezes, whichever comes first', async () => {
  for (const order of [
    [OWN, OTHER],
    [OTHER, OWN],
  ]) {
    const each = world();
    for (const id of [OWN, OTHER]) each.log.freeze(id, FROZEN);
    for (const id of order) {
      await each.unseal(id, '2026-08-03T07:31:00Z', id === OWN ? 'unwitnessed' : undefined);
    }
    assert.deepEqual(codes(each), ['unseal_void_refuted']);
  }
});

test('unseal check: what refutes nothing', async () => {
  const late = world();
  late.log.freeze(OTHER, FROZEN);
  await late.unseal(OTHER, '2026-08-03T07:31:00Z');
  // The note was made before this freeze.
  late.log.freeze(OWN, '2026-08-03T07:31:30Z');
  await late.unseal(OWN, '2026-08-03T07:32:00Z', 'unwitnessed');
  assert.deepEqual(codes(late), []);
  const both = world();
  for (const id of [OWN, OTHER]) both.log.freeze(id, FROZEN);
  for (const id of [OWN, OTHER]) await both.unseal(id, '2026-08-03T08:30:00Z', 'no_beacon');
  assert.deepEqual(codes(both), []);
  const [named, ...more] = both.notChecked.list;
  assert.deepEqual(more, []);
  assert.match(named?.what ?? '', /had to be void \(no_beacon\)/);
});

test('unseal check: a reason at a time at which it cannot hold', async () => {
  for (const [reason, at] of [
    ['unwitnessed', '2026-08-03T07:30:59Z'],
    ['unwitnessed', '2026-08-03T08:30:00Z'],
    ['no_beacon', '2026-08-03T08:29:59Z'],
    ['too_late', '2026-08-03T08:29:59Z'],
  ] as const) {
    const each = world();
    each.log.freeze(OWN, FROZEN);
    await each.unseal(OWN, at, reason);
    assert.deepEqual(codes(each), ['unseal_not_due'], `${reason} at ${at}`);
  }
});

test('unseal check: a checkpoint that lies further back than the tree is kept is named, and no finding', async () => {
  const each = world(1);
  each.log.freeze(OWN, FROZEN);
  await each.unseal(OWN, '2026-08-03T07:31:00Z');
  assert.deepEqual(codes(each), []);
  const far = world(-1);
  far.log.freeze(OWN, FROZEN);
  await far.unseal(OWN, '2026-08-03T07:31:00Z');
  assert.deepEqual(codes(far), []);
  assert.deepEqual(
    far.notChecked.list.map(({ what }) => what.split(':')[0]),
    [`that the notes of rounds of the Arena are of this log of ${OWN}`],
  );
});

test('unseal check: what came before an interruption refutes, and is refuted, behind it', async () => {
  for (const [order, reason] of [
    [[OWN, OTHER], 'unwitnessed'],
    [[OTHER, OWN], 'unwitnessed'],
    [[OTHER, OWN], 'no_beacon'],
  ] as const) {
    const each = world(Number.POSITIVE_INFINITY, true);
    for (const id of [OWN, OTHER]) each.log.freeze(id, FROZEN);
    const late = reason === 'no_beacon' ? '2026-08-03T08:30:00Z' : '2026-08-03T07:31:00Z';
    for (const id of order) {
      if (id === OWN) await each.unseal(id, late, reason);
      else await each.unseal(id, '2026-08-03T07:31:00Z');
    }
    assert.deepEqual(codes(each), ['unseal_void_refuted'], `${order.join()} ${reason}`);
  }
});
