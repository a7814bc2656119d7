import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InFlight } from '@assay/node/http/in-flight';

void test('in flight: idle at once, when the last ends, or not in time', async () => {
  const flights = new InFlight();
  assert.equal(await flights.settled(0), true);
  flights.begin();
  flights.begin();
  assert.equal(flights.count, 2);
  assert.equal(await flights.settled(5), false);
  const settled = flights.settled(5000);
  flights.end();
  assert.equal(flights.count, 1);
  flights.end();
  assert.equal(await settled, true);
  assert.equal(flights.count, 0);
});
