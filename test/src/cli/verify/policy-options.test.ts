import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cosignatureMessage, formatCosignature } from '@assay/core/log/cosignature';
import {
  formatNote,
  formatNoteKey,
  NOTE_COSIGNATURE,
  parseNote,
  parseNoteKey,
} from '@assay/core/log/note';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { OPEN_POLICY, type Policy } from '@assay/verifier/verdict/policy';
import { parseGiven } from '@assay/cli/command/parse';
import { POLICY_OPTIONS, policyOf } from '@assay/cli/verify/policy-options';
import { sampleLog, signerFrom } from '../../verifier/fixture/sample-log.ts';
import { siteOf, youngLog } from '../../verifier/fixture/published.ts';
import { assay, scratch, serve } from '../fixture/run.ts';

const witness = (word: string): string =>
  formatNoteKey(nodeSha256, `${word}.example`, signerFrom(word).publicKey, NOTE_COSIGNATURE);
const ALPHA = witness('alpha');
const BETA = witness('beta');
const KEY = '12'.repeat(32);

async function given(...args: readonly string[]): Promise<Policy> {
  return policyOf(parseGiven({ options: POLICY_OPTIONS, operands: {} }, args));
}

test('nothing asked for is the open policy', async () => {
  assert.deepEqual(await given(), OPEN_POLICY);
});

test('witnesses and co-signers by their operators; all of them unless a number says otherwise', async () => {
  const witnesses = ['--witness', `Alpha Ltd=${ALPHA}`, '--witness', `Beta=${BETA}`];
  const cosigners = ['--cosigner', `Alpha Ltd=${KEY}`];
  assert.deepEqual(await given(...witnesses, ...cosigners, '--witness-max-age', '600'), {
    ...OPEN_POLICY,
    witnesses: [
      { operator: 'Alpha Ltd', vkey: ALPHA },
      { operator: 'Beta', vkey: BETA },
    ],
    witnesses_required: 2,
    witness_max_age_s: 600,
    cosigners: [{ operator: 'Alpha Ltd', key: KEY }],
    cosigners_required: 1,
  });
  assert.equal((await given(...witnesses, '--witnesses', '1')).witnesses_required, 1);
  assert.equal((await given(...witnesses, '--witnesses', '0')).witnesses_required, 0);
});

test('completeness is asked for by options or in a file', async (t) => {
  assert.equal((await given('--complete')).complete, true);
  const folder = await scratch(t);
  const file = join(folder, 'policy.json');
  for (const [complete, args, expected] of [
    [false, [], false],
    [false, ['--complete'], true],
    [true, [], true],
  ] as const) {
    await writeFile(file, JSON.stringify({ type: 'assay-policy/3', ...OPEN_POLICY, complete }));
    assert.equal((await given('--policy', file, ...args)).complete, expected);
  }
});

test('what cannot be understood or met is refused', async () => {
  for (const [args, words] of [
    [['--witness', ALPHA.replaceAll('=', '')], /names who runs it/],
    [['--witness', `=${ALPHA}`], /names who runs it/],
    [['--witness', 'Alpha=nonsense'], /./],
    [['--witnesses', '1'], /at most 0, the operators listed/],
    [['--witness', `A=${ALPHA}`, '--witness', `A=${BETA}`, '--witnesses', '2'], /at most 1/],
    [['--witness', `A=${ALPHA}`, '--witness', `B=${ALPHA}`], /is listed once/],
    [['--witness-max-age', '60'], /by a --witness/],
    [['--witness', `A=${ALPHA}`, '--witnesses', '00'], /a whole number above 0/],
    [['--cosigner', 'A=12'], /64 lower-case hex digits/],
    [['--cosigner', KEY], /names who runs it/],
    [['--policy', 'x.json', '--cosigner', `A=${KEY}`], /--policy takes the place of --cosigner/],
  ] as const) {
    await assert.rejects(given(...args), words, args.join(' '));
  }
});

test('verify holds a checkpoint to the witnesses that are named, and shows them', async (t) => {
  const folder = await scratch(t);
  const published = youngLog(await sampleLog());
  const site = siteOf(published);
  const { text, signatures } = parseNote(published.checkpoint);
  const time = Math.floor(Date.now() / 1000) - 30;
  const signature = signerFrom('alpha').sign(cosignatureMessage(text, time));
  const line = formatCosignature(parseNoteKey(nodeSha256, ALPHA, NOTE_COSIGNATURE), {
    time,
    signature,
  });
  const body = formatNote({ text, signatures: [...signatures, line] });
  site.set('/checkpoint', { status: 200, body, logSize: undefined });
  const url = await serve(t, site);
  const named = ['verify', url, '--no-pin', '--witness', `Alpha Ltd=${ALPHA}`];
  const good = await assay(folder, [...named, '--strict']);
  assert.deepEqual([good.code, good.err], [0, '']);
  assert.match(
    good.out,
    /\n {2}witnesses {4}cosigned by 1 operator, 1 required: Alpha Ltd \(alpha\.example\) at\s+20/,
  );
  const bad = await assay(folder, [...named, '--witness', `Beta=${BETA}`]);
  assert.equal(bad.code, 1);
  assert.match(bad.out, /witnesses_missing {2}checkpoint\n.*cosignatures of 2 operators/);
  assert.match(bad.out, /found {5}of Alpha Ltd\n/);
});
