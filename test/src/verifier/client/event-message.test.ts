import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { faultCode } from '@assay/core/fault';
import { type EventMessage, EventParser } from '@assay/verifier/client/event-message';

function parsed(...pieces: readonly (string | Uint8Array)[]): EventMessage[] {
  const parser = new EventParser();
  return pieces.flatMap((piece) =>
    parser.push(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece),
  );
}

const messageOf = (event: string, data: string, id?: string, retryMs?: number): EventMessage => ({
  event,
  data,
  id,
  retryMs,
});

test('event message: the examples of the standard', () => {
  assert.deepEqual(parsed('data: YHOO\ndata: +2\ndata: 10\n\n'), [
    messageOf('message', 'YHOO\n+2\n10'),
  ]);
  assert.deepEqual(
    parsed(': test stream\n\ndata: first event\nid: 1\n\ndata:second\nid\n\ndata:  third\n\n'),
    [
      messageOf('', ''),
      messageOf('message', 'first event', '1'),
      messageOf('message', 'second', ''),
      messageOf('message', ' third'),
    ],
  );
  // The last one has no end.
  assert.deepEqual(parsed('data\n\ndata\ndata\n\ndata:'), [
    messageOf('message', ''),
    messageOf('message', '\n'),
  ]);
  assert.deepEqual(parsed('data:test\n\ndata: test\n\n'), [
    messageOf('message', 'test'),
    messageOf('message', 'test'),
  ]);
});

test('event message: names, ids, retries, byte order marks and unknown fields', () => {
  assert.deepEqual(parsed('\uFEFFretry: 3000\nevent: report/1\ndata: a\nother: b\nid: x\0y\n\n'), [
    messageOf('report/1', 'a', undefined, 3000),
  ]);
  assert.deepEqual(parsed('retry: 3s\nevent: report/1\n\nevent\ndata: b\n\n'), [
    messageOf('message', 'b'),
  ]);
  assert.deepEqual(parsed('data: a\n\uFEFFdata: b\n\n'), [messageOf('message', 'a')]);
});

test('event message: lines end by LF, CR or both, in whatever pieces they come', () => {
  const lines = ['event: a', 'data: é', 'data: b', 'id: 7', '', ': c', 'data: d', '', ''];
  const whole = parsed(lines.join('\n'));
  assert.equal(whole.length, 3);
  fc.assert(
    fc.property(
      fc.constantFrom('\n', '\r', '\r\n'),
      fc.array(fc.nat(80), { maxLength: 20 }),
      (end, cuts) => {
        const bytes = new TextEncoder().encode(lines.join(end));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length];
        const sorted = places.sort((a, b) => a - b);
        const pieces = sorted.slice(1).map((at, i) => bytes.slice(sorted[i], at));
        assert.deepEqual(parsed(...pieces), whole);
      },
    ),
  );
});

test('event message: what never ends, and what is no text, is refused', () => {
  const mebibyte = new Uint8Array(1024 * 1024).fill(0x61);
  const parser = new EventParser();
  assert.throws(
    () => {
      for (let i = 0; i < 9; i += 1) parser.push(mebibyte);
    },
    (error) => faultCode(error) === 'too_large',
  );
  // Lines without the end of an event count, too.
  const lines = new EventParser();
  const line = new TextEncoder().encode(`data: ${'a'.repeat(65_536)}\n`);
  assert.throws(
    () => {
      for (let i = 0; i < 200; i += 1) lines.push(line);
    },
    (error) => faultCode(error) === 'too_large',
  );
  assert.throws(
    () => parsed(Uint8Array.of(0x64, 0xff, 0x0a)),
    (error) => faultCode(error) === 'bad_utf8',
  );
  // An endless series of comments is none: each ends.
  const comments = new EventParser();
  for (let i = 0; i < 200; i += 1)
    comments.push(new TextEncoder().encode(`:${'a'.repeat(65_536)}\n`));
});
