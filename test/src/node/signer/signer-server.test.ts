import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { SignerClient } from '@assay/node/signer/signer-client';
import { formatFrame, FrameReader, MAX_FRAME_BYTES } from '@assay/node/signer/signer-frame';
import {
  faultAnswer,
  faultOf,
  formatAnswer,
  formatQuestion,
  parseAnswer,
  parseQuestion,
  type SignerQuestion,
} from '@assay/node/signer/signer-message';
import { inheritedSocket, startSignerServer } from '@assay/node/signer/signer-server';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';
import { headQuestion, leavesOf, printQuestion, reportOf } from './signer-fixture.ts';

const SIGNATURE = { give: 'signature', signature: '0a'.repeat(64) } as const;
const KEYS: SignerQuestion = { ask: 'keys' };

test('signer messages: what is written is read, and nothing else', () => {
  for (const question of [KEYS, headQuestion(leavesOf(9), 4), printQuestion(reportOf('final'))]) {
    assert.deepEqual(parseQuestion(formatQuestion(7, question)), { id: 7, body: question });
  }
  assert.deepEqual(parseAnswer(formatAnswer(7, SIGNATURE)), { id: 7, body: SIGNATURE });
  const text = (json: string): Uint8Array => new Uint8Array(Buffer.from(json));
  for (const [json, code] of [
    ['{"body":{"ask":"keys"},"id":7,"v":2}', 'unsupported'],
    ['{"body":{"ask":"keys"},"id":7}', 'unsupported'],
    ['{"body":{"ask":"keys","more":1},"id":7,"v":1}', 'malformed'],
    ['{"body":{"ask":"seed"},"id":7,"v":1}', 'malformed'],
    ['{"body":{"ask":"toString"},"id":7,"v":1}', 'malformed'],
    ['{"body":{"ask":"keys"},"id":-7,"v":1}', 'malformed'],
    ['{"v":1,"id":7,"body":{"ask":"keys"}}', 'not_canonical'],
    ['{"body":{"ask":"keys"},"id":7,"v":1} ', 'not_canonical'],
    ['[]', 'malformed'],
  ] as const) {
    assert.throws(() => parseQuestion(text(json)), { code }, json);
  }
  const told = faultOf(
    faultAnswer(
      new Fault('would_fork', 'checkpoint', { at: 'size 3', expected: 'a', found: 'b' }),
    ) as never,
  );
  assert.deepEqual(
    [told.code, told.at, told.expected, told.found],
    ['would_fork', 'size 3', 'a', 'b'],
  );
  // What went wrong inside is in the signer's own log.
  assert.equal(faultOf(faultAnswer(new TypeError('seed')) as never).code, 'stopped');
  assert.ok(!JSON.stringify(faultAnswer(new TypeError('seed'))).includes('seed'));
});

test('signer frames: however they are cut, and no longer than a message may be', () => {
  const messages = [1, 0, 300, 70_000].map((length) => new Uint8Array(length).fill(length & 255));
  const all = Buffer.concat(messages.map(formatFrame));
  for (const step of [1, 3, 4096, all.length]) {
    const reader = new FrameReader();
    const found: Uint8Array[] = [];
    for (let at = 0; at < all.length; at += step) {
      found.push(...reader.push(new Uint8Array(all.subarray(at, at + step))));
    }
    assert.deepEqual(
      found.map((each) => Buffer.from(each)),
      messages.map((each) => Buffer.from(each)),
    );
  }
  const long = new Uint8Array(4);
  new DataView(long.buffer).setUint32(0, MAX_FRAME_BYTES + 1);
  assert.throws(() => new FrameReader().push(long), { code: 'too_large' });
});

test('signer server: its own user alone reaches the socket, and one signer listens there', async (t) => {
  const path = join(await temporaryFolder(t), 'signer.sock');
  const parts = { answer: async () => SIGNATURE, onRefused: () => undefined };
  const server = await startSignerServer({ place: { path }, ...parts });
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await assert.rejects(startSignerServer({ place: { path }, ...parts }), { code: 'refused' });
  await server.close();
  const file = `${path}.file`;
  await writeFile(file, 'no socket');
  await assert.rejects(startSignerServer({ place: { path: file }, ...parts }), { code: 'refused' });
});

test('signer server: what is no question ends the connection, and the others go on', async (t) => {
  const path = join(await temporaryFolder(t), 'signer.sock');
  const server = await startSignerServer({
    place: { path },
    answer: async () => SIGNATURE,
    onRefused: () => undefined,
  });
  t.after(() => server.close());
  const client = new SignerClient({ socket: path });
  t.after(() => client.close());
  for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), formatFrame(Buffer.from('{}'))]) {
    const socket = createConnection({ path });
    socket.write(bytes);
    socket.resume();
    await new Promise((resolve) => {
      socket.once('close', resolve);
    });
    assert.deepEqual(await client.ask('signature', KEYS), SIGNATURE);
  }
  await assert.rejects(client.ask('keys', KEYS), { code: 'malformed' });
});

test('signer client: a signer that restarts is waited for, and a question is asked again', async (t) => {
  const path = join(await temporaryFolder(t), 'signer.sock');
  let asked = 0;
  let answers = false;
  const start = (): ReturnType<typeof startSignerServer> =>
    startSignerServer({
      place: { path },
      answer: async () => {
        asked += 1;
        if (!answers) throw new Fault('refused', 'print', { expected: 'a' });
        return SIGNATURE;
      },
      onRefused: () => undefined,
    });
  const client = new SignerClient({ socket: path });
  t.after(() => client.close());
  const early = client.ask('signature', KEYS);
  const first = await start();
  await assert.rejects(early, { code: 'refused', expected: 'a' });
  await first.close();
  answers = true;
  const late = client.ask('signature', KEYS);
  const second = await start();
  t.after(() => second.close());
  assert.deepEqual(await late, SIGNATURE);
  assert.equal(asked, 2);
  assert.equal(client.isAway, false);
});

test('signer client: a signer that does not answer is away, and one of another version is refused', async (t) => {
  const folder = await temporaryFolder(t);
  const silent = new SignerClient({ socket: join(folder, 'none.sock'), patienceMs: 50 });
  await assert.rejects(silent.ask('signature', KEYS), { code: 'signer_away' });
  assert.equal(silent.isAway, true);
  silent.close();
  await assert.rejects(silent.ask('signature', KEYS), { code: 'signer_away' });
  const path = join(folder, 'other.sock');
  const other = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(formatFrame(Buffer.from('{"body":{"give":"keys"},"id":0,"v":2}')));
    });
  });
  await new Promise<void>((resolve) => {
    other.listen(path, resolve);
  });
  const client = new SignerClient({ socket: path });
  await assert.rejects(client.ask('signature', KEYS), { code: 'unsupported' });
  client.close();
  await new Promise((resolve) => {
    other.close(resolve);
  });
});

test('signer server: the socket that systemd passes on is one, and of this process', () => {
  assert.equal(inheritedSocket({}, 7), undefined);
  assert.equal(inheritedSocket({ LISTEN_PID: '8', LISTEN_FDS: '1' }, 7), undefined);
  assert.deepEqual(inheritedSocket({ LISTEN_PID: '7', LISTEN_FDS: '1' }, 7), { fd: 3 });
  assert.throws(() => inheritedSocket({ LISTEN_PID: '7', LISTEN_FDS: '2' }, 7), {
    code: 'bad_config',
  });
});
