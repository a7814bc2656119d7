import { UsageError } from '../command/exit.ts';

/** A log's address in its canonical form; undefined if the target is no address. Throws `UsageError`. */
export function logUrl(target: string): string | undefined {
  if (!/^https?:\/\//.test(target)) return undefined;
  if (!URL.canParse(target)) throw new UsageError(`${target} is no URL`);
  const { href, search, hash, username, password } = new URL(target);
  if (search !== '' || hash !== '' || username !== '' || password !== '') {
    throw new UsageError('a log is at a URL without a query, a fragment or a user');
  }
  return href.replace(/\/+$/, '');
}
