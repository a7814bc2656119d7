import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Concern } from '@assay/node/health/concern';
import { type Service, Services } from '@assay/node/health/services';

/** A part that notes what is called of it; its stop takes some milliseconds. */
function part(
  name: string,
  calls: string[],
  options: Pick<Service, 'startsWhen' | 'stops'> & { readonly takesMs?: number } = {},
): Service {
  const { takesMs = 0, ...rest } = options;
  return {
    ...rest,
    start: () => void calls.push(`start ${name}`),
    async stop() {
      calls.push(`stop ${name}`);
      await wait(takesMs);
      calls.push(`stopped ${name}`);
    },
    concerns: (): readonly Concern[] => [{ level: 'degraded', reason: name }],
  };
}

test('services: they start by phases in their order, and concerns are listed in it', () => {
  const calls: string[] = [];
  const services = new Services([
    part('a', calls),
    part('b', calls, { startsWhen: 'proven' }),
    undefined,
    { concerns: () => [] },
    part('c', calls, { startsWhen: 'listening' }),
    part('d', calls),
  ]);
  services.start('listening');
  services.start('proven');
  assert.deepEqual(calls, ['start c', 'start b']);
  services.start('ready');
  assert.deepEqual(calls, ['start c', 'start b', 'start a', 'start d']);
  const { concerns } = services;
  assert.deepEqual(
    concerns().map(({ reason }) => reason),
    ['a', 'b', 'c', 'd'],
  );
});

test('services: some stop before the others one by one, and some after all of them', async () => {
  const calls: string[] = [];
  const services = new Services([
    part('last', calls, { stops: 'after' }),
    part('first', calls, { stops: 'before', takesMs: 20 }),
    part('slow', calls, { takesMs: 40 }),
    part('second', calls, { stops: 'before' }),
    part('quick', calls),
    { concerns: () => [] },
  ]);
  assert.equal(services.stopped, false);
  const stopping = services.stop();
  assert.equal(services.stopped, true);
  assert.equal(services.stop(), stopping, 'each is stopped once');
  services.start('ready');
  await stopping;
  assert.deepEqual(calls, [
    'stop first',
    'stopped first',
    'stop second',
    'stopped second',
    'stop slow',
    'stop quick',
    'stopped quick',
    'stopped slow',
    'stop last',
    'stopped last',
  ]);
});

test('services: one that cannot stop keeps no other from stopping, and its error is thrown at the end', async () => {
  const calls: string[] = [];
  const failing = (name: string, more: Partial<Service> = {}): Service => ({
    ...part(name, calls, more),
    stop: () => Promise.reject(new Error(name)),
  });
  const services = new Services([
    failing('first', { stops: 'before' }),
    part('second', calls, { stops: 'before' }),
    {
      stop: () => {
        throw new Error('at once');
      },
    },
    part('slow', calls, { takesMs: 20 }),
    failing('last', { stops: 'after' }),
    part('very last', calls, { stops: 'after' }),
  ]);
  await assert.rejects(services.stop(), { message: 'first' });
  assert.deepEqual(
    calls.filter((each) => each.startsWith('stopped')),
    ['stopped second', 'stopped slow', 'stopped very last'],
  );
});
