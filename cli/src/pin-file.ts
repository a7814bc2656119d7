import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { canonicalize } from '@assay/core/canonical';
import { Fault, messageOf } from '@assay/core/fault';
import { networkOf } from '@assay/core/network';
import { formatPin, parsePin, type Pin } from '@assay/verifier/policy';

/** Pins of earlier visits, one file. */
export interface PinFile {
  /** What is pinned for a log of this origin, or for the log that was seen at the visited address. */
  readonly lookup: (origin: string) => Promise<Pin | undefined>;
  /** Keeps a newer head and where it was seen; a pin never goes back to a smaller one. */
  readonly remember: (pin: Pin) => Promise<void>;
}

/** A pin, and the addresses that the log was seen at. */
interface PinRecord {
  readonly pin: Pin;
  readonly seen_at: readonly string[];
}

/** `$XDG_STATE_HOME/assay/pins.json`, or the same under `~/.local/state`. */
export function defaultPinPath(environment: Readonly<Record<string, string | undefined>>): string {
  const state = environment['XDG_STATE_HOME'];
  const base = state === undefined || state === '' ? join(homedir(), '.local', 'state') : state;
  return join(base, 'assay', 'pins.json');
}

/**
 * The pins in a file. With an `address`, a production log once seen there stands for it: a server
 * that comes with a log of another name is held to the one that it had. Development logs come and go.
 * Throws `malformed` for a file that cannot be read: it must not turn into "never seen before".
 */
export function pinFile(path: string, address: string | undefined): PinFile {
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
    address !== undefined && networkOf(pin.origin) === 'production' && seen.includes(address);
  return {
    async lookup(origin) {
      const records = await read();
      return (records.find(isHere) ?? records.find(({ pin }) => pin.origin === origin))?.pin;
    },
    async remember(pin) {
      const records = await read();
      const known = records.find((each) => each.pin.origin === pin.origin);
      const newest = known !== undefined && known.pin.size >= pin.size ? known.pin : pin;
      const here = address === undefined ? [] : [address];
      const next: readonly PinRecord[] = [
        ...records
          .filter((each) => each !== known)
          .map((each) => ({ ...each, seen_at: each.seen_at.filter((at) => at !== address) })),
        { pin: newest, seen_at: [...new Set([...(known?.seen_at ?? []), ...here])] },
      ];
      await mkdir(dirname(path), { recursive: true });
      const temporary = `${path}.${process.pid}.tmp`;
      await writeFile(temporary, `[\n${next.map(formatRecord).join(',\n')}\n]\n`);
      await rename(temporary, path);
    },
  };
}

function formatRecord({ pin, seen_at: seen }: PinRecord): string {
  return `{"pin":${new TextDecoder().decode(formatPin(pin))},"seen_at":${JSON.stringify(seen)}}`;
}

function parseRecord(value: unknown): PinRecord {
  const record = value as Partial<Record<keyof PinRecord, unknown>> | null;
  const seen = record?.seen_at;
  const names = Object.keys(record ?? {})
    .sort()
    .join();
  if (
    names !== 'pin,seen_at' ||
    !Array.isArray(seen) ||
    seen.some((at) => typeof at !== 'string')
  ) {
    throw new Fault('malformed', 'pin', { expected: 'an object of pin and seen_at' });
  }
  const pin = parsePin(new TextEncoder().encode(canonicalize(record?.pin)));
  return { pin, seen_at: seen as readonly string[] };
}
