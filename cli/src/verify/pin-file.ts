import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { canonicalize } from '@assay/core/wire/canonical';
import { Fault, messageOf } from '@assay/core/fault';
import { isReplay, networkOf } from '@assay/core/network';
import { formatPin, type KnownPin, parsePin, type Pin } from '@assay/verifier/verdict/policy';
import { type HeldLock, isLock, takeLock } from '../process/process-lock.ts';

/** The pins of earlier visits, in one file. */
export interface PinFile {
  /** The pin for a log of this origin, or for the log that was seen at the visited address. */
  readonly lookup: (origin: string) => Promise<KnownPin | undefined>;
  /**
   * Stores a newer head, where it was seen, and whether somebody has vouched for its key by now. A pin never goes back
   * to a smaller one.
   */
  readonly remember: (pin: Pin, isVouched?: boolean) => Promise<void>;
}

/** A pin, and the addresses that the log was seen at. */
interface PinRecord {
  readonly pin: Pin;
  readonly seen_at: readonly string[];
  /** Whether somebody named its key at a visit. */
  readonly isVouched: boolean;
}

/** `$XDG_STATE_HOME/assay/pins.json`, or the same under `~/.local/state`. */
export function defaultPinPath(environment: Readonly<Record<string, string | undefined>>): string {
  const state = environment['XDG_STATE_HOME'];
  const base = state === undefined || state === '' ? join(homedir(), '.local', 'state') : state;
  return join(base, 'assay', 'pins.json');
}

/**
 * The pins in a file. With an `address`, a production log once seen there is expected there again: a server
 * that shows a log with another name is compared with the one that it had. Development logs change often and
 * are excluded. With a key that somebody vouched for, the address decides nothing, but is stored. Replays leave
 * no pin, because all of them have the same name and a key that everybody has. Throws `malformed` for a file
 * that cannot be read, which must not be treated as "never seen before".
 */
export function pinFile(path: string, address: string | undefined, holdsAddress = true): PinFile {
  const read = async (): Promise<readonly PinRecord[]> => {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    try {
      return (JSON.parse(text) as readonly unknown[]).map(parseRecord);
    } catch (cause) {
      throw new Fault('malformed', 'pin file', { at: path, found: messageOf(cause), cause });
    }
  };
  const isHere = ({ pin, seen_at: seen }: PinRecord): boolean =>
    holdsAddress &&
    address !== undefined &&
    networkOf(pin.origin) === 'production' &&
    seen.includes(address);
  return {
    async lookup(origin) {
      const records = await read();
      const named = ({ pin }: PinRecord): boolean => pin.origin === origin && !isReplay(origin);
      const found = records.find(isHere) ?? records.find(named);
      return found?.isVouched === true ? { ...found.pin, vouched: true } : found?.pin;
    },
    remember: async (pin, isVouched = false) => {
      if (isReplay(pin.origin)) return;
      await inTurn(path, async (lock) => {
        const records = await read();
        const known = records.find((each) => each.pin.origin === pin.origin);
        const newest = known !== undefined && known.pin.size >= pin.size ? known.pin : pin;
        const here = address === undefined ? [] : [address];
        const next: readonly PinRecord[] = [
          ...records
            .filter((each) => each !== known)
            .map((each) => ({ ...each, seen_at: each.seen_at.filter((at) => at !== address) })),
          {
            pin: newest,
            seen_at: [...new Set([...(known?.seen_at ?? []), ...here])],
            isVouched: isVouched || (known?.isVouched === true && isSameLog(known.pin, pin)),
          },
        ];
        const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`;
        try {
          await writeFile(temporary, `[\n${next.map(formatRecord).join(',\n')}\n]\n`);
          if (!(await lock.isHeld()))
            throw new Fault('refused', 'pin file', { at: path, found: 'its lock was lost' });
          await rename(temporary, path);
        } catch (error) {
          await rm(temporary, { force: true });
          throw error;
        }
      });
    },
  };
}

function isSameLog(a: Pin, b: Pin): boolean {
  return a.log_id === b.log_id;
}

/** A record of a key that nobody named is written as before it could be anything else. */
function formatRecord({ pin, seen_at: seen, isVouched }: PinRecord): string {
  const vouched = isVouched ? ',"vouched":true' : '';
  return `{"pin":${new TextDecoder().decode(formatPin(pin))},"seen_at":${JSON.stringify(seen)}${vouched}}`;
}

function parseRecord(value: unknown): PinRecord {
  const record = value as Partial<Record<'pin' | 'seen_at' | 'vouched', unknown>> | null;
  const seen = record?.seen_at;
  const names = Object.keys(record ?? {})
    .sort()
    .join();
  if (
    !['pin,seen_at', 'pin,seen_at,vouched'].includes(names) ||
    ![undefined, true].includes(record?.vouched as true | undefined) ||
    !Array.isArray(seen) ||
    seen.some((at) => typeof at !== 'string')
  ) {
    throw new Fault('malformed', 'pin', { expected: 'an object of pin and seen_at' });
  }
  const pin = parsePin(new TextEncoder().encode(canonicalize(record?.pin)));
  return { pin, seen_at: seen as readonly string[], isVouched: record?.vouched === true };
}

/** How often a lock that another visit holds is tried, and the milliseconds in between: for twenty seconds. */
const LOCK_TRIES = 800;
const LOCK_MS = 25;

/**
 * Runs `work` while no other visit on this machine changes the file, because a lost pin would be a new first
 * use.
 */
async function inTurn(path: string, work: (lock: HeldLock) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const lock = await takeLock(`${path}.lock`);
    if (isLock(lock)) {
      try {
        await work(lock);
      } finally {
        await lock.release();
      }
      return;
    }
    if (attempt === LOCK_TRIES) {
      throw new Fault('refused', 'pin file', {
        at: path,
        expected: 'no other visit that changes it',
        found: `process ${lock.pid} ${lock.isHere ? 'of this machine' : 'of another machine'}`,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_MS));
  }
}
