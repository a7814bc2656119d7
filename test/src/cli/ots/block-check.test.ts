import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBlock } from '@assay/cli/ots/block-check';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { parseHeader } from '@assay/core/bitcoin/header';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';

const NOON = 1_785_369_600;
const chain = new DevelopmentChain({ blockSeconds: 600 });
chain.advance(NOON - 24_000);
chain.advance(NOON);
const TOP = chain.tip.height;
const HEIGHT = TOP - 10;
const ROOT = parseHeader(chain.block(HEIGHT)?.header ?? new Uint8Array(80)).merkleRoot;

function lookup(tip: number, description: string): HeaderLookup {
  return {
    kind: 'headers',
    network: 'development',
    first: 0,
    work: null,
    tip: { height: tip, time: NOON },
    description,
    header: (height) => Promise.resolve(height > tip ? undefined : chain.block(height)?.header),
  };
}

async function standing(message: Uint8Array, ...lookups: readonly HeaderLookup[]): Promise<string> {
  return (await checkBlock(HEIGHT, message, { network: DEVELOPMENT, lookups })).standing;
}

test('headers that end soon after the block leave the answer to those that do not', async () => {
  const file = lookup(HEIGHT + 3, 'a file');
  const node = lookup(TOP, 'a node');
  assert.equal(await standing(ROOT, file), 'recent');
  assert.equal(await standing(ROOT, file, node), 'proven');
  assert.equal(await standing(new Uint8Array(32), file, node), 'wrong');
  assert.equal(await standing(new Uint8Array(32), file), 'recent');
});
