import { UsageError } from './exit.ts';

/** A whole number above 0 and below 10^9; undefined where the option is not given. Throws `UsageError`. */
export function positiveOption(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new UsageError(`${option} is a whole number above 0`);
  return Number(text);
}

/**
 * The address of an HTTP server, without a user: what stands on a command line stands in histories and
 * lists of processes. Throws `UsageError`, which does not quote it.
 */
export function urlOption(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${option} is an address such as http://127.0.0.1:8332`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(`${option} names no user: put user:password into ASSAY_BITCOIN_RPC_AUTH`);
  }
  return text;
}
