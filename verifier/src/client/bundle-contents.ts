import { parseBase64 } from '@assay/core/bytes/base64';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseReportEntry } from '@assay/core/kind/report-entry';
import { ruleEntryParser } from '@assay/core/kind/rule-entry';
import { type Entry, parseEntry } from '@assay/core/log/entry';
import { parseBundle } from '@assay/core/proof/bundle';
import { type Report, reportHash } from '@assay/core/report/report';
import { type Rule, ruleHash } from '@assay/core/rule/rule';

// What a bundle that was verified has in its own entries, whatever its server said beside it.

/** The report in the entry `seq` of a verified bundle, if that is the report with this hash; undefined otherwise. */
export function reportIn(
  bytes: Uint8Array,
  seq: number,
  hash: string,
  sha256: Sha256,
): Report | undefined {
  const entry = entriesOf(bytes).find((each) => each.seq === seq);
  if (entry?.kind !== 'report/1') return undefined;
  const { report } = parseReportEntry(entry.body, 'body');
  return reportHash(sha256, report) === hash ? report : undefined;
}

/** The rule with this hash in a verified bundle; undefined where it has none. */
export function ruleIn(bytes: Uint8Array, hash: string, sha256: Sha256): Rule | undefined {
  const parse = ruleEntryParser(sha256);
  for (const { kind, body } of entriesOf(bytes)) {
    if (kind !== 'rule/1') continue;
    const { rule } = parse(body, 'body');
    if (ruleHash(sha256, rule) === hash) return rule;
  }
  return undefined;
}

function entriesOf(bytes: Uint8Array): readonly Entry[] {
  return parseBundle(bytes).entries.map((each) => parseEntry(parseBase64(each.bytes)));
}
