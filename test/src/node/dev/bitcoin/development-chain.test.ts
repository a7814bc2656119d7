import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { formatHeader, headerHash, parseHeader } from '@assay/core/bitcoin/header';
import { meetsTarget } from '@assay/core/bitcoin/work';
import { formatHex } from '@assay/core/bytes/hex';
import { checkHeaders } from '../../../core/fixture/header-chain.ts';
import { concatBytes } from '@assay/core/bytes/bytes';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { temporaryFolder } from '../../ledger/ledger-fixture.ts';

const START = 1_800_000_000;
const HASHES = otsHashes(nodeSha256);
const bytes = (i: number) => new Uint8Array(44).fill(i);

function headersOf(chain: DevelopmentChain): readonly Uint8Array[] {
  return Array.from(
    { length: chain.tip.height + 1 },
    (_, height) => chain.block(height)?.header as Uint8Array,
  );
}

/** Throws unless the chain is one that a verifier takes. */
function requireSound(chain: DevelopmentChain): void {
  const all = concatBytes(...headersOf(chain));
  const { tip } = checkHeaders(nodeSha256, DEVELOPMENT, all, { first: 0 });
  assert.deepEqual([tip.height, tip.id], [chain.tip.height, chain.tip.id]);
}

function requireProven(chain: DevelopmentChain, commitment: Uint8Array): number {
  const proof = chain.proof(commitment);
  assert.ok(proof !== undefined);
  const [attested, ...rest] = evaluate(proof, commitment, HASHES);
  assert.deepEqual(rest, []);
  const { attestation, message } = attested as NonNullable<typeof attested>;
  assert.equal(attestation.kind, 'bitcoin');
  const height = (attestation as { height: number }).height;
  assert.deepEqual(message, parseHeader(chain.block(height)?.header as Uint8Array).merkleRoot);
  return height;
}

test('development chain: blocks come with time, one each interval', () => {
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  assert.equal(chain.tip.height, 0);
  chain.advance(0);
  assert.equal(chain.tip.height, 0);
  chain.advance(START);
  assert.deepEqual([chain.tip.height, chain.tip.time], [1, START]);
  chain.advance(START + 599);
  chain.advance(START - 5000);
  assert.equal(chain.tip.height, 1);
  chain.advance(START + 600);
  assert.equal(chain.tip.height, 2);
  chain.advance(START + 3000);
  assert.deepEqual([chain.tip.height, chain.tip.time], [6, START + 3000]);
  requireSound(chain);
  for (let height = 0; height <= 6; height += 1) {
    const block = chain.block(height);
    assert.equal(block?.height, height);
    assert.equal(chain.heightOf(block?.id ?? ''), height);
  }
  assert.equal(chain.block(7), undefined);
  assert.equal(chain.heightOf('00'), undefined);
  for (const blockSeconds of [0, -1, 1.5]) {
    assert.throws(() => new DevelopmentChain({ blockSeconds }), TypeError);
  }
});

test('development chain: a clock that leaps makes no more blocks than one can wait for', () => {
  const chain = new DevelopmentChain({ blockSeconds: 1 });
  chain.advance(START);
  chain.advance(START + 1_000_000);
  assert.deepEqual([chain.tip.height, chain.tip.time], [20_001, START + 1_000_000]);
});

test('development chain: a commitment waits, is mined, and is proven once 6 blocks follow', () => {
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  chain.advance(START);
  assert.deepEqual(chain.stateOf(bytes(1)), { kind: 'unknown' });
  for (const i of [1, 2, 3, 1]) chain.add('alice', bytes(i));
  chain.add('bob', bytes(4));
  assert.deepEqual(chain.stateOf(bytes(1)), { kind: 'waiting' });
  chain.advance(START + 600);
  chain.add('alice', bytes(5));
  chain.advance(START + 7 * 600);
  for (const i of [1, 2, 3, 4]) {
    assert.deepEqual(chain.stateOf(bytes(i)), { kind: 'mined', height: 2 });
    assert.equal(requireProven(chain, bytes(i)), 2);
  }
  chain.add('alice', bytes(1));
  assert.deepEqual(chain.stateOf(bytes(1)), { kind: 'mined', height: 2 });
  assert.deepEqual(chain.stateOf(bytes(5)), { kind: 'mined', height: 3 });
  assert.equal(chain.proof(bytes(5)), undefined);
  chain.advance(START + 8 * 600);
  assert.equal(requireProven(chain, bytes(5)), 3);
  assert.equal(chain.proof(bytes(6)), undefined);
  requireSound(chain);
});

test('development chain: a reorganisation puts its commitments into the new blocks', () => {
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  chain.advance(START);
  chain.add('alice', bytes(1));
  chain.advance(START + 600);
  chain.add('alice', bytes(2));
  chain.advance(START + 3 * 600);
  chain.add('alice', bytes(3));
  const before = headersOf(chain);
  chain.reorganise(3);
  const after = headersOf(chain);
  assert.equal(after.length, before.length + 1);
  assert.deepEqual(after.slice(0, 2), before.slice(0, 2));
  for (const i of [2, 3, 4]) assert.notDeepEqual(after[i], before[i]);
  assert.deepEqual(
    chain.block(2)?.commitments.map((each) => each.bytes),
    [1, 2, 3].map((i) => bytes(i)),
  );
  requireSound(chain);
  chain.advance(START + 20 * 600);
  for (const i of [1, 2, 3]) assert.equal(requireProven(chain, bytes(i)), 2);
  const old = chain.tip.id;
  chain.reorganise(1);
  assert.equal(chain.heightOf(old), undefined);
  requireSound(chain);
  for (const depth of [0, -1, 0.5, chain.tip.height + 1]) {
    assert.throws(() => chain.reorganise(depth), TypeError, String(depth));
  }
  chain.reorganise(chain.tip.height);
  requireSound(chain);
  assert.deepEqual(chain.block(0)?.header, DEVELOPMENT.genesis);
});

test('development chain: a restart goes on where it was, at every line', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'chain.jsonl');
  const chain = new DevelopmentChain({ blockSeconds: 600, path });
  chain.advance(START);
  chain.add('alice', bytes(1));
  chain.advance(START + 600);
  chain.add('bob', bytes(2));
  chain.advance(START + 1200);
  chain.reorganise(2);
  chain.add('bob', bytes(3));
  chain.close();
  const again = new DevelopmentChain({ blockSeconds: 600, path });
  assert.deepEqual(headersOf(again), headersOf(chain));
  assert.deepEqual(again.stateOf(bytes(3)), { kind: 'waiting' });
  for (const each of [chain, again]) {
    if (each === again) each.advance(START + 12_000);
  }
  for (const i of [1, 2, 3]) requireProven(again, bytes(i));
  again.close();
  const lines = (await readFile(path, 'utf8')).split('\n');
  for (let count = 0; count < lines.length; count += 1) {
    const cut = join(folder, `${count}.jsonl`);
    await writeFile(
      cut,
      lines
        .slice(0, count)
        .map((line) => `${line}\n`)
        .join(''),
    );
    await appendFile(cut, (lines[count] ?? '').slice(0, 9));
    const part = new DevelopmentChain({ blockSeconds: 600, path: cut });
    part.advance(START + 24_000);
    requireSound(part);
    part.close();
    new DevelopmentChain({ blockSeconds: 600, path: cut }).close();
  }
});

test('development chain: a file whose events do not follow is refused', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'chain.jsonl');
  const chain = new DevelopmentChain({ blockSeconds: 600, path });
  chain.advance(START);
  chain.add('alice', bytes(1));
  chain.advance(START + 600);
  chain.close();
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const [first, added, last] = lines as [string, string, string];
  assert.equal(lines.length, 3);
  // The same contents on another block, and without work.
  const other = new DevelopmentChain({ blockSeconds: 600 });
  other.advance(START + 1);
  other.add('alice', bytes(1));
  other.advance(START + 601);
  const foreign = `{"block":"${formatHex(other.tip.header)}"}`;
  const lazy = { ...parseHeader(chain.tip.header) };
  while (meetsTarget(headerHash(nodeSha256, formatHeader(lazy)), lazy.bits)) lazy.nonce += 1;
  const idle = `{"block":"${formatHex(formatHeader(lazy))}"}`;
  for (const [events, at] of [
    [[first, added, foreign], 'line 3'],
    [[first, added, idle], 'line 3'],
    [[first, last], 'line 2'],
    [[added, first, last], 'line 2'],
    [[last], 'line 1'],
    [[first, added, last, last], 'line 4'],
    [[first, '{"drop":2}'], 'line 2'],
    [[first, '{"drop":0.5}'], 'line 2'],
    [[first, added, '{"drop":1}', first], 'line 4'],
  ] as const) {
    await writeFile(path, events.map((line) => `${line}\n`).join(''));
    const open = () => new DevelopmentChain({ blockSeconds: 600, path });
    assert.throws(open, { code: 'malformed', at }, events.join('\n'));
  }
});
