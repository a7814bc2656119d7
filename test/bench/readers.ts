import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@assay/core/fault';
import { median } from './contest.ts';
import type { PublisherOrder, PublisherWord } from './readers-child.ts';
import type { LoadOrder, LoadWord } from './readers-load.ts';
import type { Row } from './row.ts';

export interface ReaderBenchOptions {
  readonly rounds: number;
  readonly ms: number;
}

const PUBLISHER = fileURLToPath(new URL('./readers-child.js', import.meta.url));
const LOAD = fileURLToPath(new URL('./readers-load.js', import.meta.url));
const PATH = '/indices';
const CONNECTIONS = 50;
/** Publications a second: twenty times as many as a busy publisher has. */
const PER_SECOND = 20;
/** Of a tick of the kernel's accounting, in microseconds: USER_HZ is 100 on Linux. */
const TICK_US = 10_000;

/** A publisher with so many readers in processes of their own; with none it answers itself. */
class Place {
  readonly name: string;
  readonly child: ChildProcess;
  port = 0;
  pids: readonly number[] = [];
  readonly published = new Map<number, number>();

  constructor(name: string, readers: number) {
    this.name = name;
    this.child = fork(PUBLISHER, [String(readers)]);
    this.child.on('message', (word: PublisherWord) => {
      if ('seq' in word) this.published.set(word.seq, word.at);
    });
  }

  async open(): Promise<void> {
    const word = await this.#word('port');
    this.port = word.port;
    this.pids = word.pids;
  }

  /** Publishes while `work` runs; publications a second. */
  async publishing<T>(work: () => Promise<T>): Promise<{ readonly rate: number; readonly of: T }> {
    this.child.send({ publish: PER_SECOND } satisfies PublisherOrder);
    const of = await work();
    const done = this.#word('published');
    this.child.send({ stop: true } satisfies PublisherOrder);
    const { published, seconds } = await done;
    return { rate: published / seconds, of };
  }

  /** Microseconds of processor time of those that answer; undefined where the system does not say. */
  get cpu(): number | undefined {
    try {
      return this.pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
    } catch {
      return undefined;
    }
  }

  async #word<K extends 'port' | 'published'>(
    kind: K,
  ): Promise<Extract<PublisherWord, Readonly<Record<K, unknown>>>> {
    for (;;) {
      const [word] = (await once(this.child, 'message')) as [PublisherWord];
      if (kind in word) return word as never;
    }
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}

function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

interface Measured {
  readonly rate: number;
  readonly p99: number;
  /** Microseconds of processor time of a request. */
  readonly cost: number;
}

async function measure(load: ChildProcess, place: Place, ms: number, rate = 0): Promise<Measured> {
  const before = place.cpu;
  load.send({
    port: place.port,
    path: PATH,
    connections: CONNECTIONS,
    ms,
    rate,
  } satisfies LoadOrder);
  const [word] = (await once(load, 'message')) as [LoadWord];
  if (word.failures > 0) throw new Error(`${place.name}: ${word.failures} requests failed`);
  const cost = before === undefined ? Number.NaN : ((place.cpu ?? 0) - before) / word.requests;
  return { rate: word.requests / word.seconds, p99: word.p99, cost };
}

/** Milliseconds from publications to the events that a reader of the stream has of them, sorted. */
async function latencies(place: Place, ms: number): Promise<readonly number[]> {
  const stop = new AbortController();
  const took: number[] = [];
  const seen = new Map<number, number>();
  const answer = await fetch(`http://127.0.0.1:${place.port}/events`, { signal: stop.signal });
  const reading = (async () => {
    let text = '';
    for await (const chunk of answer.body ?? []) {
      const at = Number(process.hrtime.bigint()) / 1e6;
      text += Buffer.from(chunk as Uint8Array).toString('latin1');
      for (const [, seq] of text.matchAll(/^id: (\d+)-/gm)) {
        seen.set(Number(seq), seen.get(Number(seq)) ?? at);
      }
      text = text.slice(text.lastIndexOf('\n\n') + 2);
    }
  })().catch(() => undefined);
  await place.publishing(() => new Promise((resolve) => setTimeout(resolve, ms)));
  stop.abort();
  await reading;
  for (const [seq, at] of seen) {
    const published = place.published.get(seq);
    if (published !== undefined) took.push(at - published);
  }
  return took.toSorted((a, b) => a - b);
}

/** A publisher that answers itself, and with one and two readers, in turns. */
export async function readerRows({ rounds, ms }: ReaderBenchOptions): Promise<readonly Row[]> {
  const load = fork(LOAD);
  const places = [
    new Place('itself', 0),
    new Place('1 reader', 1),
    new Place('2 readers', 2),
  ] as const;
  try {
    for (const place of places) await place.open();
    return await rowsOf(load, places, { rounds, ms });
  } catch (error) {
    return [{ what: 'readers', peer: 'the publisher itself', skipped: messageOf(error) }];
  } finally {
    load.disconnect();
    for (const place of places) await place.close();
  }
}

async function rowsOf(
  load: ChildProcess,
  places: readonly [Place, Place, Place],
  { rounds, ms }: ReaderBenchOptions,
): Promise<readonly Row[]> {
  const full = new Map<Place, Measured[]>(places.map((place) => [place, []]));
  const busy = new Map<Place, { idle: number[]; capped: number[]; p99: number[] }>(
    places.map((place) => [place, { idle: [], capped: [], p99: [] }]),
  );
  const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  for (let round = 0; round <= rounds; round += 1) {
    for (let turn = 0; turn < places.length; turn += 1) {
      const place = places[(round + turn) % places.length] as Place;
      const found = await measure(load, place, ms);
      const { rate: idle } = await place.publishing(wait);
      const half = found.rate / 2;
      const { rate: capped, of } = await place.publishing(() => measure(load, place, ms, half));
      if (round === 0) continue; // practice
      full.get(place)?.push(found);
      const kept = busy.get(place);
      kept?.idle.push(idle);
      kept?.capped.push(capped);
      kept?.p99.push(of.p99);
    }
  }
  const [itself, one, two] = places;
  const of = (place: Place, read: (found: Measured) => number): readonly number[] =>
    (full.get(place) ?? []).map(read);
  const ratio = (ours: readonly number[], theirs: readonly number[]): number =>
    median(ours.map((value, i) => value / (theirs[i] as number)));
  const row = (
    what: string,
    unit: string,
    [ours, peer, theirs]: readonly [readonly number[], string, readonly number[]],
    goal: number | null,
    isCost = false,
  ): Row => ({
    what,
    unit,
    ours: median(ours),
    peer,
    theirs: median(theirs),
    ratio: isCost ? ratio(theirs, ours) : ratio(ours, theirs),
    goal,
  });
  const rates = (place: Place): readonly number[] => of(place, ({ rate }) => rate);
  const costs = (place: Place): readonly number[] => of(place, ({ cost }) => cost);
  const publications = (place: Place) => busy.get(place) ?? { idle: [], capped: [], p99: [] };
  const shown = await latencies(one, ms);
  const own = await latencies(itself, ms);
  const at = (values: readonly number[], share: number): readonly number[] => [
    values[Math.floor(values.length * share)] ?? Number.NaN,
  ];
  const what = `${PATH} of a publisher with readers, ${CONNECTIONS} connections`;
  return [
    row(
      `${what}: 1 reader`,
      'requests/s',
      [rates(one), 'the publisher itself', rates(itself)],
      null,
    ),
    row(`${what}: 2 readers`, 'requests/s', [rates(two), '1 reader', rates(one)], null),
    row(
      `processor time of it: 1 reader`,
      'µs',
      [costs(one), 'the publisher itself', costs(itself)],
      null,
      true,
    ),
    row(
      'publication with load capped at half of what 1 reader can do',
      'a second',
      [publications(one).capped, 'the same without load', publications(one).idle],
      0.9,
    ),
    row(
      'publication with load capped at half of what 2 readers can do',
      'a second',
      [publications(two).capped, 'the same without load', publications(two).idle],
      0.9,
    ),
    row(
      'publication with load capped at half of what the publisher itself can do, without readers',
      'a second',
      [publications(itself).capped, 'the same without load', publications(itself).idle],
      null,
    ),
    row(
      `99th of a hundred ${PATH} at that load while the log grows: 1 reader`,
      'ms',
      [publications(one).p99, 'the publisher itself', publications(itself).p99],
      null,
      true,
    ),
    row(
      'from publication to the event of a reader, median',
      'ms',
      [at(shown, 0.5), 'of the publisher itself', at(own, 0.5)],
      null,
      true,
    ),
    row(
      'from publication to the event of a reader, 99th of a hundred',
      'ms',
      [at(shown, 0.99), 'of the publisher itself', at(own, 0.99)],
      null,
      true,
    ),
  ];
}
