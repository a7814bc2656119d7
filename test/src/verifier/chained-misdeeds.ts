import { formatHex, parseHex } from '@assay/core/hex';
import type { HashHex } from '@assay/core/hash';
import { type Print, formatPrint, parsePrint } from '@assay/core/print';
import { type Report, reportHash } from '@assay/core/report';
import { statementMessage } from '@assay/core/statement';
import { formatTime, parseDate, parseTime } from '@assay/core/time';
import { nodeSha256 } from '@assay/node/node-sha256';
import { printOf } from '@assay/core/print';
import { type FeedAccount, formatFeed } from '@assay/core/onchain/feed-account';
import type { Ticker } from '@assay/core/ticker';
import type { ChainRecord } from '@assay/core/onchain/record';
import type { AccountBytes, ChainLookup } from '@assay/verifier/chain-lookup';
import type { FindingCode } from '@assay/verifier/finding';
import { FeedAddresses } from '@assay/verifier/program-address';
import { REPORT_SIGNER, testSigner } from '../node/ledger/ledger-fixture.ts';
import {
  accountsOf,
  chained,
  type Chained,
  COSIGNERS,
  keyOf,
  lookupOf,
  type OnchainModel,
  PROGRAM,
  READ_SLOT,
  setOf,
  TICKER,
  type Tweaks,
} from './chained-log.ts';
import type { Loose, LooseDraft } from './forge.ts';
import type { Misdeed } from './misdeeds.ts';
import { folderOf, judgeFolder, judgeSite, siteOf } from './published.ts';

const OTHER = 'ab'.repeat(32);
const FINAL = '2026-07-18 final 0';
const COSIGN = `${FINAL} cosign cleo`;
const DISSENT = '2026-07-04 final 0 dissent cleo';
const PRINT = `${FINAL} print`;
const CLOSE_PRINT = 'close 2026-07-23 print';
const LAST = 'close 2026-08-06';

/** A misdeed of a publisher and co-signers who hold every key, in both forms of a log. */
function spoken(name: string, code: FindingCode, tweaks: Tweaks, place?: string): Misdeed[] {
  const common = { code, ...(place === undefined ? {} : { place }) };
  return [
    { ...common, name, verdict: () => judgeSite(siteOf(chained(tweaks).published)) },
    {
      ...common,
      name: `${name}, in a folder`,
      verdict: () => judgeFolder(folderOf(chained(tweaks).published)),
    },
  ];
}

/** A change of one statement, before it is signed. */
function said(
  target: string,
  name: string,
  change: (statement: Loose) => void,
  code: FindingCode = 'statement_differs',
): Misdeed[] {
  const statement: Tweaks['statement'] = (each, body) => {
    if (each === target) change(body);
  };
  return spoken(name, code, { statement });
}

/** A change of one entry, as it stands in the log. */
function entered(
  target: string,
  name: string,
  change: (body: Loose, draft: LooseDraft) => void,
  code: FindingCode = 'feed_entry_wrong',
): Misdeed[] {
  const entry: Tweaks['entry'] = (each, draft) => {
    if (each === target) change(draft.body, draft);
  };
  return spoken(name, code, { entry });
}

/** The print message of a statement, changed. */
function withPrint(statement: Loose, change: Partial<Print>): void {
  const print = parsePrint(parseHex(statement['print'], 128));
  statement['print'] = formatHex(formatPrint({ ...print, ...change }));
}

function flipped(hex: string): string {
  const bytes = parseHex(hex);
  bytes[40] = (bytes[40] as number) ^ 1;
  return formatHex(bytes);
}

const later = (time: string, seconds: number): string =>
  formatTime(parseTime(time as never) + seconds);

const STATEMENTS: readonly Misdeed[] = [
  ...said(COSIGN, 'a statement on another log', (each) => {
    each['log'] = OTHER;
  }),
  ...said(COSIGN, 'a statement on a report that the log does not have', (each) => {
    each['report'] = OTHER;
    withPrint(each, { report: OTHER as HashHex });
  }),
  ...said(
    COSIGN,
    'a statement that names another report than its print',
    (each) => {
      each['report'] = OTHER;
    },
    'entry_malformed',
  ),
  ...said(COSIGN, 'a print with another value than the report', (each) => {
    withPrint(each, { value: 1n });
    each['own'].value = '1';
    each['kept'].value = '1';
  }),
  ...said(COSIGN, 'a print of another series', (each) => {
    withPrint(each, { series: OTHER as HashHex });
  }),
  ...said(COSIGN, 'a print of another rule', (each) => {
    withPrint(each, { rule: OTHER as HashHex });
  }),
  ...said(COSIGN, 'a print of another period', (each) => {
    withPrint(each, { period: parseDate('2026-07-11') });
  }),
  ...said(COSIGN, 'a print that was published at another time', (each) => {
    withPrint(each, { publishedAt: 1_785_000_000n });
  }),
  ...said(COSIGN, 'a print that does not settle', (each) => {
    withPrint(each, { settleable: false });
  }),
  ...said(COSIGN, 'a statement on another entry', (each) => {
    each['entry'].seq -= 1;
  }),
  ...said(COSIGN, 'a statement on an entry of another leaf', (each) => {
    each['entry'].leaf = OTHER;
  }),
  ...said(COSIGN, 'a head that is not there yet', (each) => {
    each['head'].size += 1;
  }),
  ...said(COSIGN, 'a head of another size than its root', (each) => {
    each['head'].size -= 1;
  }),
  ...said(COSIGN, 'a head with another root', (each) => {
    each['head'].root = OTHER;
  }),
  ...said(COSIGN, "a co-signer who is not of the report's set", (each) => {
    each['cosigner'] = keyOf('dora');
  }),
  ...said(COSIGN, 'a statement in another set', (each) => {
    each['set'] = OTHER;
  }),
  ...said(
    COSIGN,
    'an agreement whose own value differs',
    (each) => {
      each['own'].value = '1';
    },
    'entry_malformed',
  ),
  ...said(
    COSIGN,
    'an agreement whose kept value differs',
    (each) => {
      each['kept'].value = '1';
    },
    'entry_malformed',
  ),
  ...said(
    COSIGN,
    'an agreement without a read of its own',
    (each) => {
      each['own'] = null;
    },
    'entry_malformed',
  ),
  ...said(
    COSIGN,
    'an agreement with a reason',
    (each) => {
      each['reason'] = 'another_value';
    },
    'entry_malformed',
  ),
  ...said(COSIGN, 'a statement from before its report', (each) => {
    each['signed_at'] = later(each['signed_at'], -3600);
  }),
  ...said(COSIGN, 'a statement from after its entry', (each) => {
    each['signed_at'] = later(each['signed_at'], 3600);
  }),
  ...said(DISSENT, 'a dissent whose own read gives the report', (each) => {
    each['own'] = { ...each['kept'], reads: each['own'].reads };
  }),
  ...said(DISSENT, 'a dissent by kept bytes that give the report', (each) => {
    each['basis'] = 'retained_bytes';
  }),
  ...said(COSIGN, 'an agreement that read nobody', (each) => {
    each['own'].reads = [];
  }),
  ...said(COSIGN, 'an agreement whose reads give another number', (each) => {
    for (const read of each['own'].reads) if (read.value !== null) read.value = '999000';
  }),
  ...said(COSIGN, 'an agreement that nobody answered', (each) => {
    for (const read of each['own'].reads) {
      Object.assign(read, { value: null, outcome: 'unreachable', snapshot: null });
    }
  }),
  ...said(COSIGN, 'an agreement with a value from nowhere', (each) => {
    for (const read of each['own'].reads) read.snapshot = null;
  }),
  ...said(COSIGN, 'an agreement read after it was signed', (each) => {
    for (const read of each['own'].reads) read.read_at = later(each['signed_at'], 1);
  }),
  ...said(COSIGN, 'an agreement read before the release', (each) => {
    for (const read of each['own'].reads) read.read_at = '2020-01-01T00:00:00Z';
  }),
  ...said(COSIGN, 'an agreement that read others than the providers of the rule', (each) => {
    for (const read of each['own'].reads) read.provider = 'nobody';
  }),
  ...said(COSIGN, 'an agreement that read them in another order', (each) => {
    each['own'].reads.reverse();
  }),
  ...said(COSIGN, 'an agreement with a final that counts it provisional', (each) => {
    each['own'].status = 'provisional';
  }),
  ...said(COSIGN, 'an agreement by kept bytes of another status', (each) => {
    each['kept'].status = 'provisional';
  }),
  ...said(DISSENT, 'a dissent by kept bytes that do not give what it says', (each) => {
    Object.assign(each, { basis: 'retained_bytes', own: null });
    each['kept'] = { value: '1', status: 'final' };
  }),
  ...said(DISSENT, 'a dissent that misstates the kept bytes beside its own read', (each) => {
    each['kept'] = { value: '1', status: 'final' };
  }),
  ...said(DISSENT, 'a dissent whose reads give the report, and that says another', (each) => {
    for (const read of each['own'].reads) if (read.value !== null) read.value = '215000';
  }),
  ...said(DISSENT, 'a dissent by a status that its reads do not give', (each) => {
    Object.assign(each['own'], { value: null, status: 'void' });
  }),
  ...said(DISSENT, 'a dissent from another print', (each) => {
    withPrint(each, { value: 1n });
  }),
  ...said(DISSENT, 'a dissent under a head with another root', (each) => {
    each['head'].root = OTHER;
  }),
  ...entered(
    COSIGN,
    'a statement that was not signed so',
    (body) => {
      body['signature'] = flipped(body['signature']);
    },
    'statement_bad_signature',
  ),
  ...entered(
    COSIGN,
    'a print that was not signed so',
    (body) => {
      body['print_signature'] = flipped(body['print_signature']);
    },
    'statement_bad_signature',
  ),
  ...entered(
    COSIGN,
    "another co-signer's signature of the statement",
    (body) => {
      const message = statementMessage(body['statement']);
      const ada = COSIGNERS['ada'] as typeof REPORT_SIGNER;
      body['signature'] = formatHex(ada.sign(message));
    },
    'statement_bad_signature',
  ),
  ...entered(
    COSIGN,
    "the publisher's signature of the print for the co-signer's",
    (body) => {
      const print = parseHex(body['statement'].print);
      body['print_signature'] = formatHex(REPORT_SIGNER.sign(print));
    },
    'statement_bad_signature',
  ),
  ...entered(
    DISSENT,
    'a dissent that was not signed so',
    (body) => {
      body['dissent_signature'] = flipped(body['dissent_signature']);
    },
    'statement_bad_signature',
  ),
  ...entered(
    DISSENT,
    'a co-signature for a dissent',
    (body) => {
      const print = parseHex(body['statement'].print);
      const cleo = COSIGNERS['cleo'] as typeof REPORT_SIGNER;
      body['dissent_signature'] = formatHex(cleo.sign(print));
    },
    'statement_bad_signature',
  ),
  ...entered(
    DISSENT,
    "a dissent's statement that was not signed so",
    (body) => {
      body['signature'] = flipped(body['signature']);
    },
    'statement_bad_signature',
  ),
  ...spoken('one word twice', 'cosigner_contradicts', {
    behind: (name, draft) => (name === COSIGN ? [structuredClone(draft)] : []),
  }),
  ...spoken('an agreement behind a dissent', 'cosigner_contradicts', {
    behind: (name, draft) => (name === DISSENT ? [agreement(draft)] : []),
  }),
  ...spoken('two finals of one period with the same co-signer', 'cosigner_contradicts', {
    behind: twice(),
  }),
];

/** The agreement that a co-signer who dissents gives as well. */
function agreement({ at, body }: LooseDraft): LooseDraft {
  const statement = structuredClone(body['statement']) as Loose;
  statement['verdict'] = 'agree';
  statement['reason'] = null;
  statement['own'] = { ...statement['kept'], reads: statement['own'].reads };
  return signed(at, statement, 'cleo');
}

function signed(at: string, statement: Loose, who: string): LooseDraft {
  const { sign } = COSIGNERS[who] as typeof REPORT_SIGNER;
  return {
    at,
    kind: 'cosign/1',
    body: {
      statement,
      signature: formatHex(sign(statementMessage(statement as never))),
      print_signature: formatHex(sign(parseHex(statement['print'], 128))),
    },
  };
}

/** A second final of a period behind the first one's last word, with a co-signature of somebody who signed both. */
function twice(): NonNullable<Tweaks['behind']> {
  let report: Report | undefined;
  return (name, draft) => {
    if (name === FINAL) report = structuredClone(draft.body['report']) as Report;
    if (name !== COSIGN || report === undefined) return [];
    const value = String(BigInt(report.value as string) + 1000n);
    const other = { ...report, value } as Report;
    const print = formatPrint(printOf(nodeSha256, other));
    const entry = {
      at: draft.at,
      kind: 'report/1',
      body: { report: other as Loose, signature: formatHex(REPORT_SIGNER.sign(print)) },
    };
    const statement = structuredClone(draft.body['statement']) as Loose;
    statement['report'] = reportHash(nodeSha256, other);
    statement['print'] = formatHex(print);
    statement['own'].value = value;
    statement['kept'].value = value;
    return [entry, signed(draft.at, statement, 'cleo')];
  };
}

/** A set behind the log's last Close, which none waits before. */
function added(
  name: string,
  change: (set: Loose) => void,
  more?: (set: Loose) => Loose,
): Misdeed[] {
  return spoken(name, 'cosigners_not_allowed', { behind: withSet(change, more) });
}

function withSet(
  change: (set: Loose) => void,
  more?: (set: Loose) => Loose,
): NonNullable<Tweaks['behind']> {
  return (name, { at }) => {
    if (name !== LAST) return [];
    const set = structuredClone(setOf(2, 2, 'ada', 'ben', 'cleo')) as unknown as Loose;
    change(set);
    set['cosigners'].sort((a: Loose, b: Loose) => (a['key'] < b['key'] ? -1 : 1));
    const first = { at, kind: 'cosigners/1', body: set };
    return more === undefined ? [first] : [first, { ...first, body: more(structuredClone(set)) }];
  };
}

/** One more set at the log's end, as it may be: what the misdeeds change. */
export const ANOTHER_SET: Tweaks = { behind: withSet(() => undefined) };

/** Keys that a strict verifier and a lax one do not agree on (RFC 8032; y = 1, y = p + 1, and a point plus one of order 8). */
const BAD_KEYS: readonly (readonly [string, string])[] = [
  ['the identity', `01${'00'.repeat(31)}`],
  ['a point of order 2', `ec${'ff'.repeat(30)}7f`],
  ['an encoding over p', `ee${'ff'.repeat(30)}7f`],
  ['no point of the curve', `02${'00'.repeat(31)}`],
  ['a point with torsion', '44b356db59d3728449a9ea27287dd8d79391503e001788ba78ee0bd32a3a42d6'],
];

const SET_MISDEEDS: readonly Misdeed[] = [
  ...added('a set whose number is left out', (set) => {
    set['number'] = 3;
  }),
  ...added('a set with the number of one before', (set) => {
    set['number'] = 1;
  }),
  ...added('a set below what the policy demands', (set) => {
    set['threshold'] = 1;
    set['cosigners'] = set['cosigners'].slice(0, 1);
  }),
  ...added('a set with the publisher in it', (set) => {
    set['cosigners'][0].key = formatHex(REPORT_SIGNER.publicKey);
  }),
  ...added("a set with the key of the publisher's checkpoints in it", (set) => {
    set['cosigners'][0].key = formatHex(testSigner(2).publicKey);
  }),
  ...BAD_KEYS.flatMap(([what, key]) =>
    added(`a set with ${what} for a key`, (set) => {
      set['cosigners'][0].key = key;
    }),
  ),
  ...added(
    'a set while another waits',
    () => undefined,
    (set) => ({ ...set, number: 3 }),
  ),
];

const ENTRIES: readonly Misdeed[] = [
  ...entered(PRINT, 'a print of a report that the log does not have', (body) => {
    body['digest'] = OTHER;
  }),
  ...entered(PRINT, 'a print said under another index', (body) => {
    body['ticker'] = 'OTHER';
  }),
  ...entered(PRINT, 'a print said of another period', (body) => {
    body['period'] = '2026-07-11';
  }),
  ...entered(PRINT, 'a print that is said to be a Close', (body) => {
    body['of'] = 'close';
    body['cosigners'] = [];
  }),
  ...entered(PRINT, 'a print in a feed elsewhere', (body) => {
    body['feed'] = body['account'];
  }),
  ...entered(PRINT, 'a print on a page elsewhere', (body) => {
    body['account'] = body['feed'];
  }),
  ...entered(PRINT, 'a print with a co-signer who did not sign', (body) => {
    body['cosigners'] = [keyOf('ada'), keyOf('ben'), keyOf('dora')].sort();
  }),
  ...entered(PRINT, 'a final with fewer co-signers than its set demands', (body) => {
    body['cosigners'] = [keyOf('ada')];
  }),
  ...entered(PRINT, 'a final without co-signers', (body) => {
    body['cosigners'] = [];
  }),
  ...spoken('a final that is on chain before its quorum is in the log', 'feed_entry_wrong', {
    skip: (name) => name.startsWith(`${FINAL} cosign`) && !name.endsWith('ada'),
    entry: (name, { body }) => {
      if (name === PRINT) body['cosigners'] = [keyOf('ada')];
    },
  }),
  ...spoken('a print said twice', 'feed_entry_wrong', {
    behind: (name, draft) => (name === PRINT ? [structuredClone(draft)] : []),
  }),
  ...entered('2026-07-04 provisional 0 print', 'a provisional with a stranger', (body) => {
    body['cosigners'] = [keyOf('ben')];
  }),
  ...entered(CLOSE_PRINT, 'a Close that the log does not have', (body) => {
    body['digest'] = OTHER;
  }),
  ...entered(CLOSE_PRINT, 'a Close of another day', (body) => {
    body['period'] = '2026-07-22';
  }),
  ...entered(CLOSE_PRINT, 'a Close that is said to be a print', (body) => {
    body['of'] = 'print';
  }),
  ...entered(CLOSE_PRINT, 'a Close in an account elsewhere', (body) => {
    body['account'] = body['feed'];
  }),
  ...entered(CLOSE_PRINT, 'a Close under another index', (body) => {
    body['ticker'] = 'OTHER';
  }),
  ...spoken('a Close said twice', 'feed_entry_wrong', {
    behind: (name, draft) => (name === CLOSE_PRINT ? [structuredClone(draft)] : []),
  }),
  ...entered('genesis/1', 'prints on a chain that the log does not name', (body) => {
    body['chain'] = null;
    body['program'] = null;
  }),
];

/** A misdeed that only somebody who looks at the chain sees: the model of its accounts, or their bytes, changed. */
function onchain(
  name: string,
  code: FindingCode,
  change: {
    readonly tweaks?: Tweaks;
    readonly model?: (model: OnchainModel, log: Chained) => void;
    readonly bytes?: (accounts: Map<string, AccountBytes>, log: Chained) => void;
    readonly lookup?: Partial<ChainLookup>;
  },
  place?: string,
): Misdeed {
  return {
    name: `on chain: ${name}`,
    code,
    ...(place === undefined ? {} : { place }),
    verdict() {
      const log = chained(change.tweaks);
      change.model?.(log.accounts, log);
      const accounts = accountsOf(log);
      change.bytes?.(accounts, log);
      const options = { chain: lookupOf(accounts, change.lookup) };
      return judgeSite(siteOf(log.published), {}, options);
    },
  };
}

function fed(name: string, change: (feed: OnchainModel['feed']) => void, what?: string): Misdeed {
  const model = ({ feed }: OnchainModel): void => change(feed);
  const place = `chain ${TICKER} feed${what === undefined ? '' : `, ${what}`}`;
  return onchain(name, 'feed_differs', { model }, place);
}

function recorded(
  name: string,
  code: FindingCode,
  change: (record: { -readonly [K in keyof ChainRecord]: ChainRecord[K] }) => void,
  period = '2026-07-18',
): Misdeed {
  const model = ({ slots }: OnchainModel): void => {
    const settled = slots.get(parseDate(period))?.settled;
    if (settled == null) throw new TypeError(`no final of ${period}`);
    change(settled);
  };
  return onchain(name, code, { model }, `chain ${TICKER} ${period}`);
}

/** The account of a kind, by the length of its bytes. */
function ofLength(accounts: Map<string, AccountBytes>, length: number): string {
  const found = [...accounts].find(([, { data }]) => data.length === length);
  if (found === undefined) throw new TypeError(`no account of ${length} bytes`);
  return found[0];
}

const [FEED, PAGE, CLOSE] = [5424, 6480, 608];

/** A second feed under the publisher's key, which is the log's but for what is changed. */
function secondFeed(name: string, change: Partial<FeedAccount>): Misdeed {
  const bytes = (accounts: Map<string, AccountBytes>, { accounts: { feed } }: Chained): void => {
    const ticker = 'FAKE' as Ticker;
    const data = formatFeed({ ...(feed as FeedAccount), ticker, ...change });
    const { address } = ADDRESSES.feed(ticker);
    accounts.set(address, { owner: PROGRAM, data, slot: READ_SLOT });
  };
  return onchain(name, 'feed_unknown', { bytes }, 'chain feed ');
}

const ADDRESSES = new FeedAddresses(nodeSha256, PROGRAM, formatHex(REPORT_SIGNER.publicKey));

const FEED_MISDEEDS: readonly Misdeed[] = [
  secondFeed('a feed of a ticker that the log has no rule for', {}),
  secondFeed('a feed of another log under the same key', { log: OTHER as HashHex }),
  secondFeed('a second feed of the same ticker', { ticker: TICKER }),
  fed('a feed of another bump', (feed) => (feed.bump ^= 1), 'bump'),
  fed('a feed of another cadence', (feed) => (feed.cadence = 'utc_day'), 'cadence'),
  fed('a feed of other decimals', (feed) => (feed.decimals += 1), 'decimals'),
  fed('a feed of another index', (feed) => (feed.ticker = 'OTHER' as never), 'ticker'),
  fed(
    "a feed of another publisher's first key",
    (feed) => (feed.genesis = OTHER as HashHex),
    'genesis',
  ),
  fed('a feed of another log', (feed) => (feed.log = OTHER as HashHex), 'log'),
  fed('a feed of another series', (feed) => (feed.series = OTHER as HashHex), 'series'),
  fed('another publisher', (feed) => (feed.publisher = OTHER as HashHex), 'publisher'),
  fed('another next key', (feed) => (feed.nextHash = OTHER as HashHex), 'nextHash'),
  fed('another recovery key', (feed) => (feed.recoveryHash = OTHER as HashHex), 'recoveryHash'),
  fed(
    'a rotation that the log does not have',
    (feed) => {
      const key = formatHex(testSigner(3).publicKey) as HashHex;
      feed.rotation = { effective: 1n, coming: key, afterHash: OTHER as HashHex };
    },
    'rotation',
  ),
  fed('no settled period', (feed) => (feed.latest = null), 'latest'),
  fed(
    'a newest period before the newest',
    (feed) => (feed.latest = (feed.latest ?? 0) - 7),
    'latest',
  ),
  fed(
    'a newest period that no page has',
    (feed) => (feed.latest = (feed.latest ?? 0) + 7),
    'latest',
  ),
  fed('a newest period that is none', (feed) => (feed.latest = 2_000_000_000), 'latest'),
  fed(
    'another rule',
    (feed) => (feed.rules[0] = { ...ruleIn(feed), hash: OTHER as HashHex }),
    'rule 0',
  ),
  fed(
    'a rule from another period on',
    (feed) => {
      feed.rules[0] = { ...ruleIn(feed), first: ruleIn(feed).first + 7 };
    },
    'rule 0',
  ),
  fed(
    'a rule in effect before it was in the log',
    (feed) => {
      feed.rules[0] = { ...ruleIn(feed), effective: 1n };
      feed.sets[0] = { ...setIn(feed, 0), effective: 1n };
    },
    'rule 0',
  ),
  fed('a first rule that is older than the first set', (feed) => {
    feed.rules[0] = { ...ruleIn(feed), effective: ruleIn(feed).effective - 60n };
  }),
  fed(
    'a rule that the log does not have',
    (feed) => {
      feed.rules.push({ ...ruleIn(feed), hash: OTHER as HashHex, first: ruleIn(feed).first + 700 });
    },
    'rule 1',
  ),
  fed(
    'a rule twice',
    (feed) => {
      feed.rules.push({ ...ruleIn(feed), effective: ruleIn(feed).effective + 604_800n });
    },
    'rule 1',
  ),
  fed(
    'a set with another threshold',
    (feed) => {
      feed.sets[0] = { ...setIn(feed, 0), threshold: 3 };
    },
    'set 0',
  ),
  fed(
    'a set with another key',
    (feed) => {
      feed.sets[0] = {
        ...setIn(feed, 0),
        keys: [OTHER as HashHex, ...setIn(feed, 0).keys.slice(1)],
      };
    },
    'set 0',
  ),
  fed(
    'sets in another order',
    (feed) => {
      feed.sets.reverse();
    },
    'set',
  ),
  fed(
    'a set that the log does not have',
    (feed) => {
      feed.sets.push({ ...setIn(feed, 0), keys: [OTHER as HashHex], threshold: 1 });
    },
    'set 2',
  ),
  fed(
    'a set in effect before its week was over',
    (feed) => {
      feed.sets[1] = { ...setIn(feed, 1), effective: setIn(feed, 1).effective - 86_400n };
    },
    'set 1',
  ),
  ...[FEED, PAGE, CLOSE].flatMap((length) => [
    onchain(`an account of ${length} bytes that another program owns`, 'feed_differs', {
      bytes(accounts) {
        const at = ofLength(accounts, length);
        accounts.set(at, { ...(accounts.get(at) as AccountBytes), owner: '1'.repeat(32) });
      },
    }),
    onchain(`an account of ${length} bytes that is cut short`, 'feed_differs', {
      bytes(accounts) {
        const at = ofLength(accounts, length);
        const account = accounts.get(at) as AccountBytes;
        accounts.set(at, { ...account, data: account.data.subarray(1) });
      },
    }),
  ]),
  ...[PAGE, CLOSE].map((length) =>
    onchain(`an account of ${length} bytes that is not there`, 'feed_print_missing', {
      bytes: (accounts) => void accounts.delete(ofLength(accounts, length)),
    }),
  ),
  onchain('nothing at all', 'feed_print_missing', { bytes: (accounts) => accounts.clear() }),
  onchain('a page without its feed', 'feed_differs', {
    bytes: (accounts) => void accounts.delete(ofLength(accounts, FEED)),
  }),
];

function ruleIn(feed: OnchainModel['feed']): OnchainModel['feed']['rules'][number] {
  return feed.rules[0] as OnchainModel['feed']['rules'][number];
}

function setIn(feed: OnchainModel['feed'], number: number): OnchainModel['feed']['sets'][number] {
  return feed.sets[number] as OnchainModel['feed']['sets'][number];
}

/** Bytes of the page at a place changed. */
function paged(name: string, at: number): Misdeed {
  return onchain(name, 'feed_differs', {
    bytes(accounts) {
      const address = ofLength(accounts, PAGE as number);
      const account = accounts.get(address) as AccountBytes;
      const data = new Uint8Array(account.data);
      data[at] = (data[at] as number) ^ 1;
      accounts.set(address, { ...account, data });
    },
  });
}

const RECORD_MISDEEDS: readonly Misdeed[] = [
  recorded('another value', 'print_differs', (each) => (each.value += 1n)),
  recorded('another time', 'print_differs', (each) => (each.publishedAt += 1n)),
  recorded('another report', 'feed_print_unknown', (each) => (each.report = OTHER as HashHex)),
  recorded('a void for a final', 'print_differs', (each) => (each.status = 'void')),
  recorded('other decimals', 'print_differs', (each) => (each.decimals += 1)),
  recorded('a final that does not settle', 'print_differs', (each) => (each.settleable = false)),
  recorded('a withheld final', 'print_differs', (each) => (each.withheld = true)),
  recorded('another issue', 'print_differs', (each) => (each.issue += 1)),
  recorded('a rule that the feed does not have', 'feed_differs', (each) => (each.rule = 1)),
  recorded('a set that the feed does not have', 'feed_differs', (each) => (each.set = 2)),
  recorded(
    'a set that was not in force yet',
    'feed_differs',
    (each) => (each.set = 1),
    '2026-07-04',
  ),
  recorded(
    'a co-signature that the log does not have',
    'feed_signature_unlogged',
    (each) => {
      each.cosigners |= 4 | 2 | 1;
    },
    '2026-07-11',
  ),
  recorded('fewer co-signatures than the log says', 'feed_entry_wrong', (each) => {
    each.cosigners &= each.cosigners - 1;
  }),
  recorded('a co-signer beyond the set', 'feed_differs', (each) => (each.cosigners |= 128)),
  recorded('a dissent that the log does not have', 'feed_signature_unlogged', (each) => {
    each.dissents |= 1;
  }),
  recorded('a dissent by nobody', 'feed_differs', (each) => (each.dissents |= 128)),
  recorded('another slot than the log says', 'feed_entry_wrong', (each) => (each.slot += 1n)),
  recorded(
    'a slot after its account',
    'feed_differs',
    (each) => (each.slot = BigInt(READ_SLOT + 1)),
  ),
  onchain(
    'a rule in effect after a print under it',
    'feed_differs',
    {
      model: ({ feed }) => {
        feed.rules[0] = { ...ruleIn(feed), effective: 4_000_000_000n };
      },
    },
    `chain ${TICKER} 2026-07-04`,
  ),
  onchain('a dissent without its flag', 'feed_differs', {
    model: ({ slots }) => {
      (slots.get(parseDate('2026-07-04')) as { dissent: boolean }).dissent = false;
    },
  }),
  onchain('a flag of a dissent that nobody gave', 'feed_signature_unlogged', {
    model: ({ slots }) => {
      (slots.get(parseDate('2026-07-18')) as { dissent: boolean }).dissent = true;
    },
  }),
  onchain('a dissent that the publisher left out of the log', 'feed_signature_unlogged', {
    tweaks: { skip: (name) => name === DISSENT },
  }),
  onchain('a co-signature that the publisher left out of the log', 'feed_signature_unlogged', {
    tweaks: {
      skip: (name) => name === COSIGN,
      entry: (name, { body }) => {
        if (name === PRINT) body['cosigners'] = [keyOf('ada'), keyOf('ben')].sort();
      },
    },
  }),
  onchain(
    'a print in the place of another period',
    'feed_differs',
    {
      model: ({ slots }) => {
        const slot = slots.get(parseDate('2026-07-18')) as { period: number };
        slots.delete(parseDate('2026-07-18'));
        slots.set(parseDate('2026-07-25'), { ...slot, period: parseDate('2026-07-18') } as never);
      },
    },
    `chain ${TICKER} page`,
  ),
  onchain('a print that the publisher left out of the log', 'feed_print_unknown', {
    model: ({ slots }) => {
      const slot = slots.get(parseDate('2026-07-18'));
      if (slot?.provisional == null) throw new TypeError('no provisional');
      slots.set(parseDate('2027-01-02'), {
        period: parseDate('2027-01-02'),
        provisional: { ...slot.provisional, report: OTHER as HashHex },
        settled: null,
        corrected: null,
        dissent: false,
      });
    },
  }),
  onchain(
    'a final that is gone',
    'feed_print_missing',
    {
      model: ({ slots }) => {
        (slots.get(parseDate('2026-07-18')) as { settled: unknown }).settled = null;
      },
    },
    `chain ${TICKER} 2026-07-18`,
  ),
  onchain('a correction that is gone', 'feed_print_missing', {
    model: ({ slots }) => {
      (slots.get(parseDate('2026-07-25')) as { corrected: unknown }).corrected = null;
    },
  }),
  onchain('a provisional that is gone', 'feed_print_missing', {
    model: ({ slots }) => {
      (slots.get(parseDate('2026-07-18')) as { provisional: unknown }).provisional = null;
    },
  }),
  paged('a page of another bump', 8),
  paged('a page of another index', 12),
  paged('a page of another feed', 16),
  onchain('an entry of another slot than the chain', 'feed_entry_wrong', {
    tweaks: {
      entry: (name, { body }) => {
        if (name === PRINT) body['slot'] += 1;
      },
    },
  }),
  onchain('an entry of a Close at another slot', 'feed_entry_wrong', {
    tweaks: {
      entry: (name, { body }) => {
        if (name === CLOSE_PRINT) body['slot'] -= 1;
      },
    },
  }),
];

function closed(
  name: string,
  code: FindingCode,
  change: (close: { -readonly [K in keyof Closed]: Closed[K] }) => void,
  day = '2026-07-23',
): Misdeed {
  const model = ({ closes }: OnchainModel): void => {
    const close = closes.get(parseDate(day));
    if (close === undefined) throw new TypeError(`no Close of ${day}`);
    change(close);
  };
  return onchain(name, code, { model }, `chain ${TICKER} ${day}, Close`);
}

type Closed = NonNullable<ReturnType<OnchainModel['closes']['get']>>;

const CLOSE_MISDEEDS: readonly Misdeed[] = [
  closed('a Close of another bump', 'feed_differs', (close) => (close.bump ^= 1)),
  closed('a Close of another day', 'feed_differs', (close) => (close.day += 1)),
  closed('a Close of another feed', 'feed_differs', (close) => (close.feed = OTHER as HashHex)),
  closed('a Close of another log', 'feed_differs', (close) => (close.log = OTHER as HashHex)),
  closed('a Close at another slot', 'feed_entry_wrong', (close) => (close.slot += 1n)),
  closed(
    'a Close at a slot before its version',
    'feed_entry_wrong',
    (close) => (close.slot = 1n),
    '2026-07-30',
  ),
  closed('a Close at a slot after its account', 'feed_differs', (close) => {
    close.slot = BigInt(READ_SLOT + 1);
  }),
  closed('another Close', 'feed_print_unknown', (close) => (close.hashes[0] = OTHER as HashHex)),
  closed(
    'one Close more',
    'feed_print_unknown',
    (close) => void close.hashes.push(OTHER as HashHex),
  ),
  closed('a Close that is gone', 'feed_print_missing', (close) => {
    close.hashes[0] = OTHER as HashHex;
  }),
  closed(
    'a version twice',
    'feed_differs',
    (close) => void close.hashes.push(close.hashes[0] as HashHex),
    '2026-07-30',
  ),
  closed(
    'a day of two versions at a slot that no entry says',
    'feed_entry_wrong',
    (close) => (close.slot += 1n),
    '2026-07-30',
  ),
  closed(
    'a version that its entry says is there, and that is not',
    'feed_print_missing',
    (close) => void close.hashes.shift(),
    '2026-07-30',
  ),
];

/** Misdeeds of publishers and co-signers, in the log and on chain. */
export const CHAINED_MISDEEDS: readonly Misdeed[] = [
  ...STATEMENTS,
  ...SET_MISDEEDS,
  ...ENTRIES,
  ...FEED_MISDEEDS,
  ...RECORD_MISDEEDS,
  ...CLOSE_MISDEEDS,
];
