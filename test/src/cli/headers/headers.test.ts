import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { BITCOIN, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { concatBytes } from '@assay/core/bytes/bytes';
import { formatHex } from '@assay/core/bytes/hex';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { developmentRpc } from '@assay/node/dev/bitcoin/development-rpc';
import { assay, listen, type Ran, scratch } from '../fixture/run.ts';
import { explorer } from '../fixture/stamp-world.ts';

const START = 1_767_225_600;

/** A development chain of so many blocks after genesis. */
function chainOf(blocks: number, start = START): DevelopmentChain {
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  chain.advance(start);
  if (blocks > 1) chain.advance(start + (blocks - 1) * 600);
  return chain;
}

function bytesOf(chain: DevelopmentChain): Uint8Array {
  return concatBytes(
    ...Array.from({ length: chain.tip.height + 1 }, (_, i) => {
      return chain.block(i)?.header ?? new Uint8Array(0);
    }),
  );
}

/** The JSON-RPC of a chain that stands still. */
async function rpcOf(
  t: TestContext,
  chain: DevelopmentChain,
  seen: (string | undefined)[] = [],
): Promise<string> {
  const answer = developmentRpc({ chain, now: () => chain.tip.time });
  return listen(
    t,
    createServer((request, response) => {
      seen.push(request.headers.authorization);
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { status, body } = answer(Buffer.concat(parts));
        response.writeHead(status).end(body);
      });
    }),
  );
}

const SYNC = ['headers', 'sync', '-o', 'headers.bin', '--development'];

function sync(folder: string, ...sources: readonly string[]): Promise<Ran> {
  return assay(folder, [...SYNC, ...sources.flatMap((url) => ['--rpc', url])]);
}

test('headers sync: from nothing to the tip, and on from there', async (t) => {
  const folder = await scratch(t);
  const chain = chainOf(1200);
  const url = await rpcOf(t, chain);
  const first = await sync(folder, url);
  assert.deepEqual([first.code, first.err], [0, '']);
  assert.equal(
    first.out.replace(/, \d+ days ago/, ', N days ago'),
    `headers.bin: 1,201 headers, 1,201 of them new
  network      development: these headers prove nothing elsewhere
  from         height 0, the first block
  to           height 1200
  id           ${chain.tip.id}
  mined        2026-01-09T07:50:00Z, N days ago
  work         about 2^11.2 hashes
`,
  );
  assert.deepEqual(new Uint8Array(await readFile(join(folder, 'headers.bin'))), bytesOf(chain));
  chain.advance(chain.tip.time + 3000);
  const more = await sync(folder, url);
  assert.match(more.out, /^headers\.bin: 1,206 headers, 5 of them new\n/);
  const same = await sync(folder, url);
  assert.match(same.out, /^headers\.bin: 1,206 headers, none of them new\n/);
  assert.deepEqual(new Uint8Array(await readFile(join(folder, 'headers.bin'))), bytesOf(chain));
});

test('headers sync: whatever an end left behind, the next goes on from the last whole header', async (t) => {
  const folder = await scratch(t);
  const chain = chainOf(700);
  const url = await rpcOf(t, chain);
  const path = join(folder, 'headers.bin');
  const whole = bytesOf(chain);
  for (const length of [0, 1, 79, 80, 81, 40_000 + 33, whole.length - 1]) {
    await writeFile(path, whole.subarray(0, length));
    const { code, err } = await sync(folder, url);
    assert.deepEqual([code, err], [0, ''], `${length}`);
    assert.deepEqual(new Uint8Array(await readFile(path)), whole, `${length}`);
  }
  // Power that fails may leave zeros where the last headers were to be.
  const zeros = whole.slice();
  zeros.fill(0, 600 * 80);
  await writeFile(path, zeros);
  const mended = await sync(folder, url);
  assert.equal(mended.code, 0);
  assert.match(
    mended.err,
    /^assay headers sync: the last 101 headers of the file were damaged, and are/,
  );
  assert.deepEqual(new Uint8Array(await readFile(path)), whole);
});

test('headers sync: killed while it writes, and started again', async (t) => {
  const folder = await scratch(t);
  const chain = chainOf(3000);
  const answer = developmentRpc({ chain, now: () => chain.tip.time });
  let asked = 0;
  let cut = (): void => undefined;
  const url = await listen(
    t,
    createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        asked += 1;
        if (asked === 25) cut();
        else response.end(answer(Buffer.concat(parts)).body);
      });
    }),
  );
  const program = join(import.meta.dirname, '../../../../../cli/bin/assay.js');
  const child = execFile(process.execPath, [program, ...SYNC, '--rpc', url], { cwd: folder });
  const ended = new Promise((resolve) => {
    child.on('exit', resolve);
  });
  cut = () => void child.kill('SIGKILL');
  await ended;
  const path = join(folder, 'headers.bin');
  const left = await readFile(path);
  assert.equal(left.length > 0 && left.length < 3001 * 80, true);
  assert.deepEqual(new Uint8Array(left), bytesOf(chain).subarray(0, left.length));
  const { code } = await sync(folder, url);
  assert.equal(code, 0);
  assert.deepEqual(new Uint8Array(await readFile(path)), bytesOf(chain));
});

test('headers sync: a reorganisation is rolled back, however deep', async (t) => {
  const folder = await scratch(t);
  const chain = chainOf(900);
  const url = await rpcOf(t, chain);
  const path = join(folder, 'headers.bin');
  for (const depth of [1, 6, 640]) {
    await sync(folder, url);
    const before = await readFile(path);
    const { height } = chain.tip;
    chain.reorganise(depth);
    const { code, out, err } = await sync(folder, url);
    assert.equal(code, 0, err);
    const fork = height - depth;
    assert.equal(
      err,
      `assay headers sync: ${depth} blocks after ${fork} were reorganised: the chain with more work is kept\n`,
    );
    assert.match(out, /, 1 of them new\n/);
    const after = await readFile(path);
    assert.deepEqual(new Uint8Array(after), bytesOf(chain));
    assert.equal(
      before.subarray(0, 80 * (fork + 1)).equals(after.subarray(0, 80 * (fork + 1))),
      true,
    );
  }
});

test('headers sync: of several sources the chain with the most work is kept', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'headers.bin');
  const [short, long] = [chainOf(30), chainOf(40, START + 1)];
  const [shortUrl, longUrl] = [await rpcOf(t, short), await rpcOf(t, long)];
  const dead = 'http://127.0.0.1:1';
  const first = await sync(folder, shortUrl, dead, longUrl);
  assert.equal(first.code, 0, first.err);
  assert.match(first.err, /^assay headers sync: 127\.0\.0\.1:1/);
  assert.match(first.err, /30 blocks after 0 were reorganised/);
  assert.deepEqual(new Uint8Array(await readFile(path)), bytesOf(long));
  const second = await sync(folder, shortUrl);
  assert.equal(second.code, 0);
  assert.match(second.err, /shows another chain after block 0, with no more work: it is ignored\n/);
  assert.deepEqual(new Uint8Array(await readFile(path)), bytesOf(long));
  // One that is behind on the same chain is no fork.
  const behind = await rpcOf(t, chainOf(35, START + 1));
  const third = await sync(folder, behind);
  assert.equal(third.code, 0);
  assert.match(third.err, /is 5 blocks behind\n/);
  const none = await sync(folder, dead);
  assert.deepEqual([none.code, none.out], [3, '']);
  assert.match(none.err, /no source could be read to its end\n$/);
  assert.deepEqual(new Uint8Array(await readFile(path)), bytesOf(long));
});

test('headers sync: a source that sends a bad header writes none of it', async (t) => {
  const folder = await scratch(t);
  const chain = chainOf(20);
  const headers = new Map(
    Array.from({ length: 21 }, (_, i) => [i, formatHex(chain.block(i)?.header ?? ([] as never))]),
  );
  // Its own id fits, its link does not.
  headers.set(12, formatHex(chainOf(12, START + 5).tip.header));
  const lying = await explorer(t, headers, 20);
  const honest = await rpcOf(t, chain);
  const args = [...SYNC, '--explorer', lying];
  const bad = await assay(folder, args);
  assert.equal(bad.code, 3);
  assert.match(bad.err, /Bitcoin header at height 12: expected previous block/);
  const both = await assay(folder, [...args, '--rpc', honest]);
  assert.equal(both.code, 0);
  assert.deepEqual(new Uint8Array(await readFile(join(folder, 'headers.bin'))), bytesOf(chain));
  const seen: string[] = [];
  headers.set(12, formatHex(chain.block(12)?.header ?? ([] as never)));
  const good = await explorer(t, headers, 20, seen);
  const fresh = ['headers', 'sync', '-o', 'other.bin', '--development', '--explorer', good];
  assert.equal((await assay(folder, fresh)).code, 0);
  assert.deepEqual(new Uint8Array(await readFile(join(folder, 'other.bin'))), bytesOf(chain));
});

test('headers sync: the login comes from the environment, and is stored nowhere', async (t) => {
  const folder = await scratch(t);
  const seen: (string | undefined)[] = [];
  const url = await rpcOf(t, chainOf(3), seen);
  const login = { ASSAY_BITCOIN_RPC_AUTH: 'me:hush hush' };
  const { code, out, err } = await assay(folder, [...SYNC, '--rpc', url], login);
  assert.equal(code, 0);
  const basic = `Basic ${Buffer.from('me:hush hush').toString('base64')}`;
  assert.deepEqual([...new Set(seen)], [basic]);
  const denied = await listen(
    t,
    createServer((_request, response) => response.writeHead(401).end('me:hush hush')),
  );
  const no = await assay(folder, [...SYNC, '--rpc', denied], login);
  assert.equal(no.code, 3);
  assert.match(no.err, /status 401/);
  const inUrl = await assay(folder, [...SYNC, '--rpc', 'http://me:hush@127.0.0.1:1']);
  assert.equal(inUrl.code, 2);
  assert.match(inUrl.err, /put user:password into ASSAY_BITCOIN_RPC_AUTH/);
  // A login is one node's: another that is asked too would learn it.
  seen.length = 0;
  const two = await assay(folder, [...SYNC, '--rpc', url, '--rpc', denied], login);
  assert.deepEqual([two.code, two.out, seen.length], [2, '', 0]);
  assert.match(two.err, /with ASSAY_BITCOIN_RPC_AUTH set, --rpc is given once/);
  for (const text of [out, err, no.out, no.err, inUrl.err, two.err]) {
    assert.doesNotMatch(text, /hush|bWU6/);
  }
});

test("headers sync: Bitcoin's chain takes no development header, and a file of one no other", async (t) => {
  const folder = await scratch(t);
  const chain = chainOf(5);
  const url = await rpcOf(t, chain);
  const args = ['headers', 'sync', '-o', 'headers.bin', '--rpc', url];
  const bitcoin = await assay(folder, args);
  assert.equal(bitcoin.code, 3);
  assert.match(bitcoin.err, /height 0: expected the first header of bitcoin/);
  assert.equal((await readFile(join(folder, 'headers.bin'))).length, 0);
  assert.equal((await assay(folder, [...args, '--development'])).code, 0);
  const before = await readFile(join(folder, 'headers.bin'));
  const again = await assay(folder, args);
  assert.equal(again.code, 3);
  assert.match(again.err, /first header: expected that of bitcoin.*, found that of development/);
  assert.deepEqual(await readFile(join(folder, 'headers.bin')), before);
  // What is no headers file is left as it is.
  for (const length of [1, 50, 200]) {
    await writeFile(join(folder, 'mine.txt'), 'x'.repeat(length));
    const mine = await assay(folder, ['headers', 'sync', '-o', 'mine.txt', '--rpc', url]);
    assert.equal(mine.code, 3);
    assert.equal((await readFile(join(folder, 'mine.txt'), 'utf8')).length, length);
  }
});

test("headers sync: Bitcoin's first header, and the table's end that nobody here has", async (t) => {
  const folder = await scratch(t);
  const url = await explorer(t, new Map([[0, formatHex(BITCOIN.genesis)]]), 0);
  const args = ['headers', 'sync', '-o', 'headers.bin', '--explorer', url];
  const { code, out } = await assay(folder, args);
  assert.equal(code, 0);
  assert.match(
    out,
    /to +height 0\n {2}id +000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8c/,
  );
  assert.match(out, /work +about 2\^32\.0 hashes\n {2}caution +it ends before height 832607: /);
  const table = await assay(folder, [...args.with(3, 'table.bin'), '--from-table']);
  assert.equal(table.code, 3);
  assert.match(table.err, /no source could be read to its end\n$/);
});

test('headers check: a whole file, or the height where it goes wrong', async (t) => {
  const folder = await scratch(t);
  const chain = chainOf(50);
  const bytes = bytesOf(chain);
  const path = join(folder, 'headers.bin');
  await writeFile(path, bytes);
  const args = ['headers', 'check', 'headers.bin', '--development'];
  const good = await assay(folder, args);
  assert.deepEqual([good.code, good.err], [0, '']);
  assert.match(good.out, /^GOOD headers\.bin: 51 headers\n {2}network +development: /);
  assert.match(good.out, /to +height 50\n {2}id +[0-9a-f]{64}\n {2}mined +2026-01-01T08:10:00Z, /);
  assert.match(
    good.out,
    /checked +link, work, difficulty and time of each, in \d+\.\d s: [\d,]+ a/,
  );
  const bad = bytes.slice();
  bad[31 * 80 + 40] = (bad[31 * 80 + 40] as number) ^ 1;
  const cases: readonly (readonly [Uint8Array, RegExp])[] = [
    [bad, /why +Bitcoin header at height 3[12]: expected/],
    [bytes.subarray(0, 100), /why +headers file at headers\.bin: expected .* found 20 bytes/s],
    [new Uint8Array(0), /found none/],
    [bytes.subarray(80), /why +first header: expected that of development, found another/],
    [BITCOIN.genesis, /expected that of development, found that of bitcoin/],
  ];
  for (const [content, words] of cases) {
    await writeFile(path, content);
    const { code, out } = await assay(folder, args);
    assert.equal(code, 1);
    assert.match(out, /^BAD headers\.bin\n/);
    assert.match(out, words);
  }
  await writeFile(path, DEVELOPMENT.genesis);
  const other = await assay(folder, ['headers', 'check', 'headers.bin']);
  assert.equal(other.code, 1);
  assert.match(other.out.replaceAll(/\s+/g, ' '), /expected that of bitcoin.* found that of dev/);
});

test('headers: what cannot be understood is exit 2, what is no file exit 3', async (t) => {
  const folder = await scratch(t);
  await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /headers: one of its commands must be named: sync or check\n/],
    [['erase'], /headers: there is no command "erase"; there is sync and check\n/],
    [['check'], /headers check: FILE is missing\n/],
    [['check', 'a', '-o', 'b'], /headers check: there is no option -o\n/],
    [
      ['sync', '--rpc', 'http://127.0.0.1:1'],
      /headers sync: the option --output FILE is missing\n/,
    ],
    [['sync', '-o', 'a'], /--rpc or --explorer must be given/],
    [['sync', '-o', 'a', '--rpc', 'localhost'], /--rpc is an address/],
    [['sync', '-o', 'a', '--explorer', 'ftp://x'], /--explorer is an address/],
    [
      ['sync', '-o', 'a', '--rpc', 'http://127.0.0.1:1', '--from-table', '--development'],
      /--from-table is for Bitcoin's chain/,
    ],
  ];
  for (const [args, words] of cases) {
    const { code, out, err } = await assay(folder, ['headers', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, words);
  }
  for (const name of ['none', 'pipe', '/dev/zero']) {
    assert.equal((await assay(folder, ['headers', 'check', name])).code, 3, name);
  }
  for (const name of ['pipe', '/dev/null', '.']) {
    const args = ['headers', 'sync', '-o', name, '--rpc', 'http://127.0.0.1:1'];
    assert.equal((await assay(folder, args)).code, 3, name);
  }
});

test('headers: a time in the future is refused, and nothing is removed because of it', async (t) => {
  const folder = await scratch(t);
  // The last second that a header can name.
  const future = chainOf(8, 2 ** 32 - 7000);
  const path = join(folder, 'headers.bin');
  const url = await rpcOf(t, future);
  const synced = await sync(folder, url);
  assert.deepEqual([synced.code, synced.out], [3, '']);
  assert.match(synced.err, /ahead of this machine's clock/);
  await writeFile(path, bytesOf(future));
  const checked = await assay(folder, ['headers', 'check', 'headers.bin', '--development']);
  assert.deepEqual([checked.code, checked.out], [3, '']);
  assert.match(checked.err, /height 1: expected a time up to two hours ahead of this machine's/);
  assert.equal((await sync(folder, url)).code, 3);
  assert.deepEqual(new Uint8Array(await readFile(path)), bytesOf(future));
});
