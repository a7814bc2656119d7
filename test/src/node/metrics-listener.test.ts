import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { Metrics } from '@assay/node/metrics';
import { metricsAddress, serveMetrics } from '@assay/node/metrics-listener';

const LOG = { info(): void {}, error(): void {} };

test('metrics listener: it has the metrics and nothing else, and a port that is taken is a mistake of the config', async () => {
  const metrics = new Metrics();
  const listening = await serveMetrics(metrics, { host: '127.0.0.1', port: 0 }, LOG);
  const { port } = listening;
  try {
    const at = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
    const found = await at('/metrics');
    assert.equal(found.status, 200);
    assert.match(await found.text(), /^# HELP assay_/m);
    assert.equal((await at('/status')).status, 404);
    assert.equal((await at('/healthz')).status, 404);
    await assert.rejects(
      serveMetrics(metrics, { host: '127.0.0.1', port }, LOG),
      (error) => faultCode(error) === 'bad_config',
    );
  } finally {
    await listening.close();
  }
});

test('metrics listener: by default it is on loopback, a thousand ports from the service', () => {
  const config = { metrics_host: '127.0.0.1', metrics_port: null };
  const portFor = (port: number): number => metricsAddress({ ...config, port }).port;
  assert.deepEqual(metricsAddress({ ...config, port: 8787 }), { host: '127.0.0.1', port: 9787 });
  assert.deepEqual([0, 64_535, 64_536, 65_535].map(portFor), [0, 65_535, 63_536, 64_535]);
  assert.equal(metricsAddress({ ...config, port: 8787, metrics_port: 9464 }).port, 9464);
});
