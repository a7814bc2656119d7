import { BlockList, isIP } from 'node:net';

/** IPv4 that is not public, by IANA's special-purpose registry (RFC 6890), and everything above 223. */
const NOT_PUBLIC_4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by the clients of a provider (CGNAT)
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's own service for its machines, on an address that is public elsewhere
  ['169.254.0.0', 16], // link-local; metadata of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // IETF protocols; metadata of clouds
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/** What is not public inside 2000::/3, outside of which nothing is. This includes embedded IPv4. */
const NOT_PUBLIC_6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // IETF protocols, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
];

const GLOBAL_6 = new BlockList();
GLOBAL_6.addSubnet('2000::', 3, 'ipv6');

const NOT_PUBLIC = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_4) NOT_PUBLIC.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of NOT_PUBLIC_6) NOT_PUBLIC.addSubnet(network, prefix, 'ipv6');

/**
 * Whether an IP address, in the system's notation, can belong to anybody on the internet: global unicast (RFC
 * 4291), and no translation of IPv4 (mapped, NAT64, 6to4). False for what is no address.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !NOT_PUBLIC.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  return GLOBAL_6.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6');
}
