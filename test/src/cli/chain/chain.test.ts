import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { feedAddress } from '@assay/chain/addresses';
import { parseAccountFile } from '@assay/cli/chain/account-file';
import { formatFeed, parseFeed } from '@assay/core/feed/feed-account';
import { parsePage } from '@assay/core/feed/page-account';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { SKIP } from '../../chain/development/world.ts';
import { partyOf } from '../../chain/fixture/party.ts';
import { PROGRAM_BYTES } from '../../chain/fixture/world.ts';
import {
  chainWorld,
  feedData,
  type ChainWorld,
  feedWorld,
  type FeedWorld,
  keyFile,
  LAYOFFS,
  PERIOD,
  PERIOD_DATE,
} from '../fixture/chain-world.ts';
import { assay, type Ran, scratch, serve } from '../fixture/run.ts';

function chain(world: ChainWorld, ...args: readonly string[]): Promise<Ran> {
  return assay(world.folder, ['chain', ...args, '--rpc', world.url]);
}

/** The options that name the feed of a world. */
function target(world: FeedWorld): readonly string[] {
  return ['--program', world.program, '--publisher', world.publisher.key, '--index', 'layoffs'];
}

function read(world: FeedWorld, ...more: readonly string[]): Promise<Ran> {
  return chain(world, 'read', ...target(world), '--period', PERIOD_DATE, ...more);
}

function demands(world: FeedWorld, changed: Readonly<Record<string, string>> = {}): string[] {
  const all = { rule: world.parameters.rule, required: '2', 'max-age': '86400', ...changed };
  return [
    ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]),
    ...world.cosigners.flatMap(({ key }) => ['--cosigner', key]),
  ];
}

/** A log's server, with its signer document and one settled week. */
async function logServer(
  t: TestContext,
  world: FeedWorld,
  changed: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const signer = {
    origin: 'development/chain-test',
    report_key: { algorithm: 'Ed25519', public_key: world.publisher.key },
    chain: world.chain,
    program: world.program,
    cosigner_sets: [{ effective_at: '2023-01-01T00:00:00Z' }],
    series: { LAYOFFS: '00'.repeat(32) },
    ...changed,
  };
  const published_at = '2024-01-11T13:30:05Z';
  const settled = { status: 'final', withheld: false, published_at };
  const periods = [
    { ...settled, period: '2024-01-13' },
    { ...settled, period: PERIOD_DATE },
    { ...settled, period: '2023-12-30', withheld: true },
    { ...settled, period: '2023-12-23', published_at: '2022-12-28T13:30:05Z' },
    { period: '2023-12-16', status: 'history', withheld: false, published_at: null },
  ];
  const json = (value: unknown): { status: number; body: Uint8Array; logSize: undefined } => ({
    status: 200,
    body: formatUtf8(JSON.stringify(value)),
    logSize: undefined,
  });
  return serve(
    t,
    new Map([
      ['/.well-known/assay-signer.json', json(signer)],
      [
        '/indices',
        json([
          { ticker: 'Layoffs', periods },
          { ticker: 'Gas', newest_reading: { ...settled, withheld: true }, periods: [] },
        ]),
      ],
    ]),
  );
}

test('chain: a program is deployed, once, compared, and burned', { skip: SKIP }, async (t) => {
  const world = await chainWorld(t, false);
  const key = await partyOf('a program of tests');
  await keyFile(join(world.folder, 'program.json'), key);
  const keys = ['--payer', 'payer.json', '--program-key', 'program.json'];
  const { ledger } = world.started;
  const before = ledger.history.total;
  const dry = async (words: RegExp, ...more: readonly string[]): Promise<void> => {
    const ran = await chain(world, 'deploy', ...keys, ...more);
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.out, words);
    assert.match(ran.out, /\n\nNothing was sent\. Add --yes to do it\.\n$/);
  };
  await dry(/will +deploy the program\n +burn the authority permanently/, '--final');
  await dry(/will cost +0\.\d+ SOL of rent[\s\S]*will +deploy the program\n\n/);
  assert.equal(ledger.history.total, before);
  assert.equal(ledger.account(key.signer.address), undefined);
  const first = await chain(world, 'deploy', ...keys, '--yes');
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, new RegExp(`DEPLOYED ${key.signer.address}`));
  assert.match(first.out, /will cost +0\.\d+ SOL of rent/);
  const again = await chain(world, 'deploy', ...keys);
  assert.match(again.out, /THERE ALREADY[\s\S]*cost +nothing/);
  const at = ['--program', key.signer.address];
  const same = await chain(world, 'verify-program', ...at);
  assert.equal(same.code, 0, same.err);
  assert.match(same.out, new RegExp(`^SAME .*[\\s\\S]*${world.payer.signer.address} can replace`));
  const sent = ledger.history.total;
  const heir = (await partyOf('an heir')).signer.address;
  await dry(new RegExp(`will +hand the authority over to ${heir}`), '--authority', heir);
  await dry(/will +burn the authority permanently/, '--final');
  assert.equal(ledger.history.total, sent);
  const burned = await chain(world, 'deploy', ...keys, '--final', '--yes');
  assert.match(burned.out, /BURNED .*\n[\s\S]*authority +burned/);
  const after = await chain(world, 'verify-program', ...at, '--json');
  const verdict = JSON.parse(after.out) as Record<string, unknown>;
  assert.equal(verdict['same'], true);
  assert.equal(verdict['upgrade_authority'], null);
});

test('chain: verify-program finds a flipped byte', { skip: SKIP }, async (t) => {
  const world = await chainWorld(t);
  const other = Uint8Array.from(PROGRAM_BYTES);
  other[200] = (other[200] ?? 0) ^ 1;
  await writeFile(join(world.folder, 'other.so'), other);
  const found = await chain(
    world,
    'verify-program',
    '--program',
    world.program,
    '--elf',
    'other.so',
  );
  assert.equal(found.code, 1, found.err);
  assert.match(found.out, /^DIFFERENT /);
  assert.match(found.out, /differs +from byte 200 on/);
  // Both files are whole, each with its own hash.
  for (const bytes of [PROGRAM_BYTES, other]) {
    const hash = createHash('sha256').update(bytes).digest('hex');
    assert.match(found.out, new RegExp(`sha256 ${hash}\n`));
  }
  const nobody = (await partyOf('nobody')).signer.address;
  const none = await chain(world, 'verify-program', '--program', nobody);
  assert.equal(none.code, 3);
  assert.match(none.err, /\[not_found\]/);
});

test('chain: a final is read, and kept as it was read', { skip: SKIP }, async (t) => {
  const world = await feedWorld(t);
  await world.print({}, 2);
  const plain = await read(world, '--save', 'accounts.json');
  assert.equal(plain.code, 0, plain.err);
  assert.match(plain.out, /^LAYOFFS 2024-01-06: final 211\.5\n/);
  for (const { key } of world.cosigners.slice(0, 2)) assert.match(plain.out, new RegExp(key));
  const file = parseAccountFile(await readFile(join(world.folder, 'accounts.json')));
  assert.equal(file.chain, world.chain);
  assert.deepEqual(
    file.accounts.map(({ address }) => address),
    [world.feed, world.page].toSorted(),
  );
  assert.deepEqual(
    [file.feeds?.program, file.feeds?.incomplete, file.feeds?.accounts.map((each) => each.address)],
    [world.program, null, [world.feed]],
  );
  const page = file.accounts.find(({ address }) => address === world.page);
  assert.equal(page?.owner, world.program);
  assert.ok(parsePage(page.data).slots.some((slot) => slot?.settled?.value === 2115n));
  const met = await read(world, ...demands(world), '--json');
  assert.equal(met.code, 0, met.err);
  const said = JSON.parse(met.out) as Record<string, Record<string, unknown>>;
  assert.equal(said['met'] as unknown, true);
  assert.equal(said['settled']?.['value'], '211.5');
  assert.deepEqual(said['settled']?.['cosigners'], world.parameters.cosigners.slice(0, 2));
});

test('chain: a demand that is not met is named, with exit code 1', { skip: SKIP }, async (t) => {
  const world = await feedWorld(t);
  const unmet = async (
    at: string,
    changed: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const ran = await read(world, ...demands(world, changed));
    assert.equal(ran.code, 1, ran.err);
    assert.match(ran.out, new RegExp(`^UNMET LAYOFFS 2024-01-06\\n +${at} +demanded `));
  };
  await unmet('status');
  await world.print({ status: 'provisional', settleable: false }, 0);
  await unmet('status');
  await world.print({ publishedAt: BigInt(Math.floor(Date.now() / 1000) - 5000) }, 2);
  await unmet('cosigners', { required: '3' });
  await unmet('rule', { rule: '00'.repeat(32) });
  await unmet('age', { 'max-age': '4000' });
  // A page that nobody has opened holds no final.
  const later = ['--period', '2025-01-04'];
  const closed = await chain(world, 'read', ...target(world), ...later, ...demands(world));
  assert.equal(closed.code, 1);
  assert.match(closed.out, /not open yet/);
  const sunday = await chain(world, 'read', ...target(world), '--period', '2024-01-07');
  assert.deepEqual([sunday.code, sunday.out], [3, '']);
  assert.equal(
    sunday.err,
    'assay chain read: LAYOFFS is weekly, and its periods end on a Saturday: 2024-01-07 is a Sunday; ' +
      'the nearest are 2024-01-06 and 2024-01-13 [out_of_range]\n',
  );
});

test('chain: a page is opened by anybody, once', { skip: SKIP }, async (t) => {
  const world = await feedWorld(t);
  const open = (...more: readonly string[]): Promise<Ran> =>
    chain(world, 'open-page', ...target(world), '--payer', 'payer.json', ...more);
  const period = ['--period', '2025-01-04'];
  const { history } = world.started.ledger;
  const before = history.total;
  const shown = await open(...period);
  assert.equal(shown.code, 0, shown.err);
  assert.match(shown.out, /periods +\d{4}-\d\d-\d\d to 20\d\d-\d\d-\d\d\n/);
  assert.match(shown.out, /will cost +0\.04599168 SOL of rent[\s\S]*Nothing was sent/);
  assert.equal(history.total, before);
  const first = await open(...period, '--yes');
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /^Page \d+ of LAYOFFS\n[\s\S]*\nOPENED [\s\S]*cost +0\.0\d+ SOL/);
  assert.equal(history.total, before + 1);
  assert.match((await open(...period)).out, /\nOPEN ALREADY /);
  const held = world.started.ledger.account(world.feed);
  assert.ok(held);
  const feed = parseFeed(held.data);
  const rules = feed.rules.map((rule) => ({ ...rule, first: PERIOD }));
  const data = formatFeed({ ...feed, rules });
  const { lamports } = held;
  const owner = world.program;
  world.started.ledger.setAccount({ address: world.feed, owner, lamports, data });
  // Before the feed's first rule, out of sight, at the end of the calendar, and no week.
  const far = new Date(Date.now() + 410 * 86_400_000);
  far.setUTCDate(far.getUTCDate() + 6 - far.getUTCDay());
  for (const [day, words] of [
    ['2023-12-30', /2024-01-06, the feed's first[\s\S]*out_of_range/],
    [far.toISOString().slice(0, 10), /out_of_range/],
    ['9999-12-25', /out_of_range/],
    ['2025-01-05', /out_of_range/],
  ] as const) {
    const ran = await open('--period', day, '--yes');
    assert.equal(ran.code, 3, day);
    assert.match(ran.err, words);
  }
  assert.equal(history.total, before + 1);
});

test('chain: demands are held against a feed that the reader names', { skip: SKIP }, async (t) => {
  const world = await feedWorld(t);
  await world.print({}, 2);
  const url = await logServer(t, world);
  const at = ['--url', url, '--index', 'LAYOFFS', '--period', PERIOD_DATE];
  const [, program = '', , publisher = ''] = target(world);
  const ask = (...more: readonly string[]): Promise<Ran> => chain(world, 'read', ...at, ...more);
  // Whose feed it is must not come from the log alone.
  for (const named of [[], ['--program', program], ['--publisher', publisher]]) {
    const ran = await ask(...demands(world), ...named);
    assert.equal(ran.code, 2, named.join(' '));
    assert.match(ran.err, /demands need --program and --publisher/);
  }
  const both = ['--program', program, '--publisher', publisher];
  const met = await ask(...demands(world), ...both);
  assert.equal(met.code, 0, met.err);
  assert.match(met.out, /^MET /);
  const stranger = await partyOf('a stranger');
  for (const [option, value] of [
    ['--program', stranger.signer.address],
    ['--publisher', stranger.key],
  ] as const) {
    const others = both.map((each, i) => (both[i - 1] === option ? value : each));
    const ran = await ask(...demands(world), ...others);
    assert.equal(ran.code, 2, ran.out);
    assert.match(ran.err, new RegExp(`log at ${option}: expected .*bad_config`));
  }
  const plain = await ask();
  assert.equal(plain.code, 0, plain.err);
  for (const { out } of [plain, met]) {
    assert.match(out, new RegExp(`program +${program}\n +publisher +${publisher}\n`));
  }
  const json = JSON.parse((await ask('--json')).out) as Record<string, unknown>;
  assert.deepEqual([json['program'], json['publisher']], [program, publisher]);
});

test('chain: what is on chain is shown a block each', { skip: SKIP }, async (t) => {
  const world = await feedWorld(t);
  await world.print({ status: 'provisional', settleable: false, value: 3n }, 0);
  await world.print({}, 2);
  const { out } = await read(world);
  assert.doesNotMatch(out, /\n\n\n/);
  assert.match(out, /\n\n +final +211\.5, issue 0, settleable\n/);
  assert.match(out, /\n\n +provisional +0\.3, issue 0\n/);
});

test('chain: a void has no value', { skip: SKIP }, async (t) => {
  const world = await feedWorld(t);
  await world.print({ status: 'void', settleable: false, value: 0n }, 2);
  const { out } = await read(world);
  assert.match(out, /^LAYOFFS 2024-01-06: void\n/);
  assert.match(out, /\n +void +no value, issue 0\n/);
});

test('chain: the status of a log says what is behind', { skip: SKIP }, async (t) => {
  const world = await feedWorld(t);
  await world.print({}, 2);
  const url = await logServer(t, world);
  const payer = ['--payer', world.payer.signer.address];
  const ran = await chain(world, 'status', '--url', url, ...payer);
  assert.equal(ran.code, 0, ran.err);
  assert.match(ran.out, /LAYOFFS: 1 period behind/);
  assert.match(
    ran.out,
    /on chain +2024-01-06 final\n +log +2024-01-13 final\n +behind +2024-01-13\n/,
  );
  assert.match(ran.out, /authority +burned/);
  const json = await chain(world, 'status', '--url', url, '--json');
  const status = JSON.parse(json.out) as { feeds: readonly Record<string, unknown>[] };
  assert.deepEqual(status.feeds[0]?.['missing'], ['2024-01-13']);
  assert.equal(status.feeds[0]?.['publisher'], world.publisher.key);
  const bare = await logServer(t, world, { series: { NEW: '00'.repeat(32) }, cosigner_sets: [] });
  const none = await chain(world, 'status', '--url', bare);
  assert.match(none.out, /NEW: no feed/);
  assert.match(none.out, /nothing belongs on chain/);
  // An index whose level is withheld has no feed and lacks none.
  const kept = await logServer(t, world, { series: { GAS: '00'.repeat(32) } });
  const withheld = await chain(world, 'status', '--url', kept);
  assert.match(withheld.out, /GAS: withheld: its prints are not posted to the chain\n/);
  assert.doesNotMatch(withheld.out, /no feed|not made yet/);
});

test('chain: the feed of an index is made as its log says', { skip: SKIP }, async (t) => {
  const world = await chainWorld(t);
  const { publisher } = await feedData(world);
  const args = ['init-feed', '--data', 'data', '--index', 'LAYOFFS', '--payer', 'payer.json'];
  const shown = await chain(world, ...args);
  assert.equal(shown.code, 0, shown.err);
  assert.match(shown.out, /Nothing was sent/);
  const before = await chain(world, 'status', '--data', 'data');
  assert.match(before.out, /LAYOFFS: no feed/);
  const made = await chain(world, ...args, '--yes');
  assert.equal(made.code, 0, made.err);
  assert.match(made.out, /^Feed of LAYOFFS[\s\S]*\nMADE /);
  const [feed] = await feedAddress(world.program, publisher, LAYOFFS);
  const account = parseFeed(world.started.ledger.account(feed)?.data ?? new Uint8Array());
  assert.equal(account.publisher, publisher);
  assert.equal(account.sets[0]?.threshold, 2);
  assert.match((await chain(world, ...args, '--yes')).out, /THERE ALREADY/);
  const after = await chain(world, 'status', '--data', 'data', '--payer', 'payer.json');
  assert.match(after.out, /LAYOFFS: nothing is behind/);
  assert.match(after.out, new RegExp(`payer +${world.payer.signer.address} has 9\\.`));
});

test('chain: a node of another chain than the log is refused', { skip: SKIP }, async (t) => {
  const world = await feedWorld(t);
  const url = await logServer(t, world, { chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' });
  for (const args of [
    ['status'],
    ['read', '--index', LAYOFFS, '--period', PERIOD_DATE],
    ['verify-program'],
  ]) {
    const ran = await chain(world, ...args, '--url', url);
    assert.equal(ran.code, 2);
    assert.match(ran.err, /expected solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp, found solana:/);
  }
  const feedless = await logServer(t, world, { chain: null, program: null });
  const none = await chain(world, 'status', '--url', feedless);
  assert.equal(none.code, 3);
  assert.match(none.err, /the log has no feed/);
});

test(
  'chain: key files that others may read, or that are none, are refused without their words',
  { skip: SKIP },
  async (t) => {
    const world = await chainWorld(t);
    const path = join(world.folder, 'program.json');
    const deploy = (): Promise<Ran> =>
      chain(world, 'deploy', '--payer', 'payer.json', '--program-key', 'program.json');
    const key = await partyOf('a program of tests');
    await keyFile(path, key);
    await chmod(path, 0o644);
    const open = await deploy();
    assert.equal(open.code, 3);
    assert.match(open.err, /\[key_exposed\]/);
    await chmod(path, 0o600);
    for (const text of ['[1,2,3]', '[1,2,', `[${'7,'.repeat(63)}7]`, '{"secret":"4711"}', '']) {
      await writeFile(path, text, { mode: 0o600 });
      const ran = await deploy();
      assert.equal(ran.code, 3, text);
      assert.match(ran.err, /\[malformed\]/);
      assert.doesNotMatch(ran.err, /4711|7,7/);
    }
  },
);

test('chain: command lines that cannot be understood', async (t) => {
  const folder = await scratch(t);
  const rpc = ['--rpc', 'http://127.0.0.1:1'];
  const party = await partyOf('a publisher');
  const name = ['--program', party.signer.address, '--publisher', party.key];
  const period = ['--index', 'LAYOFFS', '--period', PERIOD_DATE];
  for (const args of [
    [],
    ['deploy'],
    ['deploy', ...rpc],
    ['sell', ...rpc],
    ['status', ...rpc],
    ['status', ...rpc, '--url', 'http://127.0.0.1:1', '--data', '.'],
    ['status', ...rpc, '--period', PERIOD_DATE],
    ['status', ...rpc, '--data', 'nothing-here'],
    ['status', '--rpc', 'ftp://127.0.0.1', '--data', '.'],
    ['status', '--rpc', 'http://user:secret@127.0.0.1:1', '--data', '.'],
    ['read', ...rpc, ...period],
    ['read', ...rpc, ...name, '--index', 'LAYOFFS', '--period', 'July'],
    ['read', ...rpc, ...name, ...period, '--required', '1'],
    ['read', ...rpc, ...period, '--url', 'http://127.0.0.1:1', '--program', 'zero'],
    ['verify-program', ...rpc],
    ['init-feed', ...rpc, '--index', 'LAYOFFS'],
  ]) {
    const ran = await assay(folder, ['chain', ...args]);
    assert.equal(ran.code, 2, args.join(' '));
    assert.doesNotMatch(ran.err, /secret/);
  }
  const silent = await assay(folder, ['chain', 'read', ...rpc, ...name, ...period]);
  assert.equal(silent.code, 3);
  assert.match(silent.err, /\[unreachable\]/);
  // A key in the address of a node must not come back in an error.
  const keyed = { ASSAY_SOLANA_RPC: 'http://127.0.0.1:1/?api-key=4711' };
  const hidden = await assay(folder, ['chain', 'read', ...name, ...period], keyed);
  assert.equal(hidden.code, 3);
  assert.doesNotMatch(hidden.err, /4711/);
});
