import { isObject } from '../wire/schema.ts';
import type { WireObject } from '../wire/wire.ts';

/** The release that this code is of, as the packages name it. */
export const RELEASE = '0.2.0';

/**
 * Kinds of entries that this release does not read and a later one does, each with the first release that reads it.
 * They are announced one release before the first that writes them, so that a verifier of this release can say which
 * release to use instead.
 */
export const ANNOUNCED_KINDS: ReadonlyMap<string, string> = new Map();

/** What a reader of this release expects where it finds a `kind` that it does not read: which release reads it. */
export function readableKind(
  kind: string,
  announced: ReadonlyMap<string, string> = ANNOUNCED_KINDS,
): string {
  const since = announced.get(kind);
  const which =
    since === undefined
      ? 'it knows of no release that reads this one'
      : `release ${since} and later read this one`;
  return `a kind that release ${RELEASE} reads; ${which}`;
}

/** A format inside the body of a kind: which member holds it, where it is named, and the newest that this release reads. */
interface InnerFormat {
  readonly member: string;
  readonly named: 'spec' | 'type';
  readonly format: string;
  readonly newest: number;
}

const FORMATS: ReadonlyMap<string, InnerFormat> = new Map([
  ['rule/1', { member: 'rule', named: 'spec', format: 'assay-rule', newest: 2 }],
  ['report/1', { member: 'report', named: 'type', format: 'assay-report', newest: 1 }],
  ['score-rule/1', { member: 'rule', named: 'type', format: 'assay-score-rule', newest: 2 }],
  ['arena-rule/1', { member: 'rule', named: 'type', format: 'assay-arena-rule', newest: 1 }],
  ['statement/1', { member: 'statement', named: 'type', format: 'assay-statement', newest: 1 }],
]);

/**
 * The name of the format inside a `body` of `kind` if it is newer than this release reads, such as `assay-rule/3`;
 * undefined where it is not. Such a body is not malformed: it is of a later release.
 */
export function newerFormat(kind: string, body: WireObject): string | undefined {
  const inner = FORMATS.get(kind);
  if (inner === undefined) return undefined;
  const value = body[inner.member];
  const name = value !== undefined && isObject(value) ? value[inner.named] : undefined;
  const [, format, version] =
    typeof name === 'string' ? (/^([a-z-]{1,40})\/([1-9][0-9]{0,3})$/.exec(name) ?? []) : [];
  return format === inner.format && Number(version) > inner.newest ? (name as string) : undefined;
}

/** What a reader of this release expects where it finds a format that is newer than it reads. */
export const READABLE_FORMATS: string = `formats that release ${RELEASE} reads; it knows of no release that reads this one`;
