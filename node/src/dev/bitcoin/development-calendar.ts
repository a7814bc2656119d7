import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { parseHex } from '@assay/core/bytes/hex';
import type { Operation } from '@assay/core/ots/operation';
import { formatTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Clock } from '../../platform/clock.ts';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import type { CalendarFetch } from '../../bitcoin/calendar-fetch.ts';
import type { DevelopmentChain } from './development-chain.ts';
import {
  type DevelopmentRequest,
  type DevelopmentResponse,
  textResponse,
} from './development-request.ts';

export interface DevelopmentCalendarOptions {
  readonly chain: DevelopmentChain;
  /** Identifies its commitments in the chain, even after its address has changed. */
  readonly name: string;
  /** The URI in its pending attestations, without a slash at the end. */
  readonly uri: string;
  readonly now: Clock;
}

export interface DevelopmentCalendar {
  readonly uri: string;
  /** Answers `POST /digest` and `GET /timestamp/<hex>` as an OpenTimestamps calendar does. */
  answer(request: DevelopmentRequest): DevelopmentResponse;
}

/** The calendars of the development network without a server. */
export const DEVELOPMENT_CALENDARS: readonly { readonly name: string; readonly uri: string }[] = [
  { name: 'alice', uri: 'http://alice.calendar.development' },
  { name: 'bob', uri: 'http://bob.calendar.development' },
];

const TIMESTAMP_TYPE = 'application/vnd.opentimestamps.v1';
const MAX_DIGEST = 64;

/**
 * A calendar over a development chain. Before each answer it advances the chain to `now`. A commitment is `u32
 * time || sha256(digest || nonce) || 8 bytes of its own`; the same digest in the same second has the same one.
 */
export function developmentCalendar(options: DevelopmentCalendarOptions): DevelopmentCalendar {
  const { chain, name, uri, now } = options;

  function submit(digest: Uint8Array): DevelopmentResponse {
    if (digest.length === 0 || digest.length > MAX_DIGEST) {
      return textResponse(400, `a digest has 1 to ${MAX_DIGEST} bytes`);
    }
    const time = new Uint8Array(4);
    new DataView(time.buffer).setUint32(0, now());
    const nonce = nodeSha256(concatBytes(formatUtf8(name), time, digest)).slice(0, 16);
    const hash = nodeSha256(concatBytes(digest, nonce));
    const mac = nodeSha256(concatBytes(formatUtf8(name), hash)).slice(0, 8);
    chain.add(name, concatBytes(time, hash, mac));
    const steps: readonly Operation[] = [
      { op: 'append', argument: nonce },
      { op: 'sha256' },
      { op: 'prepend', argument: time },
      { op: 'append', argument: mac },
    ];
    return timestampResponse(
      steps.reduceRight<Timestamp>((next, operation) => ({ items: [{ operation, next }] }), {
        items: [{ attestation: { kind: 'pending', uri } }],
      }),
    );
  }

  function look(hex: string): DevelopmentResponse {
    if (!/^([0-9a-f]{2}){1,4096}$/.test(hex)) return textResponse(400, 'Not a commitment');
    const commitment = parseHex(hex);
    const proof = chain.proof(commitment);
    if (proof !== undefined) return timestampResponse(proof);
    return chain.stateOf(commitment).kind === 'unknown'
      ? textResponse(404, 'Commitment not found')
      : textResponse(404, 'Pending confirmation in Bitcoin blockchain');
  }

  return {
    uri,
    answer({ method, path, body }) {
      chain.advance(now());
      if (method === 'POST' && path === '/digest') return submit(body);
      if (method === 'GET' && path.startsWith('/timestamp/')) {
        return look(path.slice('/timestamp/'.length));
      }
      return textResponse(404, 'Not found');
    },
  };
}

/** A fetch that reaches the given calendars without a socket, and nothing else. */
export function developmentFetch(calendars: readonly DevelopmentCalendar[]): CalendarFetch {
  return async ({ method, url, body = new Uint8Array(0) }) => {
    const calendar = calendars.find(({ uri }) => url.startsWith(`${uri}/`));
    if (calendar === undefined) throw new Fault('unreachable', 'development calendar');
    return calendar.answer({ method, path: url.slice(calendar.uri.length), body });
  };
}

function timestampResponse(timestamp: Timestamp): DevelopmentResponse {
  return { status: 200, contentType: TIMESTAMP_TYPE, body: formatTimestamp(timestamp) };
}
