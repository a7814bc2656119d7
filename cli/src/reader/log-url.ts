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

/** What stands before a host that was written without its scheme: those of this machine and of a private network have no TLS. */
const PLAIN_HOST = /^(?:localhost|127\.|10\.|192\.168\.|\[::1\])/;

/** An address that somebody may have meant who left out `http://`, as the end of a sentence; empty if it is like none. */
export function meantUrl(target: string): string {
  const isHost =
    /^(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|localhost|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?(?:\/.*)?$/;
  const [, slips = ''] = /^h?t?t?ps?:?\/{0,3}(.*)$/i.exec(target) ?? [];
  const rest = isHost.test(target) ? target : isHost.test(slips) ? slips : '';
  if (rest === '' || /\.(?:json|txt|ots)$/.test(target)) return '';
  return `; did you mean ${PLAIN_HOST.test(rest) ? 'http' : 'https'}://${rest}?`;
}
