import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatNote, type NoteKey, type NoteSignature } from '@assay/core/log/note';
import { witnessedHead } from '@assay/cli/bundle/witnessed-head';
import type { LogReader } from '@assay/verifier/reader/log-reader';

const TEXT = `example.org/assay\n8\n${Buffer.alloc(32).toString('base64')}\n`;
/** A timestamped signature of C2SP tlog-cosignature: eight bytes of time before the signature. */
const cosigned = (name: string): NoteSignature => ({
  name,
  keyId: '00000001',
  signature: new Uint8Array(72),
});
const own: NoteSignature = {
  name: 'example.org/assay',
  keyId: '00000000',
  signature: new Uint8Array(64),
};
const keyOf = (name: string): NoteKey =>
  ({ name, keyId: '00000001', type: 4, publicKey: new Uint8Array(32) }) as never;

/** A log that shows one head after another, and the last of them for good. */
function logOf(heads: readonly (readonly NoteSignature[])[]): {
  readonly reader: LogReader;
  readonly asked: () => number;
} {
  let asked = 0;
  return {
    asked: () => asked,
    reader: {
      live: true,
      get() {
        const signatures = heads[Math.min(asked, heads.length - 1)] ?? [];
        asked += 1;
        const body = formatNote({ text: TEXT, signatures });
        return Promise.resolve({ status: 200, body, logSize: undefined });
      },
    },
  };
}

const namesIn = (note: Uint8Array): number =>
  new TextDecoder().decode(note).split('\u2014').length - 1;

function head(reader: LogReader, witnesses: readonly NoteKey[], waitMs = 1000) {
  let now = 0;
  const told: number[] = [];
  const pause = (ms: number): Promise<void> => {
    now += ms;
    return Promise.resolve();
  };
  const terms = {
    witnesses,
    waitMs,
    nowMs: () => now,
    pause,
    waiting: (ms: number) => told.push(ms),
  };
  return { found: witnessedHead(reader, terms), told };
}

test('witnessed head: one that is there at once is taken at once', async () => {
  const log = logOf([[own, cosigned('w')]]);
  const { note, names } = await head(log.reader, []).found;
  assert.deepEqual([names, namesIn(note), log.asked()], [['w'], 2, 1]);
});

test('witnessed head: it is waited for, and told while it is', async () => {
  const log = logOf([[own], [own], [own, cosigned('w')]]);
  const { found, told } = head(log.reader, []);
  assert.deepEqual((await found).names, ['w']);
  assert.deepEqual([log.asked(), told], [3, [0, 250]]);
});

test('witnessed head: without any witness it ends, and has none', async () => {
  const log = logOf([[own]]);
  const { note, names } = await head(log.reader, []).found;
  assert.deepEqual([names, namesIn(note), log.asked()], [[], 1, 5]);
});

test('witnessed head: a line that is no cosignature, or another of the own key, is none of a witness', async () => {
  const plain = { ...own, name: 'w', keyId: '00000001' };
  const { names } = await head(logOf([[own, plain, own]]).reader, []).found;
  assert.deepEqual(names, []);
});

test('witnessed head: all that are named must have signed, or there is no file', async () => {
  const both = logOf([
    [own, cosigned('a')],
    [own, cosigned('a'), cosigned('b')],
  ]);
  const { names } = await head(both.reader, [keyOf('a'), keyOf('b')]).found;
  assert.deepEqual([names, both.asked()], [['a', 'b'], 2]);
  const one = logOf([[own, cosigned('a')]]);
  await assert.rejects(head(one.reader, [keyOf('a'), keyOf('b')]).found, {
    code: 'timeout',
    message: /expected a line of b in 1 s, found lines of a/,
  });
  await assert.rejects(
    head(logOf([[own]]).reader, [keyOf('a')]).found,
    /found no line of a witness/,
  );
  // The name alone is not enough.
  const other = { ...keyOf('a'), keyId: '00000002' };
  await assert.rejects(head(one.reader, [other]).found, { code: 'timeout' });
});

test('witnessed head: an answer that is no checkpoint is an error', async () => {
  const reader: LogReader = {
    live: true,
    get: () => Promise.resolve({ status: 200, body: formatUtf8('hello'), logSize: undefined }),
  };
  await assert.rejects(head(reader, []).found, { code: 'bad_note' });
});
