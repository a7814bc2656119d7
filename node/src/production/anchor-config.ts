import { bitcoinNetworkOf } from '@assay/core/bitcoin/bitcoin-network';
import { Fault } from '@assay/core/fault';
import type { Network } from '@assay/core/network';
import { CalendarClient, withoutSlash } from '../bitcoin/calendar-client.ts';
import { calendarFetch } from '../bitcoin/calendar-fetch.ts';
import { coreRpc } from '../bitcoin/core-rpc.ts';
import { esplora } from '../bitcoin/esplora.ts';
import { headerFile } from '../bitcoin/header-file.ts';
import { HeaderFollower } from '../bitcoin/header-follower.ts';
import type { HeaderSource } from '../bitcoin/header-source.ts';
import type { Config, Environment } from './config.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { type AnchorParts, DEFAULT_TIMING } from '../anchor/anchor-parts.ts';
import { PUBLIC_EXPLORERS, PUBLIC_HOLDERS, PUBLIC_POOL } from '../anchor/public-network.ts';

/** The milliseconds of one exchange with a calendar, and with a source of headers. */
const CALENDAR_MS = 10_000;
const HEADERS_MS = 20_000;

/**
 * Calendars and headers as a configuration names them. The defaults are the public network for a production
 * log, and nothing for a development one. Throws `bad_config` if fewer calendars are named than a batch needs,
 * if it is not stated which of them is behind an address, and if there are calendars but no headers, because
 * then no block could ever be recorded.
 */
export function anchorWorld(
  config: Config,
  environment: Environment,
  network: Network,
): Pick<AnchorParts, 'calendars' | 'headers' | 'network' | 'timing'> {
  const open = network === 'production';
  const pool = config.calendars ?? (open ? PUBLIC_POOL : []);
  const attestors =
    config.calendar_attestors ?? pool.map((address) => PUBLIC_HOLDERS.get(address) ?? address);
  const holders = new Map<string, string>();
  for (const [i, address] of pool.entries()) {
    const holder = attestors[i];
    if (holder !== undefined) holders.set(withoutSlash(address), withoutSlash(holder));
  }
  const bitcoin = bitcoinNetworkOf(network);
  const sources = headerSources(config, environment, open);
  if (pool.length > 0) requireStamps(config, holders, attestors.length < pool.length, sources);
  return {
    calendars:
      pool.length === 0
        ? undefined
        : new CalendarClient({
            fetch: calendarFetch,
            pool,
            attestors,
            holders,
            timeoutMs: CALENDAR_MS,
            sha256: nodeSha256,
          }),
    headers: sources.length === 0 ? undefined : new HeaderFollower({ network: bitcoin, sources }),
    network: bitcoin,
    timing: {
      ...DEFAULT_TIMING,
      required: config.calendars_required,
      stampEveryS: config.stamp_every_s,
      beaconEveryS: config.beacon_every_s,
    },
  };
}

function requireStamps(
  { calendars_required: required }: Config,
  holders: ReadonlyMap<string, string>,
  short: boolean,
  sources: readonly HeaderSource[],
): void {
  const refuse = (at: string, expected: string, found: string): never => {
    throw new Fault('bad_config', 'config', { at, expected, found });
  };
  if (short) {
    refuse('calendar_attestors', 'one for each of calendars, in their order', 'fewer');
  }
  const enough = `as many as calendars_required, ${required}`;
  if (holders.size < required) refuse('calendars', enough, `${holders.size}`);
  const different = new Set(holders.values()).size;
  if (different < required) refuse('calendar_attestors', enough, `${different}`);
  if (sources.length > 0) return;
  const words =
    'bitcoin_rpc, bitcoin_headers or bitcoin_explorers as well as calendars: without headers nobody is asked ' +
    'for the proof of a stamp, and no block is recorded; calendars: [] stamps nothing';
  refuse('bitcoin_explorers', words, 'none of them');
}

function headerSources(
  config: Config,
  environment: Environment,
  open: boolean,
): readonly HeaderSource[] {
  const network = bitcoinNetworkOf(open ? 'production' : 'development');
  const sources: HeaderSource[] = [];
  if (config.bitcoin_rpc !== null) {
    const user = environment['ASSAY_BITCOIN_RPC_AUTH'];
    const authorization =
      user === undefined || user === ''
        ? undefined
        : `Basic ${Buffer.from(user, 'utf8').toString('base64')}`;
    sources.push(coreRpc({ url: config.bitcoin_rpc, authorization, timeoutMs: HEADERS_MS }));
  }
  if (config.bitcoin_headers !== null) {
    sources.push(headerFile({ path: config.bitcoin_headers, network }));
  }
  // A node or a file of the operator's own needs no explorer.
  const explorers =
    config.bitcoin_explorers ?? (open && sources.length === 0 ? PUBLIC_EXPLORERS : []);
  for (const url of explorers) {
    sources.push(esplora({ name: `explorer ${new URL(url).host}`, url, timeoutMs: HEADERS_MS }));
  }
  return sources;
}
