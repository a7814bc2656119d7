import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bring, type Errand } from '@assay/chain/client/bring';
import type { Sender, Sent } from '@assay/chain/client/sender';
import { Fault } from '@assay/core/fault';
import { LIMITS } from './world.ts';

const SENT: Sent = { transaction: 'x', slot: 5n, fee: 1n, attempts: 1 };

type Reading = { readonly slot: bigint; readonly there: boolean } | Fault;

/** Runs `bring` with these readings, of which the last is repeated, and with these results of sending. */
async function brought(
  readings: readonly Reading[],
  sends: readonly (Sent | Fault)[] = [],
): Promise<{ end: string; readCount: number; sent: number }> {
  let readCount = 0;
  let sent = 0;
  const sender = {
    parts: { limits: LIMITS },
    asked: (_: unknown, call: () => Promise<unknown>) => call(),
    pause: () => Promise.resolve(),
    send: async () => {
      const end = sends[sent] ?? new Fault('stopped', 'test');
      sent += 1;
      await Promise.resolve();
      if (end instanceof Fault) throw end;
      return end;
    },
  } as unknown as Sender;
  const errand: Errand<{ there: boolean }, object> = {
    title: 'print',
    read: async () => {
      const reading = readings[Math.min(readCount, readings.length - 1)] as Reading;
      readCount += 1;
      await Promise.resolve();
      if (reading instanceof Fault) throw reading;
      return reading;
    },
    found: ({ there }) => (there ? {} : undefined),
    instructions: () => [],
  };
  let end: string;
  try {
    end = (await bring(sender, errand, {})).kind;
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    end = `${error.code} ${error.at}`;
  }
  return { end, readCount, sent };
}

const NOT: Reading = { slot: 9n, there: false };
const YES: Reading = { slot: 9n, there: true };
const EARLY: Reading = { slot: 4n, there: true };
const BUSY = new Fault('unreachable', 'Solana RPC', { at: 'getMultipleAccounts' });

function refused(at: string): Fault {
  return new Fault('refused', 'transaction', { at });
}

test('bring: what is recorded is not sent again; what is not is sent and then read', async () => {
  assert.deepEqual(await brought([YES]), { end: 'there', readCount: 1, sent: 0 });
  assert.deepEqual(await brought([NOT, YES], [SENT]), { end: 'sent', readCount: 2, sent: 1 });
  assert.deepEqual(await brought([NOT, NOT, BUSY, YES], [SENT]), {
    end: 'sent',
    readCount: 4,
    sent: 1,
  });
  assert.deepEqual(await brought([NOT], [SENT]), { end: 'unmet account', readCount: 4, sent: 1 });
});

test('bring: what was read before the transaction’s slot does not count', async () => {
  assert.equal((await brought([NOT, EARLY, EARLY, YES], [SENT])).end, 'sent');
  assert.equal((await brought([NOT, EARLY], [SENT])).end, 'unmet account');
});

test('bring: after a refusal or an unclear end it reads again before it reports that', async () => {
  const late = [NOT, NOT, NOT, YES];
  assert.equal((await brought(late, [refused('settled')])).end, 'there');
  assert.equal((await brought(late, [BUSY])).end, 'there');
  assert.equal((await brought([NOT], [BUSY])).end, 'unreachable getMultipleAccounts');
  assert.equal((await brought([NOT, BUSY], [refused('settled')])).end, 'refused settled');
  // Nobody else can have caused that: one reading is enough.
  assert.deepEqual(await brought([NOT], [refused('no_quorum')]), {
    end: 'refused no_quorum',
    readCount: 2,
    sent: 1,
  });
});

test('bring: an account that was created meanwhile is taken into account, a few times', async () => {
  const exists = refused('exists');
  assert.equal((await brought([NOT, NOT, NOT, NOT, YES], [exists, SENT])).end, 'sent');
  assert.deepEqual(await brought([NOT], [exists, exists, exists, exists]), {
    end: 'refused exists',
    readCount: 10,
    sent: 3,
  });
});
