import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { startDevelopmentChain } from '@assay/chain/development/server';
import { address, createSolanaRpc } from '@solana/kit';
import { DAY, needsSvm, NOW, PERIOD, PROGRAM, worldOf } from '../chain/fixture/world.ts';
import { ROOT } from '../core/fixture/fixture.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Market {
  readonly cosigners: readonly string[];
  readonly over: string;
  readonly under: string;
  readonly [name: string]: unknown;
}

function run(script: string, ...args: readonly string[]): Promise<Ran> {
  const file = join(ROOT, 'samples', 'venue', script);
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

/** A chain with the feed of LAYOFFS, the site of its publisher, and markets on its week of 2026-08-01. */
async function venueOf(t: TestContext) {
  const world = await worldOf();
  const period = PERIOD + 7;
  world.now = NOW + 6n * DAY;
  const chain = await startDevelopmentChain({ port: 0, now: () => Number(world.now) });
  const answers: Readonly<Record<string, object>> = {
    '/.well-known/assay-signer.json': {
      program: PROGRAM,
      report_key: { public_key: world.publisher.key },
      cosigner_sets: [{ cosigners: world.cosigners.map(({ key }) => ({ key })) }],
    },
    '/v1/indices/LAYOFFS/rule': { hash: world.parameters.rule },
  };
  const site = createServer((request, response) => {
    response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'assay-venue-'));
  t.after(async () => {
    site.close();
    await chain.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const show = async (): Promise<void> => {
    for (const at of [world.feed, await world.pageOf(period)]) {
      const { lamports, data } = world.account(at) ?? assert.fail('an account');
      const account = { address: at, owner: PROGRAM, lamports, data: Uint8Array.from(data) };
      chain.ledger.setAccount(account);
    }
  };
  return {
    chain,
    publish: async (status: 'provisional' | 'final' | 'void'): Promise<void> => {
      const value = status === 'void' ? null : 229_000n;
      const print = world.print({ status, period, publishedAt: world.now, value } as never);
      assert.equal((await world.publish(print)).error, null);
      await show();
    },
    market: async (name: string, strike: string): Promise<string> => {
      const into = join(folder, name);
      const options = ['--rpc', chain.rpc, '--period', '2026-08-01', '--strike', strike];
      const made = await run('demo-market.mjs', url, ...options, '-o', into);
      assert.deepEqual([made.code, made.err], [0, '']);
      return into;
    },
    settle: (into: string, rpc = chain.rpc): Promise<Ran> => run('settle.mjs', into, '--rpc', rpc),
    has: async (at: string): Promise<bigint> =>
      (await createSolanaRpc(chain.rpc).getBalance(address(at)).send()).value,
    others: [world.payer.key, world.next.key],
  };
}

function termsOf(folder: string): Market {
  return JSON.parse(readFileSync(join(folder, 'market.json'), 'utf8')) as Market;
}

const POT = 100_000_000n;

test(
  'settle: nobody is paid before the final, the winner once, and by the own list alone',
  needsSvm,
  async (t) => {
    const { publish, market, settle, has, others } = await venueOf(t);
    const [low, high, foreign] = await Promise.all(
      [
        ['low', '229000'],
        ['high', '229001'],
        ['foreign', '1'],
      ].map(([name = '', strike = '']) => market(name, strike)),
    );
    assert.ok(low !== undefined && high !== undefined && foreign !== undefined);
    await publish('provisional');
    const early = await settle(low);
    assert.equal(early.code, 1);
    assert.match(early.err, /^Nobody is paid: print at status: expected final, found provisional/);
    assert.ok(!existsSync(join(low, 'payout.json')));
    await publish('final');

    const paid = await settle(low);
    assert.deepEqual([paid.code, paid.err], [0, '']);
    assert.match(paid.out, /is 229000, the strike 229000: over wins\. 3 of the market's own/);
    assert.equal(await has(termsOf(low).over), POT);
    const again = await settle(low);
    assert.equal(again.code, 0);
    assert.doesNotMatch(again.out, /wins/, 'it was decided already');
    assert.deepEqual([await has(termsOf(low).over), await has(termsOf(low).under)], [POT, 0n]);

    const other = await settle(high);
    assert.match(other.out, /: under wins\./);
    assert.equal(await has(termsOf(high).under), POT);

    const own = { ...termsOf(foreign), cosigners: others };
    writeFileSync(join(foreign, 'market.json'), JSON.stringify(own));
    const refused = await settle(foreign);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /print at cosigners: expected 2 of the caller's list, found 0/);
    writeFileSync(join(foreign, 'market.json'), JSON.stringify({ ...termsOf(low), decimals: 1 }));
    assert.match((await settle(foreign)).err, /at decimals: expected 1, found 0/);
    assert.ok(!existsSync(join(foreign, 'payout.json')));

    const silent = await settle(foreign, 'http://127.0.0.1:9');
    assert.equal(silent.code, 3);
    assert.match(silent.err, /^Nobody is paid yet: .* \[unreachable\]/);
  },
);

test('settle: a payment that came too late and never ran is made anew', needsSvm, async (t) => {
  const { publish, market, settle, has } = await venueOf(t);
  const into = await market('one', '1');
  await publish('final');
  const record = join(into, 'payout.json');
  assert.equal((await settle(into)).code, 0);
  const payout = JSON.parse(readFileSync(record, 'utf8')) as Record<string, string>;

  // Another chain has never seen the transaction, and its height is beyond the last at which it could run.
  const two = await market('two', '1');
  const stale = { ...payout, lastValidBlockHeight: '-1', signature: '1'.repeat(64) };
  writeFileSync(join(two, 'payout.json'), JSON.stringify(stale));
  const late = await settle(two);
  assert.equal(late.code, 3);
  assert.match(late.err, /never ran\. Run this again\./);
  assert.equal((await settle(two)).code, 0);
  assert.equal(await has(termsOf(two).over), POT);
});
