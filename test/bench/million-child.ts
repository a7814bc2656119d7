// One process of the subject `million`: writes a log of reports into a folder, or opens it and polls; or writes notes.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Rule, ruleHash } from '@assay/core/rule/rule';
import { parseTicker } from '@assay/core/rule/ticker';
import { DAY_SECONDS, formatDate, formatTime, parseDate } from '@assay/core/time/time';
import type { ViewState } from '@assay/core/view/view';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { openData } from '@assay/node/data/open-data';
import { type EntryDraft, Ledger } from '@assay/node/ledger/ledger';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { duePeriods } from '@assay/node/round/due';
import { OpenPeriods } from '@assay/node/round/open-periods';
import { readRuleFile } from '@assay/node/rule/rule-file';
import { noteDraft } from './bench-ledger.ts';
import type { Polled } from './million.ts';

const SAMPLES = fileURLToPath(new URL('../../../samples/', import.meta.url));
const INDEXES = 100;
const BATCH = 500;
/** Notes in one append. */
const NOTES = 1000;
/** The bytes of a blob: what counts here is how many there are. */
const BLOB_BYTES = 512;
const FIRST = parseDate('1980-01-05');
const POLLS = 20;

const [root = '', what = '', count = '0'] = process.argv.slice(2);
const reports = Number(count);
const folder = dataFolder(join(root, 'data'));
/** Some days after the newest period. */
const now =
  what === 'notes'
    ? (): number => Math.floor(Date.now() / 1000)
    : (): number => (FIRST + 7 * (reports / INDEXES) + 3) * DAY_SECONDS;
const tickers = Array.from({ length: INDEXES }, (_, i) => parseTicker(`INDEX${i}`, 'ticker'));

async function open(): Promise<{
  readonly ledger: Ledger;
  readonly blobs: Awaited<ReturnType<typeof openData>>['blobs'];
}> {
  const opened = await openData(folder, nodeSha256, { passphrase: undefined, sync: false });
  const ledger = await Ledger.open({
    ...opened,
    sha256: nodeSha256,
    signer: opened.checkpoints,
    now,
    askHeads: null,
    prove: 'behind',
  });
  return { ledger, blobs: opened.blobs };
}

async function write(): Promise<void> {
  await initData(folder, nodeSha256, now, {
    origin: 'development/million',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const { ledger, blobs } = await open();
  await ledger.proven();
  const sample = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', 'LAYOFFS.2.json'));
  const rules = tickers.map((ticker, i): Rule => ({
    ...sample,
    ticker,
    display: ticker,
    slug: `index${i}`,
  }));
  for (const rule of rules) await ledger.write(() => [{ kind: 'rule/1', body: { rule } }]);
  const hashes = rules.map((rule) => ruleHash(nodeSha256, rule));
  for (let start = 0; start < reports; start += BATCH) {
    const drafts: EntryDraft[] = [];
    const puts: Promise<unknown>[] = [];
    for (let i = start; i < Math.min(start + BATCH, reports); i += 1) {
      const body = reportOf(i, hashes[i % INDEXES] as string, ledger.log as string);
      drafts.push({ kind: 'report/1', body } as unknown as EntryDraft);
      puts.push(blobs.put(blobOf(2 * i)));
      if (i % 2 === 0) puts.push(blobs.put(blobOf(2 * i + 1)));
    }
    await Promise.all(puts);
    await ledger.write(() => drafts);
  }
  await ledger.close();
}

function blobOf(number: number): Uint8Array {
  const bytes = new Uint8Array(BLOB_BYTES);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

/** The final of a week, as the sample's rule makes one. */
function reportOf(number: number, rule: string, log: string): unknown {
  const period = FIRST + 7 * Math.floor(number / INDEXES);
  const published = formatTime((period + 5) * DAY_SECONDS);
  const snapshot = createHash('sha256')
    .update(blobOf(2 * number))
    .digest('hex');
  const read = { outcome: 'ok', read_at: published, retain: 'bytes', snapshot, value: '205000' };
  return {
    report: {
      type: 'assay-report/1',
      log,
      ticker: tickers[number % INDEXES],
      rule: { hash: rule, version: 2 },
      period: formatDate(period),
      issue: 0,
      status: 'final',
      reason: null,
      value: '205000',
      decimals: 0,
      withheld: false,
      commitment: null,
      settleable: true,
      grade: 'C',
      z: '-0.5',
      band: 'normal',
      dispersion: '0',
      reads: [
        { ...read, provider: 'synthetic-claims-csv', role: 'record' },
        { ...read, provider: 'synthetic-claims-json', role: 'mirror' },
      ],
      cosigners: { set: null, required: 0 },
      supersedes: null,
      after: null,
      published_at: published,
    },
    signature: 'a1'.repeat(64),
  };
}

/** Rows with a count of those that were read. */
function counted(views: ViewState): { readonly state: ViewState; readonly rows: () => number } {
  let rows = 0;
  function* counting<T>(all: Iterable<T>): Generator<T> {
    for (const each of all) {
      rows += 1;
      yield each;
    }
  }
  const get: ViewState['get'] = (table, key) => {
    rows += 1;
    return views.get(table, key);
  };
  return {
    state: {
      get,
      list: (table) => counting(views.list(table)),
      descend: (table, below) => counting(views.descend(table, below)),
    },
    rows: () => rows,
  };
}

/** Seconds of processor time of this process so far. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function poll(): Promise<void> {
  const { ledger } = await open();
  const opened = spent();
  await ledger.proven();
  const proven = spent();
  const openPeriods = new OpenPeriods();
  for (let i = 0; i < 200; i += 1) {
    for (const ticker of tickers) duePeriods(ticker, ledger.tip, now(), openPeriods);
  }
  const { state, rows } = counted(ledger.tip);
  for (const ticker of tickers) duePeriods(ticker, state, now(), openPeriods);
  const before = spent();
  for (let i = 0; i < POLLS; i += 1) {
    for (const ticker of tickers) duePeriods(ticker, ledger.tip, now(), openPeriods);
  }
  const polled: Polled = {
    rows: rows(),
    ms: ((spent() - before) / POLLS) * 1000,
    resident: process.memoryUsage().rss / 1024 ** 2,
    opened,
    proven,
  };
  await ledger.close();
  writeFileSync(join(root, 'polled.json'), JSON.stringify(polled));
}

/** A log of notes, which a verification can check as it is. */
async function writeNotes(): Promise<void> {
  await initData(folder, nodeSha256, now, {
    origin: 'development/million',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const { ledger } = await open();
  await ledger.proven();
  for (let done = 0; done < reports; done += NOTES) {
    const length = Math.min(NOTES, reports - done);
    await ledger.write(() => Array.from({ length }, noteDraft));
  }
  await ledger.close();
}

await (what === 'write' ? write() : what === 'notes' ? writeNotes() : poll());
