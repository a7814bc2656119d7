import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '../../interop/postgres-cluster.ts';
import type { Link } from './link.ts';
import type { Part } from './part.ts';

/** What a machine is made with. */
export interface MachineParts {
  readonly name: string;
  readonly apiPort: number;
  /** Where it listens for readers once it is the writer. */
  readonly feedPort: number;
  /** The way to the database of each machine. */
  readonly toDatabases: readonly [Link, Link];
  /** The way on which it follows the other machine. */
  readonly follow: Link;
  readonly database: PostgresServer;
}

/** A machine with a node and a database. */
export class Machine {
  readonly name: string;
  readonly apiPort: number;
  readonly feedPort: number;
  readonly toDatabases: readonly [Link, Link];
  readonly follow: Link;
  database: PostgresServer;
  role: 'writer' | 'standby' = 'standby';
  /** How often it has begun with an empty folder. */
  life = 0;
  /** Set as soon as the node is made. */
  node!: Part;

  constructor(parts: MachineParts) {
    this.name = parts.name;
    this.apiPort = parts.apiPort;
    this.feedPort = parts.feedPort;
    this.toDatabases = parts.toDatabases;
    this.follow = parts.follow;
    this.database = parts.database;
  }

  /** The name of its data folder. */
  get data(): string {
    return `${this.name}-${this.life}`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.apiPort}`;
  }
}

/** All processes of a database. */
export function processesOf(database: PostgresServer): readonly number[] {
  try {
    const [first = ''] = readFileSync(join(database.data, 'postmaster.pid'), 'utf8').split('\n');
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8');
    return [first, ...children.trim().split(/\s+/)].filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself.
    }
  }
}

const LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib/faketime'];

/** A system clock that a file sets ahead or back, by libfaketime. The clock without steps stays as it is. */
export class SetClock {
  readonly #file: string;
  readonly #library: string;

  constructor(file: string, library: string) {
    this.#file = file;
    this.#library = library;
    this.set(0);
  }

  get variables(): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DISABLE_SHM: '1',
      NO_FAKE_STAT: '1',
    };
  }

  set(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }
}

/** Where libfaketime is; undefined where it is not installed. */
export function faketimeLibrary(): string | undefined {
  for (const folder of LIBRARIES) {
    for (const path of [
      join(folder, 'faketime', 'libfaketimeMT.so.1'),
      join(folder, 'libfaketimeMT.so.1'),
    ]) {
      try {
        readFileSync(path);
        return path;
      } catch {
        // The next one.
      }
    }
  }
  return undefined;
}
