import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PublicationWait } from '@assay/node/cosign/publication-wait';

test('publication wait: until the entry is in what is shown, not before', async () => {
  const wait = new PublicationWait({ most: 2, timeoutMs: 600_000 });
  const told: string[] = [];
  const first = wait.until(5).then((shown) => told.push(`5 ${shown}`));
  const second = wait.until(7).then((shown) => told.push(`7 ${shown}`));
  wait.published(5);
  assert.equal(wait.size, 2);
  wait.published(6);
  await first;
  assert.deepEqual([told, wait.size], [['5 true'], 1]);
  wait.published(8);
  await second;
  assert.deepEqual(told, ['5 true', '7 true']);
});

test('publication wait: no longer than it is to, no more than there may be, none after a stop', async () => {
  const brief = new PublicationWait({ most: 1, timeoutMs: 1 });
  const first = brief.until(1);
  assert.equal(await brief.until(1), false, 'one too many is sent away at once');
  assert.equal(await first, false);
  assert.equal(brief.size, 0);
  const long = new PublicationWait({ most: 1, timeoutMs: 600_000 });
  const waiting = long.until(1);
  long.stop();
  assert.equal(await waiting, false);
  assert.equal(await long.until(1), false);
});
