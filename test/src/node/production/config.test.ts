import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseConfig, readConfig, readSecrets } from '@assay/node/production/config';

const LEAST = { data: 'd', contact: 'a@example.org' };

test('config: the least one, with every default', () => {
  assert.deepEqual(parseConfig(LEAST, {}, '/base'), {
    data: '/base/d',
    host: '127.0.0.1',
    port: 8787,
    transport: 'auto',
    trusted_proxies: [],
    requests_per_minute: 120,
    log_requests_per_minute: 6000,
    rules: [],
    arena_rule: null,
    drand_relays: null,
    mirrors: [],
    mirrors_required: false,
    witnesses: [],
    readers: 0,
    readers_port: null,
    readers_host: '127.0.0.1',
    public_url: null,
    mirror_url: null,
    degraded_after_s: 7200,
    halted_after_s: 604_800,
    poll_s: 30,
    contact: 'a@example.org',
    calendars: null,
    calendar_attestors: null,
    calendars_required: 2,
    stamp_every_s: 600,
    beacon_every_s: 3600,
    bitcoin_rpc: null,
    bitcoin_headers: null,
    bitcoin_explorers: null,
    solana_rpc: null,
    solana_priority_cap: 1_000_000,
    solana_daily_lamports: 1_000_000_000,
    solana_compare_s: 600,
    solana_behind_after_s: 1800,
    cosigners: null,
    source_timeout_s: 60,
    source_read_timeout_s: 900,
    source_max_bytes: 33_554_432,
    source_read_max_bytes: 67_108_864,
    private_hosts: [],
    dataset_since: null,
    terminal: null,
    tier: null,
    objects: null,
    disk_low_bytes: 1_073_741_824,
    disk_reserve_bytes: 268_435_456,
    scrub_round_s: 86_400,
    scratch: null,
    signer: null,
    head_guard: { kind: 'file' },
    standby: null,
    metrics: true,
    metrics_host: '127.0.0.1',
    metrics_port: null,
    log_level: 'info',
  });
});

test('config: paths are relative to the file, a variable is not', () => {
  const config = parseConfig({ ...LEAST, rules: ['r.json', '/abs.json'] }, {}, '/base');
  assert.deepEqual(config.rules, ['/base/r.json', '/abs.json']);
  assert.equal(parseConfig(LEAST, { ASSAY_DATA: 'other' }, '/base').data, 'other');
});

test('config: the environment overrides, and an empty variable does not', () => {
  const environment = { ASSAY_PORT: '9000', ASSAY_HOST: '::1', ASSAY_TRANSPORT: 'node' };
  const config = parseConfig(LEAST, { ...environment, ASSAY_LOG_LEVEL: '' }, '/');
  assert.equal(config.port, 9000);
  assert.equal(config.host, '::1');
  assert.equal(config.transport, 'node');
  assert.equal(config.log_level, 'info');
});

test('config: what does not fit is named, and nothing falls back to a default', () => {
  const cases: readonly (readonly [unknown, Record<string, string>, RegExp])[] = [
    [null, {}, /a JSON object/],
    [[], {}, /a JSON object/],
    ['x', {}, /a JSON object/],
    [{ contact: 'x' }, {}, /data/],
    [{ data: 'x' }, {}, /contact/],
    [{ ...LEAST, prot: 1 }, {}, /prot/],
    [{ ...LEAST, port: 65_536 }, {}, /port/],
    [{ ...LEAST, requests_per_minute: 0 }, {}, /requests_per_minute/],
    [{ ...LEAST, log_requests_per_minute: 1.5 }, {}, /log_requests_per_minute/],
    [{ ...LEAST, port: '8787' }, {}, /port/],
    [{ ...LEAST, poll_s: 0 }, {}, /poll_s/],
    [{ ...LEAST, transport: 'http2' }, {}, /transport/],
    [{ ...LEAST, rules: 'r.json' }, {}, /rules/],
    [{ ...LEAST, mirrors: ['mirror.example'] }, {}, /mirrors/],
    [{ ...LEAST, mirrors: ['file:///etc'] }, {}, /mirrors/],
    [LEAST, { ASSAY_PORT: 'high' }, /ASSAY_PORT/],
    [LEAST, { ASSAY_PORT: '99999' }, /port/],
    [LEAST, { ASSAY_LOG_LEVEL: 'loud' }, /log_level/],
  ];
  for (const [value, environment, words] of cases) {
    assert.throws(
      () => parseConfig(value, environment, '/'),
      (error: unknown) => {
        assert.equal((error as { code?: string }).code, 'bad_config');
        assert.match((error as Error).message, words);
        return true;
      },
      JSON.stringify(value),
    );
  }
});

test('config: an address with a user or a password is refused, and not quoted', () => {
  for (const credentials of ['user:hunter2', 'hunter2', ':hunter2', 'user:']) {
    const address = `https://${credentials}@a.example/x`;
    const fields: readonly (readonly [string, unknown])[] = [
      ['mirrors.1', { mirrors: ['https://b.example', address] }],
      ['public_url', { public_url: address }],
      ['mirror_url', { mirror_url: address }],
      ['calendars.0', { calendars: [address] }],
      ['calendar_attestors.0', { calendar_attestors: [address] }],
      ['bitcoin_rpc', { bitcoin_rpc: address }],
      ['bitcoin_explorers.0', { bitcoin_explorers: [address] }],
    ];
    for (const [at, change] of fields) {
      assert.throws(
        () => parseConfig({ ...LEAST, ...(change as object) }, {}, '/'),
        (error: unknown) => {
          const { code, at: field } = error as { code?: string; at?: string };
          assert.deepEqual([code, field], ['bad_config', at]);
          assert.doesNotMatch((error as Error).message, /hunter2|user:/);
          return true;
        },
        at,
      );
    }
  }
});

test('config: a file that is not there or not JSON', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-config-'));
  try {
    const path = join(folder, 'assay.json');
    await assert.rejects(readConfig(path, {}), {
      code: 'bad_config',
      message: `config file at ${path}: expected a JSON file, found no file there`,
    });
    await writeFile(path, '{');
    await assert.rejects(readConfig(path, {}), { code: 'bad_config' });
    await writeFile(path, JSON.stringify(LEAST));
    assert.equal((await readConfig(path, {})).data, join(folder, 'd'));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('config: secrets come from their variables alone', () => {
  const secrets = readSecrets({ ASSAY_SECRET_BLS_KEY: 'k', ASSAY_SECRET_EMPTY: '', OTHER: 'x' });
  assert.deepEqual([...secrets], [['BLS_KEY', 'k']]);
});

test("config: the dataset's first day is a day", () => {
  const least = { data: 'd', contact: 'x@example.org' };
  const of = (dataset_since: string | null): string | null =>
    parseConfig({ ...least, dataset_since }, {}, '/f').dataset_since;
  assert.equal(of('2020-01-02'), '2020-01-02');
  assert.equal(of(null), null);
  assert.throws(() => of('2020-02-30'), /dataset_since/);
});

test('config: what a standby follows, with its defaults, and a guard whose files lie beside the configuration', () => {
  const given = {
    data: 'data',
    contact: 'a@b.example',
    head_guard: { kind: 'postgres', addresses: ['db1', 'db2'], password_file: 'password' },
    standby: { name: 'b', publisher: 'https://a.example/', checkpoint_vkey: 'a+0a1b2c3d+AbCd' },
  };
  const { standby, head_guard: guard } = parseConfig(given, {}, '/etc/assay');
  assert.deepEqual(standby, {
    name: 'b',
    publisher: 'https://a.example',
    checkpoint_vkey: 'a+0a1b2c3d+AbCd',
    log_id: null,
    poll_s: 1,
    ready_within: 1000,
  });
  assert.equal(guard.kind === 'postgres' && guard.password_file, '/etc/assay/password');
  for (const change of [{ name: 'b c' }, { publisher: 'a' }, { log_id: 'x' }, { poll_s: 0 }]) {
    const bad = { ...given, standby: { ...given.standby, ...change } };
    assert.throws(() => parseConfig(bad, {}, '/etc/assay'), { code: 'bad_config' });
  }
});
