import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { anchoredLog } from '../../verifier/fixture/anchored-log.ts';
import { anchoredBundle, HELD } from '../../verifier/fixture/anchored-misdeeds.ts';
import { wireBytes } from '../../verifier/fixture/forge.ts';
import { bundleOf } from '../../verifier/fixture/misdeeds.ts';
import { youngLog } from '../../verifier/fixture/published.ts';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';
import { assay, assayProcess, scratch } from '../fixture/run.ts';

const stamped = await anchoredLog();

/** Shuts every way to a network, and moves the clock twenty years on. Whoever tries the network ends the process. */
const SHUT = `
import net from 'node:net';
import dns from 'node:dns';
import dgram from 'node:dgram';
const shut = () => { process.stderr.write('THE NETWORK WAS TRIED'); process.exit(99); };
net.Socket.prototype.connect = shut;
dns.lookup = shut;
dns.promises.lookup = shut;
dgram.createSocket = shut;
globalThis.fetch = shut;
const now = Date.now;
Date.now = () => now() + 20 * 365 * 86400 * 1000;
`;

async function headersIn(folder: string, to = stamped.chain.tip.height): Promise<string> {
  const headers = Array.from({ length: to + 1 }, (_, i) => stamped.chain.block(i)?.header);
  const path = join(folder, 'headers');
  await writeFile(path, Buffer.concat(headers as Uint8Array[]));
  return path;
}

test('recheck: the file and headers are enough, twenty years later and with the network shut', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'number.json'), wireBytes(await anchoredBundle(HELD)));
  await writeFile(join(folder, 'shut.mjs'), SHUT);
  await headersIn(folder);
  const shut = {
    NODE_OPTIONS: `--import ${join(folder, 'shut.mjs')}`,
    ASSAY_SOLANA_RPC: 'https://rpc.invalid',
  };
  const key = stamped.checkpoints.vkey;
  const args = ['verify', 'number.json', '--recheck', '--headers', 'headers', '--key', key];
  const { code, out, err } = await assayProcess(folder, args, shut);
  assert.deepEqual([code, err], [0, ''], out);
  assert.match(out, /^VERIFIED \(DEVELOPMENT\): /);
  // The shutter works: whatever asks a network ends.
  const tried = await assayProcess(folder, ['verify', 'http://127.0.0.1:9'], shut);
  assert.deepEqual([tried.code, tried.err], [99, 'THE NETWORK WAS TRIED']);
});

test('recheck: a number that none of those blocks holds is no yes', async (t) => {
  const folder = await scratch(t);
  await headersIn(folder);
  await writeFile(
    join(folder, 'young.json'),
    wireBytes(await bundleOf(youngLog(await sampleLog()))),
  );
  const young = await assay(folder, ['verify', 'young.json', '--recheck', '--headers', 'headers']);
  assert.equal(young.code, 1, young.out);
  assert.match(young.out, /\n {2}block_missing {2}bundle\n[^]*found {5}no block\n/);
  await writeFile(join(folder, 'number.json'), wireBytes(await anchoredBundle(HELD)));
  assert.equal((await assay(folder, ['verify', 'number.json', '--headers', 'headers'])).code, 0);
  // Headers that end before the block, or right behind it.
  for (const to of [2000, 2166]) {
    await headersIn(folder, to);
    const short = await assay(folder, [
      'verify',
      'number.json',
      '--recheck',
      '--headers',
      'headers',
    ]);
    assert.equal(short.code, 1, `${to}: ${short.out}`);
    assert.match(short.out, /block_missing/);
  }
});

test('recheck: nothing but a file and headers may be named', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'number.json'), '{}');
  await headersIn(folder);
  for (const [args, words] of [
    [['number.json'], /needs --headers FILE/],
    [['http://127.0.0.1:1', '--headers', 'headers'], /--recheck is for a file/],
    [['number.json', '--headers', 'headers', '--chain-rpc', 'http://x'], /nothing but the file/],
    [['number.json', '--headers', 'headers', '--pins', 'p'], /nothing but the file/],
    [['.', '--headers', 'headers'], /./],
  ] as const) {
    const { code, err } = await assay(folder, ['verify', ...args, '--recheck']);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, words);
  }
});
