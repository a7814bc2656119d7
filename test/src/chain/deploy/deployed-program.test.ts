import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareProgram, deployedFile, readProgram } from '@assay/chain/deploy/deployed-program';
import { openDevelopmentChain } from '@assay/chain/development/development-chain';
import { kitRpc } from '@assay/chain/development/kit-transport';
import { concatBytes } from '@assay/core/bytes/bytes';
import type { Address } from '@solana/kit';
import { SKIP, TestClock } from '../development/world.ts';
import { partyOf } from '../fixture/party.ts';
import { PROGRAM, PROGRAM_BYTES } from '../fixture/world.ts';

const ELF = Uint8Array.of(1, 2, 3, 0, 0);

test('deployed program: zeros may follow, and nothing else', () => {
  assert.deepEqual(compareProgram(ELF, ELF), { same: true });
  assert.deepEqual(compareProgram(concatBytes(ELF, new Uint8Array(9)), ELF), { same: true });
  assert.deepEqual(compareProgram(concatBytes(ELF, Uint8Array.of(0, 1)), ELF), {
    same: false,
    at: 6,
  });
  // Zeros at the ELF's own end must be there.
  assert.deepEqual(compareProgram(ELF.subarray(0, 4), ELF), { same: false, at: 4 });
  assert.deepEqual(compareProgram(Uint8Array.of(1, 2, 4, 0, 0), ELF), { same: false, at: 2 });
});

test('deployed program: a hash is of a file, or of nothing', () => {
  // Its own zeros at the end belong to it, the room behind it does not.
  const elf = new Uint8Array(PROGRAM_BYTES);
  assert.deepEqual(deployedFile(concatBytes(elf, new Uint8Array(9))), elf);
  assert.deepEqual(deployedFile(elf), elf);
  assert.equal(deployedFile(concatBytes(elf, Uint8Array.of(0, 1))), undefined);
  assert.equal(deployedFile(elf.subarray(0, -1)), undefined);
  assert.equal(deployedFile(ELF), undefined);
});

test('deployed program: one flipped byte shows', { skip: SKIP }, async () => {
  const elf = new Uint8Array(PROGRAM_BYTES);
  const other = elf.slice();
  // Data: a byte of the code might not load.
  other[200] = (other[200] ?? 0) ^ 0x40;
  const chain = await openDevelopmentChain({
    now: new TestClock().now,
    tickMs: 0,
    programs: [{ address: PROGRAM, elf: other }],
  });
  const standing = await readProgram(kitRpc(chain), PROGRAM);
  assert.ok(standing !== undefined);
  assert.deepEqual(compareProgram(standing.bytes, elf), { same: false, at: 200 });
  assert.deepEqual(compareProgram(standing.bytes, other), { same: true });
});

test('deployed program: what is no program of the loader', { skip: SKIP }, async () => {
  const chain = await openDevelopmentChain({ now: new TestClock().now, tickMs: 0 });
  const rpc = kitRpc(chain);
  const { signer } = await partyOf('nobody');
  assert.equal(await readProgram(rpc, signer.address), undefined);
  // Lamports alone make no program.
  chain.ledger.airdrop(signer.address, 1_000_000n);
  assert.equal(await readProgram(rpc, signer.address), undefined);
  chain.ledger.setAccount({
    address: signer.address,
    owner: 'BPFLoaderUpgradeab1e11111111111111111111111' as Address,
    lamports: 1_000_000n,
    data: new Uint8Array(36),
  });
  await assert.rejects(readProgram(rpc, signer.address), { code: 'malformed' });
  chain.ledger.setAccount({
    address: signer.address,
    owner: signer.address,
    lamports: 1_000_000n,
    data: new Uint8Array(36),
  });
  await assert.rejects(readProgram(rpc, signer.address), { code: 'unsupported' });
});
