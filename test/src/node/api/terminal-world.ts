import { type TestContext } from 'node:test';
import { toHash } from '@assay/core/hash/hash';
import type { LiveReading, TerminalReadings } from '@assay/node/terminal/answer/terminal-readings';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import type { LogRecord } from '@assay/node/ledger/record';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import type { TerminalSettings } from '@assay/node/service';
import type { SampleLog } from '../../core/fixture/fixture.ts';
import { type TerminalMarket, terminalLog } from '../../core/terminal/terminal-log.ts';
import { Judge } from './judge.ts';
import { serveWorld, type TRANSPORTS } from './world-service.ts';

/** An answer that the document describes. */
export interface HeardAnswer {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | null;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what it holds
  readonly json: <T>() => T;
}

export interface TerminalWorld {
  readonly log: SampleLog;
  readonly market: TerminalMarket;
  readonly blobs: MemoryBlobStore;
  /** Unix seconds; set by the test. */
  now: number;
  /** Readings by symbol; set by the test. */
  readonly readings: Map<string, LiveReading>;
  readingsVersion: number;
  /** Asks with a path and its query; what comes is held against the document. */
  readonly ask: (target: string, headers?: Record<string, string>) => Promise<HeardAnswer>;
  /** The address of the service. */
  readonly base: string;
  /** The body of an answer as bytes. */
  readonly bytes: (target: string) => Promise<Uint8Array>;
}

/** What readers are shown of a log in memory: all of it, at each moment. */
export function shownRecord(log: SampleLog): LogRecord {
  return {
    get published() {
      return {
        size: log.entries.length,
        root: toHash(new Uint8Array(32)),
        note: new Uint8Array(),
      };
    },
    shown: log.views,
    blocked: undefined,
    tile: () => Promise.resolve(undefined),
  };
}

/** A service over a small market of `days`, or over another record. */
export async function terminalWorld(
  t: TestContext,
  transport: (typeof TRANSPORTS)[number],
  days: number,
  change: { readonly record?: LogRecord; readonly terminal?: TerminalSettings } = {},
): Promise<TerminalWorld> {
  const { log, market } = terminalLog(days);
  const blobs = new MemoryBlobStore();
  for (const blob of market.blobs.values()) await blobs.put(blob);
  const read = new Map<string, LiveReading>();
  const readings: TerminalReadings = {
    get version() {
      return world.readingsVersion;
    },
    of: (symbol, ts) => {
      const reading = read.get(symbol);
      return reading?.ts === ts ? reading : undefined;
    },
  };
  const world = {
    log,
    market,
    blobs,
    now: market.newest + 60,
    readings: read,
    readingsVersion: 1,
  };
  const record = change.record ?? shownRecord(log);
  const closeParts = { now: () => world.now } as never;
  const { base, publication } = await serveWorld(
    t,
    { ledger: record as never, blobs, closeParts },
    transport,
    { record, terminal: { readings, ...change.terminal } },
  );
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
  const judge = new Judge(document);
  const ask = async (
    target: string,
    headers: Record<string, string> = {},
  ): Promise<HeardAnswer> => {
    // As a publication does: nothing that was made before the newest entry stands.
    publication.changed(log.entries.length, new Set(['ticks/crypto']));
    const response = await fetch(`${base}${target}`, { headers });
    const text = await response.text();
    const header = (name: string): string | null => response.headers.get(name);
    const path = (target.split('?')[0] ?? '')
      .replace(/^\/v1/, '')
      .replace(/^\/(asset|base-rate|history)\/.*/, '/$1/{symbol}');
    const operation = document.paths[path]?.get;
    if (operation === undefined) throw new Error(`no operation ${path}`);
    judge.check(operation, { status: response.status, text, header }, target);
    const { status } = response;
    return { status, text, header, json: () => JSON.parse(text) as never };
  };
  const bytes = async (target: string): Promise<Uint8Array> =>
    new Uint8Array(await (await fetch(`${base}${target}`)).arrayBuffer());
  return Object.assign(world, { base, ask, bytes });
}
