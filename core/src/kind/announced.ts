import { isObject } from '../wire/schema.ts';
import type { WireObject } from '../wire/wire.ts';

/** The release that this code is of, as the packages name it. */
export const RELEASE = '0.1.0';

/**
 * Kinds of entries that this release does not read and a later one does, each with the first release that reads it.
 * They are announced one release before the first that writes them, so that a verifier of this release can say which
 * release to use instead.
 */
export const ANNOUNCED_KINDS: ReadonlyMap<string, string> = new Map(
  [
    'question/1',
    'answers/1',
    'outcome/1',
    'arena-rule/1',
    'round/1',
    'forecast/1',
    'freeze/1',
    'unseal/1',
    'grade/1',
  ].map((kind) => [kind, '0.2.0']),
);

/** What a reader of this release expects where it finds a `kind` that it does not read: which release reads it. */
export function readableKind(kind: string): string {
  const since = ANNOUNCED_KINDS.get(kind);
  const which =
    since === undefined
      ? 'it knows of no release that reads this one'
      : `release ${since} and later read this one`;
  return `a kind that release ${RELEASE} reads; ${which}`;
}

/** The newest version of each format inside a body that this release reads. */
const FORMATS: ReadonlyMap<string, number> = new Map([
  ['assay-rule', 2],
  ['assay-report', 1],
  ['assay-score-rule', 1],
  ['assay-statement', 1],
]);

/**
 * The name of a format inside `body` that is newer than those that this release reads, such as `assay-rule/3`;
 * undefined where there is none. Such a body is not malformed: it is of a later release.
 */
export function newerFormat(body: WireObject): string | undefined {
  for (const value of Object.values(body)) {
    if (!isObject(value)) continue;
    const name = value['spec'] ?? value['type'];
    const [, format, version] =
      typeof name === 'string' ? (/^([a-z-]{1,40})\/([1-9][0-9]{0,3})$/.exec(name) ?? []) : [];
    const newest = FORMATS.get(format ?? '');
    if (newest !== undefined && Number(version) > newest) return `${format}/${version}`;
  }
  return undefined;
}
