import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestHistogram } from '@assay/node/platform/request-histogram';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';

const ROUTES = ['/indices', '/indices/:ticker', 'none'];
const seconds = fc.constantFrom(0, 0.0005, 0.00051, 0.001, 0.05, 0.75, 1, 5, 5.1, 60);
const request = fc.tuple(
  fc.constantFrom('GET', 'HEAD', 'OTHER'),
  fc.constantFrom(...ROUTES),
  fc.constantFrom(200, 304, 404),
  seconds,
);

function samples(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

test('request histogram: says what the Prometheus client says of the same requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 60 }), async (requests) => {
      const registry = new Registry();
      const theirs = new Histogram({
        name: 'assay_http_request_seconds',
        help: 'Seconds from a request to its answer',
        labelNames: ['method', 'route', 'status'],
        buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
        registers: [registry],
      });
      const ours = new RequestHistogram();
      for (const [method, route, status, took] of requests) {
        ours.observe(method, route, status, took);
        theirs.observe({ method, route, status }, took);
      }
      assert.deepEqual(samples(ours.text()), samples(await registry.metrics()));
    }),
    { numRuns: 50 },
  );
});

test('request histogram: nothing asked is nothing counted', () => {
  assert.equal(new RequestHistogram().text().split('\n').length, 3);
});
