import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, objectFile, type ObjectParts, op } from './object.ts';
import { link, murmur3, requireKnownOpcodes } from './tools.ts';

const CALL = op(0x85, 0x10, 0, -1);
const LDDW = [op(0x18, 0x01, 0, 4), op(0)] as const;

test('murmur3: the published vectors of seed 0, and a call of the runtime', () => {
  for (const [name, hash] of [
    ['', 0],
    ['test', 0xba6bd213],
    ['Hello, world!', 0xc0363e43],
    ['The quick brown fox jumps over the lazy dog', 0x2e4ff723],
    ['sol_log_', 0x207559bd],
  ] as const) {
    assert.equal(murmur3(name), hash, name);
  }
});

test('link: the least program', () => {
  const { executable, syscalls } = link(objectFile({ text: [op(0xb7), EXIT] }));
  const view = new DataView(executable.buffer);
  assert.deepEqual(syscalls, []);
  // Headers of 64 and twice 56 bytes, 8 bytes that keep address 0 free, 16 of program.
  assert.equal(executable.length, 64 + 2 * 56 + 8 + 16);
  assert.equal(view.getBigUint64(24, true), 0x1_0000_0000n);
  assert.equal(view.getUint32(48, true), 3);
});

test('link: calls, data and the entry are put in place', () => {
  const { executable, syscalls } = link(
    objectFile({
      text: [CALL, CALL, ...LDDW, EXIT, EXIT],
      rodata: Uint8Array.from({ length: 12 }, (_, i) => i),
      relocations: [
        [0, 10, 'memcpy'],
        [8, 10, 'later'],
        [16, 1, 'data'],
      ],
      symbols: [
        ['memcpy', 0, 0],
        ['later', 1, 40],
        ['data', 2, 0],
        ['entrypoint', 1, 8],
      ],
    }),
  );
  const view = new DataView(executable.buffer);
  const text = 64 + 2 * 56 + 8 + 16;
  assert.deepEqual(syscalls, ['sol_memcpy_']);
  assert.equal(view.getUint8(text + 1), 0);
  assert.equal(view.getUint32(text + 4, true), murmur3('sol_memcpy_'));
  // From the instruction behind the second call, three on: the two halves of the load, and an exit.
  assert.equal(view.getUint8(text + 9), 0x10);
  assert.equal(view.getInt32(text + 12, true), 3);
  // 8 bytes stand before the data, and the load adds 4.
  assert.equal(view.getUint32(text + 20, true), 12);
  assert.equal(view.getUint8(text + 17), 0x01);
  assert.equal(view.getBigUint64(24, true), 0x1_0000_0008n);
});

test('link: whatever it does not know is refused', () => {
  const entry = ['entrypoint', 1, 0] as const;
  const cases: readonly (readonly [string, RegExp, ObjectParts])[] = [
    ['another machine', /not a relocatable/, { machine: 62, text: [EXIT] }],
    ['writable data', /writable/, { text: [EXIT], rodata: new Uint8Array(8), rodataFlags: 3 }],
    ['no entry', /no entrypoint/, { text: [EXIT], symbols: [['main', 1, 0]] }],
    [
      'an entry in data',
      /no entrypoint/,
      { text: [EXIT], rodata: new Uint8Array(8), symbols: [['entrypoint', 2, 0]] },
    ],
    ...['abort', 'sol_panic_', 'sol_log_', '__multi3', 'memcmp'].map(
      (name) =>
        [
          name,
          new RegExp(`a call of ${name}`),
          { text: [CALL, EXIT], relocations: [[0, 10, name]], symbols: [[name, 0, 0], entry] },
        ] as const,
    ),
    ['a call that is none', /that is none/, { text: [EXIT], relocations: [[0, 10, 'entrypoint']] }],
    [
      'data that is nowhere',
      /not defined/,
      { text: [...LDDW, EXIT], relocations: [[0, 1, 'x']], symbols: [['x', 0, 0], entry] },
    ],
    [
      'a call of data',
      /call of data/,
      {
        text: [CALL, EXIT],
        rodata: new Uint8Array(8),
        relocations: [[0, 10, 'x']],
        symbols: [['x', 2, 0], entry],
      },
    ],
    ['another relocation', /type 3/, { text: [EXIT], relocations: [[0, 3, 'entrypoint']] }],
  ];
  for (const [name, words, parts] of cases) {
    assert.throws(() => link(objectFile(parts)), words, name);
  }
});

test('opcodes: what sBPF reads otherwise is refused', () => {
  for (const [name, text] of [
    ['add32', [op(0x04)]],
    ['mov32', [op(0xbc)]],
    ['jump by 32 bits', [op(0x16)]],
    ['call by register', [op(0x8d)]],
    ['atomic', [op(0xdb)]],
    ['atomic of 32 bits', [op(0xc3)]],
    ['load, absolute', [op(0x20)]],
    ['little endian', [op(0xd4)]],
    ['signed division', [op(0x3f, 0, 1)]],
    ['move with a sign', [op(0xbf, 0, 8)]],
    ['half a load', [op(0x18)]],
    ['half a load, then another', [op(0x18), EXIT]],
  ] as const) {
    const bytes = Uint8Array.from(text.flatMap((each) => [...each]));
    assert.throws(() => requireKnownOpcodes(bytes), /instruction 0x/, name);
  }
  requireKnownOpcodes(Uint8Array.from([...op(0x18), ...op(0), ...op(0x3f), ...EXIT]));
});
