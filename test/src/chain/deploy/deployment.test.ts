import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProgram } from '@assay/chain/deploy/deployed-program';
import {
  bufferAddress,
  CHUNK,
  deploymentCost,
  type DeploymentParts,
  deployProgram,
  missingChunks,
} from '@assay/chain/deploy/deployment';
import { setAuthority } from '@assay/chain/deploy/loader-instructions';
import { FeedClient } from '@assay/chain/client/feed-client';
import { Sender, SENDER_LIMITS } from '@assay/chain/client/sender';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { formatPrint, seriesId } from '@assay/core/report/print';
import type { Ticker } from '@assay/core/rule/ticker';
import fc from 'fast-check';
import { sha256 } from '../../core/fixture/fixture.ts';
import { SKIP } from '../development/world.ts';
import { commitmentTo, hashOf, partyOf } from '../fixture/party.ts';
import { PROGRAM_BYTES as PROGRAM_FILE } from '../fixture/world.ts';
import { CutOff, deployWorld, type DeployWorld, sendNow } from './world.ts';

const PROGRAM_BYTES = new Uint8Array(PROGRAM_FILE);

function partsOf(world: DeployWorld, more: Partial<DeploymentParts> = {}): DeploymentParts {
  const { rpc, sender, payer, program } = world;
  return {
    rpc,
    sender,
    payer: payer.signer,
    program: program.signer,
    authority: payer.signer.address,
    elf: PROGRAM_BYTES,
    ...more,
  };
}

test(
  'deployment: through the sender, and then a final under the program',
  { skip: SKIP },
  async () => {
    const world = await deployWorld();
    const { rpc, payer, program, chain, clock } = world;
    const sender = new Sender({
      rpc,
      payer: payer.signer,
      limits: { ...SENDER_LIMITS, pollMs: 400 },
      async sleep(ms) {
        clock.time += ms / 1000;
        chain.ledger.advance();
      },
      elapsed: () => clock.time,
    });
    const seen: number[] = [];
    const progress = (written: number): void => void seen.push(written);
    const done = await deployProgram(partsOf(world, { sender, authority: null, progress }));
    assert.equal(done.outcome, 'deployed');
    assert.equal(seen.at(-1), PROGRAM_BYTES.length);
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
    const standing = await readProgram(rpc, program.signer.address);
    assert.equal(standing?.authority, null);
    assert.deepEqual(standing?.bytes, PROGRAM_BYTES);
    const publisher = await partyOf('publisher');
    const cosigner = await partyOf('co-signer 0');
    const ticker = 'LAYOFFS' as Ticker;
    const log = hashOf('a log');
    const client = new FeedClient({
      rpc,
      program: program.signer.address,
      genesis: publisher.key,
      sender,
    });
    await client.initFeed(publisher.signer, {
      cadence: 'week_ending_saturday',
      decimals: 0,
      ticker,
      log,
      nextHash: commitmentTo(await partyOf('next')),
      recoveryHash: commitmentTo(await partyOf('recovery')),
      rule: hashOf('rule'),
      first: 2,
      threshold: 1,
      cosigners: [cosigner.key],
    });
    const message = formatPrint({
      series: formatHex(seriesId(sha256, log, ticker)) as HashHex,
      rule: hashOf('rule'),
      report: hashOf('a report'),
      value: 211_000n,
      publishedAt: BigInt(Math.floor(clock.time)),
      period: 20_659,
      status: 'final',
      decimals: 0,
      settleable: true,
      withheld: false,
      issue: 0,
    });
    const signatures = [publisher, cosigner].map(({ key, sign }) => ({
      key: parseHex(key, 32),
      signature: sign(message),
    }));
    const { record, cosigners } = await client.publish(ticker, message, signatures);
    assert.equal(record.value, 211_000n);
    assert.deepEqual(cosigners, [cosigner.key]);
  },
);

test(
  'deployment: what it costs is what was said, and the buffer is gone',
  { skip: SKIP },
  async () => {
    const world = await deployWorld();
    const { chain, payer, program } = world;
    const before = chain.ledger.balance(payer.signer.address);
    const cost = await deploymentCost(world.rpc, PROGRAM_BYTES.length);
    const done = await deployProgram(partsOf(world, { authority: null }));
    assert.equal(done.fees, cost.fees);
    assert.equal(done.transactions, cost.transactions);
    assert.equal(before - chain.ledger.balance(payer.signer.address), cost.rent + cost.fees);
    const buffer = await bufferAddress(payer.signer.address, program.signer.address);
    assert.equal(chain.ledger.account(buffer), undefined);
  },
);

test(
  'deployment: one that is cut off is carried on, and pays for nothing twice',
  { skip: SKIP },
  async () => {
    const cost = await deploymentCost((await deployWorld()).rpc, PROGRAM_BYTES.length);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: cost.transactions - 1 }), async (count) => {
        const world = await deployWorld();
        await assert.rejects(deployProgram(partsOf(world, { sender: world.until(count) })), CutOff);
        const done = await deployProgram(partsOf(world));
        assert.equal(done.transactions, cost.transactions - count);
        assert.deepEqual(
          (await readProgram(world.rpc, world.program.signer.address))?.bytes,
          PROGRAM_BYTES,
        );
        assert.equal((await deployProgram(partsOf(world))).outcome, 'there');
        assert.equal(world.sent(), cost.transactions);
      }),
      { numRuns: 8 },
    );
  },
);

test(
  'deployment: a buffer of other bytes or another length is mended',
  { skip: SKIP },
  async () => {
    for (const other of [PROGRAM_BYTES.map((byte) => byte ^ 1), PROGRAM_BYTES.subarray(0, 3000)]) {
      const world = await deployWorld();
      const parts = partsOf(world, { elf: other, sender: world.until(3) });
      await assert.rejects(deployProgram(parts), CutOff);
      assert.equal((await deployProgram(partsOf(world))).outcome, 'deployed');
      const standing = await readProgram(world.rpc, world.program.signer.address);
      assert.deepEqual(standing?.bytes, PROGRAM_BYTES);
    }
  },
);

test(
  'deployment: lamports at either address beforehand do not bar it',
  { skip: SKIP },
  async () => {
    const world = await deployWorld();
    const { chain, payer, program } = world;
    const buffer = await bufferAddress(payer.signer.address, program.signer.address);
    chain.ledger.airdrop(buffer, 1_000_000n);
    chain.ledger.airdrop(program.signer.address, 1_000_000n);
    const cost = await deploymentCost(world.rpc, PROGRAM_BYTES.length);
    const before = chain.ledger.balance(payer.signer.address);
    assert.equal((await deployProgram(partsOf(world))).outcome, 'deployed');
    // They are taken as a part of the rent; those in the buffer come to the payer.
    const paid = before - chain.ledger.balance(payer.signer.address);
    assert.equal(paid, cost.rent + cost.fees - 2_000_000n);
  },
);

test(
  'deployment: the authority is handed over once, and burned for good',
  { skip: SKIP },
  async () => {
    const world = await deployWorld();
    const { rpc, program } = world;
    const other = await partyOf('another authority');
    assert.equal((await deployProgram(partsOf(world))).outcome, 'deployed');
    const handed = await deployProgram(partsOf(world, { authority: other.signer.address }));
    assert.equal(handed.outcome, 'handed_over');
    const standing = await readProgram(rpc, program.signer.address);
    assert.equal(standing?.authority, other.signer.address);
    // The payer is no authority any more.
    await assert.rejects(deployProgram(partsOf(world, { authority: null })), {
      code: 'refused',
      found: other.signer.address,
    });
    await sendNow(rpc, world.payer.signer, [
      setAuthority(standing.programData, other.signer, null),
    ]);
    assert.equal((await readProgram(rpc, program.signer.address))?.authority, null);
    await assert.rejects(deployProgram(partsOf(world)), { code: 'refused' });
  },
);

test('deployment: another program in its place is refused', { skip: SKIP }, async () => {
  const world = await deployWorld();
  await deployProgram(partsOf(world));
  const elf = PROGRAM_BYTES.slice();
  elf[5000] = (elf[5000] ?? 0) ^ 1;
  const sent = world.sent();
  await assert.rejects(deployProgram(partsOf(world, { elf })), {
    code: 'refused',
    found: 'another one, from byte 5000 on',
  });
  assert.equal(world.sent(), sent);
});

test('deployment: missing chunks are those that differ', () => {
  const elf = Uint8Array.from({ length: 3 * CHUNK + 5 }, (_, i) => (i % 250) + 1);
  assert.deepEqual(missingChunks(elf, elf), []);
  assert.deepEqual(missingChunks(new Uint8Array(elf.length), elf), [
    0,
    CHUNK,
    2 * CHUNK,
    3 * CHUNK,
  ]);
  const held = elf.slice();
  held[2 * CHUNK - 1] = 0;
  held[held.length - 1] = 0;
  assert.deepEqual(missingChunks(held, elf), [CHUNK, 3 * CHUNK]);
});
