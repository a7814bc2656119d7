import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { BITCOIN } from '@assay/core/bitcoin/bitcoin-network';
import { formatHex, parseHex } from '@assay/core/hex';
import type { Operation } from '@assay/core/ots/operation';
import { formatProof, type Proof } from '@assay/core/ots/proof';
import type { Item, Timestamp } from '@assay/core/ots/timestamp';
import { assay, listen, type Ran, scratch } from '../run.ts';
import {
  explorer,
  inWorld,
  named,
  readProof,
  type StampWorld,
  stampWorld,
} from '../stamp-world.ts';

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

test('ots info: what is no stamp is said with its byte, whatever its size', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'text.ots'), 'hello');
  await writeFile(join(folder, 'cut.ots'), firstBlockProof().subarray(0, -1));
  await writeFile(join(folder, 'huge.ots'), Buffer.alloc(2_000_000));
  const cases = [
    [
      'text.ots',
      /^assay ots: OpenTimestamps proof at byte 0: expected the magic .*\[bad_proof\]\n$/,
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

test('ots verify: a promise is no proof, and it is said what would finish it', async (t) => {
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
               hours. Until then their word is all there is
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
               node, or --explorer URL to take an explorer at its word
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

test("ots verify: Bitcoin's first block by an explorer's word, and by nothing less", async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'tx'), FIRST_TRANSACTION);
  await writeFile(join(folder, 'tx.ots'), firstBlockProof());
  const headers = new Map([
    [0, FIRST_BLOCK],
    [358_391, BLOCK_358391],
  ]);
  const url = await explorer(t, headers, 358_391);
  const { code, out, err } = await assay(folder, ['ots', 'verify', 'tx.ots', '--explorer', url]);
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^PROVEN: it existed before block 0\n/);
  assert.match(out, /block +0, mined about 2009-01-03T18:15:05Z by its miner's clock\n/);
  assert.match(out, /id +000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f\n/);
  assert.match(out, /trust +the word of 127\.0\.0\.1:\d+, which nothing here checks further, to/);
  assert.match(out, /the newest\s+of them is [\d,]+ days old\n/);
  await writeFile(join(folder, 'bad.ots'), firstBlockProof(358_391));
  const bad = await assay(folder, ['ots', 'verify', 'bad.ots', '--file', 'tx', '--explorer', url]);
  assert.equal(bad.code, 1);
  assert.match(
    bad.out,
    /Merkle root\n? *8a1b66ecb7cbd07d8139a7e7d7f2c41aab1f5009b8364aaf61d03ad245e47e00/,
  );
  // A header whose work is not that of its height is no header, however easy its own bits make it.
  const made = await stampWorld(t);
  const easy = new Map([...headers, [7, formatHex(made.chain.tip.header)]]);
  await writeFile(join(folder, 'easy.ots'), firstBlockProof(7));
  const lying = await explorer(t, easy, 358_391);
  const args = ['ots', 'verify', 'easy.ots', '--file', 'tx', '--explorer', lying];
  const easyOne = await assay(folder, args);
  assert.equal(easyOne.code, 3);
  assert.match(easyOne.out, /block +7, not checked: .*height 7: expected bits 1d00ffff/s);
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

test('ots verify: SHA-1 is weak, and that is said', async (t) => {
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
  assert.match(half.out, /^UPGRADED link\.ots\n {2}blocks +2\n/);
  assert.match(half.out, /refused +BOB: not asked: it is none of the public calendars\n/);
  assert.match(half.out, /answered +ALICE: in a block\n/);
  const whole = await inWorld(world, folder, args);
  assert.equal(whole.code, 0);
  assert.match(whole.out, /^UPGRADED .*\n {2}blocks +2\n {2}answered +BOB: in a block\n {2}next/);
  const done = await readFile(path);
  const again = await inWorld(world, folder, args);
  assert.deepEqual([again.code, again.err], [0, '']);
  assert.match(
    again.out,
    /^HAS A BLOCK thesis\.pdf\.ots\n {2}blocks +2\n {2}next +assay ots verify/,
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
  assert.match(ran.err, /^assay ots: none\.ots: stamp at .*\nassay ots: bad\.ots: OpenTimestamps/);
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

test('ots: what cannot be understood is exit 2, and no password is repeated', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'a'), firstBlockProof());
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /ots takes info, verify or upgrade/],
    [['erase', 'a.ots'], /ots takes info, verify or upgrade/],
    [['info'], /ots info takes one file/],
    [['verify', 'a', 'b'], /ots verify takes one file/],
    [['verify', 'a'], /a does not end in \.ots: --file/],
    [['verify', 'a.ots', '--digest', 'AB'.repeat(32)], /--digest is 40 or 64 lower-case hex/],
    [['verify', 'a.ots', '--digest', 'x', '--file', 'a'], /--digest stands instead of --file/],
    [['info', 'a', '--headers', 'b'], /ots info takes no --headers/],
    [['verify', 'a.ots', '--attestor', 'b'], /ots verify takes no --attestor/],
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
