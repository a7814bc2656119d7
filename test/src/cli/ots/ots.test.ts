import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { BITCOIN } from '@assay/core/bitcoin/bitcoin-network';
import { parseHeader } from '@assay/core/bitcoin/header';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Attestation } from '@assay/core/ots/attestation';
import type { Operation } from '@assay/core/ots/operation';
import { formatProof, type Proof } from '@assay/core/ots/proof';
import { formatTimestamp, type Item, type Timestamp } from '@assay/core/ots/timestamp';
import { vectors } from '../../core/fixture/fixture.ts';
import { assay, listen, type Ran, scratch } from '../fixture/run.ts';
import {
  explorer,
  inWorld,
  named,
  readProof,
  type StampWorld,
  stampWorld,
} from '../fixture/stamp-world.ts';

/** A proof of `content` from the steps that lead to its items. */
function proofOf(
  content: string | Uint8Array,
  steps: readonly Operation[],
  items: readonly Item[],
): Proof {
  const timestamp = steps.reduceRight<Timestamp>(
    (next, operation) => ({ items: [{ operation, next }] }),
    { items },
  );
  const digest = new Uint8Array(createHash('sha256').update(content).digest());
  return { hash: 'sha256', digest, timestamp };
}

/** The transaction of Bitcoin's first block: that block's Merkle root is its hash, so that it stamps it. */
const FIRST_TRANSACTION = parseHex(
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d' +
    '0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f' +
    '66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0' +
    'fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c38' +
    '4df7ba0b8d578a4c702b6bf11d5fac00000000',
);

/** Block 358391 of Bitcoin. */
const BLOCK_358391 =
  '02000000b96394585a281b7e5f438fd1c9ed492645a1fd61cb3802040000000000000000007ee445d23ad061af4a36' +
  'b809501fab1ac4f2d7e7a739817dd0cbb7ec661b8a1e376755f58616186272def6';

const FIRST_BLOCK = formatHex(BITCOIN.genesis);

function firstBlockProof(height = 0): Uint8Array {
  const items: Item[] = [{ attestation: { kind: 'bitcoin', height } }];
  return formatProof(proofOf(FIRST_TRANSACTION, [{ op: 'sha256' }], items));
}

test('ots info: what is stamped, the steps, and each attestation with its message', async (t) => {
  const folder = await scratch(t);
  const proof = proofOf(
    'Hello',
    [
      { op: 'append', argument: new Uint8Array(16).fill(7) },
      { op: 'sha256' },
      { op: 'prepend', argument: new Uint8Array(12).fill(1) },
      { op: 'sha1' },
    ],
    [
      { attestation: { kind: 'pending', uri: 'https://alice.example.org' } },
      { attestation: { kind: 'unknown', tag: '0102030405060708', payload: new Uint8Array(1) } },
      {
        operation: { op: 'sha256' },
        next: {
          items: [
            { attestation: { kind: 'bitcoin', height: 358_391 } },
            {
              operation: { op: 'reverse' },
              next: { items: [{ attestation: { kind: 'litecoin', height: 7 } }] },
            },
          ],
        },
      },
    ],
  );
  await writeFile(join(folder, 'hello.ots'), formatProof(proof));
  const { code, out, err } = await assay(folder, ['ots', 'info', 'hello.ots']);
  assert.deepEqual([code, err], [0, '']);
  const one = createHash('sha256').update('Hello').digest();
  const two = createHash('sha256')
    .update(Buffer.concat([one, Buffer.alloc(16, 7)]))
    .digest();
  const three = createHash('sha1')
    .update(Buffer.concat([Buffer.alloc(12, 1), two]))
    .digest();
  const root = createHash('sha256').update(three).digest();
  assert.equal(
    out,
    `hello.ots, 175 bytes
  stamped      sha256 ${one.toString('hex')}
  holds        1 Bitcoin block, 1 calendar's promise, 1 Litecoin block, 1 attestation of unknown
               kind

  append 07070707..07070707 (16 bytes), sha256
  prepend 010101010101010101010101, sha1
    way 1 of 3
    = promised by https://alice.example.org
      commitment ${three.toString('hex')}
    way 2 of 3
    = of unknown kind 0102030405060708 (1 byte), message
      ${three.toString('hex')}
    way 3 of 3
    sha256
      way 1 of 2
      = Bitcoin block 358391, Merkle root
        ${formatHex(root.toReversed())}
      way 2 of 2
      reverse
      = litecoin block 7, message
        ${formatHex(root.toReversed())}
`,
  );
  const full = await assay(folder, ['ots', 'info', 'hello.ots', '--full']);
  assert.match(full.out, /\n {2}append (07){16}, sha256\n/);
});

test('ots info: what is no stamp is reported with its byte, whatever its size', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'text.ots'), 'hello');
  await writeFile(join(folder, 'cut.ots'), firstBlockProof().subarray(0, -1));
  await writeFile(join(folder, 'huge.ots'), Buffer.alloc(2_000_000));
  const cases = [
    [
      'text.ots',
      /^assay ots info: OpenTimestamps proof at byte 0: expected the magic .*\[bad_proof\]\n$/,
    ],
    ['cut.ots', /\[bad_proof\]\n$/],
    ['huge.ots', /\[too_large\]\n$/],
    ['none.ots', /\[not_found\]\n$/],
    ['/dev/zero', /\[not_found\]\n$/],
  ] as const;
  for (const [name, words] of cases) {
    const { code, out, err } = await assay(folder, ['ots', 'info', name]);
    assert.deepEqual([code, out], [3, ''], name);
    assert.match(err, words);
  }
});

/** A file that both calendars have promised a block for. */
async function stamped(t: TestContext): Promise<{ folder: string; world: StampWorld }> {
  const folder = await scratch(t);
  const world = await stampWorld(t);
  await writeFile(join(folder, 'thesis.pdf'), 'Hello');
  const { code } = await inWorld(world, folder, ['stamp', 'thesis.pdf', ...world.pool]);
  assert.equal(code, 0);
  return { folder, world };
}

const DIGEST = createHash('sha256').update('Hello').digest('hex');

test('ots verify: a promise is no proof, and the output says what would finish it', async (t) => {
  const { folder, world } = await stamped(t);
  const { code, out, err } = await inWorld(world, folder, ['ots', 'verify', 'thesis.pdf.ots']);
  assert.deepEqual([code, err], [3, '']);
  const promised = out
    .split('\n')
    .slice(3, 5)
    .map((line) => line.slice(15));
  assert.deepEqual(promised.sort(), ['ALICE', 'BOB']);
  assert.equal(
    out.split('\n').toSpliced(3, 2).join('\n'),
    `NOT PROVEN YET: no block holds it, calendars promise one
  file         thesis.pdf, as it was stamped
  sha256       ${DIGEST}
  means        2 calendars have a hash of it and the task to put that into a block, which takes
               hours. Until then there is only their promise
  next         assay ots upgrade thesis.pdf.ots
`,
  );
});

/** A file whose stamp has a block with `following` others on top of it, and a headers file to the tip. */
async function finished(
  t: TestContext,
  following = 7,
): Promise<{ folder: string; world: StampWorld; height: number }> {
  const { folder, world } = await stamped(t);
  const height = world.chain.tip.height + 1;
  world.mine(7);
  const args = ['ots', 'upgrade', 'thesis.pdf.ots', ...world.attestors];
  assert.equal((await assay(folder, args)).code, 0);
  const headers = Array.from(
    { length: height + following + 1 },
    (_, i) => world.chain.block(i)?.header ?? new Uint8Array(0),
  );
  await writeFile(join(folder, 'headers.bin'), Buffer.concat(headers));
  return { folder, world, height };
}

const VERIFY = ['ots', 'verify', 'thesis.pdf.ots'];

test('ots verify: without headers nothing is proven', async (t) => {
  const { folder, height } = await finished(t);
  const { code, out, err } = await assay(folder, VERIFY);
  assert.deepEqual([code, err], [3, '']);
  assert.equal(
    out,
    `NOT PROVEN: there are no headers to compare its block with
  file         thesis.pdf, as it was stamped
  sha256       ${DIGEST}
  block        ${height}, not checked: there are no headers to compare with
  next         give --headers FILE (assay headers sync makes one), --bitcoin-rpc URL of your own
               node. --explorer URL shows what an explorer says, which proves nothing
`,
  );
});

test('ots verify: development headers count where they were asked for, and every line says so', async (t) => {
  const { folder, world, height } = await finished(t, 6);
  const block = world.chain.block(height);
  const proven = await assay(folder, [...VERIFY, '--headers', 'headers.bin', '--development']);
  assert.deepEqual([proven.code, proven.err], [0, '']);
  for (const line of proven.out.trimEnd().split('\n')) assert.match(line, /^development {2}/);
  assert.match(proven.out, /^development {2}PROVEN ON THE DEVELOPMENT NETWORK: it existed before/);
  assert.match(proven.out, new RegExp(`block +${height}, mined about 2026-01-01T00:10:00Z by its`));
  assert.match(proven.out, new RegExp(`id +${block?.id ?? '-'}\n`));
  assert.match(
    proven.out,
    /trust +headers checked from the genesis block, to height 8; the newest/,
  );
  assert.match(proven.out, /means +somebody had this exact file before development block 2 was/);
  // Two calendars came to the same block, and have nothing more to say.
  assert.equal(proven.out.match(/mined about/g)?.length, 1);
  assert.doesNotMatch(proven.out, /promised by/);
  const without = await assay(folder, [...VERIFY, '--headers', 'headers.bin']);
  assert.equal(without.code, 3);
  assert.match(without.out, /^NOT PROVEN: there are no headers/);
  assert.match(without.out, /not used +--headers: .*\n.*counts with --development alone\n/);
  const node = await assay(folder, [...VERIFY, '--bitcoin-rpc', world.rpc]);
  assert.equal(node.code, 3);
  const asked = await assay(folder, [...VERIFY, '--bitcoin-rpc', world.rpc, '--development']);
  assert.equal(asked.code, 0);
  assert.match(asked.out, /trust +headers of your own node, to height/);
});

test('ots verify: a block with fewer than six on top, and one that the headers do not have', async (t) => {
  const { folder, height } = await finished(t, 5);
  const args = [...VERIFY, '--headers', 'headers.bin', '--development'];
  const recent = await assay(folder, args);
  assert.equal(recent.code, 3);
  assert.match(recent.out, /^development {2}NOT PROVEN YET: its block may still be reorganised\n/);
  assert.match(recent.out, /block +\d+, only 5 of 6 blocks follow it: it may still be/);
  const bytes = await readFile(join(folder, 'headers.bin'));
  await writeFile(join(folder, 'headers.bin'), bytes.subarray(0, height * 80));
  const before = await assay(folder, args);
  assert.equal(before.code, 3);
  assert.match(before.out, /^development {2}NOT PROVEN: the headers given do not have its block\n/);
  assert.match(before.out.replaceAll(/\n\S+ +/g, ' '), /they end at height \d+, before this block/);
});

test('ots verify: another file, another root, and a block that is no longer in the chain', async (t) => {
  const { folder, world, height } = await finished(t);
  const args = [...VERIFY, '--bitcoin-rpc', world.rpc, '--development'];
  await writeFile(join(folder, 'other'), 'hello');
  const other = await assay(folder, [...args, '--file', 'other']);
  assert.equal(other.code, 1);
  assert.match(other.out, /^development {2}WRONG: this is not the file that was stamped\n/);
  assert.match(other.out, new RegExp(`expected +${DIGEST}\n`));
  assert.doesNotMatch(other.out, /means/);
  // Wrong without any headers too.
  assert.equal((await assay(folder, [...VERIFY, '--file', 'other'])).code, 1);
  world.chain.reorganise(world.chain.tip.height - height + 1);
  const gone = await assay(folder, args);
  assert.equal(gone.code, 1);
  assert.match(gone.out, /^development {2}WRONG: the stamp does not hold\n/);
  assert.match(gone.out, new RegExp(`block +${height}: its Merkle root is another\n`));
  assert.match(gone.out, /expected +Merkle root/);
});

test('ots verify: no file proves nothing, and --file says where it is', async (t) => {
  const { folder, world } = await finished(t);
  const args = ['--bitcoin-rpc', world.rpc, '--development'];
  await writeFile(join(folder, 'moved.ots'), await readFile(join(folder, 'thesis.pdf.ots')));
  const none = await assay(folder, ['ots', 'verify', 'moved.ots', ...args]);
  assert.equal(none.code, 3);
  assert.match(none.out, /NOT PROVEN: the file is not there\n/);
  assert.match(none.out, /file +moved is not there: --file says where it is\n/);
  const digest = await assay(folder, ['ots', 'verify', 'moved.ots', '--digest', DIGEST, ...args]);
  assert.equal(digest.code, 0);
  assert.match(digest.out, /digest +the digest given, as it was stamped\n/);
  assert.match(digest.out, /means +somebody had what has this digest before/);
  const wrong = ['ots', 'verify', 'moved.ots', '--digest', 'ab'.repeat(32), ...args];
  const another = await assay(folder, wrong);
  assert.equal(another.code, 1);
  assert.match(another.out, /WRONG: this is not the digest that was stamped\n/);
  const moved = ['ots', 'verify', 'moved.ots', '--file', 'thesis.pdf', ...args];
  assert.equal((await assay(folder, moved)).code, 0);
});

/** A stamp of seven headers' first block, whose root is the digest. */
function rootProof(header: string, ...heights: readonly number[]): Uint8Array {
  const { merkleRoot: digest } = parseHeader(parseHex(header));
  const items = heights.map((height): Item => ({ attestation: { kind: 'bitcoin', height } }));
  return formatProof({ hash: 'sha256', digest, timestamp: { items } });
}

test("ots verify: an explorer's word alone proves nothing, whatever work it shows", async (t) => {
  const folder = await scratch(t);
  const [, run] = vectors<readonly { height: number; headers: string }[]>('bitcoin/runs');
  const { height, headers: hex } = run as { height: number; headers: string };
  const each = Array.from({ length: 7 }, (_, i) => hex.slice(160 * i, 160 * (i + 1)));
  const headers = new Map([[0, FIRST_BLOCK], ...each.map((h, i) => [height + i, h] as const)]);
  const url = await explorer(t, headers, height + 6);
  const [first = ''] = each;
  const root = formatHex(parseHeader(parseHex(first)).merkleRoot);
  await writeFile(join(folder, 'a.ots'), rootProof(first, height));
  const args = ['ots', 'verify', 'a.ots', '--digest', root, '--explorer', url];
  const { code, out, err } = await assay(folder, args);
  assert.deepEqual([code, err], [3, '']);
  assert.match(out, /^NOT PROVEN: block 824541 holds it according to an explorer alone\n/);
  assert.match(out, /block +824541, only an explorer claims so\n/);
  assert.match(out, /trust +the word of 127\.0\.0\.1:\d+, which nothing here checks further, to/);
  assert.match(out, /means +its block has the work of seven in a row/);
  const json = await assay(folder, [...args, '--json']);
  const check = JSON.parse(json.out) as {
    readonly outcome: string;
    readonly attestations: readonly { readonly standing: string }[];
  };
  assert.deepEqual(
    [json.code, check.outcome, check.attestations.map(({ standing }) => standing)],
    [3, 'incomplete', ['word']],
  );
  // Six that follow, each linked: one of another height is none of them.
  for (const [i, words] of [
    [6, /height 824547: expected previous block/],
    [1, /height 824542: expected previous block/],
  ] as const) {
    const spoilt = new Map([...headers, [height + i, each[3] as string]]);
    const lying = await explorer(t, spoilt, height + 6);
    const ran = await assay(folder, [...args.slice(0, -1), lying]);
    assert.equal(ran.code, 3);
    assert.match(ran.out.replaceAll(/\s+/g, ' '), words);
  }
  const short = await explorer(
    t,
    new Map([...headers].filter(([at]) => at !== height + 3)),
    height + 6,
  );
  const missing = await assay(folder, [...args.slice(0, -1), short]);
  assert.equal(missing.code, 3);
  assert.match(missing.out, /^NOT PROVEN: the headers given do not have its block\n/);
});

test('ots verify: an explorer with an easier block, or an older one', async (t) => {
  const folder = await scratch(t);
  const [, run] = vectors<readonly { height: number; headers: string }[]>('bitcoin/runs');
  const late = (run as { headers: string }).headers.slice(0, 160);
  const made = await stampWorld(t);
  const headers = new Map([
    [0, FIRST_BLOCK],
    // A header whose work is not that of its height is no header, however easy its own bits make it.
    [7, formatHex(made.chain.tip.header)],
    [358_391, BLOCK_358391],
    // Heights at which the bits may have grown as easy as in 2009: the first block's time and work.
    [950_000, BLOCK_358391],
    [960_000, late],
    [960_010, BLOCK_358391],
  ]);
  const url = await explorer(t, headers, 960_010);
  const verify = async (header: string, height: number): Promise<Ran> => {
    await writeFile(join(folder, 'a.ots'), rootProof(header, height));
    const root = formatHex(parseHeader(parseHex(header)).merkleRoot);
    const ran = await assay(folder, [
      ...'ots verify a.ots --digest'.split(' '),
      root,
      '--explorer',
      url,
    ]);
    return { ...ran, out: ran.out.replaceAll(/\s+/g, ' ') };
  };
  const cases = [
    [
      formatHex(made.chain.tip.header),
      7,
      /block 7, not checked: .*height 7: expected bits 1d00ffff/,
    ],
    [BLOCK_358391, 950_000, /block 950000 took less than a quarter of the work of block 832607/],
    [late, 960_000, /height 960000: expected a time after \d+, where the table ends/],
  ] as const;
  for (const [header, height, words] of cases) {
    const { code, out } = await verify(header, height);
    assert.equal(code, 3, `${height}`);
    assert.match(out, words);
  }
});

test('ots verify: one block that holds proves, and a wrong one beside it is named beneath', async (t) => {
  const { folder, height } = await finished(t);
  const path = join(folder, 'thesis.pdf.ots');
  const proof = await readProof(path);
  // Anybody can add an attestation to a stamp.
  const wrong = (items: readonly Item[]): Proof => ({
    ...proof,
    timestamp: { items: [{ attestation: { kind: 'bitcoin', height: height - 1 } }, ...items] },
  });
  await writeFile(path, formatProof(wrong(proof.timestamp.items)));
  const args = [...VERIFY, '--headers', 'headers.bin', '--development'];
  const both = await assay(folder, args);
  assert.equal(both.code, 0);
  const marks = [`block +${height}, mined`, `block +${height - 1}: its Merkle root is another`];
  assert.match(both.out, new RegExp(marks.join('[^]*')));
  // One that is still too new is no reason to call it wrong.
  const headers = await readFile(join(folder, 'headers.bin'));
  await writeFile(join(folder, 'new.bin'), headers.subarray(0, 80 * (height + 6)));
  const recent = [...VERIFY, '--headers', 'new.bin', '--development'];
  assert.equal((await assay(folder, recent)).code, 3);
  await writeFile(path, formatProof(wrong([])));
  const alone = await assay(folder, args);
  assert.equal(alone.code, 1);
  assert.match(alone.out, /WRONG: the stamp does not hold\n/);
  assert.doesNotMatch(alone.out, /next/);
  const pending: Item = { attestation: { kind: 'pending', uri: 'https://alice.example.org' } };
  await writeFile(path, formatProof(wrong([pending])));
  const promised = await assay(folder, args);
  assert.equal(promised.code, 1);
  assert.match(promised.out, /promised by +https:\/\/alice\.example\.org\n/);
  assert.match(promised.out, /next +assay ots upgrade thesis\.pdf\.ots: a calendar may still/);
});

test('ots verify: among the last six another block is no verdict', async (t) => {
  const { folder, world, height } = await finished(t);
  world.chain.reorganise(world.chain.tip.height - height + 1);
  const headers = (to: number): Uint8Array =>
    Buffer.concat(
      Array.from({ length: to + 1 }, (_, i) => world.chain.block(i)?.header ?? new Uint8Array(0)),
    );
  const args = [...VERIFY, '--headers', 'headers.bin', '--development'];
  for (const following of [0, 5]) {
    await writeFile(join(folder, 'headers.bin'), headers(height + following));
    const { code, out } = await assay(folder, args);
    assert.equal(code, 3);
    assert.match(out, /NOT PROVEN YET: its block may still be reorganised\n/);
    assert.match(
      out.replaceAll(/\s+development\s+/g, ' '),
      new RegExp(`there is another block, and only ${following} of 6 blocks follow it`),
    );
  }
  await writeFile(join(folder, 'headers.bin'), headers(height + 6));
  assert.equal((await assay(folder, args)).code, 1);
});

test('ots: more attestations than a stamp has are refused with a message, and take no memory', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'a'), 'a');
  const append: Operation = { op: 'append', argument: new Uint8Array(4064) };
  const kinds: readonly Attestation[] = [
    { kind: 'pending', uri: '' },
    { kind: 'bitcoin', height: 7 },
    { kind: 'unknown', tag: 'aaaaaaaaaaaaaaaa', payload: new Uint8Array(0) },
  ];
  for (const attestation of kinds) {
    const many = (n: number): Uint8Array =>
      formatProof(
        proofOf(
          'a',
          [append],
          Array.from({ length: n }, () => ({ attestation })),
        ),
      );
    await writeFile(join(folder, 'a.ots'), many(49_900));
    for (const args of [
      ['verify', 'a.ots'],
      ['info', 'a.ots', '--full'],
      ['upgrade', 'a.ots'],
    ]) {
      const { code, out, err } = await assay(folder, ['ots', ...args]);
      assert.deepEqual([code, out], [3, ''], args.join(' '));
      assert.match(err, /a\.ots.*: expected at most 64 attestations, found 49900/);
    }
    await writeFile(join(folder, 'a.ots'), many(64));
    const full = await assay(folder, ['ots', 'info', 'a.ots', '--full']);
    assert.equal(full.code, 0);
    assert.equal(full.out.match(/way \d+ of 64/g)?.length, 64);
  }
});

test('ots verify: headers that cannot be had are named, and prove nothing', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'tx'), FIRST_TRANSACTION);
  await writeFile(join(folder, 'tx.ots'), firstBlockProof());
  await writeFile(join(folder, 'short.bin'), BITCOIN.genesis);
  const dead = 'http://127.0.0.1:1';
  const args = ['ots', 'verify', 'tx.ots', '--headers', 'none.bin', '--bitcoin-rpc', dead];
  const { code, out } = await assay(folder, [...args, '--explorer', dead]);
  assert.equal(code, 3);
  assert.match(out, /^NOT PROVEN/);
  for (const option of ['--headers', '--bitcoin-rpc', '--explorer']) {
    assert.match(out, new RegExp(`not used +${option}: `));
  }
  // The first years' blocks are made in a moment: a file that ends there vouches for nothing.
  const short = await assay(folder, ['ots', 'verify', 'tx.ots', '--headers', 'short.bin']);
  assert.equal(short.code, 3);
  assert.match(short.out, /not used +--headers: headers file at short\.bin: expected headers to/);
});

test('ots verify: a broken stamp is wrong, and a kind that is not Bitcoin is not checked', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'a'), 'a');
  await writeFile(join(folder, 'a.ots'), firstBlockProof().subarray(0, -2));
  const broken = await assay(folder, ['ots', 'verify', 'a.ots']);
  assert.equal(broken.code, 1);
  assert.match(broken.out, /^WRONG: a\.ots is no stamp\n {2}why +OpenTimestamps proof at byte/);
  const json = await assay(folder, ['ots', 'verify', 'a.ots', '--json']);
  assert.equal((JSON.parse(json.out) as { outcome: string }).outcome, 'wrong');
  const items: Item[] = [{ attestation: { kind: 'litecoin', height: 9 } }];
  await writeFile(join(folder, 'a.ots'), formatProof(proofOf('a', [], items)));
  const other = await assay(folder, ['ots', 'verify', 'a.ots']);
  assert.equal(other.code, 3);
  assert.match(other.out, /^NOT PROVEN: it names no Bitcoin block\n/);
  assert.match(other.out, /not checked {2}litecoin block 9: Bitcoin alone is\n/);
  // A message that no block can have as its root.
  const short = proofOf('a', [{ op: 'sha1' }], [{ attestation: { kind: 'bitcoin', height: 9 } }]);
  await writeFile(join(folder, 'a.ots'), formatProof(short));
  const impossible = await assay(folder, ['ots', 'verify', 'a.ots']);
  assert.equal(impossible.code, 1);
  assert.match(impossible.out, /a Merkle root has 32 bytes, this message has 20/);
});

test('ots verify --json: each attestation and what came of it', async (t) => {
  const { folder, world, height } = await finished(t);
  const args = [...VERIFY, '--bitcoin-rpc', world.rpc, '--development', '--json'];
  const { code, out } = await assay(folder, args);
  assert.equal(code, 0);
  const check = JSON.parse(out) as {
    readonly outcome: string;
    readonly network: string;
    readonly file: Readonly<Record<string, string>>;
    readonly attestations: readonly Readonly<Record<string, unknown>>[];
  };
  assert.deepEqual([check.outcome, check.network], ['proven', 'development']);
  assert.deepEqual(check.file, {
    path: 'thesis.pdf',
    hash: 'sha256',
    stamped: DIGEST,
    found: DIGEST,
  });
  const kinds = check.attestations.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['pending', 'bitcoin', 'pending', 'bitcoin']);
  const block = check.attestations.find(({ kind }) => kind === 'bitcoin');
  assert.deepEqual(
    [block?.['height'], block?.['standing'], block?.['trust']],
    [height, 'proven', 'headers'],
  );
});

test('ots verify: SHA-1 is weak, and that is reported', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'a'), 'a');
  const digest = new Uint8Array(createHash('sha1').update('a').digest());
  const timestamp = { items: [{ attestation: { kind: 'pending', uri: 'x' } }] } as const;
  await writeFile(join(folder, 'a.ots'), formatProof({ hash: 'sha1', digest, timestamp }));
  const { code, out } = await assay(folder, ['ots', 'verify', 'a.ots']);
  assert.equal(code, 3);
  assert.match(out, /sha1 +86f7e437faa5a7fce15d1ddcb9eaeaea377667b8\n/);
  assert.match(out, /caution +two files with one SHA-1 can be made/);
});

test('ots upgrade: pending, then a block; the file grows and loses nothing', async (t) => {
  const { folder, world } = await stamped(t);
  const path = join(folder, 'thesis.pdf.ots');
  const first = await readFile(path);
  const args = ['ots', 'upgrade', 'thesis.pdf.ots', ...world.attestors];
  const pending = await inWorld(world, folder, args);
  assert.deepEqual([pending.code, pending.err], [3, '']);
  assert.match(
    pending.out,
    /^NO BLOCK YET thesis\.pdf\.ots\n( {2}pending +(ALICE|BOB): Pending confirmation in Bitcoin .*\n){2} {2}next +the same again in some hours\n$/,
  );
  assert.deepEqual(await readFile(path), first);
  world.mine(7);
  await chmod(path, 0o640);
  await symlink('thesis.pdf.ots', join(folder, 'link.ots'));
  const one = ['ots', 'upgrade', 'link.ots', '--attestor', world.calendars[0]];
  const half = await inWorld(world, folder, one);
  assert.equal(half.code, 0);
  assert.match(half.out, /^UPGRADED link\.ots\n {2}block +2, not checked: it may be wrong\n/);
  assert.match(half.out, /refused +BOB: not asked: it is none of the public calendars\n/);
  assert.match(half.out, /answered +ALICE: in a block\n/);
  const whole = await inWorld(world, folder, args);
  assert.equal(whole.code, 0);
  assert.match(
    whole.out,
    /^UPGRADED .*\n {2}block +2, not.*\n {2}answered +BOB: in a block\n {2}next/,
  );
  const done = await readFile(path);
  const again = await inWorld(world, folder, args);
  assert.deepEqual([again.code, again.err], [0, '']);
  assert.match(
    again.out,
    /^HAS A BLOCK thesis\.pdf\.ots\n {2}block +2, not.*\n {2}next +assay ots verify/,
  );
  assert.deepEqual(await readFile(path), done);
  assert.equal((await stat(path)).mode & 0o777, 0o640);
  assert.deepEqual((await readdir(folder)).sort(), ['link.ots', 'thesis.pdf', 'thesis.pdf.ots']);
  const info = await inWorld(world, folder, ['ots', 'info', 'thesis.pdf.ots']);
  assert.match(info.out, /holds +2 Bitcoin blocks, 2 calendars' promises\n/);
});

test('ots upgrade: a calendar that lies or is down changes nothing, and the others go on', async (t) => {
  const { folder, world } = await stamped(t);
  world.mine(7);
  const path = join(folder, 'thesis.pdf.ots');
  const { timestamp } = await readProof(path);
  let answer: { status: number; body: Uint8Array } = { status: 500, body: new Uint8Array(0) };
  const url = await listen(
    t,
    createServer((_request, response) => {
      response.writeHead(answer.status).end(answer.body);
    }),
  );
  const proof = await readProof(path);
  const items: readonly Item[] = [
    ...timestamp.items,
    { attestation: { kind: 'pending', uri: url } },
  ];
  await writeFile(path, formatProof({ ...proof, timestamp: { items } }));
  const before = await readFile(path);
  const args = ['ots', 'upgrade', 'thesis.pdf.ots', '--attestor', url];
  for (const [status, body] of [
    [500, ''],
    [200, 'nonsense'],
    [200, '\u0000'],
    [404, 'Commitment not found'],
    [302, ''],
  ] as const) {
    answer = { status, body: Buffer.from(body) };
    const ran = named(await assay(folder, args), { CAROL: url });
    assert.equal(ran.code, 3, `${status} ${body}`);
    assert.match(ran.out, /failed +CAROL: /);
    assert.deepEqual(await readFile(path), before);
  }
  const ran: Ran = await inWorld(world, folder, [...args, ...world.attestors]);
  assert.equal(ran.code, 0);
  assert.match(ran.out, /answered +ALICE/);
  assert.match(ran.out, /answered +BOB/);
  assert.match(ran.out, /failed +http/);
});

test('ots upgrade: a file that cannot be read holds up no other', async (t) => {
  const { folder, world } = await stamped(t);
  world.mine(7);
  await writeFile(join(folder, 'bad.ots'), 'bad');
  const files = ['none.ots', 'bad.ots', 'thesis.pdf.ots'];
  const ran = await inWorld(world, folder, ['ots', 'upgrade', ...files, ...world.attestors]);
  assert.equal(ran.code, 3);
  assert.match(
    ran.err,
    /^assay ots upgrade: none\.ots: stamp at .*\nassay ots upgrade: bad\.ots: OpenTimestamps/,
  );
  assert.match(ran.out, /^UPGRADED thesis\.pdf\.ots\n/);
});

test('ots upgrade: an attestation of a calendar that may not be asked brings no request', async (t) => {
  const folder = await scratch(t);
  let asked = 0;
  const url = await listen(
    t,
    createServer((_request, response) => {
      asked += 1;
      response.end();
    }),
  );
  await writeFile(join(folder, 'a'), 'a');
  const items: Item[] = [{ attestation: { kind: 'pending', uri: url } }];
  await writeFile(join(folder, 'a.ots'), formatProof(proofOf('a', [], items)));
  const { code, out } = await assay(folder, ['ots', 'upgrade', 'a.ots']);
  assert.equal(code, 3);
  assert.match(out, /refused +http/);
  assert.match(out, /next +the same with --attestor, if you know that calendar\n/);
  assert.equal(asked, 0);
});

/** A calendar that holds whatever it is asked for, and answers with this. */
async function answering(t: TestContext, timestamp: Timestamp): Promise<string> {
  const body = formatTimestamp(timestamp);
  const server = createServer((_request, response) => {
    response.end(body);
  });
  return listen(t, server);
}

/** Adds a promise of `uri` to a stamp. */
async function promise(path: string, uri: string): Promise<void> {
  const proof = await readProof(path);
  const item: Item = { attestation: { kind: 'pending', uri } };
  const { timestamp } = proof;
  const items = [item, ...timestamp.items];
  await writeFile(path, formatProof({ ...proof, timestamp: { items } }));
}

function blockAt(height: number, steps = 0): Timestamp {
  let timestamp: Timestamp = { items: [{ attestation: { kind: 'bitcoin', height } }] };
  for (let i = 0; i < steps; i += 1) {
    timestamp = { items: [{ operation: { op: 'sha256' }, next: timestamp }] };
  }
  return timestamp;
}

test('ots upgrade: with headers a block that they do not have is not added', async (t) => {
  const { folder, world } = await stamped(t);
  const path = join(folder, 'thesis.pdf.ots');
  const height = world.chain.tip.height + 1;
  world.mine(7);
  const liar = await answering(t, blockAt(height - 1));
  await promise(path, liar);
  const before = await readFile(path);
  const checked = ['--bitcoin-rpc', world.rpc, '--development'];
  const args = ['ots', 'upgrade', 'thesis.pdf.ots', '--attestor', liar];
  const lied = named(await assay(folder, [...args, ...checked]), { CAROL: liar });
  assert.equal(lied.code, 3);
  assert.match(lied.out, /^NO BLOCK YET/);
  assert.match(
    lied.out.replaceAll(/\s+/g, ' '),
    new RegExp(`wrong CAROL: block ${height - 1}: its Merkle root is another; not added`),
  );
  assert.deepEqual(await readFile(path), before);
  // Without headers it is added, and said to be unchecked; the stamp is wrong until another block comes.
  const blind = await assay(folder, args);
  assert.equal(blind.code, 0);
  assert.match(blind.out, new RegExp(`block +${height - 1}, not checked: it may be wrong\n`));
  assert.equal((await assay(folder, [...VERIFY, ...checked])).code, 1);
  // Whoever has headers asks that calendar again, and the stamp is well again.
  const again = named(await assay(folder, [...args, ...checked]), { CAROL: liar });
  assert.equal(again.code, 3);
  assert.match(again.out, /wrong +CAROL: /);
  assert.match(again.out, new RegExp(`wrong +block ${height - 1}: its Merkle root is another\n`));
  const healed = await assay(folder, [...args, ...world.attestors, ...checked]);
  assert.equal(healed.code, 0);
  assert.match(healed.out, new RegExp(`^UPGRADED .*\n +block +${height}, as in the given headers`));
  assert.equal((await assay(folder, [...VERIFY, ...checked])).code, 0);
  const dead = ['--bitcoin-rpc', 'http://127.0.0.1:1', '--development'];
  const none = await assay(folder, [...args, ...dead]);
  assert.deepEqual([none.code, none.out], [3, '']);
  assert.match(none.err, /there are no headers to check blocks with: nothing is asked\n$/);
});

test('ots upgrade: a block that is too new for the headers is asked for again', async (t) => {
  const { folder, world } = await stamped(t);
  const height = world.chain.tip.height + 1;
  world.mine(7);
  const headers = Array.from(
    { length: height + 6 },
    (_, i) => world.chain.block(i)?.header ?? new Uint8Array(0),
  );
  await writeFile(join(folder, 'headers.bin'), Buffer.concat(headers));
  const args = ['ots', 'upgrade', 'thesis.pdf.ots', ...world.attestors, '--development'];
  const early = await assay(folder, [...args, '--headers', 'headers.bin']);
  assert.equal(early.code, 3);
  assert.match(early.out, /unproven +http:\S+ block 2: only 5 of 6 blocks/);
  assert.match(early.out, /next +the same again in an hour, with newer headers\n/);
  assert.equal((await assay(folder, [...args, '--bitcoin-rpc', world.rpc])).code, 0);
});

test('ots upgrade: an answer that fits no proof takes no other with it', async (t) => {
  const { folder, world } = await stamped(t);
  world.mine(7);
  const path = join(folder, 'thesis.pdf.ots');
  const greedy = await answering(t, blockAt(9, 255));
  const proof = await readProof(path);
  // Where the others' promises are, so that their steps and these come together.
  const steps: Operation[] = [{ op: 'sha256' }];
  const next: Timestamp = { items: [{ attestation: { kind: 'pending', uri: greedy } }] };
  const items = [...proof.timestamp.items, { operation: steps[0] as Operation, next }];
  await writeFile(path, formatProof({ ...proof, timestamp: { items } }));
  const args = ['ots', 'upgrade', 'thesis.pdf.ots', '--attestor', greedy, ...world.attestors];
  const { code, out } = await inWorld(world, folder, args);
  assert.equal(code, 0);
  assert.match(out, /answered +ALICE/);
  assert.match(out, /answered +BOB/);
  assert.match(
    out.replaceAll(/\s+/g, ' '),
    /failed http:\S+ its answer does not fit: .*255 nested/,
  );
  assert.match((await assay(folder, ['ots', 'info', path])).out, /holds +2 Bitcoin blocks/);
});

test('ots upgrade: a stamp that was written in the meantime is not lost', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'a.ots');
  let meantime: Proof;
  const url = await listen(
    t,
    createServer((_request, response) => {
      void writeFile(path, formatProof(meantime)).then(() => {
        response.end(formatTimestamp(blockAt(9)));
      });
    }),
  );
  const pending: Item = { attestation: { kind: 'pending', uri: url } };
  const newer: Item = { attestation: { kind: 'pending', uri: 'https://alice.example.org' } };
  const args = ['ots', 'upgrade', 'a.ots', '--attestor', url];
  await writeFile(path, formatProof(proofOf('a', [], [pending])));
  meantime = proofOf('a', [], [newer]);
  const merged = await assay(folder, args);
  assert.equal(merged.code, 0, merged.err);
  const { timestamp } = await readProof(path);
  assert.deepEqual(
    timestamp.items.map((item) => ('attestation' in item ? item.attestation.kind : '')).sort(),
    ['bitcoin', 'pending', 'pending'],
  );
  // Stamped anew: what was asked for is of another file.
  await writeFile(path, formatProof(proofOf('a', [], [pending])));
  meantime = proofOf('b', [], [newer]);
  const other = await assay(folder, args);
  assert.deepEqual([other.code, other.out], [3, '']);
  assert.match(other.err, /written in the meantime, and is left alone/);
  assert.deepEqual(await readFile(path), Buffer.from(formatProof(meantime)));
});

test('ots: what cannot be understood is exit 2, and no password is repeated', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'a'), firstBlockProof());
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /ots: one of its commands must be named: info, verify or upgrade\n/],
    [['erase', 'a.ots'], /ots: there is no command "erase"; there is info, verify and upgrade\n/],
    [['info'], /ots info: FILE\.ots is missing\n/],
    [['verify', 'a', 'b'], /ots verify: there is one argument too many: "b"\n/],
    [['verify', 'a'], /a does not end in \.ots: --file/],
    [['verify', 'a.ots', '--digest', 'AB'.repeat(32)], /--digest is 40 or 64 lower-case hex/],
    [
      ['verify', 'a.ots', '--digest', 'x', '--file', 'a'],
      /only one of --file and --digest may be given\n/,
    ],
    [['info', 'a', '--headers', 'b'], /ots info: there is no option --headers\n/],
    [['verify', 'a.ots', '--attestor', 'b'], /ots verify: there is no option --attestor\n/],
    [['verify', 'a.ots', '--explorer', 'example.org'], /--explorer is an address such as/],
    [['verify', 'a.ots', '--bitcoin-rpc', 'http://me:hush@host'], /ASSAY_BITCOIN_RPC_AUTH/],
    [['upgrade', 'a', '--timeout', 'x'], /--timeout is a whole number/],
    [['upgrade', 'a', '--attestor', 'nobody'], /calendar: expected an address/],
  ];
  for (const [args, words] of cases) {
    const { code, out, err } = await assay(folder, ['ots', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, words);
    assert.doesNotMatch(err, /hush/);
  }
});
