import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { BITCOIN } from '@assay/core/bitcoin/bitcoin-network';
import { equalBytes } from '@assay/core/bytes/bytes';
import { fileLookup, sourceLookup } from '@assay/cli/headers/headers-lookup';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { developmentSource } from '@assay/node/dev/bitcoin/development-source';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import { scratch } from '../fixture/run.ts';

const START = 1_785_000_000;
const chain = new DevelopmentChain({ blockSeconds: 600 });
chain.advance(START);
chain.advance(START + 600 * 300);
const { height: top, time: NOW } = chain.tip;
const headers = Array.from({ length: top + 1 }, (_, i) => chain.block(i)?.header as Uint8Array);

test('a file of headers is checked whole, and gives each of them', async (t) => {
  const path = join(await scratch(t), 'headers');
  await writeFile(path, Buffer.concat(headers));
  const told: number[] = [];
  const lookup = await fileLookup(path, {
    now: NOW,
    progress: (done, total) => told.push(done, total),
  });
  assert.deepEqual(
    [lookup.kind, lookup.network, lookup.tip.height],
    ['headers', 'development', top],
  );
  assert.equal(lookup.tip.time, chain.tip.time);
  assert.equal(
    equalBytes((await lookup.header(77)) ?? new Uint8Array(0), headers[77] as Uint8Array),
    true,
  );
  assert.equal(await lookup.header(top + 1), undefined);
  assert.deepEqual(told.slice(-2), [top + 1, top + 1]);
});

test('a file with a bit wrong, cut short, or too short to cost anything, is none', async (t) => {
  const path = join(await scratch(t), 'headers');
  const whole = Buffer.concat(headers);
  const wrong = Buffer.from(whole);
  wrong[80 * 50 + 10] = (wrong[80 * 50 + 10] as number) ^ 1;
  for (const [bytes, code] of [
    [wrong, 'bad_header'],
    [whole.subarray(0, -1), 'malformed'],
    [Buffer.alloc(0), 'malformed'],
    [Buffer.from(BITCOIN.genesis), 'malformed'],
  ] as const) {
    await writeFile(path, bytes);
    await assert.rejects(fileLookup(path, { now: NOW }), { code });
  }
  await assert.rejects(fileLookup(`${path}.none`, { now: NOW }), { code: 'not_found' });
});

/** The chain as a source that counts what it is asked. */
function counted(): { readonly source: HeaderSource; readonly asked: string[] } {
  const asked: string[] = [];
  const own = developmentSource(chain, () => chain.tip.time);
  const source: HeaderSource = {
    ...own,
    headers(from, count) {
      asked.push(`${from}+${count}`);
      return own.headers(from, count);
    },
  };
  return { source, asked };
}

test('a source is asked for spans, each once', async () => {
  const { source, asked } = counted();
  const lookup = await sourceLookup(source, 'headers', 144, 'headers of your own node', {
    now: NOW,
  });
  assert.deepEqual([lookup.network, lookup.tip.height, asked.length], ['development', top, 2]);
  const found = await Promise.all([150, 151, 287, 150].map((at) => lookup.header(at)));
  for (const [i, at] of [150, 151, 287, 150].entries()) {
    assert.equal(equalBytes(found[i] as Uint8Array, headers[at] as Uint8Array), true);
  }
  assert.deepEqual(asked.slice(2), ['144+144']);
});

test('a source of another chain is refused', async () => {
  const { source } = counted();
  const other: HeaderSource = {
    ...source,
    headers: () => Promise.resolve([headers[5] as Uint8Array]),
  };
  await assert.rejects(sourceLookup(other, 'explorer', 1, 'somebody', { now: NOW }), {
    code: 'refused',
  });
});

test('a tip or a header further ahead than two hours is refused, and a stop is heeded', async (t) => {
  const { source } = counted();
  const early = { now: NOW - 7201 };
  await assert.rejects(sourceLookup(source, 'headers', 1, 'x', early), { code: 'refused' });
  const path = join(await scratch(t), 'headers');
  await writeFile(path, Buffer.concat(headers));
  await assert.rejects(fileLookup(path, early), { code: 'refused' });
  const stop = new AbortController();
  const lookup = await sourceLookup(source, 'headers', 1, 'x', { now: NOW, signal: stop.signal });
  stop.abort();
  await assert.rejects(lookup.header(7), { code: 'timeout' });
  await assert.rejects(fileLookup(path, { now: NOW, signal: stop.signal }), { code: 'timeout' });
});
