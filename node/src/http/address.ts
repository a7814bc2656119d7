import { Fault } from '@assay/core/fault';

/** An IPv6 address as eight 16-bit groups. IPv4 has its mapped form, ::ffff:0:0/96. */
export type Address = readonly number[];

/** Networks that are trusted to name the client that they forward for. */
export type TrustedProxies = readonly { readonly address: Address; readonly bits: number }[];

const MAPPED: Address = [0, 0, 0, 0, 0, 0xffff];

/** No octet begins with a zero, because some programs read that as octal. */
const OCTETS = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;

function parseIpv4(text: string): Address | undefined {
  const match = OCTETS.exec(text);
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = match.slice(1).map(Number);
  if (Math.max(a, b, c, d) > 255) return undefined;
  return [...MAPPED, a * 256 + b, c * 256 + d];
}

function parseGroups(text: string, isLast: boolean): Address | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const tail = isLast && index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (tail === undefined) return undefined;
    groups.push(...tail.slice(6));
  }
  return groups;
}

/** An address in any of its usual spellings, with or without a zone. */
export function parseAddress(text: string): Address | undefined {
  if (!text.includes(':')) return parseIpv4(text);
  const [bare = ''] = text.split('%', 1);
  const [left = '', right, ...more] = bare.split('::');
  if (more.length > 0) return undefined;
  const head = parseGroups(left, right === undefined);
  const tail = parseGroups(right ?? '', true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (right === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function isMapped(address: Address): boolean {
  return MAPPED.every((group, index) => address[index] === group);
}

/** The key that a limit counts by: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function addressKey(address: Address): string {
  if (isMapped(address)) {
    const [high = 0, low = 0] = address.slice(6);
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  }
  const network = address.slice(0, 4).map((group) => group.toString(16).padStart(4, '0'));
  return `${network.join(':')}::/64`;
}

/** Reads an address in the kernel's form: 4 or 16 bytes in network order. */
export function readAddress(bytes: Uint8Array): Address | undefined {
  const groups: number[] = bytes.length === 4 ? [...MAPPED] : [];
  if (bytes.length !== 4 && bytes.length !== 16) return undefined;
  for (let i = 0; i < bytes.length; i += 2) {
    groups.push(((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0));
  }
  return groups;
}

/** Parses addresses and `address/bits` networks. Throws `bad_config`. */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  return entries.map((entry) => {
    const [text = '', length, ...more] = entry.split('/');
    const address = parseAddress(text);
    const width = text.includes(':') ? 128 : 32;
    const bits = length === undefined ? width : Number(length);
    const fits = length === undefined || (/^\d{1,3}$/.test(length) && bits <= width);
    if (address === undefined || !fits || more.length > 0) {
      throw new Fault('bad_config', 'trusted proxy', {
        expected: 'an address or address/bits',
        found: entry,
      });
    }
    return { address, bits: width === 32 ? bits + 96 : bits };
  });
}

function isTrusted(address: Address, trusted: TrustedProxies): boolean {
  return trusted.some((network) =>
    network.address.every((group, index) => {
      const shift = 16 - Math.min(16, Math.max(0, network.bits - index * 16));
      return group >> shift === (address[index] ?? 0) >> shift;
    }),
  );
}

function parseHop(text: string): Address | undefined {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  if (bracketed !== null) return parseAddress(bracketed[1] ?? '');
  return parseAddress(text.replace(/^([\d.]+):\d+$/, '$1'));
}

/**
 * The client that a limit counts for a request: its peer, or behind trusted proxies the right-most hop of
 * X-Forwarded-For that is not itself trusted. Hops left of it are only claimed by the client. If a trusted
 * proxy wrote a hop that is no address, the last proven address counts. All peers without an address (a closed
 * socket, a local socket) count as one client.
 */
export function clientKey(
  peer: Address | undefined,
  forwardedFor: string,
  trusted: TrustedProxies,
): string {
  if (peer === undefined) return 'unknown';
  let proven = peer;
  for (const text of forwardedFor.split(',').reverse()) {
    if (!isTrusted(proven, trusted)) break;
    const hop = parseHop(text.trim());
    if (hop === undefined) break;
    proven = hop;
  }
  return addressKey(proven);
}
