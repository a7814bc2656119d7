import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { DEVELOPMENT_PROGRAM } from '@assay/chain/addresses';
import { startDevelopmentChain } from '@assay/chain/development/server';
import type { AssetPayload } from '@assay/node/terminal/answer/asset';
import { NO_VENUES } from '@assay/node/terminal/answer/venues';
import { toHashHex } from '@assay/core/hash/hash';
import { formatTime, toTime } from '@assay/core/time/time';
import { cosignerSets } from '@assay/core/view/cosigner-sets';
import { systemClock } from '@assay/node/platform/clock';
import { parseConfig } from '@assay/node/production/config';
import { dataFolder } from '@assay/node/platform/data-folder';
import { developmentRule } from '@assay/node/dev/development-rule';
import { FileBlobStore } from '@assay/node/blob/file-blob-store';
import { initData, NO_POLICIES, type OnchainChoice } from '@assay/node/data/init';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { startFromConfig } from '@assay/node/production/production';
import { readTemplate } from '@assay/node/rule/rule-template';
import type { StorageStatus } from '@assay/node/scrub/storage-status';
import { venueFile } from '@assay/node/terminal/venue/kept-venues';
import { SubscriptionCipher } from '@assay/node/webhook/subscription-cipher';
import { RECEIVERS_FILE, SubscriptionStore } from '@assay/node/webhook/subscription-store';
import { SKIP } from '../../chain/development/world.ts';
import { SET } from '../../core/fixture/cosigner-fixture.ts';

async function withLog(
  origin: string,
  use: (
    folder: string,
    config: (fields: object) => ReturnType<typeof parseConfig>,
  ) => Promise<void>,
  onchain?: OnchainChoice,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-production-'));
  try {
    const data = join(folder, 'data');
    await initData(dataFolder(data), nodeSha256, () => 1_767_225_600, {
      origin,
      passphrase: undefined,
      policies: NO_POLICIES,
      onchain,
    });
    // A production log would ask the public calendars and explorers.
    const offline = { calendars: [], bitcoin_explorers: [] };
    const reach = { contact: 'a@example.org', port: 0, transport: 'node', poll_s: 3600 };
    const least = { data, ...reach, ...offline };
    await use(folder, (fields) => parseConfig({ ...least, ...fields }, {}, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const log = makeLogger('silent');

test('production: a log without rules is served', async () => {
  await withLog('log.example/assay', async (_folder, config) => {
    const node = await startFromConfig(config({}), {}, log);
    try {
      const response = await fetch(`http://127.0.0.1:${node.port}/status`);
      const status = (await response.json()) as Record<string, unknown>;
      assert.equal(status['network'], 'production');
      assert.equal(status['notice'], null);
      assert.equal(status['log_size'], 1);
      const { scrub, damaged } = status['storage'] as StorageStatus;
      assert.deepEqual([scrub?.round_s, damaged], [86_400, 0]);
    } finally {
      await node.close();
    }
  });
});

test('production: subscriptions that cannot be read stop no number, and are said to be unreadable', async () => {
  await withLog('log.example/assay', async (folder, config) => {
    const path = join(dataFolder(join(folder, 'data')).webhooks, RECEIVERS_FILE);
    const key = { ASSAY_WEBHOOK_KEY: 'ab'.repeat(32) };
    const cipher = new SubscriptionCipher(new Uint8Array(32));
    const store = await SubscriptionStore.open(dirname(path), { cipher });
    const filter = { types: ['print'] as const, tickers: null, symbols: null };
    const url = 'https://a.venue.com/';
    await store.add('ada@venue.com', url, filter, { seq: 0, ordinal: 0 }, 0);
    await store.close();
    const before = await readFile(path);
    const lines: string[] = [];
    const heard = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
    const node = await startFromConfig(config({}), key, heard);
    try {
      const base = `http://127.0.0.1:${node.port}`;
      const { state, reasons } = (await (await fetch(`${base}/status`)).json()) as {
        state: string;
        reasons: readonly string[];
      };
      assert.equal(state, 'degraded');
      assert.ok(reasons.some((each) => each.includes('webhooks cannot be read')));
      const body = JSON.stringify({ email: 'b@venue.com', url });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${base}/webhooks/subscribe`, { method: 'POST', headers, body });
      assert.equal(answer.status, 503);
    } finally {
      await node.close();
    }
    assert.ok(lines.some((line) => line.includes('webhooks cannot be read')));
    assert.ok(!lines.join('').includes('venue.com'));
    assert.deepEqual(await readFile(path), before);
    // What is no key at all is a mistake in the configuration.
    await assert.rejects(startFromConfig(config({}), { ASSAY_WEBHOOK_KEY: 'x' }, log), {
      code: 'bad_config',
    });
  });
});

test('production: a sample rule is refused, and nothing is appended', async () => {
  await withLog('log.example/assay', async (folder, config) => {
    const rule = new URL('../../../../../samples/rules/LAYOFFS.1.json', import.meta.url);
    const rules = [rule.pathname];
    await assert.rejects(startFromConfig(config({ rules }), {}, log), { code: 'bad_config' });
    const template = new URL('../../../../../samples/templates/cpi.json', import.meta.url).pathname;
    const given = await readTemplate(nodeSha256, template);
    const how = { figures: 'sample', version: 1, applies_from: given.applies_from } as const;
    const made = developmentRule(nodeSha256, given, how);
    await writeFile(join(folder, 'development.json'), JSON.stringify(made));
    for (const path of [template, 'development.json']) {
      const refused = config({ rules: [path] });
      await assert.rejects(startFromConfig(refused, {}, log), { code: 'bad_config' }, path);
    }
    await writeFile(join(folder, 'broken.json'), '{');
    const broken = config({ rules: ['broken.json'] });
    await assert.rejects(startFromConfig(broken, {}, log), { code: 'bad_config' });
    const node = await startFromConfig(config({}), {}, log);
    assert.ok('ledger' in node);
    assert.equal(node.ledger.published?.size, 1);
    await node.close();
  });
});

test('production: co-signers from a file, once, and a later set after them', async () => {
  await withLog('log.example/assay', async (folder, config) => {
    const path = join(folder, 'cosigners.json');
    const named = { cosigners: 'cosigners.json' };
    const members = SET.cosigners;
    await writeFile(path, JSON.stringify({ threshold: 2, cosigners: [...members].reverse() }));
    for (let start = 0; start < 2; start += 1) {
      const node = await startFromConfig(config(named), {}, log);
      assert.ok('ledger' in node);
      assert.deepEqual(
        cosignerSets(node.ledger.shown).map(({ number, cosigners }) => [number, cosigners]),
        [[0, members]],
      );
      await node.close();
    }
    await writeFile(path, JSON.stringify({ threshold: 3, cosigners: members }));
    const node = await startFromConfig(config(named), {}, log);
    assert.ok('ledger' in node);
    assert.deepEqual(
      cosignerSets(node.ledger.shown).map(({ number, threshold }) => [number, threshold]),
      [
        [0, 2],
        [1, 3],
      ],
    );
    await node.close();
    await writeFile(path, '{}');
    await assert.rejects(startFromConfig(config(named), {}, log), { code: 'bad_config', at: path });
  });
});

test(
  'production: an RPC of another chain, and one for a log without a chain',
  { skip: SKIP },
  async () => {
    const chain = await startDevelopmentChain({ now: () => 1_767_225_600, port: 0 });
    try {
      const solana = { solana_rpc: chain.rpc };
      const onchain = {
        chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        program: DEVELOPMENT_PROGRAM,
      };
      await withLog(
        'log.example/assay',
        async (_folder, config) => {
          const node = await startFromConfig(config(solana), {}, log);
          try {
            const reasons = async (): Promise<readonly string[]> => {
              const response = await fetch(`http://127.0.0.1:${node.port}/status`);
              return ((await response.json()) as { reasons: readonly string[] }).reasons;
            };
            // It is asked in its own time.
            for (let i = 0; i < 200 && (await reasons()).length === 0; i += 1) await sleep(25);
            assert.match(
              (await reasons()).join(),
              /^Nothing is posted on chain: the RPC is of solana:\w{32}, and the log names solana:5eykt4/,
            );
          } finally {
            await node.close();
          }
        },
        onchain,
      );
      await withLog('log.example/assay', async (_folder, config) => {
        const refused = { code: 'bad_config', at: 'solana_rpc' };
        await assert.rejects(startFromConfig(config(solana), {}, log), refused);
        // What was opened is closed again.
        const node = await startFromConfig(config({}), {}, log);
        await node.close();
      });
    } finally {
      await chain.close();
    }
  },
);

test('production: read-only while no required mirror answers, and it says so', async () => {
  await withLog('log.example/assay', async (_folder, config) => {
    const server = createServer((_request, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      const mirrors = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`];
      const node = await startFromConfig(config({ mirrors, mirrors_required: true }), {}, log);
      try {
        assert.ok('ledger' in node);
        assert.equal(node.ledger.blocked?.code, 'read_only');
        const response = await fetch(`http://127.0.0.1:${node.port}/status`);
        const status = (await response.json()) as { state: string; reasons: readonly string[] };
        assert.equal(status.state, 'degraded');
        assert.match(status.reasons.join(), /Nothing is written/);
        const checkpoint = await fetch(`http://127.0.0.1:${node.port}/checkpoint`);
        assert.equal(checkpoint.status, 200);
      } finally {
        await node.close();
      }
      const optional = await startFromConfig(config({ mirrors }), {}, log);
      assert.ok('ledger' in optional);
      assert.equal(optional.ledger.blocked, undefined);
      await optional.close();
    } finally {
      server.close();
    }
  });
});

test('production: a record that cannot be read is served as halted, and says why', async () => {
  await withLog('log.example/assay', async (folder, config) => {
    const { ledger } = dataFolder(join(folder, 'data'));
    const old = join(folder, 'old');
    await cp(ledger, old, { recursive: true });
    const first = await startFromConfig(config({}), {}, log);
    assert.ok('ledger' in first);
    await first.ledger.write(() => [{ kind: 'note/1', body: { text: 'published' } }]);
    await first.close();
    const blobs = await FileBlobStore.open(dataFolder(join(folder, 'data')).blobs);
    const hash = await blobs.put(Buffer.from('a page of a source'));
    // A back-up of the database, behind what the head guard knows was published.
    await rm(ledger, { recursive: true });
    await cp(old, ledger, { recursive: true });
    const node = await startFromConfig(config({}), {}, log);
    try {
      assert.equal('ledger' in node, false);
      const response = await fetch(`http://127.0.0.1:${node.port}/status`);
      const status = (await response.json()) as { error: string; reasons: readonly string[] };
      assert.deepEqual([response.status, status.error], [503, 'halted']);
      assert.match(
        status.reasons.join(),
        /The record cannot be read: the database has fewer entries/,
      );
      const at = (path: string) => fetch(`http://127.0.0.1:${node.port}${path}`);
      const blob = await at(`/blob/${hash}`);
      assert.deepEqual([blob.status, await blob.text()], [200, 'a page of a source']);
      assert.equal((await at('/tile/0/000.p/1')).status, 503);
      assert.equal((await at('/metrics')).status, 404);
      const metrics = await fetch(`http://127.0.0.1:${node.metricsPort}/metrics`);
      assert.match(await metrics.text(), /^assay_log_writable 0$/m);
    } finally {
      await node.close();
    }
  });
});

test('production: a head guard that is missing or damaged is reported as that, and the rest is served', async () => {
  await withLog('log.example/assay', async (folder, config) => {
    const { guard } = dataFolder(join(folder, 'data'));
    const first = await startFromConfig(config({}), {}, log);
    assert.ok('ledger' in first);
    await first.ledger.write(() => [{ kind: 'note/1', body: { text: 'published' } }]);
    await first.close();
    const kept = join(folder, 'kept');
    await cp(guard, kept, { recursive: true });
    const reasonsNow = async (): Promise<readonly string[]> => {
      const node = await startFromConfig(config({}), {}, log);
      try {
        const response = await fetch(`http://127.0.0.1:${node.port}/status`);
        return ((await response.json()) as { reasons: readonly string[] }).reasons;
      } finally {
        await node.close();
      }
    };
    for (const name of await readdir(guard)) await truncate(join(guard, name), 100);
    const damaged = 'The record cannot be read: the guard of the newest head is damaged.';
    assert.deepEqual(await reasonsNow(), [damaged]);
    await rm(guard, { recursive: true });
    const missing = 'The record cannot be read: the guard of the newest head is missing.';
    assert.deepEqual(await reasonsNow(), [missing]);
    await cp(kept, guard, { recursive: true });
    const [none] = await reasonsNow();
    assert.equal(none, undefined);
  });
});

test('production: venues that an earlier check found are shown after a start', async () => {
  await withLog('development/venues', async (folder, config) => {
    const about = { class: 'crypto', decimals: 2, listed: true, display: true };
    const assets = [{ symbol: 'BTC', name: 'Bitcoin', ...about, names: {} }];
    await writeFile(join(folder, 'assets.json'), JSON.stringify({ assets, splits: [] }));
    // Of now: there is nothing to ask anybody before the next night.
    const checked_at = formatTime(systemClock());
    const url = 'https://venue.example/BTC';
    const offers = [{ kind: 'spot', symbol: 'BTC', url }] as const;
    const venues = [{ venue: 'bybit', checked_at, note: null, offers }] as const;
    await venueFile(dataFolder(join(folder, 'data')).venues).set({ checked_at, venues });
    const shown = async (terminal: object): Promise<AssetPayload> => {
      const node = await startFromConfig(config({ terminal }), {}, log);
      try {
        const answer = await fetch(`http://127.0.0.1:${node.port}/asset/BTC`);
        return (await answer.json()) as AssetPayload;
      } finally {
        await node.close();
      }
    };
    const on = await shown({ assets: 'assets.json', venues: {} });
    const bybit = { venue: 'bybit', name: 'Bybit', url, us_available: false, checked_at };
    assert.deepEqual(on.venues, { ...NO_VENUES, spot: [bybit] });
    assert.deepEqual([on.venues_checked_at, on.venues_notice], [checked_at, null]);
    const off = await shown({ assets: 'assets.json' });
    assert.deepEqual(off.venues, NO_VENUES);
    assert.equal(off.venues_notice, 'This service does not check venues.');
  });
});

test('production: a Terminal without a reading of now is halted, and says so; the rest goes on', async () => {
  await withLog('development/terminal', async (folder, config) => {
    const about = { class: 'crypto', decimals: 2, listed: true, display: true };
    const assets = [{ symbol: 'BTC', name: 'Bitcoin', ...about, names: {} }];
    await writeFile(join(folder, 'assets.json'), JSON.stringify({ assets, splits: [] }));
    await writeFile(join(folder, 'reads.json'), '[]');
    const crypto = ['a', 'b'].map((provider) => ({
      kind: 'recorded',
      provider,
      file: 'reads.json',
    }));
    const fields = config({ terminal: { assets: 'assets.json', crypto } });
    for (const run of ['first', 'second']) {
      const node = await startFromConfig(fields, {}, log);
      try {
        const at = `http://127.0.0.1:${node.port}`;
        const board = await fetch(`${at}/board`);
        const shown = (await board.json()) as Record<string, unknown>;
        assert.deepEqual([board.status, shown['halted'], shown['assets']], [503, true, []], run);
        const status = (await (await fetch(`${at}/status`)).json()) as Record<string, unknown>;
        assert.equal(status['log_size'], 3, run);
        assert.match(
          JSON.stringify(status),
          /The Terminal is halted for crypto: no good tick yet\./,
        );
        assert.equal((await fetch(`${at}/indices`)).status, 200);
        assert.equal((await fetch(`${at}/asset/BTC`)).status, 200);
      } finally {
        await node.close();
      }
    }
    const stock = { sources: [{ kind: 'alpaca' }, { kind: 'tiingo' }] };
    const refused = config({ terminal: { assets: 'assets.json', stock } });
    await assert.rejects(startFromConfig(refused, {}, log), { code: 'bad_config' });
  });
});

test('production: a split that comes too late for the log keeps nothing from starting, and is named', async () => {
  await withLog('development/terminal', async (folder, config) => {
    const about = { class: 'crypto', decimals: 2, listed: true, display: true };
    const assets = [{ symbol: 'BTC', name: 'Bitcoin', ...about, names: {} }];
    const crypto = ['a', 'b'].map((provider) => ({
      kind: 'recorded',
      provider,
      file: 'reads.json',
    }));
    const fields = config({ terminal: { assets: 'assets.json', crypto } });
    await writeFile(join(folder, 'reads.json'), '[]');
    const list = (splits: readonly object[]): Promise<void> =>
      writeFile(join(folder, 'assets.json'), JSON.stringify({ assets, splits }));
    await list([]);
    const first = await startFromConfig(fields, {}, log);
    assert.ok('ledger' in first);
    const hash = toHashHex('1'.repeat(64));
    const body = {
      class: 'crypto',
      ts: toTime('2026-03-01T00:00:00Z'),
      rule: hash,
      size: 1,
      root: hash,
      blob: hash,
    } as const;
    await first.ledger.write(() => [{ kind: 'tick/1', body }]);
    await first.close();
    const effective_at = '2026-02-28T14:30:00Z';
    await list([{ symbol: 'BTC', effective_at, numerator: 2, denominator: 1 }]);
    const node = await startFromConfig(fields, {}, log);
    try {
      const at = `http://127.0.0.1:${node.port}`;
      const status = await (await fetch(`${at}/status`)).text();
      assert.match(status, /The split of BTC of 2026-02-28T14:30:00Z came too late for the log/);
      assert.equal((await fetch(`${at}/indices`)).status, 200);
    } finally {
      await node.close();
    }
  });
});
