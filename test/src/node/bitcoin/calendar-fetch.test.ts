import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarFetch, MAX_CALENDAR_BYTES } from '@assay/node/bitcoin/calendar-fetch';
import { localHost } from './local-host.ts';

const { signal } = new AbortController();

test('calendar fetch: asks as the protocol has it, and takes 10,000 bytes', async (t) => {
  const seen: unknown[] = [];
  const address = await localHost(t, (request, response) => {
    seen.push([request.method, request.url, request.headers.accept]);
    response.end(Buffer.alloc(request.url === '/more' ? MAX_CALENDAR_BYTES + 1 : 10_000));
  });
  const url = `${address}/timestamp/00`;
  const { status, body } = await calendarFetch({ method: 'GET', url, signal });
  assert.deepEqual([status, body.length], [200, 10_000]);
  assert.deepEqual(seen, [['GET', '/timestamp/00', 'application/vnd.opentimestamps.v1']]);
  const more = calendarFetch({ method: 'GET', url: `${address}/more`, signal });
  await assert.rejects(more, { code: 'too_large' });
});
