import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseBase58 } from '@assay/core/bytes/base58';
import { faultCode, messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { type FileFeeds, formatAccountFile } from '@assay/cli/chain/account-file';
import { FEED_HEAD_BYTES, FEED_MAGIC } from '@assay/core/feed/feed-account';
import { fileAccounts, nodeAccounts } from '@assay/cli/chain/accounts';
import { chainRpc } from '@assay/cli/chain/accounts-rpc';
import {
  accountsOf,
  CHAIN,
  chained,
  feedsAmong,
  KNOWN_SLOT,
  PROGRAM,
  READ_SLOT,
} from '../../verifier/fixture/chained-log.ts';
import { publish, siteOf } from '../../verifier/fixture/published.ts';
import { CHECKPOINTS, REPORT_SIGNER } from '../../node/ledger/ledger-fixture.ts';
import { ROOT } from '../../core/fixture/fixture.ts';
import { assay, listen, scratch, serve } from '../fixture/run.ts';

const log = chained();
const accounts = accountsOf(log);
/** The hash that its chain is named by, and more. */
const GENESIS = `${CHAIN.slice('solana:'.length)}JkvQyS88uR`;
/** The publisher's first key, under which its feeds stand. */
const GENESIS_KEY = formatHex(REPORT_SIGNER.publicKey) as HashHex;
const QUICK = { backOffMs: 1, timeoutMs: 2000 };

interface Asked {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A node's answer to a question, as it is or spoilt. */
type Spoil = (
  asked: Asked,
  result: unknown,
) => { readonly status?: number; readonly body: unknown };

const honest: Spoil = (_, result) => ({ body: { jsonrpc: '2.0', id: 1, result } });

function answerTo({ method, params }: Asked): unknown {
  switch (method) {
    case 'getGenesisHash':
      return GENESIS;
    case 'getSlot':
      return KNOWN_SLOT;
    case 'getProgramAccounts':
      return {
        context: { slot: READ_SLOT },
        value: feedsAmong(accounts, params[0] as string, GENESIS_KEY).map((each) => ({
          pubkey: each.address,
          account: {
            owner: each.owner,
            data: [Buffer.from(each.data).toString('base64'), 'base64'],
          },
        })),
      };
    default: {
      const value = (params[0] as readonly string[]).map((address) => {
        const account = accounts.get(address);
        if (account === undefined) return null;
        const data = [Buffer.from(account.data).toString('base64'), 'base64'];
        return {
          data,
          executable: false,
          lamports: 1,
          owner: account.owner,
          rentEpoch: 0,
          space: 1,
        };
      });
      return { context: { apiVersion: '2.0', slot: READ_SLOT }, value };
    }
  }
}

async function node(
  t: TestContext,
  spoil: Spoil = honest,
): Promise<{ url: string; asked: Asked[]; authorized: (string | undefined)[] }> {
  const asked: Asked[] = [];
  const authorized: (string | undefined)[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const question = JSON.parse(Buffer.concat(parts).toString()) as Asked;
      asked.push(question);
      authorized.push(request.headers.authorization);
      const { status = 200, body } = spoil(question, answerTo(question));
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  return { url: await listen(t, server), asked, authorized };
}

test('what a node is asked: its chain, its newest slot, and accounts a hundred at a time', async (t) => {
  const { url, asked } = await node(t);
  const lookup = await nodeAccounts(`${url}/?api-key=secret`, QUICK);
  assert.deepEqual([lookup.chain, lookup.slot], [CHAIN, KNOWN_SLOT]);
  assert.equal(lookup.description, `the word of ${new URL(url).host}`);
  const [known] = accounts.keys();
  const wanted = Array.from({ length: 201 }, (_, i) => (i === 150 ? (known as string) : PROGRAM));
  const found = await lookup.accounts(wanted);
  assert.equal(found.length, 201);
  assert.deepEqual(
    found.flatMap((each, i) => (each == null ? [] : [[i, each.slot, each.data.length]])),
    [[150, READ_SLOT, accounts.get(known as string)?.data.length]],
  );
  const questions = asked.filter(({ method }) => method === 'getMultipleAccounts');
  assert.deepEqual(
    questions.map(({ params }) => (params[0] as unknown[]).length),
    [100, 100, 1],
  );
  for (const { params } of questions) {
    const config = { commitment: 'finalized', encoding: 'base64', minContextSlot: KNOWN_SLOT };
    assert.deepEqual(params[1], config);
  }
  assert.deepEqual(asked.find(({ method }) => method === 'getSlot')?.params, [
    { commitment: 'finalized' },
  ]);
});

test('a node that is behind is asked for its slot again, and accounts of then are demanded', async (t) => {
  let newest = KNOWN_SLOT;
  const { url, asked } = await node(t, (question, result) => {
    if (question.method !== 'getSlot') return honest(question, result);
    newest += 10;
    return honest(question, newest);
  });
  const lookup = await nodeAccounts(url, QUICK);
  const later = await lookup.at?.(KNOWN_SLOT + 35);
  assert.equal(later?.slot, KNOWN_SLOT + 35);
  await later?.accounts([PROGRAM]);
  const { params } = asked.at(-1) as Asked;
  assert.equal((params[1] as { minContextSlot: number }).minContextSlot, KNOWN_SLOT + 35);
  const before = asked.length;
  assert.equal(await lookup.at?.(Number.MAX_SAFE_INTEGER), undefined);
  assert.equal(asked.length - before, 4);
  assert.equal((await fileAccounts(await keepFile(await scratch(t)))).at, undefined);
});

test('a node is asked for all feeds under the key, and for no more of them than is checked', async (t) => {
  const { url, asked } = await node(t);
  const lookup = await nodeAccounts(url, QUICK);
  const { feeds, incomplete } = await lookup.feeds(PROGRAM, GENESIS_KEY);
  assert.equal(incomplete, undefined);
  assert.deepEqual(
    feeds.map(({ owner, slot, data }) => [owner, slot, data.length]),
    [[PROGRAM, READ_SLOT, FEED_HEAD_BYTES]],
  );
  const { method, params } = asked.at(-1) as Asked;
  assert.deepEqual([method, params[0]], ['getProgramAccounts', PROGRAM]);
  const { filters, ...config } = params[1] as {
    filters: { memcmp: { offset: number; bytes: string } }[];
  };
  assert.deepEqual(config, {
    commitment: 'finalized',
    encoding: 'base64',
    minContextSlot: KNOWN_SLOT,
    withContext: true,
    dataSlice: { offset: 0, length: FEED_HEAD_BYTES },
  });
  assert.deepEqual(
    filters.map(({ memcmp }) => [memcmp.offset, memcmp.bytes.length > 0]),
    [
      [0, true],
      [32, true],
    ],
  );
  const [magic, key] = filters.map(({ memcmp: { bytes } }, i) =>
    parseBase58(bytes, i === 0 ? 8 : 32),
  );
  assert.equal(
    Buffer.from(magic as Uint8Array)
      .toString()
      .replaceAll('\0', ''),
    FEED_MAGIC,
  );
  assert.equal(formatHex(key as Uint8Array), GENESIS_KEY);
});

test('a node that lists no feeds, or too many, or none that are feeds: it is reported, and nothing fails', async (t) => {
  const listed =
    (answer: unknown): Spoil =>
    (question, result) =>
      question.method === 'getProgramAccounts'
        ? { body: answer as object }
        : honest(question, result);
  const context = { slot: READ_SLOT };
  const account = { owner: PROGRAM, data: ['AA==', 'base64'] };
  const pubkey = [...accounts.keys()][0] as string;
  const flood = Array.from({ length: 5000 }, (_, i) => ({
    pubkey: `${'1'.repeat(28)}${String(1111 + i).replaceAll('0', 'z')}`,
    account,
  })).filter(({ pubkey: each }, i, all) => all.findIndex((other) => other.pubkey === each) === i);
  for (const [answer, words, count] of [
    [{ error: { code: -32_601, message: 'Method not found' } }, /does not list them: .*-32601/, 0],
    [
      { error: { code: -32_010, message: 'excluded from account secondary indexes' } },
      /excluded/,
      0,
    ],
    [{ result: [] }, /a slot/, 0],
    [{ result: { context: { slot: KNOWN_SLOT - 1 }, value: [] } }, /of slot/, 0],
    [{ result: { context, value: [{ pubkey: '?', account }] } }, /an address/, 0],
    [
      {
        result: {
          context,
          value: [
            { pubkey, account },
            { pubkey, account },
          ],
        },
      },
      /each account once/,
      0,
    ],
    [{ result: { context, value: flood } }, /lists \d+, of which 4096 are taken/, 4096],
  ] as const) {
    const { url } = await node(t, listed(answer));
    const lookup = await nodeAccounts(url, QUICK);
    const { feeds, incomplete } = await lookup.feeds(PROGRAM, GENESIS_KEY);
    assert.equal(feeds.length, count);
    assert.match(incomplete ?? '', words);
  }
  const big = await node(t, (question, result) =>
    question.method === 'getProgramAccounts'
      ? { body: ' '.repeat(20_000_000) }
      : honest(question, result),
  );
  const { incomplete } = await (await nodeAccounts(big.url, QUICK)).feeds(PROGRAM, GENESIS_KEY);
  assert.match(incomplete ?? '', /16777216 bytes at most/);
});

test('assay verify: a node that refuses the listing is named, and a file carries it', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, siteOf(log.published));
  const { url: rpc } = await node(t, (question, result) =>
    question.method === 'getProgramAccounts'
      ? { body: { error: { code: -32_601, message: 'Method not found' } } }
      : honest(question, result),
  );
  const refused = await assay(folder, ['verify', url, '--chain-rpc', rpc]);
  assert.equal(refused.code, 0, refused.out);
  assert.match(refused.out, /\n {2}\d Whether there are more feeds on chain under the key/);
  const listing = { program: PROGRAM, genesis: GENESIS_KEY, incomplete: null };
  const heads = feedsAmong(accounts, PROGRAM, GENESIS_KEY);
  for (const [feeds, named] of [
    [null, /the file has no listing of them/],
    [{ ...listing, accounts: heads }, undefined],
    [{ ...listing, accounts: heads, incomplete: 'it refused' }, /it refused/],
    [{ ...listing, genesis: 'ab'.repeat(32) as HashHex, accounts: [] }, /under the key (?:ab)+/],
  ] as const) {
    const done = await assay(folder, [
      'verify',
      url,
      '--chain-accounts',
      await keepFile(folder, false, feeds),
    ]);
    assert.equal(done.code, 0, done.out);
    const out = done.out.replaceAll(/\s+/g, ' ');
    if (named === undefined) assert.doesNotMatch(out, /more feeds on chain/);
    else assert.match(out, named);
  }
});

test('an answer that is none is refused, whatever is wrong with it', async (t) => {
  const value = { owner: PROGRAM, data: ['', 'base64'] };
  const context = { slot: READ_SLOT };
  for (const [result, code] of [
    [null, 'malformed'],
    [{ value: [value] }, 'malformed'],
    [{ context: { slot: -1 }, value: [value] }, 'malformed'],
    [{ context: { slot: KNOWN_SLOT - 1 }, value: [value] }, 'malformed'],
    [{ context, value: [] }, 'malformed'],
    [{ context, value: [value, value] }, 'malformed'],
    [{ context, value: [{ ...value, owner: 1 }] }, 'malformed'],
    [{ context, value: [{ ...value, data: 'AA==' }] }, 'malformed'],
    [{ context, value: [{ ...value, data: ['', 'base58'] }] }, 'malformed'],
    [{ context, value: [{ ...value, data: ['?', 'base64'] }] }, 'bad_base64'],
  ] as const) {
    const { url } = await node(t, () => ({ body: { jsonrpc: '2.0', id: 1, result } }));
    const rpc = chainRpc(url, QUICK);
    await assert.rejects(
      rpc.accounts([PROGRAM], KNOWN_SLOT),
      (error) => faultCode(error) === code,
      JSON.stringify(result),
    );
  }
  const { url } = await node(t, () => ({ body: { result: '?' } }));
  await assert.rejects(chainRpc(url, QUICK).genesisHash(), /a hash/);
  await assert.rejects(chainRpc(url, QUICK).finalizedSlot(), /a slot/);
  const html = await node(t, () => ({ body: '<html>' }));
  await assert.rejects(chainRpc(html.url, QUICK).finalizedSlot(), /JSON/);
});

test('a node that is busy or behind is asked again; one that refuses is not', async (t) => {
  for (const [spoilt, code, times] of [
    [{ status: 429, body: '' }, 'unreachable', 3],
    [{ status: 503, body: '' }, 'unreachable', 3],
    [{ body: { error: { code: -32_016, message: 'Minimum context slot' } } }, 'unreachable', 3],
    [{ body: { error: { code: -32_601, message: 'Method not found' } } }, 'refused', 1],
  ] as const) {
    const { url, asked } = await node(t, () => spoilt);
    await assert.rejects(
      chainRpc(url, QUICK).finalizedSlot(),
      (error) => faultCode(error) === code,
      JSON.stringify(spoilt),
    );
    assert.equal(asked.length, times, JSON.stringify(spoilt));
  }
  let turn = 0;
  const flaky = await node(t, (asked, result) => {
    turn += 1;
    return turn === 1 ? { status: 502, body: '' } : honest(asked, result);
  });
  assert.equal(await chainRpc(flaky.url, QUICK).finalizedSlot(), KNOWN_SLOT);
});

test('an endless answer is cut, a silent node is left, and no error shows more than the host', async (t) => {
  const big = await node(t, () => ({ body: ' '.repeat(20_000_000) }));
  await assert.rejects(
    chainRpc(big.url, QUICK).finalizedSlot(),
    (error) => faultCode(error) === 'too_large',
  );
  const silent = createServer(() => undefined);
  const url = `${await listen(t, silent)}/v2/secret-path?api-key=secret-query`;
  const errors: string[] = [];
  await assert.rejects(chainRpc(url, { ...QUICK, timeoutMs: 20 }).finalizedSlot(), (error) => {
    errors.push(messageOf(error));
    return faultCode(error) === 'timeout';
  });
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(
    chainRpc(url, { ...QUICK, signal: stop.signal }).finalizedSlot(),
    (error) => {
      errors.push(messageOf(error));
      return faultCode(error) === 'timeout';
    },
  );
  const nobody = 'http://127.0.0.1:1/secret-path';
  await assert.rejects(chainRpc(nobody, QUICK).finalizedSlot(), (error) => {
    errors.push(messageOf(error));
    return faultCode(error) === 'unreachable';
  });
  for (const each of errors) assert.doesNotMatch(each, /secret/);
});

/** What a compiled file imports, at once or later, with all that this imports in turn; packages of others by name. */
function reached(file: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, name = ''] of text.matchAll(/(?:from |import\()'([^']+)'/g)) {
    const own = /^@assay\/([a-z]+)\/(.+)$/.exec(name);
    if (own !== null) reached(join(ROOT, own[1] as string, 'dist', `${own[2]}.js`), seen);
    else if (name.startsWith('.')) reached(join(dirname(file), name), seen);
    else seen.add(name);
  }
  return seen;
}

test('an auditor needs no library of the chain, and nothing of those who post to it', () => {
  const all = [...reached(join(ROOT, 'cli', 'dist', 'verify', 'verify.js'))];
  assert.equal(all.includes(join(ROOT, 'cli', 'dist', 'chain', 'accounts-rpc.js')), true);
  const foreign = all.filter(
    (each) => each.startsWith('@solana/') || each.startsWith(join(ROOT, 'chain')),
  );
  assert.deepEqual(foreign, []);
});

/** The file that somebody kept of all accounts. */
async function keepFile(
  folder: string,
  few = false,
  feeds: FileFeeds | null = null,
): Promise<string> {
  const path = join(folder, 'accounts.json');
  const listed = [...accounts].map(([address, each]) => ({ address, ...each }));
  listed.sort((a, b) => (a.address < b.address ? -1 : 1));
  const kept = few ? listed.filter(({ data }) => data.length !== 608) : listed;
  await writeFile(
    path,
    formatAccountFile({ chain: CHAIN, slot: KNOWN_SLOT, accounts: kept, feeds }),
  );
  return path;
}

test('a file of accounts: what it does not list was not checked', async (t) => {
  const lookup = await fileAccounts(await keepFile(await scratch(t)));
  const [address, account] = [...accounts][0] ?? assert.fail();
  const [found, other] = await lookup.accounts([address, PROGRAM]);
  assert.deepEqual(found?.data, account.data);
  assert.equal(other, undefined);
  assert.deepEqual([lookup.chain, lookup.slot], [CHAIN, KNOWN_SLOT]);
  assert.match(lookup.description, /a file of 6 accounts/);
  await assert.rejects(fileAccounts('/nowhere/accounts.json'), /accounts file/);
});

test('assay verify --chain-rpc: verified, and by whose claim', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, siteOf(log.published));
  const { url: rpc } = await node(t);
  const done = await assay(folder, [
    'verify',
    url,
    '--chain-rpc',
    `${rpc}/secret-path`,
    '--details',
  ]);
  assert.deepEqual([done.code, done.err], [0, '']);
  for (const expected of [
    /\n {2}chain {8}solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z: 1 feed, 8 prints and 5 Closes/,
    /by the\s+word of 127\.0\.0\.1:\d+ alone, slot 10,000\n/,
    /\n {2}behind {7}2 prints and Closes that the log has and the chain lacks/,
    /17 co-signatures,\s+1 dissent,\s+13 entries of what is on chain,\s+6 accounts/,
    /- that the account bytes are what the chain holds/,
  ]) {
    assert.match(done.out, expected);
  }
  assert.doesNotMatch(done.out, /secret/);
  for (const line of done.out.split('\n')) assert.equal(line.length <= 96, true, line);
});

test('assay verify: a node may be named where no shell remembers it', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, siteOf(log.published));
  const { url: rpc, asked, authorized } = await node(t);
  const kept = `${rpc.replace('://', '://auditor:secret%21@')}/secret-path`;
  const variable = { ASSAY_SOLANA_RPC: kept };
  const done = await assay(folder, ['verify', url], variable);
  assert.deepEqual([done.code, done.err], [0, '']);
  assert.match(done.out, /by the\s+word of 127\.0\.0\.1:\d+ alone/);
  assert.doesNotMatch(done.out, /secret/);
  assert.ok(asked.length > 0);
  const pair = Buffer.from('auditor:secret!').toString('base64');
  assert.deepEqual(new Set(authorized), new Set([`Basic ${pair}`]));
  // A file stands in its place, and a bundle is no whole log.
  asked.length = 0;
  const file = ['--chain-accounts', await keepFile(folder)];
  assert.equal((await assay(folder, ['verify', url, ...file], variable)).code, 0);
  await writeFile(join(folder, 'bundle.json'), '{}');
  const bundle = await assay(folder, ['verify', 'bundle.json'], variable);
  assert.notEqual(bundle.code, 2, bundle.err);
  assert.deepEqual(asked, []);
  for (const bad of ['ftp://127.0.0.1/secret', 'secret']) {
    const ran = await assay(folder, ['verify', url], { ASSAY_SOLANA_RPC: bad });
    assert.equal(ran.code, 2);
    assert.match(ran.err, /ASSAY_SOLANA_RPC is an address/);
    assert.doesNotMatch(ran.err, /secret/);
  }
});

test('assay verify --chain-rpc: a page that says another number is found', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, siteOf(log.published));
  const { url: rpc } = await node(t, ({ method, params }, result) => {
    if (method !== 'getMultipleAccounts') return { body: { result } };
    const { context, value } = result as { context: unknown; value: ({ data: string[] } | null)[] };
    const changed = value.map((each, i) => {
      const data = accounts.get((params[0] as readonly string[])[i] as string)?.data;
      if (each === null || data?.length !== 6480) return each;
      const other = Buffer.from(data);
      const at = other.indexOf(Buffer.from([2, 0, 1, 0])) - 48;
      other[at] = (other[at] as number) ^ 1;
      return { ...each, data: [other.toString('base64'), 'base64'] };
    });
    return { body: { result: { context, value: changed } } };
  });
  const found = await assay(folder, ['verify', url, '--chain-rpc', rpc]);
  assert.equal(found.code, 1, found.out);
  assert.match(
    found.out,
    /^NOT VERIFIED [^]*: what is on chain, or printed,\sis[^]*\n\n {2}print_differs {2}chain LAYOFFS 2026-/,
  );
});

test('assay verify --chain-accounts: from a file, whole or in part', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, siteOf(log.published));
  const whole = await assay(folder, ['verify', url, '--chain-accounts', await keepFile(folder)]);
  assert.equal(whole.code, 0, whole.out);
  assert.match(whole.out, /1 feed, 8 prints and 5 Closes/);
  const few = await assay(folder, [
    'verify',
    url,
    '--chain-accounts',
    await keepFile(folder, true),
  ]);
  assert.equal(few.code, 0, few.out);
  assert.match(few.out, /1 feed, 8 prints and 0 Closes/);
  assert.match(few.out, /of the accounts that the log may have on chain/);
});

test('assay verify: what is no address, no file, or about no whole log, is a mistake of usage', async (t) => {
  const folder = await scratch(t);
  const url = await serve(
    t,
    siteOf(publish(log.published.entries, log.published.blobs, CHECKPOINTS)),
  );
  await writeFile(join(folder, 'bundle.json'), '{}');
  for (const [args, words] of [
    [['--chain-rpc', 'ftp://host'], /--chain-rpc is an address/],
    [['--chain-rpc', 'http://user:secret@host'], /without a user/],
    [['--chain-rpc', url, '--chain-accounts', 'x'], /one of --chain-rpc and --chain-accounts/],
    [['--chain-accounts', join(folder, 'none')], /the accounts file cannot be used/],
    [['--chain-accounts', join(folder, 'bundle.json')], /the accounts file cannot be used/],
  ] as const) {
    const refused = await assay(folder, ['verify', url, ...args]);
    assert.equal(refused.code, 2, refused.err);
    assert.match(refused.err, words);
    assert.doesNotMatch(refused.err, /secret/);
  }
  const bundle = join(folder, 'bundle.json');
  const file = await keepFile(folder);
  const refused = await assay(folder, ['verify', bundle, '--chain-accounts', file]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /this is a bundle/);
});
