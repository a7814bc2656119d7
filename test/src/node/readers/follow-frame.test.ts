import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FILLER,
  type FollowFrame,
  formatFrame,
  FrameReader,
} from '@assay/node/readers/follow-frame';

const FRAMES: readonly FollowFrame[] = [
  {
    kind: 'head',
    note: new Uint8Array(Buffer.from('origin\n1\nAAA=\n\n— line\n')),
    start: 7,
    entries: [Uint8Array.of(1, 2, 3), new Uint8Array(), Uint8Array.of(4)],
  },
  { kind: 'state', state: { now: 1, concerns: [] } },
  { kind: 'tick', of: 'crypto', data: { ts: '2026-01-01T00:00:00Z' } },
  { kind: 'far', size: 9 },
];

test('follow frame: whatever pieces they arrive in, the same frames are read', () => {
  const bytes = Buffer.concat(
    FRAMES.flatMap((frame) => [Buffer.from(FILLER, 'latin1'), formatFrame(frame)]),
  );
  for (const step of [1, 2, 3, 5, 64, bytes.length]) {
    const reader = new FrameReader();
    const read: FollowFrame[] = [];
    for (let at = 0; at < bytes.length; at += step) {
      read.push(...reader.push(new Uint8Array(bytes.subarray(at, at + step))));
    }
    assert.deepEqual(read, FRAMES, `pieces of ${step}`);
  }
});

test('follow frame: what is none is refused, and so is a length that is too great', () => {
  const changed = (change: (bytes: Uint8Array) => void): Uint8Array => {
    const bytes = formatFrame(FRAMES[0] as FollowFrame);
    change(bytes);
    return bytes;
  };
  for (const [code, bytes] of [
    ['malformed', changed((each) => (each[4] = 99))],
    ['malformed', changed((each) => (each[9] = 0))],
    ['malformed', changed((each) => (each[8] = 1))],
    ['too_large', Uint8Array.of(255, 255, 255, 255)],
  ] as const) {
    assert.throws(() => new FrameReader().push(bytes), { code });
  }
  const long = formatFrame({ kind: 'state', state: 'x' });
  assert.deepEqual(new FrameReader().push(long.slice(0, -1)), [], 'it is not complete');
});
