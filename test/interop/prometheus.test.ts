// The files of samples/grafana, held against Prometheus itself: its reader, its tests of rules, and a running one.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Metrics } from '@assay/node/metrics';
import { serveMetrics } from '@assay/node/metrics-listener';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { watchEverything } from '../src/samples/every-metric.ts';
import { GENESIS_DRAFT, memoryPlace, note, openAt } from '../src/node/ledger/ledger-fixture.ts';
import { boardQueries, GRAFANA, rules } from '../src/samples/grafana-files.ts';
import { freePort } from './free-port.ts';

/** A copy of the samples; undefined, with the reason, where Prometheus is not installed. */
function folderOf(t: TestContext): string | undefined {
  for (const program of ['prometheus', 'promtool']) {
    if (spawnSync(program, ['--version']).status === 0) continue;
    t.skip(`${program} (Debian: prometheus) is not installed`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'assay-prometheus-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(GRAFANA, folder, { recursive: true });
  return folder;
}

function promtool(folder: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? 'ok' : stdout + stderr;
}

/** A query of the board without the variables of Grafana. */
function plain(query: string): string {
  return query.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m');
}

test('prometheus: the samples are read, and every query of the board', (t) => {
  const folder = folderOf(t);
  if (folder === undefined) return;
  assert.equal(promtool(folder, 'check', 'config', 'prometheus.yml'), 'ok');
  assert.equal(promtool(folder, 'check', 'rules', 'alerts.yml'), 'ok');
  const records = boardQueries().map((query, i) => ({ record: `q${i}`, expr: plain(query) }));
  // JSON is YAML as well.
  const groups = JSON.stringify({ groups: [{ name: 'board', rules: records }] });
  writeFileSync(join(folder, 'board.yml'), groups);
  assert.equal(promtool(folder, 'check', 'rules', 'board.yml'), 'ok');
  writeFileSync(join(folder, 'board.yml'), groups.replace('sum by', 'sum of'));
  assert.match(promtool(folder, 'check', 'rules', 'board.yml'), /parse error/);
});

test('prometheus: the rules fire on what they are for, and on nothing else', (t) => {
  const folder = folderOf(t);
  if (folder === undefined) return;
  cpSync(join(ROOT, 'test', 'interop', 'alerts-test.yml'), join(folder, 'test.yml'));
  assert.equal(promtool(folder, 'test', 'rules', 'test.yml'), 'ok');
});

interface RunningPrometheus {
  readonly ask: <T>(path: string) => Promise<T>;
  /** How many rows a query has. */
  readonly rows: (query: string) => Promise<number>;
  /** Resolves when a query has a row. */
  readonly until: (query: string) => Promise<void>;
}

/** A Prometheus with the samples, which asks `metrics` once a second; its rules are those of the folder. */
async function runPrometheus(
  t: TestContext,
  folder: string,
  metrics: Metrics,
): Promise<RunningPrometheus> {
  const silent = { info(): void {}, error(): void {} };
  const served = await serveMetrics(metrics, { host: '127.0.0.1', port: 0 }, silent);
  t.after(() => served.close());
  const config = readFileSync(join(folder, 'prometheus.yml'), 'utf8')
    .replaceAll(/_interval: 30s/g, '_interval: 1s')
    .replace('127.0.0.1:9787', `127.0.0.1:${served.port}`);
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const port = await freePort();
  const child = spawn(
    'prometheus',
    ['--config.file=prometheus.yml', `--web.listen-address=127.0.0.1:${port}`],
    { cwd: folder, stdio: 'ignore' },
  );
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    return ((await response.json()) as { data: T }).data;
  };
  const rows = async (query: string): Promise<number> => {
    const { result } = await ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(query)}`);
    return result.length;
  };
  const until = async (query: string): Promise<void> => {
    for (let i = 0; i < 300; i += 1) {
      if ((await rows(query).catch(() => 0)) > 0) return;
      await sleep(200);
    }
    assert.fail(`nothing for ${query}`);
  };
  return { ask, rows, until };
}

test('prometheus: one with these files asks /metrics and answers the board', async (t) => {
  const folder = folderOf(t);
  if (folder === undefined) return;
  const metrics = new Metrics();
  await watchEverything(metrics);
  const { ask, rows, until } = await runPrometheus(t, folder, metrics);
  await until('assay_log_entries offset 3s');
  // What nobody has asked for or paid in the test has no rows.
  const empty = [/assay_payments_total/, /assay_webhook_subscriptions/];
  for (const query of boardQueries()) {
    if (empty.some((each) => each.test(query))) continue;
    assert.ok((await rows(plain(query))) > 0, query);
  }
  // What is made up has one round that failed from its first second on.
  metrics.round('LAYOFFS', 'failed');
  await until('ALERTS{alertname="AssayRoundFailed",alertstate="firing"}');
  const loaded = await ask<{ groups: { rules: { name: string; health: string }[] }[] }>('rules');
  const found = loaded.groups.flatMap((group) => group.rules);
  assert.deepEqual(
    found.map(({ name, health }) => `${name} ${health}`),
    rules().map(({ alert }) => `${alert} ok`),
  );
});

test('prometheus: a ledger whose head guard does not answer is an alarm while its commit hangs', async (t) => {
  const folder = folderOf(t);
  if (folder === undefined) return;
  const alerts = readFileSync(join(folder, 'alerts.yml'), 'utf8');
  const sooner = alerts.replace(
    'assay_append_waiting_seconds > 30',
    'assay_append_waiting_seconds > 3',
  );
  assert.notEqual(sooner, alerts);
  writeFileSync(join(folder, 'alerts.yml'), sooner);
  const metrics = new Metrics();
  const place = await memoryPlace();
  const ledger = await openAt(place, { times: metrics.commitTimes });
  await ledger.write(() => [GENESIS_DRAFT]);
  const { rows, until } = await runPrometheus(t, folder, metrics);
  await until('assay_append_waiting_seconds offset 2s');
  const firing = 'ALERTS{alertname="AssayAppendHangs",alertstate="firing"}';
  assert.equal(await rows(firing), 0);
  place.guard.gate.shut();
  const written = ledger.write(() => [note('waits for the guard')]);
  await until(firing);
  place.guard.gate.open();
  await written;
  await until('assay_append_seconds_count{step="guard"} == 2');
  await until('assay_append_waiting_seconds == 0');
  await ledger.close();
});
