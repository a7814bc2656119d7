import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { chainHash, QUICKNET, roundAt, roundTime } from '@assay/core/timelock/beacon-chain';
import { openSealed, sealTo } from '@assay/core/timelock/sealed';
import { DEVELOPMENT_PERIOD_S, developmentBeacon } from '@assay/node/dev/development-beacon';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { BeaconSource } from '@assay/node/timelock/beacon-source';
import { beaconSourceSuite } from '../timelock/beacon-source-suite.ts';

const GENESIS = 1_782_864_000;
const { signal } = new AbortController();

async function keyFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-beacon-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'development-beacon');
}

function open(path: string, time = GENESIS, genesis = GENESIS): Promise<BeaconSource> {
  return developmentBeacon({ path, genesis, now: () => time, sha256: nodeSha256 });
}

beaconSourceSuite('development beacon', async (t) => {
  let time = 0;
  const path = await keyFile(t);
  const source = await developmentBeacon({
    path,
    genesis: GENESIS,
    now: () => time,
    sha256: nodeSha256,
  });
  return { source, setTime: (seconds) => (time = seconds) };
});

test('development beacon: its chain is another than quicknet, and says what it is', async (t) => {
  const { chain } = await open(await keyFile(t));
  assert.notEqual(chain.hash, QUICKNET.hash);
  assert.equal(chain.hash, chainHash(nodeSha256, chain));
  assert.equal(chain.beacon_id, 'assay-development');
  assert.equal(chain.period_s, DEVELOPMENT_PERIOD_S);
  assert.equal(roundTime(chain, 1), GENESIS);
});

test('development beacon: a restart goes on with the same chain, and two have two', async (t) => {
  const path = await keyFile(t);
  const { chain } = await open(path);
  const round = roundAt(chain, GENESIS + 3600);
  const sealed = sealTo(chain, round).seal(new Uint8Array(32).fill(7), new Uint8Array(32).fill(9));
  // The genesis of the chain is that of its first start.
  const again = await open(path, roundTime(chain, round), GENESIS + 1);
  assert.deepEqual(again.chain, chain);
  const signature = await again.signature(round, signal);
  assert.deepEqual(openSealed(signature ?? new Uint8Array(0), sealed), new Uint8Array(32).fill(7));
  assert.notEqual((await open(await keyFile(t))).chain.hash, chain.hash);
});

test('development beacon: its file is for its owner alone, and holds nothing else', async (t) => {
  const path = await keyFile(t);
  await open(path);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const text = await readFile(path, 'utf8');
  for (const wrong of ['', '{}', text.replace(/"period_s":30/, '"period_s":31'), `${text} `]) {
    await writeFile(path, wrong);
    await assert.rejects(open(path), (error: Error & { code: string }) =>
      ['malformed', 'not_canonical'].includes(error.code),
    );
  }
  // A secret of another chain signs nothing.
  await writeFile(path, text.replace(/"secret":"[0-9a-f]{64}"/, `"secret":"${'01'.repeat(32)}"`));
  const source = await open(path);
  await assert.rejects(source.signature(1, signal), { code: 'malformed' });
});
