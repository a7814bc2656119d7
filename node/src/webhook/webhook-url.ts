import { isIP } from 'node:net';

/** The most characters of an address. */
const MAX_URL = 2048;
/** The ports of HTTPS that receivers listen on. An empty one is 443. */
const PORTS: ReadonlySet<string> = new Set(['', '8443']);
/** Names that lead to no host of the public internet (RFC 6761, RFC 6762, RFC 8375, RFC 9476). */
const SPECIAL =
  /(?:^|\.)(?:localhost|local|internal|home\.arpa|test|example|invalid|onion|alt|arpa)$/;

/**
 * Why nothing is ever sent to an address, in words for its owner; undefined if it may be tried. The name behind it is judged when it is
 * resolved, at each connection.
 */
export function webhookUrlFault(text: string): string | undefined {
  if (text.length > MAX_URL) return `it has more than ${MAX_URL} characters`;
  // The parser of URLs drops tabs and line ends and takes a backslash as a slash, so people would see another address than is called.
  if (!/^[!-[\]-~]+$/.test(text)) return 'it has characters that no address has';
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'it is no URL';
  }
  if (url.protocol !== 'https:') return 'it does not begin with https://';
  if (url.username !== '' || url.password !== '') return 'it has a user or a password in it';
  if (!PORTS.has(url.port)) return 'its port is neither 443 nor 8443';
  if (url.hash !== '' || text.includes('#')) return 'it has a fragment, which no server gets';
  const host = url.hostname.replace(/\.$/, '');
  // The parser has already turned 2130706433, 0x7f.1 and 127.1 into 127.0.0.1.
  if (host.startsWith('[') || isIP(host) !== 0) return 'its host is an IP address';
  if (!host.includes('.')) return 'its host is a name without a domain';
  if (SPECIAL.test(host)) return 'its host is no name of the public internet';
  return undefined;
}
