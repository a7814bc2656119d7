import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatPack,
  MAX_PART_BYTES,
  MAX_PARTS,
  type PackContents,
  parsePackPath,
} from '@assay/core/log/pack';
import type { HashHex } from '@assay/core/hash/hash';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import { PackedBlobs } from '@assay/verifier/reader/packed-blobs';
import type { FindingCode } from '@assay/verifier/verdict/finding';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verify } from '@assay/verifier/verify';
import { siteListeners } from '../fixture/judged.ts';
import { makeGround, MISDEEDS } from '../fixture/misdeeds.ts';
import { bendPacks, packPaths, withPacks } from '../fixture/packed-site.ts';
import {
  ENVIRONMENT,
  publish,
  type Site,
  siteOf,
  siteReader,
  youngLog,
} from '../fixture/published.ts';
import { tickedLog } from '../fixture/ticked-log.ts';

interface Judged {
  readonly verdict: Verdict;
  /** How often each first segment of a path was asked for. */
  readonly asked: ReadonlyMap<string, number>;
}

async function judged(site: Site, local = false): Promise<Judged> {
  const asked = new Map<string, number>();
  const { get } = siteReader(site);
  const reader: LogReader = {
    live: true,
    local,
    get: (path) => {
      const [, first = ''] = path.split('/');
      asked.set(first, (asked.get(first) ?? 0) + 1);
      return get(path);
    },
  };
  const verdict = await verify({ kind: 'log', reader }, OPEN_POLICY, { environment: ENVIRONMENT });
  return { verdict, asked };
}

const ground = await makeGround();
const site = siteOf(youngLog(ground.log));
const packed = await withPacks(site);
const reference = (await judged(site)).verdict;

test('packed blobs: a verification asks for packs in the place of blobs, and finds the same', async () => {
  const alone = await judged(site);
  const together = await judged(packed);
  assert.equal(alone.verdict.outcome, 'verified');
  assert.deepEqual(together.verdict, alone.verdict);
  assert.ok((alone.asked.get('blob') ?? 0) > 3);
  assert.equal(together.asked.get('blob'), undefined);
  assert.equal(together.asked.get('pack'), packPaths(packed).length);
  assert.equal(alone.asked.get('pack'), 1, 'a server without packs is asked once');
});

test('packed blobs: files of this machine are read one by one', async () => {
  const { verdict, asked } = await judged(packed, true);
  assert.deepEqual(verdict, reference);
  assert.equal(asked.get('pack'), undefined);
});

/** Packs that a server may make instead of its own. */
const LIES: Readonly<Record<string, (contents: PackContents) => Uint8Array>> = {
  'other bytes': (contents) =>
    formatPack({
      ...contents,
      blobs: contents.blobs.map(({ hash, bytes }) => ({ hash, bytes: bytes.map((b) => b ^ 1) })),
    }),
  'bytes of others': ({ blobs, ...rest }) =>
    formatPack({
      ...rest,
      blobs: blobs.map(({ hash }, i) => ({
        hash,
        bytes: (blobs[(i + 1) % blobs.length] as (typeof blobs)[number]).bytes,
      })),
    }),
  'no blobs': (contents) => formatPack({ ...contents, parts: 1, part: 0, blobs: [] }),
  'half of them': ({ blobs, ...rest }) =>
    formatPack({ ...rest, blobs: blobs.filter((_, i) => i % 2 === 0) }),
  'another part': (contents) => formatPack({ ...contents, part: 1, parts: 2 }),
  'more parts than there are': (contents) => formatPack({ ...contents, parts: 16 }),
  'a cut': (contents) => formatPack(contents).slice(0, -1),
  nothing: () => new Uint8Array(0),
  'another file': () => new TextEncoder().encode('<html>'),
};

for (const [name, bend] of Object.entries(LIES)) {
  test(`packed blobs: packs with ${name} change no verdict`, async () => {
    const { verdict } = await judged(bendPacks(packed, bend));
    assert.deepEqual(verdict, reference);
  });
}

test('packed blobs: what a pack has is taken though the server has lost the blob alone', async () => {
  const lost: Site = new Map([...packed].filter(([path]) => !path.startsWith('/blob/')));
  assert.equal((await judged(lost)).verdict.outcome, 'verified');
  const none: Site = new Map([...site].filter(([path]) => !path.startsWith('/blob/')));
  assert.equal((await judged(none)).verdict.outcome, 'findings');
});

/** Findings about kept bytes, and some about what leads to them. */
const CODES: readonly FindingCode[] = [
  'anchor_proof_invalid',
  'blob_differs',
  'blob_missing',
  'chain_broken',
  'entry_missing',
  'read_differs',
  'request_differs',
  'revision_missing',
  'snapshot_malformed',
  'tick_differs',
  'tile_differs',
];

test('packed blobs: misdeeds have the same verdicts with packs as without', async () => {
  const sites: Site[] = [];
  const keep = (each: ReadonlyMap<string, Answer>): void => void sites.push(new Map(each));
  siteListeners.add(keep);
  const one = new Map(MISDEEDS.map((misdeed) => [misdeed.code, misdeed]));
  for (const code of CODES) await one.get(code)?.verdict(ground);
  siteListeners.delete(keep);
  let findings = 0;
  for (const each of sites) {
    const { verdict } = await judged(each);
    if (verdict.outcome === 'findings') findings += 1;
    const again = await judged(await withPacks(each));
    assert.deepEqual(again.verdict, verdict);
  }
  assert.ok(findings > 3, `${findings} with findings`);
});

test('packed blobs: the leaves of ticks come in packs', async () => {
  const log = tickedLog();
  const ticked = siteOf(publish(log.entries, log.blobs, log.checkpoints));
  const alone = await judged(ticked);
  const together = await judged(await withPacks(ticked));
  assert.deepEqual(together.verdict, alone.verdict);
  assert.equal(together.asked.get('blob'), undefined);
});

const HASH = 'ab'.repeat(32) as HashHex;

test('packed blobs: a server whose packs are of no use is asked for three of them', async () => {
  const junk = Array.from({ length: 40 }, (_, i) => ({
    hash: i.toString(16).padStart(64, '0') as HashHex,
    bytes: new Uint8Array(65_536),
  }));
  let packs = 0;
  const blobs = new PackedBlobs({
    live: true,
    get: async (path) => {
      if (path.startsWith('/blob/')) {
        return { status: 200, body: Uint8Array.of(7), logSize: undefined };
      }
      packs += 1;
      return {
        status: 200,
        body: formatPack({ part: 0, parts: 1, blobs: junk }),
        logSize: undefined,
      };
    },
  });
  for (let index = 0; index < 100; index += 1) {
    blobs.open(index, 256 * 100);
    assert.deepEqual(await blobs.read(HASH), Uint8Array.of(7));
  }
  assert.ok(packs >= 3 && packs <= 6, `${packs} packs`);
});

/** A blob that is nobody else's. */
function blobOf(number: number, length: number): PackContents['blobs'][number] {
  return { hash: number.toString(16).padStart(64, '0') as HashHex, bytes: new Uint8Array(length) };
}

interface Asked {
  packs: number;
  packBytes: number;
  blobs: number;
}

/**
 * A server whose bundles have these packs. It knows every blob alone as well. Parts other than the first come when
 * `later` has come.
 */
function packServer(
  pack: (index: number) => readonly PackContents['blobs'][],
  later?: Promise<void>,
): { readonly reader: LogReader; readonly asked: Asked } {
  const asked: Asked = { packs: 0, packBytes: 0, blobs: 0 };
  const reader: LogReader = {
    live: true,
    async get(path) {
      if (!path.startsWith('/pack/')) {
        asked.blobs += 1;
        return { status: 200, body: Uint8Array.of(7), logSize: undefined };
      }
      const { index, part } = parsePackPath(path.slice(1));
      const parts = pack(index);
      const body = formatPack({ part, parts: parts.length, blobs: parts[part] ?? [] });
      asked.packs += 1;
      asked.packBytes += body.length;
      if (part > 0) await later;
      return { status: 200, body, logSize: undefined };
    },
  };
  return { reader, asked };
}

test('packed blobs: packs that repeat most of those before them stay in use', async () => {
  // As in a log of many indexes: a bundle names what the one before it named, and what is held already.
  const fresh = (index: number): PackContents['blobs'] =>
    Array.from({ length: 4 }, (_, i) => blobOf(index * 4 + i, 65_536));
  const { reader, asked } = packServer((index) => [
    [...(index === 0 ? [] : fresh(index - 1)), blobOf(1_000_000 + index, 65_536), ...fresh(index)],
  ]);
  const blobs = new PackedBlobs(reader);
  const bundles = 60;
  for (let index = 0; index < bundles; index += 1) {
    blobs.open(index, 256 * bundles);
    for (const { hash } of fresh(index)) await blobs.read(hash);
  }
  assert.deepEqual({ packs: asked.packs, blobs: asked.blobs }, { packs: bundles, blobs: 0 });
});

/** Packs of which a little is of use. */
const PADDED: Readonly<Record<string, (index: number) => readonly PackContents['blobs'][]>> = {
  bytes: (index) => [
    [blobOf(index, 1), ...Array.from({ length: 60 }, (_, i) => blobOf(1_000_000 + i, 65_536))],
  ],
  'empty blobs': (index) => [
    [blobOf(index, 1), ...Array.from({ length: 20_000 }, (_, i) => blobOf(1_000_000 + i, 0))],
  ],
};

for (const [name, pack] of Object.entries(PADDED)) {
  test(`packed blobs: a server that pads its packs with ${name} wastes no more than a pack and what is under way`, async () => {
    const { reader, asked } = packServer(pack);
    const blobs = new PackedBlobs(reader);
    for (let index = 0; index < 60; index += 1) {
      blobs.open(index, 256 * 60);
      await blobs.read(blobOf(index, 1).hash);
    }
    assert.ok(asked.blobs > 20, `${asked.blobs} blobs`);
    const most = (MAX_PARTS + 6) * MAX_PART_BYTES;
    assert.ok(asked.packBytes <= most, `${asked.packBytes} bytes`);
  });
}

test('packed blobs: parts that come after their bundle was left count as well', async () => {
  let arrive = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const junk = Array.from({ length: 60 }, (_, i) => blobOf(1_000_000 + i, 65_536));
  const { reader, asked } = packServer((index) => [[blobOf(index, 1)], junk], late);
  const blobs = new PackedBlobs(reader);
  const walk = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1) {
      blobs.open(index, 256 * 60);
      await blobs.read(blobOf(index, 1).hash);
    }
  };
  await walk(0, 30);
  assert.equal(asked.blobs, 0);
  arrive();
  await new Promise((resolve) => setTimeout(resolve, 0));
  const { packs } = asked;
  await walk(30, 60);
  assert.equal(asked.packs, packs);
  assert.ok(asked.blobs > 20, `${asked.blobs} blobs`);
});

test('packed blobs: a bundle that was begun on an earlier visit may leave most of its pack', async () => {
  const long = Array.from({ length: 12 }, (_, part) =>
    Array.from({ length: 60 }, (_each, i) => blobOf(1_000_000 + part * 100 + i, 65_536)),
  );
  const { reader, asked } = packServer((index) =>
    index === 0 ? [...long, [blobOf(0, 1)]] : [[blobOf(index, 1)]],
  );
  const blobs = new PackedBlobs(reader);
  for (let index = 0; index < 60; index += 1) {
    blobs.open(index, 256 * 60);
    await blobs.read(blobOf(index, 1).hash);
  }
  assert.equal(asked.blobs, 0);
});

test('packed blobs: where the server does not answer, the blob itself says so', async () => {
  const blobs = new PackedBlobs({ live: true, get: () => Promise.reject(new Error('gone')) });
  blobs.open(0, 1);
  await assert.rejects(blobs.read(HASH), /gone/);
});

test('packed blobs: a great many empty blobs are bounded like their bytes', async () => {
  let asked = 0;
  let next = 0;
  const blobs = (count: number): PackContents['blobs'] =>
    Array.from({ length: count }, () => {
      next += 1;
      return { hash: next.toString(16).padStart(64, '0') as HashHex, bytes: new Uint8Array(0) };
    });
  const reader: LogReader = {
    live: true,
    get(path) {
      if (!path.startsWith('/pack/'))
        return Promise.resolve({ status: 404, body: new Uint8Array(0), logSize: undefined });
      const { part } = parsePackPath(path.slice(1));
      asked += 1;
      const body = formatPack({ part, parts: 16, blobs: blobs(40_000) });
      return Promise.resolve({ status: 200, body, logSize: undefined });
    },
  };
  const blobsOf = new PackedBlobs(reader);
  blobsOf.open(0, 256);
  assert.equal((await blobsOf.read('f'.repeat(64) as HashHex))?.length, undefined);
  assert.ok(asked >= 2 && asked <= 9, `${asked} of 16 parts were fetched`);
});
