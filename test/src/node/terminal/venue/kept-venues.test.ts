import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { venueFile } from '@assay/node/terminal/venue/kept-venues';
import { earlier } from './venue-fixture.ts';

test('kept venues: what is kept comes back, and what cannot be read is reported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-venues-'));
  try {
    const path = join(folder, 'venues.json');
    const store = venueFile(path);
    assert.equal(await store.get(), undefined);
    const kept = earlier('kraken');
    await store.set(kept);
    assert.deepEqual(await store.get(), kept);
    const text = await readFile(path, 'utf8');
    for (const wrong of [
      '',
      '<html>',
      ` ${text}`,
      text.replace('kraken', 'nowhere'),
      text.replace('https://', 'http://'),
      text.replace('"spot"', '"options"'),
      text.replace('"symbol":"BTC"', '"price":"1","symbol":"BTC"'),
      text.replace('"note":null', '"note":NaN'),
    ]) {
      await writeFile(path, wrong);
      await assert.rejects(store.get(), wrong);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
