import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { CosignerSet } from '@assay/core/report/cosigner-set';
import { messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { NOTE_COSIGNATURE, parseNoteKey } from '@assay/core/log/note';
import { parseTime, type TimeText } from '@assay/core/time/time';
import type { WitnessPeer } from '../witness/client/witness-client.ts';
import { RecounterChild } from './recounter-child.ts';
import type { RecounterSetting, PublisherAddress } from './recounter-messages.ts';

/**
 * From when on the replay's reports name co-signers: its last eight days. A rule has to be on chain a week before it
 * begins, and the invented claims begin in August.
 */
export const COSIGNED_FROM: number = parseTime('2026-07-24T00:00:00Z' as TimeText);

const NAMES = ['recounter-1', 'recounter-2'] as const;

/** How many of the development co-signers a settlement needs. */
export const COSIGNERS_REQUIRED: number = NAMES.length;

/** An address at which nobody listens: port 0. */
const NOWHERE = 'http://127.0.0.1:0';

/**
 * The milliseconds before a recounter that has ended is started again, which double as long as it never works,
 * and how often that is tried.
 */
const AGAIN_MS = 500;
const MOST_STARTS = 5;
/** The most polls until every statement has been made and received. One is enough if nothing is in the way. */
const MOST_LOOKS = 50;

export interface RecountersWorld {
  /** The folder of the demo's data. */
  readonly root: string;
  /** The name of the network, as in the publisher's origin. */
  readonly network: string;
  readonly setting: Omit<RecounterSetting, 'name' | 'origin' | 'data'>;
  readonly host: string;
  readonly log: Logger;
}

/** The address of a running recounter. */
export interface RecounterPlace {
  readonly name: string;
  readonly url: string;
  readonly pid: number | undefined;
  /** Its key as a witness of checkpoints. */
  readonly witnessVkey: string | null;
}

/** One recounter over all its processes. */
interface Member {
  readonly name: string;
  child: RecounterChild;
  /** What identifies it permanently; known when it is open. */
  opened: Promise<{ readonly key: string; readonly vkey: string; readonly logId: string }>;
  /** Resolves when it works, or to undefined if it will not. */
  begun: Promise<RecounterPlace | undefined>;
  place: RecounterPlace | undefined;
  /** How many processes have ended since one worked. */
  died: number;
}

/** Two recounters, `recounter-1` and `recounter-2`, each in its own process and folder. */
export class DevelopmentRecounters {
  readonly #world: RecountersWorld;
  readonly #members: readonly Member[];
  #publisher: PublisherAddress | undefined;
  #closing: Promise<void> | undefined;
  readonly #kill = (): void => killNow(this.#members.map(({ child }) => child));

  /** Starts the processes, which do nothing before `begin`. */
  constructor(world: RecountersWorld) {
    this.#world = world;
    this.#members = NAMES.map((name) => this.#start(name));
    // Before anybody removes the folder that they write to.
    process.prependListener('exit', this.#kill);
  }

  /** Their keys, as a set of co-signers. */
  async set(): Promise<CosignerSet> {
    const cosigners = await Promise.all(
      this.#members.map(async ({ name, opened }) => ({ name, key: (await opened).key })),
    );
    const sorted = cosigners.sort((a, b) => (a.key < b.key ? -1 : 1));
    return { number: 0, threshold: COSIGNERS_REQUIRED, cosigners: sorted };
  }

  /** Where they are now, without those that are being started. */
  get places(): readonly RecounterPlace[] {
    return this.#members.flatMap(({ place }) => place ?? []);
  }

  /** Those that work now, as witnesses of the publisher, each at the address that it has when it is asked. */
  witnesses(sha256: Sha256): readonly WitnessPeer[] {
    return this.#members.flatMap((member) => {
      const vkey = member.place?.witnessVkey;
      if (vkey == null) return [];
      const peer: WitnessPeer = {
        key: parseNoteKey(sha256, vkey, NOTE_COSIGNATURE),
        // Its port changes with each start.
        get url() {
          return member.place?.url ?? NOWHERE;
        },
      };
      return [peer];
    });
  }

  /** Makes them follow a publisher. Resolves when both do. */
  async begin(publisher: PublisherAddress): Promise<void> {
    this.#publisher = publisher;
    for (const member of this.#members) member.begun = this.#begin(member);
    await Promise.all(this.#members.map(({ begun }) => begun));
  }

  /**
   * Makes each one that works poll once. Never throws: a failure is reported, and the recounter is started
   * again.
   */
  async follow(): Promise<void> {
    await Promise.all(
      this.#members.map(async ({ name, child, place }) => {
        if (place === undefined) return;
        try {
          await child.follow();
        } catch (error) {
          this.#tell(name, error);
        }
      }),
    );
  }

  /** Makes them poll until each has followed `size` entries and has sent all its statements. */
  async catchUp(size: number): Promise<void> {
    await Promise.all(this.#members.map((member) => this.#catchUp(member, size)));
  }

  /** Ends the processes and waits for their end. */
  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#members.map(({ child }) => child.close())).then(() => {
      process.off('exit', this.#kill);
    });
    return this.#closing;
  }

  #start(name: string): Member {
    const child = this.#fork(name);
    const member: Member = {
      name,
      child,
      opened: child.opened(),
      begun: Promise.resolve(undefined),
      place: undefined,
      died: 0,
    };
    // Whoever needs it waits for it. Until then a rejection is not unhandled.
    member.opened.catch(() => undefined);
    this.#watch(member, child);
    return member;
  }

  #fork(name: string): RecounterChild {
    const { root, network, setting } = this.#world;
    const origin = `${network}/${name}`;
    return new RecounterChild({ ...setting, name, origin, data: join(root, name) });
  }

  /** Starts a recounter again when its process ends. */
  #watch(member: Member, child: RecounterChild): void {
    void child.ended.then(async () => {
      if (this.#closing !== undefined) return;
      member.place = undefined;
      member.died += 1;
      const { log } = this.#world;
      if (member.died > MOST_STARTS) {
        log.error(
          { recounter: member.name },
          'a recounter has ended too often and is not started again',
        );
        return;
      }
      log.warn({ recounter: member.name }, 'a recounter has ended and is started again');
      const wait = AGAIN_MS * 2 ** (member.died - 1);
      await new Promise((resolve) => setTimeout(resolve, wait));
      if (this.#closing !== undefined) return;
      const next = this.#fork(member.name);
      member.child = next;
      member.opened = next.opened();
      member.opened.catch(() => undefined);
      this.#watch(member, next);
      if (this.#publisher !== undefined) member.begun = this.#begin(member);
    });
  }

  /** Starts one at any free port, because the port that it had may not be free for a while. */
  async #begin(member: Member): Promise<RecounterPlace | undefined> {
    const { child, name } = member;
    const { host, log } = this.#world;
    const publisher = this.#publisher as PublisherAddress;
    try {
      await member.opened;
      const others = this.#members.filter((other) => other !== member);
      const peers = await Promise.all(
        others.map(async (other) => {
          const { vkey, logId } = await other.opened;
          return { name: other.name, vkey, logId };
        }),
      );
      const { port: at, witnessVkey } = await child.begin({ publisher, peers, host, port: 0 });
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${at}`;
      const place = { name, url, pid: child.pid, witnessVkey };
      member.place = place;
      if (member.died > 0) log.warn({ recounter: name, url }, 'it works again');
      member.died = 0;
      for (const other of others) {
        other.child.tellOf(name, url);
        if (other.place !== undefined) child.tellOf(other.name, other.place.url);
      }
      return place;
    } catch (error) {
      this.#tell(name, error);
      return undefined;
    }
  }

  async #catchUp(member: Member, size: number): Promise<void> {
    for (let i = 0; i < MOST_LOOKS && this.#closing === undefined; i += 1) {
      if ((await member.begun) === undefined || member.place === undefined) {
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS / 10));
        continue;
      }
      try {
        const looked = await member.child.follow();
        if (looked.size >= size && looked.unposted === 0) return;
      } catch (error) {
        this.#tell(member.name, error);
      }
    }
  }

  #tell(recounter: string, error: unknown): void {
    if (this.#closing !== undefined) return;
    this.#world.log.warn({ recounter, reason: messageOf(error) }, 'a recounter');
  }
}

/** How many milliseconds a process may take to disappear once it is killed. */
const GONE_MS = 1000;

/** Kills processes and waits for them without the event loop, which has ended when a process exits. */
function killNow(children: readonly RecounterChild[]): void {
  const pids = children.flatMap(({ lives, pid }) => (lives && pid !== undefined ? [pid] : []));
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let ms = 0; ms < GONE_MS && pids.some(isRunning); ms += 5) Atomics.wait(cell, 0, 0, 5);
}

/** Whether a process still does anything. One that has ended is a zombie until its parent has waited for it. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
