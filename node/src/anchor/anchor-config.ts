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
import type { Config, Environment } from '../config.ts';
import { nodeSha256 } from '../node-sha256.ts';
import { type AnchorParts, DEFAULT_TIMING } from './anchor-parts.ts';
import { PUBLIC_ATTESTORS, PUBLIC_EXPLORERS, PUBLIC_POOL } from './public-network.ts';

/** Milliseconds of one exchange with a calendar, and with a source of headers. */
const CALENDAR_MS = 10_000;
const HEADERS_MS = 20_000;

/**
 * Calendars and headers as a config names them. What it leaves open is the public network for a
 * production log, and nothing for a development one. Throws `bad_config` where fewer calendars are named
 * than a batch needs.
 */
export function anchorWorld(
  config: Config,
  environment: Environment,
  network: Network,
): Pick<AnchorParts, 'calendars' | 'headers' | 'network' | 'timing'> {
  const open = network === 'production';
  const pool = config.calendars ?? (open ? PUBLIC_POOL : []);
  const attestors = config.calendar_attestors ?? (open ? PUBLIC_ATTESTORS : []);
  for (const [at, addresses] of [
    ['calendars', pool],
    ['calendar_attestors', attestors],
  ] as const) {
    const count = new Set(addresses.map(withoutSlash)).size;
    if (pool.length === 0 || count >= config.calendars_required) continue;
    throw new Fault('bad_config', 'config', {
      at,
      expected: `as many as calendars_required, ${config.calendars_required}`,
      found: `${count}`,
    });
  }
  const bitcoin = bitcoinNetworkOf(network);
  const sources = headerSources(config, environment, open);
  return {
    calendars:
      pool.length === 0
        ? undefined
        : new CalendarClient({
            fetch: calendarFetch,
            pool,
            attestors,
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
  // A node or a file of one's own needs no explorer.
  const explorers =
    config.bitcoin_explorers ?? (open && sources.length === 0 ? PUBLIC_EXPLORERS : []);
  for (const url of explorers) {
    sources.push(esplora({ name: `explorer ${new URL(url).host}`, url, timeoutMs: HEADERS_MS }));
  }
  return sources;
}
