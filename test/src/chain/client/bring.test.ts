import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bring, type Errand } from '@assay/chain/client/bring';
import type { Sender, Sent } from '@assay/chain/client/sender';
import { Fault } from '@assay/core/fault';
import { LIMITS } from './world.ts';

const SENT: Sent = { transaction: 'x', slot: 5n, fee: 1n, attempts: 1 };

type Look = { readonly slot: bigint; readonly there: boolean } | Fault;

/** What a bringing comes to that sees these looks, the last one ever after, and sends with these ends. */
async function brought(
  looks: readonly Look[],
  sends: readonly (Sent | Fault)[] = [],
): Promise<{ end: string; looked: number; sent: number }> {
  let looked = 0;
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
    look: async () => {
      const look = looks[Math.min(looked, looks.length - 1)] as Look;
      looked += 1;
      await Promise.resolve();
      if (look instanceof Fault) throw look;
      return look;
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
  return { end, looked, sent };
}

const NOT: Look = { slot: 9n, there: false };
const YES: Look = { slot: 9n, there: true };
const EARLY: Look = { slot: 4n, there: true };
const BUSY = new Fault('unreachable', 'Solana RPC', { at: 'getMultipleAccounts' });

function refused(at: string): Fault {
  return new Fault('refused', 'transaction', { at });
}

test('bring: what stands is not sent, what does not is, and is looked for', async () => {
  assert.deepEqual(await brought([YES]), { end: 'there', looked: 1, sent: 0 });
  assert.deepEqual(await brought([NOT, YES], [SENT]), { end: 'sent', looked: 2, sent: 1 });
  assert.deepEqual(await brought([NOT, NOT, BUSY, YES], [SENT]), {
    end: 'sent',
    looked: 4,
    sent: 1,
  });
  assert.deepEqual(await brought([NOT], [SENT]), { end: 'unmet account', looked: 4, sent: 1 });
});

test('bring: what was read before the transaction’s slot does not count', async () => {
  assert.equal((await brought([NOT, EARLY, EARLY, YES], [SENT])).end, 'sent');
  assert.equal((await brought([NOT, EARLY], [SENT])).end, 'unmet account');
});

test('bring: after a refusal or an unclear end it looks again before it says so', async () => {
  const late = [NOT, NOT, NOT, YES];
  assert.equal((await brought(late, [refused('settled')])).end, 'there');
  assert.equal((await brought(late, [BUSY])).end, 'there');
  assert.equal((await brought([NOT], [BUSY])).end, 'unreachable getMultipleAccounts');
  assert.equal((await brought([NOT, BUSY], [refused('settled')])).end, 'refused settled');
  // Nobody else can have caused that: one look is enough.
  assert.deepEqual(await brought([NOT], [refused('no_quorum')]), {
    end: 'refused no_quorum',
    looked: 2,
    sent: 1,
  });
});

test('bring: an account that came meanwhile is reckoned with, some times', async () => {
  const exists = refused('exists');
  assert.equal((await brought([NOT, NOT, NOT, NOT, YES], [exists, SENT])).end, 'sent');
  assert.deepEqual(await brought([NOT], [exists, exists, exists, exists]), {
    end: 'refused exists',
    looked: 10,
    sent: 3,
  });
});
