import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cosignatureMessage, formatCosignature } from '@assay/core/log/cosignature';
import {
  formatNote,
  formatNoteKey,
  NOTE_COSIGNATURE,
  type NoteSignature,
  parseNote,
  parseNoteKey,
} from '@assay/core/log/note';
import { parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Policy } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import {
  codesOf,
  folderOf,
  genesisLog,
  judgeFolder,
  type Published,
} from '../fixture/published.ts';
import { signerFrom } from '../fixture/sample-log.ts';

/** The log's first entry says the beginning of 2026. */
const NOW = parseTime('2026-01-02T00:00:00Z' as never);
const LOG = genesisLog('example.org/assay');

interface Listed {
  readonly operator: string;
  readonly name: string;
}
const ALPHA: Listed = { operator: 'Alpha', name: 'w1.alpha.example' };
const ALPHA_TOO: Listed = { operator: 'Alpha', name: 'w2.alpha.example' };
const BETA: Listed = { operator: 'Beta', name: 'w.beta.example' };
const GAMMA: Listed = { operator: 'Gamma', name: 'w.gamma.example' };

function vkeyOf({ name }: Listed): string {
  return formatNoteKey(nodeSha256, name, signerFrom(name).publicKey, NOTE_COSIGNATURE);
}

/** A witness's line on the log's checkpoint. */
function line(
  who: Listed,
  time: number = NOW,
  by: string = who.name,
  log: Published = LOG,
): NoteSignature {
  const { text } = parseNote(log.checkpoint);
  const signature = signerFrom(by).sign(cosignatureMessage(text, time));
  const key = parseNoteKey(nodeSha256, vkeyOf(who), NOTE_COSIGNATURE);
  return formatCosignature(key, { time, signature });
}

function listed(required: number, ...who: readonly Listed[]): Partial<Policy> {
  const witnesses = who.map((each) => ({ operator: each.operator, vkey: vkeyOf(each) }));
  return { witnesses, witnesses_required: required };
}

/** The verdict on the log with these lines beside its own. */
function judge(
  lines: readonly NoteSignature[],
  policy: Partial<Policy>,
  now: number | undefined = NOW,
  log: Published = LOG,
): Promise<Verdict> {
  const { text, signatures } = parseNote(log.checkpoint);
  const guard = formatNote({ text, signatures: [...signatures, ...lines] });
  return judgeFolder({ ...folderOf(log), guard }, policy, now === undefined ? {} : { now });
}

test('as many operators as the policy requires: verified, and who they are', async () => {
  for (const strict of [false, true]) {
    const verdict = await judge([line(ALPHA), line(BETA, NOW - 60)], {
      ...listed(2, ALPHA, BETA, GAMMA),
      strict,
    });
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
    assert.deepEqual(verdict.outcome === 'verified' && verdict.witnesses, {
      required: 2,
      witnesses: [
        { operator: 'Alpha', name: 'w1.alpha.example', time: '2026-01-02T00:00:00Z' },
        { operator: 'Beta', name: 'w.beta.example', time: '2026-01-01T23:59:00Z' },
      ],
    });
  }
});

test('two witnesses of one operator, or one twice, count once', async () => {
  const both = await judge([line(ALPHA), line(ALPHA_TOO)], listed(2, ALPHA, ALPHA_TOO, BETA));
  assert.deepEqual(codesOf(both), ['witnesses_missing']);
  const twice = await judge([line(ALPHA), line(ALPHA, NOW - 1)], listed(2, ALPHA, BETA));
  assert.deepEqual(codesOf(twice), ['witnesses_missing']);
});

test('none at all, and lines of witnesses that the policy does not list: not verified', async () => {
  assert.deepEqual(codesOf(await judge([], listed(1, ALPHA))), ['witnesses_missing']);
  assert.deepEqual(codesOf(await judge([line(BETA)], listed(1, ALPHA))), ['witnesses_missing']);
  const strict = await judge([line(ALPHA), line(BETA)], { ...listed(1, ALPHA), strict: true });
  assert.deepEqual(codesOf(strict), ['checkpoint_unlisted_signature']);
});

test('a line of a listed witness that it did not sign is a finding, needed or not', async () => {
  const forged = line(BETA, NOW, 'a stranger');
  const short = { ...line(BETA), signature: line(BETA).signature.slice(8) };
  // The time is signed too.
  const retimed = { ...line(BETA), signature: line(BETA).signature.slice() };
  retimed.signature[7] = (retimed.signature[7] as number) ^ 1;
  for (const bad of [forged, short, retimed]) {
    const verdict = await judge([line(ALPHA), bad], listed(1, ALPHA, BETA));
    assert.deepEqual(codesOf(verdict), ['witness_bad_line']);
  }
});

test('a cosignature of another checkpoint does not count', async () => {
  const { text } = parseNote(genesisLog('example.org/another').checkpoint);
  const signature = signerFrom(ALPHA.name).sign(cosignatureMessage(text, NOW));
  const key = parseNoteKey(nodeSha256, vkeyOf(ALPHA), NOTE_COSIGNATURE);
  const other = formatCosignature(key, { time: NOW, signature });
  assert.deepEqual(codesOf(await judge([other], listed(1, ALPHA))), [
    'witnesses_missing',
    'witness_bad_line',
  ]);
});

test('an age has a bound where the policy has one; without a clock nothing is young', async () => {
  const policy = { ...listed(1, ALPHA), witness_max_age_s: 600 };
  assert.equal((await judge([line(ALPHA, NOW - 600)], policy)).outcome, 'verified');
  assert.deepEqual(codesOf(await judge([line(ALPHA, NOW - 601)], policy)), ['witnesses_missing']);
  const { guard, ...rest } = folderOf(LOG);
  const { text, signatures } = parseNote(guard as Uint8Array);
  const timeless = await judgeFolder(
    { ...rest, guard: formatNote({ text, signatures: [...signatures, line(ALPHA)] }) },
    policy,
  );
  assert.deepEqual(codesOf(timeless), ['witnesses_missing']);
  assert.equal((await judge([line(ALPHA, 0)], listed(1, ALPHA))).outcome, 'verified');
});

test('a time over two minutes ahead is none, but on a development log', async () => {
  const policy = listed(1, ALPHA);
  assert.equal((await judge([line(ALPHA, NOW + 120)], policy)).outcome, 'verified');
  assert.deepEqual(codesOf(await judge([line(ALPHA, NOW + 121)], policy)), [
    'witnesses_missing',
    'witness_bad_line',
  ]);
  const year10000 = await judge([line(ALPHA, 253_402_300_800)], policy);
  assert.equal(codesOf(year10000).includes('witness_bad_line'), true);
  const simulated = genesisLog('development/ahead');
  const ahead = line(ALPHA, NOW + 86_400, ALPHA.name, simulated);
  assert.equal((await judge([ahead], policy, NOW, simulated)).outcome, 'verified');
});

test('a log that promises witnesses to a reader who requires none: that is reported', async () => {
  const named = (verdict: Verdict): readonly string[] =>
    verdict.not_checked.map(({ what }) => what);
  const verdict = await judge([line(ALPHA)], {});
  assert.equal(verdict.outcome, 'verified');
  const keyless = named(verdict).filter((what) => what.includes('w1.alpha.example'));
  assert.equal(keyless.length, 1);
  const promised = genesisLog('example.org/promises', { witnesses_required: 2 });
  const without = await judgeFolder(folderOf(promised), {}, { now: NOW });
  assert.equal(without.outcome, 'verified', JSON.stringify(without, null, 1));
  assert.equal(
    named(without).includes(
      'the cosignatures of 2 witnesses that the log promises on each checkpoint',
    ),
    true,
  );
});
