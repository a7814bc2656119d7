import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type HashHex, toHashHex } from '@assay/core/hash/hash';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type Place, SigningMemory } from '@assay/node/signer/signing-memory';
import { tallyPath } from '@assay/node/signer/signing-tally';

const hash = (i: number): HashHex => toHashHex(i.toString(16).padStart(64, '0'));
const place = (i: number): Place => `print/LAYOFFS/2026-07-0${i}/end`;

/** A memory of six heads and six prints, closed, in a folder of its own. */
async function memoryOf(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'assay-tally-'));
  t.after(() => rm(root, { recursive: true }));
  const folder = join(root, 'memory');
  const memory = await SigningMemory.open(nodeSha256, folder, { create: true });
  for (let i = 1; i <= 6; i += 1) {
    await memory.keepHead({ size: i, root: hash(i) });
    await memory.keep([{ place: place(i), message: hash(i) }]);
  }
  await memory.close();
  return folder;
}

async function logOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log'));
  assert.equal(names.length, 1);
  return join(folder, names[0] as string);
}

async function copyOf(folder: string, name: string): Promise<string> {
  const copy = `${folder}-${name}`;
  await cp(folder, copy, { recursive: true });
  await cp(tallyPath(folder), tallyPath(copy));
  return copy;
}

const CORRUPT = { name: 'Fault', code: 'ledger_corrupt' };

test('signing tally: a memory that is whole opens again and again, with all that it had', async (t) => {
  const folder = await memoryOf(t);
  for (let round = 0; round < 3; round += 1) {
    const memory = await SigningMemory.open(nodeSha256, folder);
    assert.deepEqual(memory.head, { size: 6 + round, root: hash(6 + round) });
    assert.equal(await memory.signedAt(place(1)), round < 2 ? hash(1) : undefined);
    await memory.keepHead({ size: 7 + round, root: hash(7 + round) });
    await memory.keep([
      { place: place(7), message: hash(1) },
      { place: place(7), message: hash(2) },
    ]);
    if (round === 1) assert.equal(await memory.forget(place(1)), true);
    await memory.close();
  }
});

test('signing tally: whatever is cut from its log or changed in it, nothing older opens', async (t) => {
  const folder = await memoryOf(t);
  const bytes = await readFile(await logOf(folder));
  let refused = 0;
  for (let at = 0; at < bytes.length; at += 37) {
    for (const [name, damaged] of [
      ['cut', bytes.subarray(0, at)],
      ['flip', Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)))],
    ] as const) {
      const copy = await copyOf(folder, `${name}-${at}`);
      await writeFile(await logOf(copy), damaged);
      await assert.rejects(SigningMemory.open(nodeSha256, copy), CORRUPT, `${name} at ${at}`);
      refused += 1;
    }
  }
  assert.ok(refused > 40, `${refused}`);
  const gone = await copyOf(folder, 'gone');
  await rm(await logOf(gone));
  await assert.rejects(SigningMemory.open(nodeSha256, gone), CORRUPT);
});

test('signing tally: the file may be one write behind, as a crash leaves it, and not two', async (t) => {
  const folder = await memoryOf(t);
  const tallies: Buffer[] = [await readFile(tallyPath(folder))];
  const memory = await SigningMemory.open(nodeSha256, folder);
  for (const size of [7, 8]) {
    await memory.keepHead({ size, root: hash(size) });
    tallies.unshift(await readFile(tallyPath(folder)));
  }
  await memory.close();
  for (const [behind, tally] of tallies.entries()) {
    await writeFile(tallyPath(folder), tally);
    const opening = SigningMemory.open(nodeSha256, folder);
    if (behind > 1) {
      await assert.rejects(opening, CORRUPT);
      continue;
    }
    const again = await opening;
    assert.equal(again.head?.size, 8);
    await again.close();
    assert.deepEqual(await readFile(tallyPath(folder)), tallies[0], 'it is brought to the memory');
  }
  await rm(tallyPath(folder));
  await assert.rejects(SigningMemory.open(nodeSha256, folder), CORRUPT, 'the file is gone');
});

test('signing tally: an older copy of the folder does not open beside the newer file', async (t) => {
  const folder = await memoryOf(t);
  const older = await copyOf(folder, 'older');
  const memory = await SigningMemory.open(nodeSha256, folder);
  await memory.keepHead({ size: 7, root: hash(7) });
  await memory.close();
  await cp(tallyPath(folder), tallyPath(older));
  await assert.rejects(SigningMemory.open(nodeSha256, older), CORRUPT);
});
