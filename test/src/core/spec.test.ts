import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { MESSAGE_TYPES } from '@assay/core/message/message-type';
import { canonicalize } from '@assay/core/wire/canonical';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import {
  CLOSE_MESSAGE_BYTES,
  type CloseFile,
  closeHash,
  closeMessage,
  parseCloseContent,
} from '@assay/core/report/close';
import { parseCosignerSet, setHash } from '@assay/core/report/cosigner-set';
import { REASONS } from '@assay/core/report/decide';
import { type Entry, formatEntry, parseEntry } from '@assay/core/log/entry';
import { type Evidence, formatEvidence, parseEvidence } from '@assay/core/proof/evidence';
import { contentHash, hashHex, leafHash } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { type IndexLeaf, indexLeafHash, parsePrintLeaf } from '@assay/core/completeness/leaf';
import type { CloseEntry } from '@assay/core/kind/close';
import { keyMessage, parseKeyEntry } from '@assay/core/kind/key';
import { bodyParser, KIND_NOUNS } from '@assay/core/kind/kinds';
import { formatNote, parseNote, parseNoteKey } from '@assay/core/log/note';
import { formatPack, parsePack } from '@assay/core/log/pack';
import { historyCsv } from '@assay/core/answer/history-csv';
import { settlementPayload } from '@assay/core/answer/settlement';
import { signerPayload } from '@assay/core/answer/signer';
import {
  dissentMessage,
  formatPrint,
  parsePrint,
  printOf,
  seriesId,
} from '@assay/core/report/print';
import { formatReport, parseReport, reportHash } from '@assay/core/report/report';
import { formatRule, parseRule, ruleHash } from '@assay/core/rule/rule';
import { READ_FAILURES } from '@assay/core/rule/value';
import { OPERATION_NAMES, parseStep } from '@assay/core/rule/vocabulary';
import { formatSnapshot, parseSnapshot, snapshotHash } from '@assay/core/read/snapshot';
import {
  formatStatement,
  parseStatement,
  statementHash,
  statementMessage,
} from '@assay/core/report/statement';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { unfitKey } from '@assay/core/view/key/key-changes';
import { formatWire, type WireObject, type WireValue } from '@assay/core/wire/wire';
import { ARENA_CHECKS, ARENA_MEMBERS } from './arena/spec-checks.ts';
import { REFEREE_CHECKS, REFEREE_MEMBERS } from './referee/spec-checks.ts';
import { ANCHORS, type AnchorVector } from './fixture/anchor-fixture.ts';
import { SET } from './fixture/cosigner-fixture.ts';
import {
  GENESIS,
  layoffsRule,
  ROOT,
  SampleLog,
  sampleReport,
  sha256,
  vectors,
} from './fixture/fixture.ts';
import { smallLog } from './view/small-log.ts';
import { TERMINAL_CHECKS, TERMINAL_MEMBERS } from './terminal/spec-checks.ts';
import { TIMELOCK_CHECKS } from './timelock/spec-checks.ts';

interface Block {
  readonly page: string;
  /** What follows the fence, such as `json report`. */
  readonly tag: string;
  readonly text: string;
}

const FOLDER = join(ROOT, 'docs/spec');
const PAGES: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER).map((name) => [
    name.replace('.md', ''),
    readFileSync(join(FOLDER, name), 'utf8'),
  ]),
);
const BLOCKS: readonly Block[] = [...PAGES].flatMap(([page, text]) =>
  [...text.matchAll(/^```(\S+ \S+)\n(.*?)\n```$/gms)].map(([, tag = '', body = '']) => ({
    page,
    tag,
    text: body,
  })),
);

function pageOf(name: string): string {
  const text = PAGES.get(name);
  assert.ok(text !== undefined, name);
  return text;
}

function only(page: string, tag: string): Block {
  const [block] = BLOCKS.filter((each) => each.page === page && each.tag === tag);
  assert.ok(block !== undefined, `${page}: ${tag}`);
  return block;
}

function bodyRoundTrip(kind: string, body: WireObject): void {
  const known = bodyParser(sha256)(kind, body);
  assert.deepEqual(known?.body, body);
}

function ed25519(publicKey: Uint8Array): ReturnType<typeof createPublicKey> {
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** The log that the examples are about. */
function exampleLog(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  return log;
}

/** Strings over 72 characters to their first 40. */
function outline(value: WireValue): WireValue {
  if (typeof value === 'string') return value.length > 72 ? `${value.slice(0, 40)}…` : value;
  if (Array.isArray(value)) return value.map((each: WireValue) => outline(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, outline(each)]));
}

/** What each tag of an example promises. */
const CHECKS: Readonly<Record<string, (block: Block) => void>> = {
  // Which entry it is of, and that its log tells it, is held by message/message.test.ts.
  'json message': ({ text }) => {
    const { type } = JSON.parse(text) as { readonly type: string };
    assert.ok((MESSAGE_TYPES as readonly string[]).includes(type), type);
    assert.equal(JSON.stringify(JSON.parse(text)), text);
  },
  'json value': ({ page, text }) => {
    assert.equal(canonicalize(JSON.parse(text)), only(page, 'text canonical').text);
  },
  'text canonical': ({ text }) => assert.equal(canonicalize(JSON.parse(text)), text),
  'json entry': ({ page, text }) => {
    const entry = JSON.parse(text) as Entry;
    const bytes = formatEntry(entry);
    assert.deepEqual(parseEntry(bytes), entry);
    assert.ok(pageOf(page).includes(hashHex(leafHash(sha256, bytes))), 'the leaf hash');
  },
  'json genesis': ({ text }) => bodyRoundTrip('genesis/1', JSON.parse(text) as WireObject),
  'json report-entry': ({ text }) => {
    const body = JSON.parse(text) as WireObject;
    bodyRoundTrip('report/1', body);
    const message = formatPrint(printOf(sha256, parseReport(body['report'] as WireValue)));
    const key = ed25519(parseHex(GENESIS['report_key'] as string));
    assert.ok(verify(null, message, key, parseHex(body['signature'] as string)), 'the signature');
  },
  'json evidence': ({ text }) => {
    const evidence = JSON.parse(text) as Evidence;
    assert.deepEqual(parseEvidence(formatEvidence(evidence)), evidence);
  },
  'json revision': ({ text }) => bodyRoundTrip('revision/1', JSON.parse(text) as WireObject),
  'json index': ({ text }) => {
    const body = JSON.parse(text) as WireObject;
    bodyRoundTrip('index/1', body);
    const { entries } = vectors<{ readonly entries: readonly { readonly body: unknown }[] }>(
      'index/index',
    );
    assert.ok(
      entries.some((each) => isDeepStrictEqual(each.body, body)),
      'a vector',
    );
  },
  'text index-leaf': ({ text }) => {
    const [leaf = '', hash] = text.split('\n');
    parsePrintLeaf(leaf);
    assert.equal(hashHex(indexLeafHash(sha256, 'prints', leaf as IndexLeaf)), hash);
  },
  'json close': ({ page, text }) => {
    const body = JSON.parse(text) as WireObject;
    bodyRoundTrip('close/1', body);
    const { log } = exampleLog();
    const content = parseCloseContent(body['content'] as WireValue, 'content');
    const hash = closeHash(sha256, content);
    assert.ok(pageOf(page).includes(hash), 'the content hash');
    assert.ok(pageOf(page).includes(log), 'the log id');
    const message = closeMessage(log, content.day, hash);
    assert.equal(only(page, 'hex close').text.replaceAll('\n', ''), formatHex(message));
    const key = ed25519(parseHex(GENESIS['report_key'] as string));
    assert.ok(verify(null, message, key, parseHex(body['signature'] as string)), 'the signature');
  },
  'text history-columns': ({ page, text }) => {
    const { views } = exampleLog();
    assert.equal(historyCsv(views, 'LAYOFFS' as Ticker), `${text}\n`);
    const rows = [...pageOf(page).matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \| /gm)];
    const named = rows.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
    // The table of fields comes before that of columns.
    assert.deepEqual(named.slice(named.indexOf('ticker')), text.split(','));
  },
  'text history-csv': ({ text }) => {
    const { views } = exampleLog();
    assert.equal(text.split('\n')[0], historyCsv(views, 'LAYOFFS' as Ticker).trimEnd());
    const small = historyCsv(smallLog().views, 'LAYOFFS' as Ticker);
    for (const line of text.split('\n')) assert.ok(small.split('\n').includes(line), line);
  },
  // The sentences are held against kits by vectors/settlement-page.test.ts.
  'text settlement-words': ({ text }) => assert.equal(text.split('\n').length, 3),
  'hex close': ({ text }) => {
    assert.equal(parseHex(text.replaceAll('\n', '')).length, CLOSE_MESSAGE_BYTES);
  },
  'json latest': ({ page, text }) => {
    const close = JSON.parse(only(page, 'json close').text) as CloseEntry;
    const { content, version } = close;
    const [csv, file] = content.files as readonly [CloseFile, CloseFile];
    const { display: ticker, slug } = layoffsRule();
    assert.deepEqual(JSON.parse(text), {
      type: 'assay-settlement-index/1',
      day: content.day,
      version,
      files: [{ ticker, slug, ...file, csv }],
      close: { log: exampleLog().log, ...close, public_key: GENESIS['report_key'] },
    });
  },
  'json cosigners': ({ page, text }) => {
    const body = JSON.parse(text) as WireObject;
    bodyRoundTrip('cosigners/1', body);
    assert.ok(pageOf(page).includes(setHash(sha256, parseCosignerSet(body, 'set'))), 'the hash');
  },
  'json key': ({ page, text }) => {
    const body = JSON.parse(text) as WireObject;
    bodyRoundTrip('key/1', body);
    const { log, views } = exampleLog();
    const entry = parseKeyEntry(body, 'body');
    assert.ok(pageOf(page).includes(formatHex(sha256(keyMessage(log, entry)))), 'the message');
    assert.equal(unfitKey(views, entry, sha256), undefined);
  },
  'json statement': ({ page, text }) => {
    const statement = parseStatement(JSON.parse(text) as WireObject, 'statement');
    assert.deepEqual(formatStatement(statement), formatWire(JSON.parse(text) as WireObject));
    assert.ok(pageOf(page).includes(statementHash(sha256, statement)), 'the hash');
    const message = formatHex(sha256(statementMessage(statement)));
    assert.ok(pageOf(page).includes(message), 'the hash of the message');
    assert.equal(statement.set, setHash(sha256, SET), 'the set of the page beside it');
  },
  'json print-entry': ({ text }) => bodyRoundTrip('print/1', JSON.parse(text) as WireObject),
  'hex dissent': ({ text }) => {
    const { print } = JSON.parse(only('statement', 'json statement').text) as { print: string };
    const bytes = dissentMessage(parsePrint(parseHex(print)));
    assert.equal(text.replaceAll('\n', ''), formatHex(bytes));
  },
  'json anchor': ({ page, text }) => {
    const body = JSON.parse(text) as WireObject;
    bodyRoundTrip('anchor/1', body);
    const { body: known, leaves } = ANCHORS.at(-1) as AnchorVector;
    assert.deepEqual(body, known);
    for (const { of, seq, digest, nonce } of leaves) {
      const row = `| ${of} ${of === 'checkpoint' ? 'of size' : 'of entry'} ${seq} |`;
      assert.ok(pageOf(page).includes(`${row} \`${digest}\` | \`${nonce}\` |`), row);
    }
  },
  'json beacon': ({ text }) => bodyRoundTrip('beacon/1', JSON.parse(text) as WireObject),
  'json snapshot': ({ page, text }) => {
    const bytes = formatWire(JSON.parse(text) as WireObject);
    const snapshot = parseSnapshot(bytes);
    assert.deepEqual(formatSnapshot(snapshot), bytes);
    assert.ok(pageOf(page).includes(snapshotHash(sha256, snapshot)), 'the address');
  },
  'json rule': ({ page, text }) => {
    const rule = parseRule(sha256, JSON.parse(text) as WireObject);
    assert.deepEqual(formatRule(rule), formatWire(JSON.parse(text) as WireObject));
    assert.ok(pageOf(page).includes(ruleHash(sha256, rule)), 'the hash');
  },
  'json step': ({ text }) => {
    const step = JSON.parse(text) as WireObject;
    assert.deepEqual(parseStep(step, 'step'), step);
  },
  'json report': ({ text }) => {
    const value = JSON.parse(text) as WireObject;
    assert.deepEqual(formatReport(parseReport(value)), formatWire(value));
  },
  'hex print': ({ text }) => {
    const report = parseReport(JSON.parse(only('report', 'json report').text) as WireObject);
    const bytes = parseHex(text.replaceAll('\n', ''));
    assert.deepEqual(parsePrint(bytes), printOf(sha256, report));
  },
  'hex series': ({ page, text }) => {
    const { log } = exampleLog();
    assert.ok(pageOf(page).includes(log), 'the log id');
    assert.equal(formatHex(seriesId(sha256, log, 'LAYOFFS' as Ticker)), text);
  },
  // The list is held against all points of small order by vectors/ed25519-page.test.ts.
  'text small-order': ({ text }) => {
    for (const point of text.split('\n')) assert.equal(parseHex(point).length, 32);
  },
  'text checkpoint': ({ page, text }) => {
    const bytes = formatUtf8(`${text}\n`);
    const note = parseNote(bytes);
    assert.deepEqual(formatNote(note), bytes);
    const { size } = parseCheckpoint(note.text);
    assert.equal(size, vectors<readonly unknown[]>('entry/entries').length);
    const vkey = GENESIS['checkpoint_vkey'] as string;
    assert.ok(pageOf(page).includes(vkey), 'the key');
    const { publicKey } = parseNoteKey(sha256, vkey);
    const [line] = note.signatures;
    assert.ok(
      verify(null, formatUtf8(note.text), ed25519(publicKey), line?.signature ?? publicKey),
      'the signature',
    );
  },
  'text pack': ({ text }) => {
    const bytes = parseHex(text.replaceAll(/\s/g, ''));
    const contents = parsePack(bytes);
    assert.deepEqual(formatPack(contents), bytes);
    assert.deepEqual(
      contents.blobs.map(({ hash, bytes: each }) => [hash, hashHex(contentHash(sha256, each))]),
      contents.blobs.map(({ hash }) => [hash, hash]),
    );
    assert.equal(contents.blobs.length, 1);
  },
  'json signer': ({ text }) => {
    assert.deepEqual(JSON.parse(text), signerPayload(exampleLog().views, sha256));
  },
  'json bundle-outline': ({ text }) => {
    const [whole] = vectors<readonly { readonly bundle: WireObject }[]>('bundle/bundles');
    assert.deepEqual(JSON.parse(text), outline(whole?.bundle ?? {}));
  },
  ...Object.fromEntries(
    Object.entries({
      ...TERMINAL_CHECKS,
      ...ARENA_CHECKS,
      ...REFEREE_CHECKS,
      ...TIMELOCK_CHECKS,
    }).map(([tag, check]) => [
      tag,
      ({ page, text }: Block) => check(text, pageOf(page), (other) => only(page, other).text),
    ]),
  ),
};

test('spec: every example on the pages is what the code makes and takes', () => {
  assert.ok(BLOCKS.length >= 31);
  for (const block of BLOCKS) {
    const check = CHECKS[block.tag];
    assert.ok(check !== undefined, `${block.page}: an example of an unknown kind, ${block.tag}`);
    check(block);
  }
  for (const tag of Object.keys(CHECKS))
    assert.ok(
      BLOCKS.some((block) => block.tag === tag),
      tag,
    );
});

test('spec: the first report’s hash is on its page', () => {
  const report = parseReport(JSON.parse(only('report', 'json report').text) as WireObject);
  assert.ok(pageOf('report').includes(reportHash(sha256, report)));
});

test('spec: every operation has its heading and its example', () => {
  const headings = [...pageOf('rule').matchAll(/^### ([a-z0-9_]+)$/gm)].map(
    ([, name = '']) => name,
  );
  assert.deepEqual(headings.toSorted(), OPERATION_NAMES);
  const steps = BLOCKS.filter(({ tag }) => tag === 'json step').map(
    ({ text }) => (JSON.parse(text) as { op: string }).op,
  );
  assert.deepEqual(steps, headings);
});

test('spec: every reason, kind and member is named on its page', () => {
  for (const reason of READ_FAILURES)
    assert.ok(pageOf('rule').includes(`| \`${reason}\` |`), reason);
  for (const reason of REASONS) assert.ok(pageOf('report').includes(`| \`${reason}\` |`), reason);
  for (const noun of KIND_NOUNS) assert.ok(pageOf('entry').includes(`\`${noun}\``), noun);
  for (const [page, tag] of [
    ['rule', 'json rule'],
    ['report', 'json report'],
    ['snapshot', 'json snapshot'],
    ['revision', 'json revision'],
    ['entry', 'json genesis'],
    ['bundle', 'json bundle-outline'],
    ['index', 'json index'],
    ['close', 'json close'],
    ['close', 'json latest'],
    ['anchor', 'json anchor'],
    ['anchor', 'json beacon'],
    ['cosigners', 'json cosigners'],
    ['key', 'json key'],
    ['statement', 'json statement'],
    ['print-entry', 'json print-entry'],
    ...TERMINAL_MEMBERS,
    ...ARENA_MEMBERS,
    ...REFEREE_MEMBERS,
    ['timelock', 'json drand-chain'],
    ['timelock', 'json sealed'],
  ] as const) {
    const prose = pageOf(page).replaceAll(/^```.*?^```$/gms, '');
    const { request: _saidInRule, ...value } = JSON.parse(only(page, tag).text) as WireObject;
    for (const name of membersOf(value)) {
      assert.ok(new RegExp(`[\`.{ "]${name}[\`,} ".[]`).test(prose), `${page}: ${name}`);
    }
  }
});

test('spec: every member of a settlement file is named on its page', () => {
  const log = exampleLog();
  const { period } = sampleReport('final');
  const payload = settlementPayload(log.views, 'LAYOFFS' as Ticker, sha256, period, period);
  for (const name of Object.keys(payload)) assert.ok(pageOf('close').includes(`\`${name}\``), name);
});

/** The names of all members, those within included. */
function membersOf(value: WireValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each: WireValue) => membersOf(each));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...membersOf(each)]);
}
