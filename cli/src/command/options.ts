import { type DateText, isDate } from '@assay/core/time/time';
import { UsageError } from './exit.ts';
import { shown } from './parse.ts';

/** A whole number above 0 and below 10^9. Throws `UsageError`. */
export function positive(text: string, option: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new UsageError(`${option} is a whole number above 0`);
  return Number(text);
}

/** The number of entries, or the number of one: a whole number below 10^15. Throws `UsageError`. */
export function entryCount(text: string, option: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new UsageError(`${option} is a number of entries`);
  return Number(text);
}

/** A period or a day. Throws `UsageError`. */
export function date(text: string, option: string): DateText {
  if (!isDate(text)) {
    throw new UsageError(`${option} is a date YYYY-MM-DD${shown(text, ', unlike ')}`);
  }
  return text;
}

/** The name of a log. Throws `UsageError`. */
export function originName(text: string): string {
  if (/^[a-z0-9][a-z0-9./-]{0,127}$/.test(text)) return text;
  throw new UsageError(
    'an origin consists of lower-case letters, digits, dots, slashes and hyphens',
  );
}

/**
 * The address of an HTTP server, without a user, because command lines are visible in histories and lists of
 * processes. Throws `UsageError`, which does not quote it.
 */
export function serverUrl(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${option} is an address such as http://127.0.0.1:8332`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      `${option} must not contain a user: put user:password into ASSAY_BITCOIN_RPC_AUTH`,
    );
  }
  return text;
}
