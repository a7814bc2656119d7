import { formatBase58, parseBase58 } from '@assay/core/base58';
import { closeHash, closeMessage } from '@assay/core/close';
import { type CosignerSet, SET_DELAY_S } from '@assay/core/cosigner-set';
import { entryBody, formatEntry, scanEntry } from '@assay/core/entry';
import { type Hash, hashHex, type HashHex, leafHash, ZERO_HASH_HEX } from '@assay/core/hash';
import { formatHex, parseHex } from '@assay/core/hex';
import { bodyParser } from '@assay/core/kind/kinds';
import { type CloseAccount, formatCloseAccount } from '@assay/core/onchain/close-account';
import {
  FEED_HEAD_BYTES,
  FEED_MAGIC,
  type FeedAccount,
  formatFeed,
} from '@assay/core/onchain/feed-account';
import { ordinalOf, pagePlace } from '@assay/core/onchain/ordinal';
import { formatPage, type PageSlot } from '@assay/core/onchain/page-account';
import type { ChainRecord } from '@assay/core/onchain/record';
import { draftClose } from '@assay/core/payload/settlement';
import { dissentMessage, formatPrint, printOf, seriesId } from '@assay/core/print';
import { type Report, reportHash } from '@assay/core/report';
import { type Statement, statementMessage } from '@assay/core/statement';
import type { Ticker } from '@assay/core/ticker';
import { formatTime, parseDate, parseTime } from '@assay/core/time';
import { rootOf } from '@assay/core/tree';
import { closesOf } from '@assay/core/view/closes';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import { ruleVersions } from '@assay/core/view/rules';
import type { WireObject } from '@assay/core/wire';
import { runClose } from '@assay/node/close-round';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { MemoryBlobStore } from '@assay/node/memory-blob-store';
import { nodeSha256 } from '@assay/node/node-sha256';
import { MemoryOpenings } from '@assay/node/openings';
import { runCorrection, runRound } from '@assay/node/round';
import { enactRule } from '@assay/node/rule-file';
import type { SettlementFolder } from '@assay/node/settlement-mirror';
import type { AccountBytes, ChainLookup, ListedFeed } from '@assay/verifier/chain-lookup';
import { FeedAddresses } from '@assay/verifier/program-address';
import {
  CHECKPOINTS,
  genesisBody,
  memoryPlace,
  openAt,
  REPORT_SIGNER,
  testSigner,
} from '../node/ledger/ledger-fixture.ts';
import { CLAIMS_RULE, ScriptedSource } from '../node/round-fixture.ts';
import type { Loose, LooseDraft } from './forge.ts';
import { draftsOf, publish, type Published } from './published.ts';

export const CHAIN = 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z';
export const PROGRAM = 'AssayFeed1111111111111111111111111111111111';
export const TICKER: Ticker = CLAIMS_RULE.ticker;
/** A slot that was finalized before the log was read, and one at which the accounts were. */
export const KNOWN_SLOT = 10_000;
export const READ_SLOT = 10_100;

/** Co-signers by their name. */
export const COSIGNERS: Readonly<Record<string, Signer>> = {
  ada: testSigner(11),
  ben: testSigner(12),
  cleo: testSigner(13),
  dora: testSigner(14),
};

export function keyOf(name: string): HashHex {
  return formatHex((COSIGNERS[name] as Signer).publicKey) as HashHex;
}

export function setOf(number: number, threshold: number, ...names: readonly string[]): CosignerSet {
  const cosigners = names.map((name) => ({ name, key: keyOf(name) }));
  return { number, threshold, cosigners: cosigners.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

export const SETS: readonly CosignerSet[] = [
  setOf(0, 2, 'ada', 'ben', 'cleo'),
  setOf(1, 3, 'ada', 'ben', 'cleo', 'dora'),
];

/** What a publisher's node makes by itself: the log without a word of a co-signer and of the chain. */
interface Base {
  readonly drafts: readonly LooseDraft[];
  readonly blobs: ReadonlyMap<HashHex, Uint8Array>;
}

const NOWHERE = { put: async () => {}, setLatest: async () => {} } as unknown as SettlementFolder;

async function makeBase(): Promise<Base> {
  let now = parseTime('2026-07-01T00:00:00Z');
  const clock = (): number => now;
  const place = await memoryPlace();
  const ledger = await openAt(place, { now: clock });
  const policies = { cosigners_required: 2, witnesses_required: 0, witness_max_age_s: 0 };
  const body = genesisBody({ chain: CHAIN, program: PROGRAM, policies });
  await ledger.append([{ kind: 'genesis/1', body }], 0);
  await enactRule(ledger, nodeSha256, CLAIMS_RULE);
  const addSet = (number: number): Promise<unknown> =>
    ledger.append([{ kind: 'cosigners/1', body: SETS[number] as CosignerSet }], ledger.nextSeq);
  await addSet(0);
  const blobs = new MemoryBlobStore();
  const source = new ScriptedSource();
  const common = { ledger, signer: REPORT_SIGNER, sha256: nodeSha256, now: clock };
  const parts = {
    ...common,
    source,
    blobs,
    openings: new MemoryOpenings(),
    random: (length: number) => new Uint8Array(length),
  };
  const shown: Record<string, number> = {};
  const week = async (period: string, day: string, claims: number): Promise<void> => {
    shown[period] = claims;
    source.show(shown);
    for (const hour of ['12:30', '14:30']) {
      now = parseTime(`${day}T${hour}:00Z`);
      await runRound(TICKER, parseDate(period), parts);
    }
    now = parseTime(`${day}T00:10:00Z`) + 86_400;
    await runClose({ ...common, mirror: NOWHERE });
  };
  await week('2026-07-04', '2026-07-09', 215_000);
  await week('2026-07-11', '2026-07-16', 209_000);
  now = parseTime('2026-07-17T00:20:00Z');
  await addSet(1);
  await week('2026-07-18', '2026-07-23', 216_000);
  await week('2026-07-25', '2026-07-30', 197_000);
  shown['2026-07-25'] = 198_000;
  source.show(shown);
  now = parseTime('2026-07-31T09:00:00Z');
  await runCorrection(TICKER, parseDate('2026-07-25'), 'a wrong column was read', parts);
  now = parseTime('2026-07-31T09:30:00Z');
  await runClose({ ...common, mirror: NOWHERE });
  await week('2026-08-01', '2026-08-06', 190_000);
  const entries: Uint8Array[] = [];
  for await (const entry of place.store.entries(0, ledger.nextSeq)) {
    entries.push(new Uint8Array(entry));
  }
  const kept = new Map<HashHex, Uint8Array>();
  for await (const each of blobs.list()) kept.set(each, (await blobs.get(each)) as Uint8Array);
  return { drafts: draftsOf(entries) as LooseDraft[], blobs: kept };
}

const base = await makeBase();

/** Who says what of which report, in the order of the log: by the report's name (`reportName`). */
const WORDS: Readonly<Record<string, readonly (readonly [name: string, agrees: boolean])[]>> = {
  '2026-07-04 provisional 0': [['ada', true]],
  '2026-07-04 final 0': [
    ['ada', true],
    ['ben', true],
    ['cleo', false],
  ],
  '2026-07-11 final 0': [
    ['ben', true],
    ['cleo', true],
  ],
  '2026-07-18 final 0': [
    ['ada', true],
    ['ben', true],
    ['cleo', true],
  ],
  '2026-07-25 final 0': [
    ['ada', true],
    ['ben', true],
    ['dora', true],
  ],
  '2026-07-25 corrected 1': [
    ['ada', true],
    ['cleo', true],
    ['dora', true],
  ],
  // Signed, and not brought yet; and signed by too few.
  '2026-08-01 final 0': [
    ['ada', true],
    ['ben', true],
    ['cleo', true],
  ],
};

/** What is not brought to the chain, by its name. */
const KEPT_BACK: readonly string[] = [
  '2026-07-11 provisional 0',
  '2026-08-01 provisional 0',
  '2026-08-01 final 0',
  'close 2026-08-06',
];

/** Where a builder is changed by a dishonest hand. Each name stands once in a log. */
export interface Tweaks {
  /** Before it is signed. */
  readonly statement?: ((name: string, statement: Loose) => void) | undefined;
  /** Before it is chained; it may be replaced. */
  readonly entry?: ((name: string, draft: LooseDraft) => void) | undefined;
  /** More entries behind one. */
  readonly behind?: ((name: string, draft: LooseDraft) => readonly LooseDraft[]) | undefined;
  readonly skip?: ((name: string) => boolean) | undefined;
}

/** A log with co-signers, and the accounts that an honest publisher's chain has. */
export interface Chained {
  readonly published: Published;
  readonly accounts: OnchainModel;
  /** The entry of a name. */
  readonly seqOf: (name: string) => number;
  readonly logId: HashHex;
}

/** The chain's side, to be changed at will before it is formatted. */
export interface OnchainModel {
  feed: Mutable<FeedAccount>;
  readonly slots: Map<number, Mutable<PageSlot>>;
  readonly closes: Map<number, Mutable<CloseAccount>>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

export function reportName({ period, status, issue }: Loose): string {
  return `${period} ${status} ${issue}`;
}

/** Builds the log again, word by word: what a tweak changes is what differs, and nothing else. */
export function chained(tweaks: Tweaks = {}): Chained {
  const views = new MemoryViews();
  const entries: Uint8Array[] = [];
  const leaves: Hash[] = [];
  const seqs = new Map<string, number>();
  const parseBody = bodyParser(nodeSha256);
  let prev: HashHex = ZERO_HASH_HEX;
  const logId = (): HashHex => hashHex(leaves[0] as Hash);
  let addresses: FeedAddresses | undefined;
  let model: OnchainModel | undefined;
  let slot = 1000n;

  const put = ({ at, kind, body }: LooseDraft): void => {
    const seq = entries.length;
    const bytes = formatEntry({ v: 1, seq, prev, at: at as never, kind, body });
    const leaf = leafHash(nodeSha256, bytes);
    entries.push(bytes);
    leaves.push(leaf);
    prev = hashHex(leaf);
    try {
      const layout = scanEntry(bytes);
      const known = parseBody(layout.kind, entryBody(bytes, layout));
      if (known === undefined) return;
      const entry = { ...known, seq, at: layout.at, log: logId() };
      views.write(foldEntry(entry, views, nodeSha256));
    } catch {
      // An entry that nobody can read folds into nothing.
    }
  };
  const push = (name: string, draft: LooseDraft): void => {
    if (tweaks.skip?.(name) === true) return;
    tweaks.entry?.(name, draft);
    seqs.set(name, entries.length);
    put(draft);
    for (const more of tweaks.behind?.(name, draft) ?? []) put(more);
  };

  const say = (row: LooseDraft, name: string, who: string, agrees: boolean, at: string): void => {
    const report = row.body['report'] as Report;
    const said = `${name} ${agrees ? 'cosign' : 'dissent'} ${who}`;
    const size = entries.length;
    const seq = seqs.get(name) as number;
    const print = printOf(nodeSha256, report);
    const { value, status } = report;
    const other = value === null ? '1' : String(BigInt(value) + 1000n);
    const reads = report.reads.map((read) =>
      agrees || read.value === null ? { ...read } : { ...read, value: other },
    );
    const statement: Loose = {
      type: 'assay-statement/1',
      log: logId(),
      report: reportHash(nodeSha256, report),
      print: formatHex(formatPrint(print)),
      entry: { seq, leaf: hashHex(leaves[seq] as Hash) },
      head: { size, root: hashHex(rootOf(nodeSha256, leaves)) },
      cosigner: keyOf(who),
      set: report.cosigners.set,
      verdict: agrees ? 'agree' : 'dissent',
      basis: 'own_read',
      kept: { value, status },
      own: { value: agrees ? value : other, status, reads },
      reason: agrees ? null : 'another_value',
      after: null,
      signed_at: at,
    };
    tweaks.statement?.(said, statement);
    const signer = COSIGNERS[who] as Signer;
    const sign = (message: Uint8Array): string => formatHex(signer.sign(message));
    const signature = sign(statementMessage(statement as unknown as Statement));
    const body = agrees
      ? { statement, signature, print_signature: sign(formatPrint(print)) }
      : { statement, signature, dissent_signature: sign(dissentMessage(print)) };
    push(said, { at, kind: agrees ? 'cosign/1' : 'dissent/1', body });
  };

  // What is said of a report stands behind what its publisher appends with it.
  let later: (() => void)[] = [];
  const drafts = structuredClone(base.drafts) as LooseDraft[];
  for (const [i, draft] of drafts.entries()) {
    take(draft);
    if (drafts[i + 1]?.at === draft.at) continue;
    for (const each of later) each();
    later = [];
  }
  return {
    published: publish(entries, base.blobs, CHECKPOINTS),
    accounts: model as unknown as OnchainModel,
    seqOf: (name) => seqs.get(name) ?? -1,
    logId: logId(),
  };

  function take(draft: LooseDraft): void {
    const { body, at } = draft;
    switch (draft.kind) {
      case 'report/1': {
        const report = body['report'] as Report;
        const name = reportName(report as Loose);
        push(name, draft);
        later.push(() => spokenOf(draft, report, name));
        break;
      }
      case 'close/1': {
        const { day } = body['content'];
        const before = closesOf(views, day).at(-1);
        const redraft = draftClose(views, nodeSha256, day, before);
        if (redraft === undefined) throw new TypeError('chained: no Close');
        const { content, version, supersedes } = redraft;
        const digest = closeHash(nodeSha256, content);
        const signature = formatHex(REPORT_SIGNER.sign(closeMessage(logId(), day, digest)));
        const closeBody = { content, version, supersedes, signature } as unknown as WireObject;
        const name = `close ${day}${version === 0 ? '' : ` v${version}`}`;
        push(name, { at, kind: 'close/1', body: closeBody as Loose });
        if (KEPT_BACK.includes(name)) break;
        slot += 10n;
        const to = addresses as FeedAddresses;
        const { closes } = model as OnchainModel;
        const days = parseDate(day);
        const known = closes.get(days);
        closes.set(days, {
          bump: to.close(TICKER, days).bump,
          day: days,
          feed: formatHex(to.feed(TICKER).bytes) as HashHex,
          log: logId(),
          slot,
          hashes: [...(known?.hashes ?? []), digest],
        });
        push(`${name} print`, {
          at: formatTime(parseTime(at as never) + 60),
          kind: 'print/1',
          body: {
            of: 'close',
            ticker: TICKER,
            period: day,
            digest,
            feed: to.feed(TICKER).address,
            account: to.close(TICKER, days).address,
            transaction: null,
            slot: Number(slot),
            cosigners: [],
          },
        });
        break;
      }
      default: {
        const number = draft.kind === 'cosigners/1' ? ` ${body['number']}` : '';
        push(`${draft.kind}${number}`, draft);
        if (draft.kind === 'genesis/1') {
          const key = formatHex(REPORT_SIGNER.publicKey);
          addresses = new FeedAddresses(nodeSha256, PROGRAM, key);
          model = { feed: feedOf(logId(), addresses), slots: new Map(), closes: new Map() };
        }
      }
    }
  }

  function spokenOf(draft: LooseDraft, report: Report, name: string): void {
    const { at } = draft;
    const words = WORDS[name] ?? [];
    const time = (seconds: number): string => formatTime(parseTime(at as never) + seconds);
    for (const [i, [who, agrees]] of words.entries()) {
      if (agrees) say(draft, name, who, true, time(10 + i));
    }
    for (const [i, [who, agrees]] of words.entries()) {
      if (!agrees) say(draft, name, who, false, time(40 + i));
    }
    if (KEPT_BACK.includes(name)) return;
    slot += 10n;
    const { set, record, dissents } = recordOf(report, words, slot);
    const days = parseDate(report.period);
    keep(model as OnchainModel, days, record, dissents);
    const place = pagePlace(ordinalOf(CLAIMS_RULE.period, days));
    const cosigners = set.cosigners.filter((_, i) => (record.cosigners & (1 << i)) !== 0);
    const to = addresses as FeedAddresses;
    push(`${name} print`, {
      at: time(60),
      kind: 'print/1',
      body: {
        of: 'print',
        ticker: TICKER,
        period: report.period,
        digest: record.report,
        feed: to.feed(TICKER).address,
        account: to.page(TICKER, place.index).address,
        transaction: formatBase58(new Uint8Array(64).fill(Number(slot % 251n))),
        slot: Number(slot),
        cosigners: cosigners.map(({ key }) => key),
      },
    });
  }
}

/** When the feed was made, and when its second set takes effect: an hour after the log's. */
const FEED_AT = BigInt(parseTime('2026-07-01T01:00:00Z'));
const SECOND_AT = BigInt(parseTime('2026-07-17T01:20:00Z') + SET_DELAY_S);

function feedOf(log: HashHex, addresses: FeedAddresses): Mutable<FeedAccount> {
  const genesis = genesisBody();
  const rules = new MemoryViews();
  const rule = base.drafts.find(({ kind }) => kind === 'rule/1') as LooseDraft;
  const known = bodyParser(nodeSha256)('rule/1', rule.body as WireObject);
  rules.write(foldEntry({ ...known, seq: 1, at: rule.at, log } as never, rules, nodeSha256));
  return {
    bump: addresses.feed(TICKER).bump,
    cadence: CLAIMS_RULE.period,
    decimals: CLAIMS_RULE.decimals,
    ticker: TICKER,
    genesis: genesis.report_key as HashHex,
    log,
    series: formatHex(seriesId(nodeSha256, log, TICKER)) as HashHex,
    publisher: genesis.report_key as HashHex,
    nextHash: genesis.next_report_key_sha256,
    recoveryHash: genesis.recovery_key_sha256,
    rotation: null,
    latest: null,
    rules: ruleVersions(rules, TICKER).map(({ hash, rule: { applies_from: from } }) => ({
      hash,
      first: parseDate(from),
      effective: FEED_AT,
    })),
    sets: SETS.map(({ threshold, cosigners }, number) => ({
      effective: number === 0 ? FEED_AT : SECOND_AT,
      threshold,
      keys: cosigners.map(({ key }) => key as HashHex),
    })),
  };
}

function recordOf(
  report: Report,
  words: readonly (readonly [string, boolean])[],
  slot: bigint,
): { readonly set: CosignerSet; readonly record: ChainRecord; readonly dissents: number } {
  const number = BigInt(parseTime(report.published_at)) >= SECOND_AT ? 1 : 0;
  const set = SETS[number] as CosignerSet;
  const bits = (agrees: boolean): number =>
    words
      .filter(([, each]) => each === agrees)
      .reduce((all, [who]) => {
        return all | (1 << set.cosigners.findIndex(({ name }) => name === who));
      }, 0);
  const {
    value,
    publishedAt,
    report: hash,
    status,
    decimals,
    settleable,
    withheld,
    issue,
  } = printOf(nodeSha256, report);
  const own = { value, publishedAt, report: hash, status, decimals, settleable, withheld, issue };
  const dissents = bits(false);
  return {
    set,
    dissents,
    record: { ...own, rule: 0, set: number, cosigners: bits(true), dissents, slot },
  };
}

function keep(model: OnchainModel, period: number, record: ChainRecord, dissents: number): void {
  const { slots, feed } = model;
  const empty: Mutable<PageSlot> = {
    period,
    provisional: null,
    settled: null,
    corrected: null,
    dissent: false,
  };
  const slot = slots.get(period) ?? empty;
  slots.set(period, slot);
  if (dissents !== 0) slot.dissent = true;
  if (record.status === 'provisional') slot.provisional = record;
  else if (record.status === 'corrected') slot.corrected = record;
  else {
    slot.settled = record;
    feed.latest = Math.max(feed.latest ?? 0, period);
  }
}

/** Every account of a model, as bytes by address. */
export function accountsOf({ accounts }: Pick<Chained, 'accounts'>): Map<string, AccountBytes> {
  const addresses = new FeedAddresses(nodeSha256, PROGRAM, formatHex(REPORT_SIGNER.publicKey));
  const { feed, slots, closes } = accounts;
  const found = new Map<string, AccountBytes>();
  const add = (address: string, data: Uint8Array): void => {
    found.set(address, { owner: PROGRAM, data, slot: READ_SLOT });
  };
  add(addresses.feed(TICKER).address, formatFeed(feed as FeedAccount));
  const pages = new Map<number, (PageSlot | null)[]>();
  for (const [period, slot] of slots) {
    const { index, slot: at } = pagePlace(ordinalOf(CLAIMS_RULE.period, period));
    const page = pages.get(index) ?? Array.from({ length: 32 }, () => null);
    page[at] = slot as PageSlot;
    pages.set(index, page);
  }
  for (const [index, each] of pages) {
    const { address, bump } = addresses.page(TICKER, index);
    const own = formatHex(addresses.feed(TICKER).bytes) as HashHex;
    add(address, formatPage({ bump, index, feed: own, slots: each }));
  }
  for (const [day, close] of closes) {
    add(addresses.close(TICKER, day).address, formatCloseAccount(close as CloseAccount));
  }
  return found;
}

/** What a node lists of the feeds among its accounts: the first bytes of each. */
export function feedsAmong(
  accounts: ReadonlyMap<string, AccountBytes>,
  program: string,
  genesis: string,
): readonly ListedFeed[] {
  const magic = Buffer.from(FEED_MAGIC);
  return [...accounts]
    .filter(
      ([, { owner, data }]) =>
        owner === program &&
        magic.equals(data.subarray(0, magic.length)) &&
        Buffer.from(genesis, 'hex').equals(data.subarray(32, 64)),
    )
    .map(([address, each]) => ({ address, ...each, data: each.data.slice(0, FEED_HEAD_BYTES) }));
}

/** A node that answers with these accounts, as of `READ_SLOT`. */
export function lookupOf(
  accounts: ReadonlyMap<string, AccountBytes>,
  change: Partial<ChainLookup> = {},
): ChainLookup {
  const lookup: ChainLookup = {
    description: 'the word of rpc.example',
    chain: CHAIN,
    slot: KNOWN_SLOT,
    accounts: (addresses) =>
      Promise.resolve(
        addresses.map((address) => {
          parseBase58(address, 32);
          return accounts.get(address) ?? null;
        }),
      ),
    feeds: (program, genesis) =>
      Promise.resolve({ feeds: feedsAmong(accounts, program, genesis), incomplete: undefined }),
    at: (slot) => Promise.resolve(slot <= READ_SLOT ? { ...lookup, slot } : undefined),
    ...change,
  };
  return lookup;
}

/** A file that lists these accounts and no others, made at `slot`. */
export function fileOf(
  accounts: ReadonlyMap<string, AccountBytes>,
  slot: number = KNOWN_SLOT,
): ChainLookup {
  return {
    description: `the word of a file of ${accounts.size} accounts`,
    chain: CHAIN,
    slot,
    accounts: (addresses) => Promise.resolve(addresses.map((each) => accounts.get(each))),
    feeds: () => Promise.resolve({ feeds: [], incomplete: 'the file has no listing of them' }),
  };
}

/** The hash of hex bytes, for a test that needs one that nothing has. */
export function hashOfHex(hex: string): HashHex {
  return hashHex(leafHash(nodeSha256, parseHex(hex)));
}
