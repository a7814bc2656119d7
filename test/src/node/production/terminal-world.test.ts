import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseConfig } from '@assay/node/production/config';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { NodeTicks } from '@assay/node/terminal/node-ticks';
import { terminalWorld } from '@assay/node/production/terminal-world';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';
import { never, vendor } from '../terminal/vendor-fixture.ts';

const NETWORKS = ['development', 'production'] as const;
const BTC = {
  symbol: 'BTC',
  name: 'Bitcoin',
  class: 'crypto',
  decimals: 2,
  listed: true,
  display: true,
  names: { coingecko: 'bitcoin', binance: 'BTCUSDT' },
};
const SPY = { ...BTC, symbol: 'SPY', class: 'stock', names: { alpaca: 'SPY', tiingo: 'SPY' } };

type Make = (
  terminal: object,
  secrets?: readonly string[],
  network?: (typeof NETWORKS)[number],
) => Promise<NodeTicks>;

async function maker(t: TestContext): Promise<{ folder: string; make: Make }> {
  const folder = await temporaryFolder(t);
  const data = dataFolder(join(folder, 'data'));
  await mkdir(data.keys, { recursive: true });
  await writeFile(join(folder, 'assets.json'), JSON.stringify({ assets: [BTC, SPY], splits: [] }));
  await writeFile(join(folder, 'reads.json'), '[]');
  const make: Make = async (terminal, secrets = [], network = 'production') => {
    const fields = { data: 'data', contact: 'a@example.org' };
    const config = parseConfig(
      { ...fields, terminal: { assets: 'assets.json', ...terminal } },
      {},
      folder,
    );
    assert.ok(config.terminal !== null);
    return terminalWorld(config.terminal, {
      sha256: nodeSha256,
      source: vendor('[]'),
      folder: data,
      network,
      secrets: new Set(secrets),
    });
  };
  return { folder, make };
}

const CRYPTO = [{ kind: 'coingecko' }, { kind: 'binance' }];
const STOCK = [{ kind: 'alpaca' }, { kind: 'tiingo' }];
const KEYS = ['ALPACA_ID', 'ALPACA_KEY', 'TIINGO'];

test('terminal world: the sources of a config, each with the names of its assets', async (t) => {
  const { folder, make } = await maker(t);
  const stock = { licence: 'An agreement of 2026-09-01.', sources: STOCK };
  const { classes, seed, readMs } = await make({ crypto: CRYPTO, stock }, KEYS);
  assert.deepEqual(
    classes.map(({ rule, sources }) => [rule.class, ...sources.map(({ provider }) => provider)]),
    [
      ['crypto', 'coingecko', 'binance'],
      ['stock', 'alpaca', 'tiingo'],
    ],
  );
  assert.equal(readMs, 120_000);
  for (const { sources } of classes) {
    const symbols = (await Promise.all(sources.map(({ read }) => read(0, ['BTC', 'SPY'], never))))
      .flat()
      .map(({ symbol }) => symbol);
    assert.ok(symbols.length >= 2);
  }
  assert.deepEqual((await readdir(join(folder, 'data', 'tick-openings'))).sort(), [
    'crypto',
    'stock',
  ]);
  assert.deepEqual((await make({ crypto: CRYPTO })).seed, seed);
  assert.deepEqual((await make({})).classes, []);
});

test('terminal world: a feed of stocks does not start without its licence', async (t) => {
  const { make } = await maker(t);
  await assert.rejects(make({ stock: { sources: STOCK } }, KEYS), {
    code: 'bad_config',
    at: 'terminal.stock.licence',
  });
});

test('terminal world: too few sources, a secret that is not set, recorded prices in production', async (t) => {
  const { make } = await maker(t);
  const recorded = (provider: string) => ({ kind: 'recorded', provider, file: 'reads.json' });
  for (const crypto of [
    [{ kind: 'binance' }],
    [{ kind: 'binance' }, { kind: 'binance' }],
    [{ kind: 'coingecko', plan: 'pro' }, { kind: 'binance' }],
    [recorded('a'), recorded('b')],
  ]) {
    await assert.rejects(make({ crypto }), { code: 'bad_config' }, JSON.stringify(crypto));
  }
  const { classes } = await make({ crypto: [recorded('a'), recorded('b')] }, [], 'development');
  assert.equal(classes.length, 1);
  const stock = { licence: 'x', sources: STOCK };
  await assert.rejects(make({ stock }, ['ALPACA_ID']), /ASSAY_SECRET_ALPACA_KEY/);
});

test('terminal world: a folder with readings needs the seed that they were committed with', async (t) => {
  const { folder, make } = await maker(t);
  await mkdir(join(folder, 'data', 'tick-openings', 'crypto'), { recursive: true });
  await writeFile(join(folder, 'data', 'tick-openings', 'crypto', '2026-10-01.ticks'), '');
  await assert.rejects(make({ crypto: CRYPTO }), { code: 'key_missing' });
});

test('terminal config: a wrong field is refused', async (t) => {
  const { make } = await maker(t);
  for (const terminal of [
    { crypto: [] },
    { crypto: [{ kind: 'other' }] },
    { crypto: STOCK },
    { stock: { licence: '', sources: STOCK } },
    { thin_from: 'soon' },
    { read_timeout_s: 300 },
    { extra: 1 },
  ]) {
    await assert.rejects(make(terminal), { code: 'bad_config' }, JSON.stringify(terminal));
  }
});

test('terminal world: an asset that too few of its sources know is refused by its name', async (t) => {
  const { folder, make } = await maker(t);
  const eth = { ...BTC, symbol: 'ETH' };
  for (const [names, found] of [
    [{}, 'none'],
    [{ binance: 'ETHUSDT' }, 'binance'],
    [{ binance: 'ETHUSDT', tiingo: 'ETH' }, 'binance'],
  ] as const) {
    const assets = [BTC, SPY, { ...eth, names }];
    await writeFile(join(folder, 'assets.json'), JSON.stringify({ assets, splits: [] }));
    await assert.rejects(make({ crypto: CRYPTO }), {
      code: 'bad_config',
      at: 'ETH.names',
      expected: 'names of 2 or more of coingecko, binance',
      found,
    });
    // Whoever reads files knows everything; what is not listed is not read.
    const file = (provider: string) => ({ kind: 'recorded', provider, file: 'reads.json' });
    await make({ crypto: [file('a'), file('b')] }, [], 'development');
    const gone = [BTC, SPY, { ...eth, names, listed: false }];
    await writeFile(join(folder, 'assets.json'), JSON.stringify({ assets: gone, splits: [] }));
    await make({ crypto: CRYPTO });
  }
});
