import { parseTime } from '@assay/core/time/time';
import { type HeaderBlock, headerBlock } from './header.ts';

/** The announcement that a route will be retired, for everyone who still calls it. */
export interface Deprecation {
  /** Since when it should not be used, as the log writes times: `2027-01-01T00:00:00Z`. */
  readonly at: string;
  /** From when on it may be gone: at least 90 days later. */
  readonly sunset: string;
  /** The path that replaces it. */
  readonly successor: string;
  /** The page that says why and what to do. */
  readonly document: string;
}

const NOTICE_S = 90 * 86_400;

/**
 * Deprecation (RFC 9745), Sunset (RFC 8594) and Link (RFC 8288, with the relations of RFC 5829 and RFC 9745).
 * Throws a TypeError if the notice is shorter than 90 days.
 */
export function deprecationBlock(deprecation: Deprecation): HeaderBlock {
  const at = parseTime(deprecation.at);
  const sunset = parseTime(deprecation.sunset);
  if (sunset - at < NOTICE_S) throw new TypeError('a route is retired with 90 days of notice');
  const target = (path: string): string => {
    if (!/^[!-;=?-~]+$/.test(path)) throw new TypeError(`not a link target: ${path}`);
    return `<${path}>`;
  };
  return headerBlock([
    ['deprecation', `@${at}`],
    ['sunset', new Date(sunset * 1000).toUTCString()],
    [
      'link',
      `${target(deprecation.successor)}; rel="successor-version", ` +
        `${target(deprecation.document)}; rel="deprecation"; type="text/html"`,
    ],
  ]);
}
