import { isHex, parseHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import { type BeaconChain, roundTime } from '@assay/core/timelock/beacon-chain';
import { BEACON_SIGNATURE_BYTES } from '@assay/core/timelock/sizes';
import { boundedFetch, type BoundedFetch } from '../platform/bounded-fetch.ts';
import type { Clock } from '../platform/clock.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { BeaconSource } from './beacon-source.ts';

/** Relays of the League of Entropy and of Cloudflare. Any other will do, because each signature is verified. */
export const PUBLIC_RELAYS: readonly string[] = [
  'https://api.drand.sh',
  'https://drand.cloudflare.com',
];

export interface BeaconClientOptions {
  readonly chain: BeaconChain;
  /** The addresses of drand relays, such as `https://host`, in the order in which they are asked. */
  readonly relays: readonly string[];
  /** The time limit of one relay in milliseconds, from the connection to the last byte. */
  readonly timeoutMs: number;
  readonly now: Clock;
  readonly fetch?: BoundedFetch;
}

/** An answer has some 250 bytes. */
const MAX_BYTES = 4096;
/** How relays answer for a round that is not out: Not Found and Too Early. */
const NOT_YET: ReadonlySet<number> = new Set([404, 425]);
const TITLE = 'drand relay';

/**
 * The rounds of a chain from relays with drand's HTTP API, `/<chain hash>/public/<round>`. Nobody is asked before the
 * round's time. The relays are asked one after the other until one has a signature that verifies: one that is away, wrong or
 * late costs its time limit. No redirect is followed. If no relay has a signature, the round is not out as long as one of
 * them answers that, and otherwise the fault of the first relay is thrown.
 */
export function beaconClient(options: BeaconClientOptions): BeaconSource {
  const { chain, relays, timeoutMs, now, fetch = boundedFetch } = options;
  if (relays.length === 0) throw new TypeError('beaconClient: at least one relay');

  /** The signature that a relay has, verified; undefined where it has none yet. */
  async function ask(
    relay: string,
    round: number,
    outer: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const root = relay.endsWith('/') ? relay.slice(0, -1) : relay;
    const url = `${root}/${chain.hash}/public/${round}`;
    const headers = { accept: 'application/json' };
    const { status, body } = await withDeadline(
      timeoutMs,
      TITLE,
      (signal) => fetch({ title: TITLE, method: 'GET', url, headers, maxBytes: MAX_BYTES, signal }),
      outer,
    );
    if (NOT_YET.has(status)) return undefined;
    if (status !== 200) throw new Fault('refused', TITLE, { found: `status ${status}` });
    const signature = signatureIn(body, round);
    // The curve takes some 25 ms to load, which a start should not pay for.
    const { verifyBeacon } = await import('@assay/core/timelock/beacon-signature');
    if (!verifyBeacon(chain, round, signature)) {
      throw new Fault('malformed', TITLE, { expected: `the chain's signature of round ${round}` });
    }
    return signature;
  }

  return {
    chain,
    async signature(round, signal) {
      if (now() < roundTime(chain, round)) return undefined;
      const faults: unknown[] = [];
      for (const relay of relays) {
        try {
          const signature = await ask(relay, round, signal);
          if (signature !== undefined) return signature;
        } catch (error) {
          if (signal.aborted) throw error;
          faults.push(error);
        }
      }
      if (faults.length === relays.length) throw faults[0];
      return undefined;
    },
  };
}

/** The signature in a relay's answer: `{ "round": ..., "signature": hex, ... }`. */
function signatureIn(body: Uint8Array, round: number): Uint8Array {
  let answer: unknown;
  try {
    answer = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    answer = undefined;
  }
  const { round: number, signature } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (
    number !== round ||
    typeof signature !== 'string' ||
    !isHex(signature, BEACON_SIGNATURE_BYTES)
  ) {
    const expected = `round ${round} with a signature of ${BEACON_SIGNATURE_BYTES} bytes in hex`;
    throw new Fault('malformed', TITLE, { expected });
  }
  return parseHex(signature);
}
