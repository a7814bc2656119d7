import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Evidence, formatEvidence, MAX_EVIDENCE_BYTES } from '@assay/core/proof/evidence';
import { vectors } from '../../core/fixture/fixture.ts';
import { FINAL, OTHER_FINAL } from '../../verifier/fixture/evidence-files.ts';
import {
  COSIGNER,
  FORGED,
  forkOf,
  HONEST,
  LOG_ID,
  LOG_SIGNER,
  logSigner,
  made,
  ORIGIN,
  printsOf,
  PUBLISHER,
} from '../../verifier/fixture/evidence-world.ts';
import { assay, scratch } from '../fixture/run.ts';

const FILES = new Map(
  vectors<readonly { readonly name: string; readonly file: string }[]>('evidence/files').map(
    ({ name, file }) => [name, file],
  ),
);

test('evidence check: who is accused of what, what proves it, what to know besides', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'fork.json'), FILES.get('fork with witnesses') ?? '');
  const { code, out, err } = await assay(folder, ['evidence', 'check', 'fork.json']);
  assert.deepEqual([code, err], [4, '']);
  assert.equal(
    out,
    `PROVEN: fork
  accused      the key
               development/evidence+7dcd6b40+AWXo+bC8bq4SQWnwV2+XNi0pWoz193C0XhQ1fOZH0z7s, which
               calls itself log development/evidence
               the key
               WITNESS_ONE, which
               calls itself witness witness.example/one
               the key
               WITNESS_TWO, which
               calls itself witness witness.example/two
  tied         to nobody whom you named: whoever made these keys gave them these names. --key
               and --log say whom you know
  of           development/evidence signed a tree of 5 entries, and one of 7 that begins with
               others
  proof        signatures of one key over two checkpoints of one origin, and the hashes that
               lead from what the larger tree begins with to its signed root
  log          619b544beca457f8bfdfe0f5277096b7b1e58cb114d956d41660c360b2fd5ee8
  know besides whether 619b544beca457f8bfdfe0f5277096b7b1e58cb114d956d41660c360b2fd5ee8 is the
               id of the log that you rely on
               who runs the accused witnesses: their operators publish these keys
               whether the holder of a key signed or a thief: a signature does not tell
`.replace(/WITNESS_(ONE|TWO)/g, (_all, which: string) => witness(which === 'ONE' ? 0 : 1)),
  );
});

function witness(i: number): string {
  const { witnesses } = JSON.parse(FILES.get('fork with witnesses') ?? '') as {
    readonly witnesses: readonly string[];
  };
  return witnesses[i] ?? '';
}

test('evidence check: each kind, and as JSON', async (t) => {
  const folder = await scratch(t);
  for (const [name, words] of [
    ['omission', 'gave a receipt for entry 4'],
    ['two finals', 'two prints for one place of LAYOFFS'],
    ['agreement and dissent', 'one co-signer agreed to report'],
  ] as const) {
    await writeFile(join(folder, 'file'), FILES.get(name) ?? '');
    const shown = await assay(folder, ['evidence', 'check', 'file']);
    assert.equal(shown.code, 4);
    assert.ok(shown.out.includes(words), shown.out);
    const { code, out } = await assay(folder, ['evidence', 'check', '--json', 'file']);
    const verdict = JSON.parse(out) as {
      readonly proven: boolean;
      readonly accused: unknown[];
      readonly tie: unknown;
    };
    assert.deepEqual([code, verdict.tie], [4, 'unnamed']);
    assert.ok(verdict.proven && verdict.accused.length > 0);
  }
});

test('evidence check: whom the caller knows, exit 0; a strange key with the same name, exit 5', async (t) => {
  const folder = await scratch(t);
  const write = (name: string, evidence: Evidence): Promise<void> =>
    writeFile(join(folder, name), formatEvidence(evidence));
  const check = async (...args: readonly string[]): Promise<readonly [number | null, string]> => {
    const { code, out } = await assay(folder, ['evidence', 'check', ...args]);
    return [code, out.replaceAll(/\s+/g, ' ')];
  };
  // A stranger contradicts itself under the name of the log, which proves nothing against that one.
  const stranger = logSigner(COSIGNER);
  await write(
    'strange',
    forkOf([6, 6], {
      vkey: stranger.vkey,
      first: HONEST.note(6, [stranger]),
      second: FORGED.note(6, [stranger]),
    }),
  );
  await write('fork', forkOf([6, 6], { genesis: FORGED.genesis(6) }));
  await write('prints', made(printsOf(FINAL, OTHER_FINAL)));
  await write('strange-prints', made(printsOf(FINAL, OTHER_FINAL, COSIGNER)));

  for (const [code, args, words] of [
    [4, ['strange'], `the key ${stranger.vkey}, which calls itself log ${ORIGIN}`],
    [5, ['strange', '--key', LOG_SIGNER.vkey], `the key ${stranger.vkey}, which calls itself`],
    [4, ['strange', '--log', LOG_ID], 'to nobody whom you named'],
    [0, ['strange', '--key', stranger.vkey], `the log that you named, ${ORIGIN}: ${stranger.vkey}`],
    [0, ['fork', '--key', LOG_SIGNER.vkey], `that you named, ${ORIGIN}: ${LOG_SIGNER.vkey}`],
    [0, ['fork', '--key', stranger.vkey, '--key', LOG_SIGNER.vkey], 'about whom you named'],
    [0, ['fork', '--log', LOG_ID], `the checkpoint key of the log that you named, ${ORIGIN}:`],
    [5, ['fork', '--log', 'ab'.repeat(32)], 'about others than you named'],
    [0, ['prints', '--log', LOG_ID], 'the report key of the publisher that you named'],
    [0, ['prints', '--key', PUBLISHER.key], 'the report key of the publisher that you named'],
    [
      4,
      ['prints'],
      `the key ${PUBLISHER.key}, the report key of a log which calls itself ${ORIGIN}`,
    ],
    // Anybody can sign prints of any log.
    [4, ['strange-prints', '--log', LOG_ID], `the key ${COSIGNER.key}, which signs prints`],
    [5, ['strange-prints', '--key', PUBLISHER.key], 'about others than you named'],
  ] as const) {
    const [found, out] = await check(...args);
    assert.deepEqual([found, out.includes(words)], [code, true], `${args.join(' ')}: ${out}`);
  }
});

test('evidence check: what proves nothing says why, exit 1', async (t) => {
  const folder = await scratch(t);
  const file = (FILES.get('two finals') ?? '').replace(/"signature":"../, '"signature":"00');
  await writeFile(join(folder, 'file'), file);
  const { code, out, err } = await assay(folder, ['evidence', 'check', 'file']);
  assert.deepEqual([code, err], [1, '']);
  assert.match(
    out,
    /^NOT PROVEN: this file proves nothing against anybody\n  signature +a signature/,
  );
  const json = await assay(folder, ['evidence', 'check', 'file', '--json']);
  const said = JSON.parse(json.out) as { readonly proven: unknown; readonly tie: unknown };
  assert.deepEqual([json.code, said.proven, said.tie], [1, false, null]);
  await writeFile(join(folder, 'file'), '\u001b[2Jhello');
  const hostile = await assay(folder, ['evidence', 'check', 'file']);
  assert.equal(hostile.code, 1);
  assert.ok(!hostile.out.includes('\u001b'));
});

test('evidence check: no file, too large a file, another command line', async (t) => {
  const folder = await scratch(t);
  assert.equal((await assay(folder, ['evidence', 'check', 'none'])).code, 3);
  await writeFile(join(folder, 'large'), 'x'.repeat(MAX_EVIDENCE_BYTES + 1));
  const large = await assay(folder, ['evidence', 'check', 'large']);
  assert.deepEqual([large.code, /\[too_large\]/.test(large.err)], [3, true]);
  for (const args of [
    [],
    ['check'],
    ['make', 'x'],
    ['check', 'a', 'b'],
    ['check', 'a', '--key'],
    ['check', 'a', '--key', 'ABC'],
    ['check', 'a', '--key', LOG_SIGNER.vkey.slice(1)],
    ['check', 'a', '--log', LOG_ID.slice(1)],
  ]) {
    assert.equal((await assay(folder, ['evidence', ...args])).code, 2);
  }
});
