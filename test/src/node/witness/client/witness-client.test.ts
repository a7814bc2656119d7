import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCosignature } from '@assay/core/log/cosignature';
import { parseNoteKey } from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  WitnessClient,
  type WitnessClientParts,
  type WitnessFetch,
  witnessFetch,
  type WitnessLine,
  witnessPeer,
} from '@assay/node/witness/client/witness-client';
import { witnessRoutes } from '@assay/node/witness/server/witness-routes';
import { NOON, testSigner } from '../../ledger/ledger-fixture.ts';
import { serveRoutes } from '../served-routes.ts';
import {
  fetchFrom,
  lineOn,
  LOG_SIGNER,
  logVkey,
  PaperLog,
  peerOf,
  witnessWith,
} from '../witness-fixture.ts';

const URL = 'http://w1.example';
const log = new PaperLog(40);
const fork = new PaperLog(40, ' forked', 5);
const signal = new AbortController().signal;

function clientOf(
  change: Partial<WitnessClientParts> & Pick<WitnessClientParts, 'fetch'>,
): WitnessClient {
  return new WitnessClient({
    peer: peerOf(URL, witnessWith()),
    now: () => NOON,
    maxAgeS: 3600,
    ...change,
  });
}

const ask = (client: WitnessClient, size: number, of = log): Promise<WitnessLine> =>
  client.ask(
    {
      note: of.note(size),
      size,
      root: of.root(size),
      consistency: (old, to) => Promise.resolve(of.proof(old, to)),
    },
    signal,
  );

/** A witness that answers what it is told to, one answer after the other. */
function answering(...answers: readonly (readonly [status: number, body: string])[]): {
  readonly fetch: WitnessFetch;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const left = [...answers];
  return {
    asked,
    fetch: ({ body }) => {
      asked.push(Buffer.from(body).toString().split('\n', 1)[0] ?? '');
      const [status, text] = left.shift() ?? [500, ''];
      return Promise.resolve({ status, body: formatUtf8(text) });
    },
  };
}

test('witness client: lines over HTTP, head after head, whatever the witness has', async (t) => {
  const witness = witnessWith();
  const url = await serveRoutes(t, witnessRoutes({ witness }));
  const peer = peerOf(`${url}/`, witness);
  const client = clientOf({ peer, fetch: witnessFetch });
  for (const size of [3, 3, 9, 40]) {
    const { line, time } = await ask(client, size);
    assert.equal(time, NOON);
    assert.equal(parseCosignature(line.signature)?.time, NOON);
  }
  // A client that begins anew learns the size from the witness.
  await ask(clientOf({ peer, fetch: witnessFetch }), 40);
});

test('witness client: asks again with the size that a 409 carries, and with no other', async () => {
  const good = lineOn(log.note(9));
  const learns = answering([409, '5\n'], [200, good]);
  await ask(clientOf(learns), 9);
  assert.deepEqual(learns.asked, ['old 0', 'old 5']);
  const races = answering([409, '5\n'], [409, '7\n'], [200, good]);
  await ask(clientOf(races), 9);
  assert.deepEqual(races.asked, ['old 0', 'old 5', 'old 7']);
  for (const [body, tries] of [
    ['', 1],
    ['5', 1],
    ['05\n', 1],
    ['five\n', 1],
    ['5\n\n', 1],
    ['9007199254740993\n', 1],
    ['0\n', 1],
  ] as const) {
    const witness = answering([409, body], [200, good]);
    await assert.rejects(ask(clientOf(witness), 9), { code: 'refused' }, body);
    assert.equal(witness.asked.length, tries);
  }
  const restless = answering([409, '1\n'], [409, '2\n'], [409, '3\n'], [200, good]);
  await assert.rejects(ask(clientOf(restless), 9), { code: 'refused' });
  assert.equal(restless.asked.length, 3);
});

test('witness client: a witness that has more of this log than there is: ledger_behind', async () => {
  const witness = witnessWith();
  const fetch = fetchFrom({ [URL]: witness });
  await ask(clientOf({ fetch }), 12);
  await assert.rejects(ask(clientOf({ fetch }), 9), { name: 'Fault', code: 'ledger_behind' });
  const knows = clientOf({ fetch });
  await ask(knows, 12);
  await assert.rejects(ask(knows, 9), { name: 'Fault', code: 'ledger_behind' });
});

test('witness client: a fork gets no line', async () => {
  const witness = witnessWith();
  const fetch = fetchFrom({ [URL]: witness });
  await ask(clientOf({ fetch }), 12);
  for (const size of [12, 20]) {
    await assert.rejects(ask(clientOf({ fetch }), size, fork), { code: 'refused' });
  }
});

test('witness client: statuses that pass are no refusal', async () => {
  for (const status of [301, 408, 429, 500, 502, 503]) {
    await assert.rejects(ask(clientOf(answering([status, ''])), 9), { code: 'unreachable' });
  }
  for (const status of [400, 401, 403, 404, 405, 413, 422]) {
    await assert.rejects(ask(clientOf(answering([status, ''])), 9), { code: 'refused' });
  }
});

test('witness client: the answer of a lying witness does not count', async () => {
  const note = log.note(9);
  const stranger = testSigner(45);
  const good = lineOn(note);
  const lies: Readonly<Record<string, string>> = {
    'no line': '',
    'an empty line and a line': `\n${good}`,
    'a line that ends nowhere': good.slice(0, -1),
    words: 'thank you\n',
    'of another key': lineOn(note, { signer: stranger }),
    'of another name': lineOn(note, { name: 'witness.example/w2' }),
    'on another checkpoint': lineOn(log.note(8)),
    'on a fork': lineOn(fork.note(9)),
    'too old': lineOn(note, { time: NOON - 3601 }),
    'of the future': lineOn(note, { time: NOON + 121 }),
    'a line of the log': `${Buffer.from(note).toString().split('\n\n')[1]}`,
    'a bad line of its own before the good one': lineOn(log.note(8)) + good,
  };
  for (const [name, body] of Object.entries(lies)) {
    const code = /^bad_/;
    await assert.rejects(ask(clientOf(answering([200, body])), 9), { name: 'Fault', code }, name);
  }
  for (const body of [
    good,
    lineOn(note, { name: 'witness.example/w2' }) + good,
    lineOn(note, { time: NOON - 3600 }),
    lineOn(note, { time: NOON + 120 }),
  ]) {
    await ask(clientOf(answering([200, body])), 9);
  }
});

test('witness client: a peer is named by a key of type 0x04', () => {
  const { vkey } = witnessWith();
  const peer = witnessPeer(nodeSha256, { url: 'https://w.example/log//', vkey });
  assert.equal(peer.url, 'https://w.example/log');
  const { keyId } = peer.key;
  assert.notEqual(keyId, parseNoteKey(nodeSha256, logVkey(LOG_SIGNER)).keyId);
  assert.throws(() => witnessPeer(nodeSha256, { url: URL, vkey: logVkey() }), { code: 'bad_note' });
});
