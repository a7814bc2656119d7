import assert from 'node:assert/strict';
import { verify as verifyNode, createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { roundTerms, type RoundTerms } from '@assay/core/arena/round-times';
import { draftUnseal, freezeNote, isWitnessed, mayBeVoid } from '@assay/core/arena/unseal-draft';
import { formatCheckpoint } from '@assay/core/log/checkpoint';
import { toHash } from '@assay/core/hash/hash';
import { parseTime } from '@assay/core/time/time';
import { sha256 } from '../fixture/fixture.ts';
import { ArenaLog, witnessedNote } from './arena-log.ts';
import { movedDaily } from './moved-release.ts';

const CLOSE = parseTime('2026-08-03T07:30:00Z');
/** When the beacon's round is out, and when the number is. */
const [OUT, RELEASE] = [CLOSE + 60, CLOSE + 3600];

const verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  const x = Buffer.from(key).toString('base64url');
  const jwk = { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' } as const;
  return verifyNode(null, message, createPublicKey(jwk), signature);
};

function world(): { readonly log: ArenaLog; readonly id: string; readonly terms: RoundTerms } {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  const [round] = log.open('2026-08-03T02:00:00Z');
  const id = round?.id ?? '';
  const terms = roundTerms(log.views, log.round(id));
  assert.ok(terms !== undefined);
  return { log, id, terms };
}

test('unseal draft: it waits for the beacon, and then opens', () => {
  const { log, id } = world();
  const [note, signature] = ['note', 'ab'.repeat(48)];
  const at = (now: number, has: object = { note, signature }): unknown =>
    draftUnseal(log.views, log.round(id), { now, note: undefined, signature: undefined, ...has });
  assert.equal(at(OUT), undefined, 'not frozen');
  log.freeze(id, '2026-08-03T07:30:00Z');
  assert.equal(at(OUT - 1), undefined, 'the beacon is not out');
  assert.deepEqual(at(OUT), { round: id, signature, note, void_reason: null });
  assert.deepEqual(at(RELEASE - 1), { round: id, signature, note, void_reason: null });
  const voided = (void_reason: string): object => ({
    round: id,
    signature: null,
    note: null,
    void_reason,
  });
  assert.deepEqual(at(RELEASE), voided('too_late'));
  assert.equal(at(RELEASE - 1, { note }), undefined, 'the signature may still come');
  assert.deepEqual(at(RELEASE, { note }), voided('no_beacon'));
  assert.deepEqual(at(OUT, { signature }), voided('unwitnessed'));
  log.append('unseal/1', voided('unwitnessed'), '2026-08-03T07:32:00Z');
  assert.equal(at(OUT), undefined, 'once');
});

test('unseal draft: a release that is moved before the beacon leaves a void, one that is postponed no time', () => {
  const { log, id } = world();
  movedDaily(log, '07:31', '2026-08-03T03:00:00Z');
  log.freeze(id, '2026-08-03T07:30:00Z');
  const has = { now: OUT, note: 'note', signature: 'ab'.repeat(48) };
  assert.equal(draftUnseal(log.views, log.round(id), has)?.void_reason, 'too_late');
  const late = world();
  movedDaily(late.log, '12:00', '2026-08-03T03:00:00Z');
  late.log.freeze(late.id, '2026-08-03T07:30:00Z');
  const then = draftUnseal(late.log.views, late.log.round(late.id), { ...has, now: RELEASE });
  assert.equal(then?.void_reason, 'too_late', 'the earliest release that was ever set');
});

test('unseal draft: when a round may be void', () => {
  const { terms } = world();
  const times = [OUT - 1, OUT, RELEASE - 1, RELEASE];
  assert.deepEqual(
    (['unwitnessed', 'no_beacon', 'too_late'] as const).map((reason) =>
      times.map((at) => mayBeVoid(terms, reason, at)),
    ),
    [
      [false, true, true, false],
      [false, false, false, true],
      [false, false, false, true],
    ],
  );
});

test('unseal draft: when the number is out, nobody asks for witnesses any more', () => {
  const { log, id } = world();
  log.freeze(id, '2026-08-03T07:30:00Z');
  const has = { now: RELEASE, note: undefined, signature: undefined };
  assert.equal(draftUnseal(log.views, log.round(id), has)?.void_reason, 'no_beacon');
});

test('unseal draft: enough witnesses, each counted once, before the beacon', async () => {
  const { log, terms } = world();
  const counts = async (text: string): Promise<boolean> =>
    isWitnessed(freezeNote(sha256, text, terms), terms, verify);
  assert.equal(await counts(log.note(OUT - 1)), true);
  assert.equal(await counts(log.note(OUT - 1, 3)), true);
  assert.equal(await counts(log.note(OUT)), false, 'at the moment at which the beacon is out');
  assert.equal(await counts(log.note(OUT - 1, 1)), false, 'one of two');
  const [head = '', lines = ''] = log.note(OUT - 1, 1).split('\n\n');
  assert.equal(await counts(`${head}\n\n${lines}${lines}`), false, 'one of two, twice');
  const later = log.note(OUT - 2, 1).split('\n\n')[1] ?? '';
  assert.equal(await counts(`${head}\n\n${lines}${later}`), false, 'one of two, at two times');
  const root = toHash(new Uint8Array(32));
  const other = witnessedNote(formatCheckpoint({ origin: 'x', size: 1, root }), OUT - 1, 2);
  const forged = `${head}\n\n${other.split('\n\n')[1] ?? ''}`;
  assert.equal(await counts(forged), false, 'lines of another checkpoint');
  assert.throws(() => freezeNote(sha256, 'no note', terms), { code: 'bad_note' });
});
