import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Fault } from '@assay/core/fault';
import type { Network } from '@assay/core/network';
import { isPublicAddress } from './public-address.ts';
import { originOf } from './source-hosts.ts';

export interface AddressGuardOptions {
  /** The network of the log whose rules are read. On the development network sources may be anywhere. */
  readonly network: Network;
  /** Hosts, in the form of `HOST_PATTERN`, that may have any address. */
  readonly privateHosts: readonly string[];
  /** Resolves names. The default is the system's resolver. */
  readonly lookup?: LookupFunction;
}

/** How many origins are remembered. */
const MAX_REFUSED = 64;

/**
 * Restricts connections to public addresses, so that a name that somebody else owns does not lead into the
 * network of whoever asks it. It judges the addresses that a socket is given to connect to, inside the socket's
 * own lookup, so it does not matter how a name resolves before or after.
 */
export class AddressGuard {
  readonly #anywhere: boolean;
  readonly #privateOrigins: ReadonlySet<string>;
  readonly #lookup: LookupFunction;
  readonly #refused = new Set<string>();

  constructor({ network, privateHosts, lookup = systemLookup }: AddressGuardOptions) {
    this.#anywhere = network === 'development';
    this.#privateOrigins = new Set(privateHosts.map(originOf));
    this.#lookup = lookup;
  }

  /** Origins that were not asked because of their addresses. */
  get refused(): readonly string[] {
    return [...this.#refused];
  }

  /**
   * The lookup for sockets to `url`. Throws `address_refused` if the URL's host is itself an address that is
   * not public, because a socket does not look that up. The lookup fails with the same code if any of a name's
   * addresses is not public.
   */
  lookupFor(url: URL): LookupFunction {
    if (this.#anywhere || this.#privateOrigins.has(url.origin)) return this.#lookup;
    const literal = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw this.#refuse(url.origin);
    return (hostname, options, done) => {
      this.#lookup(hostname, { ...options, all: true }, (error, found) => {
        const addresses = Array.isArray(found) ? found : [];
        const [first] = addresses;
        if (error !== null) done(error, []);
        else if (first === undefined || !addresses.every((each) => isPublicAddress(each.address))) {
          done(this.#refuse(url.origin), []);
        } else if (options.all === true) done(null, addresses);
        else done(null, first.address, first.family);
      });
    };
  }

  #refuse(origin: string): Fault {
    if (this.#refused.size < MAX_REFUSED) this.#refused.add(origin);
    return new Fault('address_refused', 'host', {
      expected: 'public addresses',
      found: 'one that is not',
    });
  }
}
