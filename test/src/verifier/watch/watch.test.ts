import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { formatEvidence } from '@assay/core/proof/evidence';
import { contentHash, hashHex, leafHash } from '@assay/core/hash/hash';
import { parseTime } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { checkpointSigner, type Signer } from '@assay/node/ledger/checkpoint-signer';
import { DEFAULT_GRACE_S } from '@assay/verifier/watch/cross-check';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { OPEN_POLICY, type Policy } from '@assay/verifier/verdict/policy';
import type { KeptAddress } from '@assay/verifier/watch/vantage';
import {
  type KeptHead,
  type Poll,
  type SeenHead,
  Watch,
  type WatchParts,
} from '@assay/verifier/watch/watch';
import { CHECKPOINTS, genesisBody, testSigner } from '../../node/ledger/ledger-fixture.ts';
import { chained, type Chained, COSIGNERS, keyOf } from '../fixture/chained-log.ts';
import { Forge, type Loose, type LooseDraft, noteDraft } from '../fixture/forge.ts';
import { ABOUT, cosignerLog, ownSite, signStatement } from '../fixture/cosigner-log.ts';
import {
  chain,
  draftsOf,
  ENVIRONMENT,
  genesisLog,
  type Published,
  publish,
  type Site,
  siteOf,
  siteReader,
} from '../fixture/published.ts';
import {
  CHECKPOINT_KEYS,
  CHECKPOINT_VKEYS,
  PLACES,
  replaced,
  replacedSite,
} from '../fixture/replaced-log.ts';
import { hexOf, promised, signedKey } from '../fixture/rotated-log.ts';
import { sampleLog } from '../fixture/sample-log.ts';

const log = await sampleLog();
const HERE = 'https://publisher.example';
const MIRROR = `https://ada.example/mirror/${hashHex(contentHash(nodeSha256, formatUtf8(log.origin)))}`;

/** Servers by their address; a test changes them between polls. */
type World = Map<string, Site>;

function watchOf(
  world: World,
  more: {
    readonly policy?: Partial<Policy>;
    readonly kept?: KeptHead;
    readonly now?: () => number;
    readonly addresses?: ReadonlyMap<string, KeptAddress>;
    readonly stuck?: Stuck;
    /** Asked before each answer. */
    readonly get?: (url: string, path: string) => Promise<void>;
    readonly onHeads?: (poll: Poll) => Promise<void>;
  } = {},
  urls: readonly string[] = [...world.keys()],
): Watch {
  return new Watch({
    urls,
    readerOf: (url): LogReader => ({
      live: true,
      async get(path) {
        await (more.get ?? more.stuck?.get.bind(more.stuck))?.(url, path);
        const site = world.get(url);
        if (site === undefined && !url.includes('/mirror/')) throw new Error(`${url} is not there`);
        return siteReader(site ?? new Map()).get(path);
      },
    }),
    policy: { ...OPEN_POLICY, ...more.policy },
    kept: () => (more.kept === undefined ? [] : [more.kept]),
    keptAddress: (url) => more.addresses?.get(url),
    environment: ENVIRONMENT,
    limits: DEFAULT_LIMITS,
    now: more.now ?? ((): number => parseTime('2026-11-01T00:00:00Z' as never)),
    graceS: DEFAULT_GRACE_S,
    within: more.stuck?.within ?? ((work) => work({ aborted: false })),
    ...(more.onHeads === undefined ? {} : { onHeads: more.onHeads }),
  });
}

const codes = ({ findings }: Poll): readonly string[] => [
  ...new Set(findings.map(({ code }) => code)),
];

const grown = (size: number): Published =>
  publish(log.entries.slice(0, size), log.blobs, log.checkpoints);

/** The same publisher's other history: the same keys, other words at an entry. */
function forked(size: number): Published {
  const forge = new Forge(log, size);
  const early = forge.drafts.find(({ kind }) => kind === 'note/1') as LooseDraft;
  early.body['text'] = 'This is for other eyes.';
  return forge.publish();
}

test('one history from two addresses, growing: nothing is found', async () => {
  const world: World = new Map([
    [HERE, siteOf(grown(300))],
    [MIRROR, siteOf(grown(290))],
  ]);
  const watch = watchOf(world);
  const first = await watch.poll();
  assert.deepEqual([first.findings, first.missed], [[], []]);
  assert.deepEqual(
    first.seen.map(({ size, accepted }) => [size, accepted]),
    [
      [300, true],
      [290, true],
    ],
  );
  world.set(HERE, siteOf(grown(310))).set(MIRROR, siteOf(grown(315)));
  const next = await watch.poll();
  assert.deepEqual([next.findings, next.missed], [[], []]);
  assert.equal(next.seen[0]?.pin?.size, 315);
});

test('a fork between two addresses, of one size or of two: evidence that needs nothing else', async () => {
  for (const [here, there] of [
    [300, 300],
    [300, 280],
    [280, 300],
    [257, 512],
  ] as const) {
    const poll = await watchOf(
      new Map([
        [HERE, siteOf(grown(here))],
        [MIRROR, siteOf(forked(there))],
      ]),
    ).poll();
    assert.deepEqual(codes(poll), ['fork'], `${here} ${there}`);
    const { evidence } = poll.findings[0] as { evidence: Parameters<typeof formatEvidence>[0] };
    const verdict = await checkEvidence(formatEvidence(evidence), ENVIRONMENT);
    assert.equal(verdict.proven, true, JSON.stringify(verdict));
    assert.equal(verdict.log, hashHex(leafHash(nodeSha256, log.entries[0] as Uint8Array)));
  }
});

test('a fork over time: what an earlier watch accepted is held to', async () => {
  const before = await watchOf(new Map([[HERE, siteOf(grown(300))]])).poll();
  const { note, pin } = before.seen[0] as SeenHead;
  assert.ok(pin !== null);
  const same = await watchOf(new Map([[HERE, siteOf(grown(320))]]), {
    kept: { note, pin, named: false },
  }).poll();
  assert.deepEqual(same.findings, []);
  const other = await watchOf(new Map([[HERE, siteOf(forked(320))]]), {
    kept: { note, pin, named: false },
  }).poll();
  assert.deepEqual(codes(other), ['fork']);
  const back = await watchOf(new Map([[HERE, siteOf(grown(200))]]), {
    kept: { note, pin, named: false },
  }).poll();
  assert.deepEqual(codes(back), ['head_behind']);
});

/** Addresses some of whose paths never answer: whoever asks there has had its turn. */
class Stuck {
  readonly #turn = new AsyncLocalStorage<() => void>();
  readonly asked: string[] = [];
  readonly #paths: Map<string, RegExp>;
  #release: () => void = () => undefined;
  readonly #released = new Promise<void>((resolve) => (this.#release = resolve));

  constructor(...paths: readonly (readonly [string, RegExp])[]) {
    this.#paths = new Map(paths);
  }

  readonly within: WatchParts['within'] = (work) => {
    const signal = { aborted: false };
    return new Promise((resolve, reject) => {
      const end = (): void => {
        signal.aborted = true;
        reject(new Error('its turn is over'));
      };
      void this.#turn.run(end, () => work(signal).then(resolve, reject));
    });
  };

  /** What was stuck goes on. */
  release(): void {
    this.#paths.clear();
    this.#release();
  }

  async get(url: string, path: string): Promise<void> {
    this.asked.push(path);
    if (this.#paths.get(url)?.test(path) !== true) return;
    this.#turn.getStore()?.();
    await this.#released;
  }
}

test('an address that does not answer, whatever of it, keeps no fork of others from being found', async () => {
  const slow = 'https://slow.example/mirror/00';
  const world = (): World =>
    new Map([
      [HERE, siteOf(grown(300))],
      [MIRROR, siteOf(forked(280))],
      [slow, siteOf(grown(320))],
    ]);
  for (const path of [/^\/checkpoint$/, /^\/tile\/\d/]) {
    const stuck = new Stuck([slow, path]);
    const poll = await watchOf(world(), { stuck }).poll();
    assert.ok(codes(poll).includes('fork'), `${path} ${JSON.stringify(poll, null, 1)}`);
    assert.ok(poll.missed.some(({ reason }) => reason === 'its turn is over'));
  }
});

test('heads are compared and reported before entries are followed; those come in parts that outlast a poll', async () => {
  const stuck = new Stuck([HERE, /^\/tile\/entries\/001/]);
  const world: World = new Map([
    [HERE, siteOf(grown(300))],
    [MIRROR, siteOf(forked(280))],
  ]);
  const told: Poll[] = [];
  const onHeads = async (poll: Poll): Promise<void> => {
    assert.ok(told.length > 0 || !stuck.asked.includes('/tile/entries/001.p/44'));
    told.push(poll);
  };
  const watch = watchOf(world, { stuck, onHeads });
  const first = await watch.poll();
  assert.deepEqual(codes(told[0] as Poll), ['fork']);
  assert.equal(told[0]?.seen[0]?.size, 300);
  assert.match(
    first.missed.find(({ url }) => url === HERE)?.reason ?? '',
    /^\d+ of 300 entries are followed so far.*: its turn is over$/,
  );
  for (const [path, answer] of siteOf(grown(310))) world.get(HERE)?.set(path, answer);
  stuck.release();
  const next = await watch.poll();
  assert.deepEqual(
    next.missed.map(({ url }) => url),
    [MIRROR],
    'the other history',
  );
  assert.equal(told.length, 2);
});

test('a head of a key that replaced the one believed is kept once its entries were walked', async () => {
  const whole = replaced();
  const early: (readonly SeenHead[])[] = [];
  const onHeads = async ({ seen }: Poll): Promise<void> => void early.push(seen);
  const world: World = new Map([[HERE, replacedSite(whole)]]);
  const watch = watchOf(world, { onHeads });
  const honest = await watch.poll();
  assert.deepEqual([honest.missed, codes(honest)], [[], []]);
  assert.deepEqual([early[0]?.[0]?.accepted, early[0]?.[0]?.pin], [true, null]);
  const { note, pin } = honest.seen[0] as SeenHead;
  assert.deepEqual([pin?.checkpoint_vkey, pin?.size], [CHECKPOINT_VKEYS[3], PLACES.size]);
  // The walk has shown that key now, and so has a pin of an earlier watch.
  await watch.poll();
  const kept = { pin: pin as NonNullable<typeof pin>, named: false, note };
  await watchOf(world, { onHeads, kept }).poll();
  for (const seen of early.slice(1)) assert.deepEqual(seen[0]?.pin, pin);
});

test('what was kept of a head whose entries end its key is void', async () => {
  const whole = replaced();
  const checkpoint = whole.head(PLACES.size, [CHECKPOINT_KEYS[0]]);
  const early: SeenHead[] = [];
  const world: World = new Map([
    [HERE, replacedSite({ ...whole, checkpoint, closing: new Map() })],
  ]);
  const onHeads = async ({ seen }: Poll): Promise<void> => void early.push(...seen);
  const poll = await watchOf(world, { onHeads }).poll();
  assert.ok(codes(poll).includes('key_not_in_force'), JSON.stringify(codes(poll)));
  assert.equal(early[0]?.pin?.checkpoint_vkey, CHECKPOINT_VKEYS[0]);
  const { accepted, pin, withdrawn } = poll.seen[0] as SeenHead;
  assert.deepEqual({ accepted, pin, withdrawn }, { accepted: false, pin: null, withdrawn: true });
});

test('what an entry needs and did not come is not taken for checked', async () => {
  let lost: string | undefined;
  const world: World = new Map([[HERE, siteOf(grown(300))]]);
  const watch = watchOf(world, {
    get: async (_, path) => {
      if (lost !== undefined || !path.startsWith('/blob/')) return;
      lost = path;
      throw new Error('the line is cut');
    },
  });
  const site = world.get(HERE) as Site;
  const first = await watch.poll();
  assert.deepEqual(
    [codes(first), first.missed.map(({ reason }) => reason)],
    [[], ['the line is cut']],
  );
  site.delete(String(lost));
  assert.deepEqual(codes(await watch.poll()), ['blob_missing']);
});

test('another key, bad tiles, nobody there: never a quiet poll', async () => {
  const world: World = new Map([
    [HERE, siteOf(grown(300))],
    [MIRROR, siteOf(grown(310))],
  ]);
  (world.get(MIRROR) as Site).set('/tile/0/001.p/54', {
    status: 200,
    body: new Uint8Array(54 * 32),
    logSize: undefined,
  });
  assert.deepEqual(codes(await watchOf(world).poll()), ['tile_differs']);
  (world.get(MIRROR) as Site).delete('/tile/0/001.p/54');
  const unread = await watchOf(world).poll();
  assert.deepEqual(unread.findings, []);
  assert.match(String(unread.missed[0]?.reason), /could not be compared/);
  const gone = await watchOf(world, {}, [HERE, 'https://gone.example']).poll();
  assert.equal(gone.missed[0]?.url, 'https://gone.example');
  const untrusted = await watchOf(world, { policy: { log_id: 'ab'.repeat(32) as never } }).poll();
  assert.equal(codes(untrusted).includes('log_id_differs'), true);
});

test('a change in the entries of a log that is followed is found', async () => {
  const world: World = new Map([[HERE, siteOf(grown(300))]]);
  const watch = watchOf(world);
  await watch.poll();
  const next = siteOf(grown(330));
  next.delete('/tile/entries/001.p/74');
  world.set(HERE, next);
  assert.deepEqual(codes(await watch.poll()), ['entry_missing']);
});

/** A publisher that puts something else where a word should stand; the word, as the co-signer has it. */
function hiding(part: string): { readonly log: Chained; readonly word: LooseDraft } {
  let word: LooseDraft | undefined;
  const built = chained({
    entry: (name, draft) => {
      if (!name.includes(part)) return;
      word = structuredClone(draft);
      Object.assign(draft, noteDraft(draft.at));
    },
  });
  const { at, body } = word as unknown as LooseDraft;
  const statement = body['statement'];
  const who = part.split(' ').at(-1) as string;
  return { log: built, word: { at, kind: 'statement/1', body: signStatement(who, statement) } };
}

test('a publisher that hides a dissent is found by watching both logs', async () => {
  const { log: about, word } = hiding('2026-07-04 final 0 dissent cleo');
  const own = ownSite('cleo', (drafts) => drafts.splice(0, 0, word), about);
  const world: World = new Map([
    [HERE, siteOf(about.published)],
    ['https://cleo.example', own],
  ]);
  const poll = await watchOf(world).poll();
  assert.deepEqual(poll.crossed, [{ recounter: 'https://cleo.example', publisher: HERE }]);
  assert.equal(
    codes(poll).includes('dissent_hidden'),
    true,
    JSON.stringify(poll.findings, null, 1),
  );
  assert.deepEqual(poll.missed, []);
});

test('a change of key at the end of a co-signer’s own log hides no dissent', async () => {
  const { log: about, word } = hiding('2026-07-04 final 0 dissent cleo');
  const [genesis] = cosignerLog('cleo').entries;
  const said = {
    number: 1,
    cause: 'rotation' as const,
    replaces: keyOf('cleo'),
    revoked: false,
    key: hexOf(testSigner(3)),
    next_key_sha256: promised(testSigner(54)),
    recovery_key: null,
    next_recovery_key_sha256: promised(testSigner(4)),
  };
  const by = { old: COSIGNERS['cleo'] as Signer, new: testSigner(3) };
  const body = signedKey(hashHex(leafHash(nodeSha256, genesis as Uint8Array)), said, by);
  const key = { at: '2026-10-01T00:00:00Z', kind: 'key/1', body } as unknown as LooseDraft;
  const own = ownSite('cleo', (drafts) => void [drafts.unshift(word), drafts.push(key)], about);
  const world: World = new Map([
    [HERE, siteOf(about.published)],
    ['https://cleo.example', own],
  ]);
  const poll = await watchOf(world).poll();
  assert.deepEqual(poll.crossed, [{ recounter: 'https://cleo.example', publisher: HERE }]);
  for (const code of ['dissent_hidden', 'kinds_mixed']) {
    assert.equal(codes(poll).includes(code), true, `${code}: ${JSON.stringify(codes(poll))}`);
  }
});

test('the copy that a co-signer keeps is an address too, and shows the fork that it was given', async () => {
  const own = ownSite('cleo');
  const { origin } = JSON.parse(new TextDecoder().decode(ABOUT.published.entries[0])).body;
  const copy = `https://cleo.example/mirror/${hashHex(contentHash(nodeSha256, formatUtf8(origin)))}`;
  const world: World = new Map([
    [HERE, siteOf(ABOUT.published)],
    ['https://cleo.example', own],
    [copy, siteOf(hiding('2026-07-11 final 0 cosign ben').log.published)],
  ]);
  const poll = await watchOf(world, {}, [HERE, 'https://cleo.example']).poll();
  assert.equal(codes(poll).includes('fork'), true, JSON.stringify(poll.findings, null, 1));
});

test('a silent co-signer, and one whose log nobody watches, are named', async () => {
  const world: World = new Map([
    [HERE, siteOf(ABOUT.published)],
    ['https://ben.example', siteOf(cosignerLog('ben'))],
  ]);
  const poll = await watchOf(world).poll();
  assert.deepEqual(
    poll.notes
      .filter(({ what }) => what.includes('states in its log'))
      .map(({ what }) => what)
      .sort(),
    ['ada', 'cleo', 'dora'].map((name) => `what ${name} states in its log`),
  );
});

/** A production log of a genesis, the first rule of the sample log, and a note at a time. */
function owing(at: string): Published {
  const drafts = draftsOf(log.entries).map((draft) => structuredClone(draft));
  const rule = drafts.find(({ kind }) => kind === 'rule/1') as LooseDraft;
  rule.body['rule'].network = 'production';
  rule.at = '2026-09-01T00:00:00Z';
  return genesisLog('assay.example/log', {}, [rule, noteDraft(at)]);
}

test('a publisher that owes a period, or stops before a release, by the clock of who watches', async () => {
  const world: World = new Map([[HERE, siteOf(owing('2026-10-31T23:00:00Z'))]]);
  const watch = watchOf(world);
  const late = await watch.poll();
  assert.deepEqual(
    late.findings.map(({ code, place }) => [code, place]),
    [
      ['publisher_silent', 'assay.example/log, LAYOFFS'],
      ['index_missing', 'assay.example/log'],
    ],
    JSON.stringify(late, null, 1),
  );
  world.delete(HERE);
  const gone = await watch.poll();
  assert.deepEqual(gone.findings, [], 'who cannot be reached has not been silent');
  assert.equal(gone.missed[0]?.url, HERE);
  const still = await watchOf(new Map([[HERE, siteOf(owing('2026-09-02T00:00:00Z'))]])).poll();
  assert.deepEqual(
    still.findings.map(({ code, found }) => [code, found.slice(0, 40)]),
    [
      ['publisher_silent', 'neither of 2026-08-29, 2026-09-05, 2026-'],
      ['publisher_silent', 'none since 2026-09-02T00:00:00Z'],
      ['index_missing', 'none of 2026-09-01, 2026-09-02, 2026-09-'],
    ],
  );
});

test('a head that a co-signer names and the publisher’s tree is not; its copy of it is evidence', async () => {
  const own = ownSite('cleo', (drafts) => {
    const draft = drafts[0] as LooseDraft;
    const statement = structuredClone(draft.body['statement']);
    statement.head.root = 'ab'.repeat(32);
    draft.body = signStatement('cleo', statement);
  });
  const cleo = 'https://cleo.example';
  const world: World = new Map([
    [HERE, siteOf(ABOUT.published)],
    [cleo, own],
  ]);
  const poll = await watchOf(world).poll();
  const named = poll.findings.filter(({ code }) => code === 'history_differs');
  assert.deepEqual(
    named.map(({ place, found, evidence }) => [place, found, evidence]),
    [['development/cleo, entry 1, head', 'ab'.repeat(32), null]],
  );
  assert.deepEqual(poll.missed, []);
  const { origin } = JSON.parse(new TextDecoder().decode(ABOUT.published.entries[0])).body;
  const copy = `${cleo}/mirror/${hashHex(contentHash(nodeSha256, formatUtf8(origin)))}`;
  world.set(copy, siteOf(hiding('2026-07-11 final 0 cosign ben').log.published));
  const both = await watchOf(world, {}, [HERE, cleo]).poll();
  const fork = both.findings.find(({ code }) => code === 'fork');
  assert.ok(fork?.evidence !== null && fork?.evidence !== undefined, JSON.stringify(both.findings));
  assert.equal((await checkEvidence(formatEvidence(fork.evidence), ENVIRONMENT)).proven, true);
  // Tiles that are not there say nothing, and that is told.
  const bare = siteOf(ABOUT.published);
  for (const path of bare.keys()) if (/^\/tile\/[0-9]/.test(path)) bare.delete(path);
  const untold = await watchOf(
    new Map([
      [HERE, bare],
      [cleo, own],
    ]),
  ).poll();
  assert.ok(!codes(untold).includes('history_differs'));
  assert.ok(untold.missed.length + untold.findings.length > 0);
});

const VKEY = (
  JSON.parse(new TextDecoder().decode(log.entries[0])) as { body: { checkpoint_vkey: string } }
).body.checkpoint_vkey;
const OTHER_KEY = checkpointSigner(nodeSha256, 'development/other', testSigner(78)).vkey;

/** Another log of ABOUT's name, by a key of its own. */
function impostor(): Site {
  const { origin } = JSON.parse(new TextDecoder().decode(ABOUT.published.entries[0])).body;
  const signer = checkpointSigner(nodeSha256, origin, testSigner(99));
  const body = genesisBody({ origin, checkpoint_vkey: signer.vkey }) as unknown as Loose;
  const first = { at: '2026-07-01T00:00:00Z', kind: 'genesis/1', body };
  return siteOf(publish(chain([first] as never), new Map(), signer));
}

test('a policy holds its log wherever and whenever it is first seen', async () => {
  const there = 'https://there.example';
  const world: World = new Map([
    [HERE, new Map()],
    [there, siteOf(grown(300))],
  ]);
  const watch = watchOf(world, { policy: { checkpoint_keys: [OTHER_KEY], strict: true } });
  const unseen = await watch.poll();
  assert.deepEqual(
    [unseen.seen.map(({ accepted }) => accepted), unseen.missed.length],
    [[false], 2],
  );
  world.set(HERE, siteOf(grown(300)));
  for (const poll of [await watch.poll(), await watch.poll()]) {
    assert.deepEqual(codes(poll), ['key_not_trusted']);
    assert.deepEqual(
      poll.seen.map(({ accepted }) => accepted),
      [false, false],
    );
  }
  const named = watchOf(
    new Map([
      [HERE, new Map()],
      [there, siteOf(grown(300))],
    ]),
    { policy: { checkpoint_keys: [VKEY] } },
  );
  assert.deepEqual(
    (await named.poll()).seen.map((each) => [each.accepted, each.named]),
    [[true, true]],
  );
  const { vkey } = checkpointSigner(nodeSha256, log.origin, testSigner(78));
  const refused = watchOf(
    new Map([
      [HERE, new Map()],
      [there, siteOf(grown(300))],
    ]),
    { policy: { checkpoint_keys: [vkey] } },
  );
  assert.deepEqual(codes(await refused.poll()), ['key_not_trusted']);
});

test('a log of the name, pinned at first use, does not outrank a key that is named', async () => {
  const pinned = await watchOf(new Map([[HERE, impostor()]])).poll();
  const { note, pin, named } = pinned.seen[0] as SeenHead;
  assert.ok(pin !== null && !named);
  const vkey = JSON.parse(new TextDecoder().decode(ABOUT.published.entries[0])).body
    .checkpoint_vkey;
  const world: World = new Map([[HERE, siteOf(ABOUT.published)]]);
  const kept = { note, pin, named };
  const held = await watchOf(world, { kept, policy: { checkpoint_keys: [vkey] } }).poll();
  assert.deepEqual([codes(held), held.seen[0]?.accepted], [[], true]);
  assert.equal(codes(await watchOf(world, { kept }).poll()).includes('key_not_trusted'), true);
});

test('an address that shows another log than before, in one watch and over two', async () => {
  const world: World = new Map([[HERE, siteOf(grown(300))]]);
  const watch = watchOf(world);
  await watch.poll();
  world.set(HERE, siteOf(ABOUT.published));
  const poll = await watch.poll();
  assert.deepEqual([codes(poll), poll.seen[0]?.accepted], [['log_changed'], false]);
  const log_id = hashHex(leafHash(nodeSha256, log.entries[0] as Uint8Array));
  const known = { origin: log.origin, log_id, size: 300, behind: null };
  const addresses = new Map([[HERE, known]]);
  assert.deepEqual(codes(await watchOf(world, { addresses }).poll()), ['log_changed']);
  const other = { ...known, log_id: 'ab'.repeat(32) as never };
  world.set(HERE, siteOf(grown(310)));
  const swapped = await watchOf(world, { addresses: new Map([[HERE, other]]) }).poll();
  assert.deepEqual([codes(swapped), swapped.seen[0]?.accepted], [['log_changed'], false]);
});

test('an address is held to what it showed an earlier watch, though another shows it still', async () => {
  const log_id = hashHex(leafHash(nodeSha256, log.entries[0] as Uint8Array));
  const world: World = new Map([
    [HERE, siteOf(grown(200))],
    [MIRROR, siteOf(grown(300))],
  ]);
  const addresses = new Map([[HERE, { origin: log.origin, log_id, size: 300, behind: null }]]);
  const poll = await watchOf(world, { addresses }).poll();
  assert.deepEqual(
    poll.findings.map(({ code, place }) => [code, place]),
    [['head_behind', HERE]],
  );
});

test("a co-signer's key in two logs is a finding", async () => {
  const other = cosignerLog('cleo', undefined, undefined, 'development/cleo2');
  const world: World = new Map([
    [HERE, siteOf(ABOUT.published)],
    ['https://cleo.example', ownSite('cleo')],
    ['https://cleo2.example', siteOf(other)],
  ]);
  assert.equal(codes(await watchOf(world).poll()).includes('key_twice'), true);
});

test('entries are followed where the largest head is, and who stays behind it is named', async () => {
  const { entries, blobs, checkpoint } = ABOUT.published;
  const start = publish(entries.slice(0, 10), blobs, CHECKPOINTS);
  const { origin } = JSON.parse(new TextDecoder().decode(entries[0])).body;
  const ada = 'https://ada.example';
  const copy = `${ada}/mirror/${hashHex(contentHash(nodeSha256, formatUtf8(origin)))}`;
  const world: World = new Map([
    [HERE, siteOf(start)],
    [ada, ownSite('ada')],
    [copy, siteOf(ABOUT.published)],
  ]);
  assert.ok(checkpoint.length > 0);
  let now = parseTime('2026-11-01T00:00:00Z' as never);
  const watch = watchOf(world, { now: () => now }, [HERE, ada]);
  const poll = await watch.poll();
  // Only who has read the copy to its end knows of reports that ada is silent on.
  assert.deepEqual([codes(poll), poll.missed], [['recounter_silent'], []]);
  const owed = { size: entries.length, since: now };
  assert.deepEqual(poll.seen.find(({ url }) => url === HERE)?.behind, owed);
  now += DEFAULT_GRACE_S;
  assert.deepEqual(codes(await watch.poll()), ['recounter_silent']);
  now += 1;
  assert.deepEqual(codes(await watch.poll()), ['recounter_silent', 'head_behind']);
  // The same after a restart, by what is kept of the address.
  const log_id = hashHex(leafHash(nodeSha256, entries[0] as Uint8Array));
  const addresses = new Map([[HERE, { origin, log_id, size: 10, behind: owed }]]);
  const next = watchOf(world, { now: () => now, addresses }, [HERE, ada]);
  assert.deepEqual(codes(await next.poll()), ['recounter_silent', 'head_behind']);
  world.set(HERE, siteOf(ABOUT.published));
  assert.deepEqual(codes(await watch.poll()), ['recounter_silent']);
});

test('statements about more than any address shows are a finding after the grace', async () => {
  const { entries, blobs } = ABOUT.published;
  const world: World = new Map([
    [HERE, siteOf(publish(entries.slice(0, 10), blobs, CHECKPOINTS))],
    ['https://ada.example', ownSite('ada')],
  ]);
  const { findings } = await watchOf(world).poll();
  assert.deepEqual([...new Set(findings.map(({ code }) => code))], ['head_behind']);
});

test('bytes that were not available are asked for again; what is behind a finding is reported', async () => {
  const whole = siteOf(ABOUT.published);
  const world: World = new Map([[HERE, new Map(whole)]]);
  const blobs = [...whole.keys()].filter((path) => path.startsWith('/blob/'));
  const here = world.get(HERE) as Site;
  for (const path of blobs) here.delete(path);
  const watch = watchOf(world);
  assert.deepEqual(codes(await watch.poll()), ['blob_missing']);
  for (const path of blobs) here.set(path, whole.get(path) as never);
  assert.deepEqual(codes(await watch.poll()), []);
  const bad = (size: number): Site => {
    const site = siteOf(grown(size));
    const first = site.get('/tile/entries/000')?.body as Uint8Array;
    const body = new Uint8Array(first).fill(0x7f, first.length - 20);
    return site.set('/tile/entries/000', { status: 200, body, logSize: undefined });
  };
  const changing: World = new Map([[HERE, bad(300)]]);
  const broken = watchOf(changing);
  assert.equal((await broken.poll()).findings.length > 0, true);
  changing.set(HERE, bad(310));
  const later = await broken.poll();
  assert.equal(later.findings.length > 0, true);
  assert.match(String(later.missed[0]?.reason), /entries from \d+ on are not followed/);
});
