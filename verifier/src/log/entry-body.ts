import { newerFormat, READABLE_FORMATS, readableKind } from '@assay/core/kind/announced';
import { entryBody, type EntryLayout } from '@assay/core/log/entry';
import { type BodyParser, isListedKind, type KnownBody } from '@assay/core/kind/kinds';
import { messageOf } from '@assay/core/fault';
import type { WireObject } from '@assay/core/wire/wire';
import type { Findings } from '../verdict/finding.ts';

/**
 * The body of a scanned entry; undefined, with a finding, where this release does not read its kind or a format inside
 * it (`not_understood`), or where it does not fit its kind (`entry_malformed`).
 */
export function readBody(
  parse: BodyParser,
  bytes: Uint8Array,
  layout: EntryLayout,
  place: string,
  findings: Findings,
): KnownBody | undefined {
  const { kind } = layout;
  let body: WireObject | undefined;
  try {
    body = entryBody(bytes, layout);
    const known = parse(kind, body);
    if (known === undefined) {
      const expected = isListedKind(kind)
        ? readableKind(kind)
        : "a kind of this format's closed list";
      findings.add('not_understood', place, expected, kind);
    }
    return known;
  } catch (error) {
    const newer = body === undefined ? undefined : newerFormat(kind, body);
    if (newer === undefined) {
      findings.add('entry_malformed', place, `a body of ${kind}`, messageOf(error));
    } else {
      findings.add('not_understood', place, READABLE_FORMATS, newer);
    }
    return undefined;
  }
}
