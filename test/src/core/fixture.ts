import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalize } from '@assay/core/canonical';
import {
  type HashHex,
  hashHex,
  leafHash,
  type Sha256,
  toHashHex,
  ZERO_HASH_HEX,
} from '@assay/core/hash';
import { parseHex } from '@assay/core/hex';
import { formatEntry } from '@assay/core/entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { parseReport, type Report } from '@assay/core/report';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { toTime } from '@assay/core/time';
import { formatUtf8 } from '@assay/core/utf8';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import type { WireObject, WireValue } from '@assay/core/wire';

export const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest();

/** The repository, from test/dist/src/core, where this file runs. */
export const ROOT: string = fileURLToPath(new URL('../../../..', import.meta.url));

/** A committed vector file: `vectors/<noun>/<name>.json`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what it holds
export function vectors<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, 'vectors', `${path}.json`), 'utf8')) as T;
}

/** The path of a file of recorded input data, or `undefined` where that data is not. */
export function sharedPath(path: string): string | undefined {
  const full = join(process.env['ASSAY_SHARED'] ?? join(ROOT, '../shared'), path);
  return existsSync(full) ? full : undefined;
}

/** Bytes that a vector gives as text or as hex. */
export function vectorBytes(vector: { readonly text?: string; readonly hex?: string }): Uint8Array {
  return vector.hex === undefined ? formatUtf8(vector.text ?? '') : parseHex(vector.hex);
}

export function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/** The two sample rules, each a record and (LAYOFFS) a mirror and a check. */
const RULES = vectors<readonly { readonly rule: WireObject }[]>('rule/rules').map(
  ({ rule }) => rule,
);

/** The weekly rule with members replaced. */
export function layoffsRule(change: Readonly<Record<string, unknown>> = {}): Rule {
  return parseRule(sha256, { ...(RULES[0] as WireObject), ...(change as WireObject) });
}

/** The monthly rule with members replaced. */
export function cpiRule(change: Readonly<Record<string, unknown>> = {}): Rule {
  return parseRule(sha256, { ...(RULES[1] as WireObject), ...(change as WireObject) });
}

/** The weekly rule as it would be if terms kept its level out of the log. */
export function withheldRule(change: Readonly<Record<string, unknown>> = {}): Rule {
  const { rights, revision, listing, providers } = layoffsRule();
  return layoffsRule({
    rights: { ...rights, level: 'withhold', settlement: 'no' },
    grade: 'C',
    revision: { ...revision, freeze_after_s: 0, provider: null },
    listing: { ...listing, no_kit: 'The level is withheld.' },
    providers: providers.map((each) => ({ ...each, retain: 'none' })),
    ...change,
  });
}

interface ReportVector {
  readonly name: string;
  readonly report: WireObject;
}

/** A committed report by name, with members replaced. */
export function sampleReport(name: string, change: Readonly<Record<string, unknown>> = {}): Report {
  const found = vectors<readonly ReportVector[]>('report/reports').find(
    (each) => each.name === name,
  );
  if (found === undefined) throw new TypeError(`no report vector ${name}`);
  return parseReport({ ...found.report, ...(change as WireObject) });
}

/** Entries as they come, folded into rows. */
export class SampleLog {
  readonly views = new MemoryViews();
  readonly entries: Uint8Array[] = [];
  log: HashHex = ZERO_HASH_HEX;
  #prev: HashHex = ZERO_HASH_HEX;

  append(kind: string, body: object, at = '2026-07-30T12:00:00Z'): void {
    const seq = this.entries.length;
    const bytes = formatEntry({
      v: 1,
      seq,
      prev: this.#prev,
      at: toTime(at),
      kind,
      body: body as WireObject,
    });
    this.#prev = hashHex(leafHash(sha256, bytes));
    if (seq === 0) this.log = this.#prev;
    this.entries.push(bytes);
    const known = bodyParser(sha256)(kind, JSON.parse(canonicalize(body)) as WireObject);
    if (known === undefined) return;
    this.views.write(
      foldEntry({ ...known, seq, at: toTime(at), log: this.log }, this.views, sha256),
    );
  }
}

/** The rows of a table as a plain object. */
export function table(views: MemoryViews, name: string): Readonly<Record<string, WireValue>> {
  return Object.fromEntries(views.list(name));
}

export const SOME_HASH: HashHex = toHashHex('5e'.repeat(32));

/** The genesis body that the vectors use. */
export const GENESIS: WireObject = (
  vectors<readonly { readonly entry: { readonly body: WireObject } }[]>('entry/entries')[0] as {
    readonly entry: { readonly body: WireObject };
  }
).entry.body;
