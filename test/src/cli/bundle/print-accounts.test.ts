import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseBundle } from '@assay/core/proof/bundle';
import {
  accountsOf,
  CHAIN,
  chained,
  KNOWN_SLOT,
  READ_SLOT,
} from '../../verifier/fixture/chained-log.ts';
import { siteOf } from '../../verifier/fixture/published.ts';
import { assay, listen, scratch, serve } from '../fixture/run.ts';

const log = chained();
const accounts = accountsOf(log);

/** A node of a chain that has the log's accounts. */
async function node(t: TestContext, chain: string = CHAIN): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, params } = JSON.parse(Buffer.concat(parts).toString()) as {
        readonly method: string;
        readonly params: readonly unknown[];
      };
      const result = ((): unknown => {
        if (method === 'getGenesisHash') return `${chain.slice('solana:'.length)}JkvQyS88uR`;
        if (method === 'getSlot') return KNOWN_SLOT;
        const value = (params[0] as readonly string[]).map((address) => {
          const { data, owner } = accounts.get(address) ?? {};
          if (data === undefined) return null;
          return { data: [Buffer.from(data).toString('base64'), 'base64'], owner };
        });
        return { context: { slot: READ_SLOT }, value };
      })();
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
    });
  });
  return listen(t, server);
}

const ARGS = ['--index', 'LAYOFFS', '--period', '2026-07-04', '-o', 'n.json'];

test('assay bundle --chain-rpc: the accounts of a print are in it, and it verifies', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, siteOf(log.published));
  const rpc = await node(t);
  const made = await assay(folder, ['bundle', url, ...ARGS, '--chain-rpc', rpc]);
  assert.deepEqual([made.code, made.err], [0, '']);
  const { account } = parseBundle(await readFile(join(folder, 'n.json')));
  assert.deepEqual([account?.feed.slot, account?.page.slot], [READ_SLOT, READ_SLOT]);
  const { code, out } = await assay(folder, ['verify', 'n.json']);
  assert.equal(code, 0, out);
  const words = out.replaceAll(/\s+/g, ' ');
  assert.match(
    out,
    /^VERIFIED \(DEVELOPMENT, key not vouched for\): [^.]*215000[^.]*1\sco-signer\scounted\sanother\snumber/,
  );
  assert.match(
    words,
    / recounted by 2 co-signers \(ada, ben\); a settlement needs 2; 1 co-signer counted another number /,
  );
  assert.match(
    words,
    / on chain page \S+ of solana:\S+, written at slot \d+, 2 co-signers, 1 dissent there: according to an RPC node /,
  );
});

test('assay bundle --chain-rpc: another chain, and what is no address', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, siteOf(log.published));
  const other = await node(t, `solana:${'9'.repeat(32)}`);
  const refused = await assay(folder, ['bundle', url, ...ARGS, '--chain-rpc', other]);
  assert.equal(refused.code, 3, refused.err);
  assert.match(refused.err.replaceAll(/\s+/g, ' '), new RegExp(`expected of ${CHAIN}`));
  assert.equal((await assay(folder, ['bundle', url, ...ARGS, '--chain-rpc', 'x'])).code, 2);
});
