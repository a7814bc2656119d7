import { BITCOIN, type BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { messageOf } from '@assay/core/fault';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';

type Environment = Readonly<Record<string, string | undefined>>;

/** Headers that were given on the command line. */
export interface LookupOptions {
  readonly headers: string | undefined;
  readonly rpc: string | undefined;
  readonly explorer: string | undefined;
  readonly network: BitcoinNetwork;
}

export interface Lookups {
  /** The most trusted first. */
  readonly lookups: readonly HeaderLookup[];
  /** Why others do not count, as text. */
  readonly refused: readonly string[];
}

/** Whether any headers were given. */
export function asksLookups({ headers, rpc, explorer }: LookupOptions): boolean {
  return [headers, rpc, explorer].some((each) => each !== undefined);
}

/** `now` is in unix seconds. */
export async function openLookups(
  { headers, rpc, explorer, network }: LookupOptions,
  environment: Environment,
  now: number,
  tell: (done: number, total: number, what: string) => void,
): Promise<Lookups> {
  const { explorerLookup, fileLookup, nodeLookup } = await import('../headers/headers-lookup.ts');
  const login = environment['ASSAY_BITCOIN_RPC_AUTH'] || undefined;
  const given: (readonly [string, () => Promise<HeaderLookup>])[] = [];
  if (headers !== undefined)
    given.push(['--headers', () => fileLookup(headers, { now, progress: tell })]);
  if (rpc !== undefined) given.push(['--bitcoin-rpc', () => nodeLookup(rpc, login, { now })]);
  if (explorer !== undefined) given.push(['--explorer', () => explorerLookup(explorer, { now })]);
  const lookups: HeaderLookup[] = [];
  const refused: string[] = [];
  for (const [option, open] of given) {
    try {
      const lookup = await open();
      const reason = countsFor(network, lookup);
      if (reason === undefined) lookups.push(lookup);
      else refused.push(`${option}: ${reason}`);
    } catch (error) {
      refused.push(`${option}: ${messageOf(error)}`);
    }
  }
  return { lookups, refused };
}

/** Whether headers of `lookup` may count: those of the development network only if they were requested. */
function countsFor(network: BitcoinNetwork, lookup: HeaderLookup): string | undefined {
  if (lookup.network === network.name) return undefined;
  return network === BITCOIN
    ? `${lookup.description}: they are of the development network, which counts with --development alone`
    : `${lookup.description}: they are Bitcoin's, and --development asks for the development network`;
}
