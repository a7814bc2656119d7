import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { BITCOIN, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { concatBytes } from '@assay/core/bytes/bytes';
import { headerFile } from '@assay/node/bitcoin/header-file';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';
import { headerSourceSuite } from './header-source-suite.ts';
import { mined } from './mined-headers.ts';

headerSourceSuite('header file', async (t, headers) => {
  const path = join(await temporaryFolder(t), 'headers.bin');
  await writeFile(path, concatBytes(...headers));
  return {
    source: headerFile({ path, network: DEVELOPMENT }),
    async replace(others) {
      await writeFile(`${path}.new`, concatBytes(...others));
      await rename(`${path}.new`, path);
    },
  };
});

test('header file: one that is none', async (t) => {
  const path = join(await temporaryFolder(t), 'headers.bin');
  const source = headerFile({ path, network: DEVELOPMENT });
  await assert.rejects(source.tip(), { code: 'unreachable', message: /ENOENT/ });
  const headers = concatBytes(...mined(3));
  const bad = [headers.subarray(0, 0), headers.subarray(1), headers.subarray(0, -1)];
  for (const bytes of [...bad, headers.subarray(80), new Uint8Array(160)]) {
    await writeFile(path, bytes);
    await assert.rejects(source.tip(), { code: 'malformed' }, String(bytes.length));
    await assert.rejects(source.headers(0, 1), { code: 'malformed' });
  }
  await rm(path);
  await mkdir(path);
  await assert.rejects(source.tip(), { code: 'unreachable' });
});

test('header file: the main chain may begin after the epoch table', async (t) => {
  const path = join(await temporaryFolder(t), 'headers.bin');
  const first = new Uint8Array(80);
  first.set(LAST_EPOCH.hash, 4);
  const second = new Uint8Array(80).fill(2);
  await writeFile(path, concatBytes(first, second));
  const source = headerFile({ path, network: BITCOIN });
  const height = LAST_EPOCH.height + 1;
  assert.equal(await source.tip(), height + 1);
  assert.deepEqual(await source.headers(height + 1, 9), [second]);
  await assert.rejects(source.headers(height - 1, 9), { code: 'refused' });
  await assert.rejects(headerFile({ path, network: DEVELOPMENT }).tip(), { code: 'malformed' });
});
