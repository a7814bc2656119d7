import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import { formatPin, parsePin, type Pin } from '@assay/verifier/policy';
import { canonicalize } from '@assay/core/canonical';

/** Pins of earlier visits, one file, by origin. */
export interface PinFile {
  readonly lookup: (origin: string) => Promise<Pin | undefined>;
  /** Keeps a newer head; a pin never goes back to a smaller one. */
  readonly remember: (pin: Pin) => Promise<void>;
}

/** `$XDG_STATE_HOME/assay/pins.json`, or the same under `~/.local/state`. */
export function defaultPinPath(environment: Readonly<Record<string, string | undefined>>): string {
  const state = environment['XDG_STATE_HOME'];
  const base = state === undefined || state === '' ? join(homedir(), '.local', 'state') : state;
  return join(base, 'assay', 'pins.json');
}

export function pinFile(path: string): PinFile {
  const read = async (): Promise<ReadonlyMap<string, Pin>> => {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
      throw error;
    }
    try {
      const pins = (JSON.parse(text) as readonly unknown[]).map((each) =>
        parsePin(new TextEncoder().encode(canonicalize(each))),
      );
      return new Map(pins.map((pin) => [pin.origin, pin]));
    } catch (cause) {
      // A pin file that cannot be read must not turn into "never seen before".
      throw new Fault('malformed', 'pin file', { at: path, found: messageOf(cause), cause });
    }
  };
  return {
    lookup: async (origin) => (await read()).get(origin),
    async remember(pin) {
      const pins = new Map(await read());
      const known = pins.get(pin.origin);
      if (known !== undefined && known.size >= pin.size) return;
      pins.set(pin.origin, pin);
      const decoder = new TextDecoder();
      const lines = [...pins.values()].map((each) => decoder.decode(formatPin(each)));
      await mkdir(dirname(path), { recursive: true });
      const temporary = `${path}.${process.pid}.tmp`;
      await writeFile(temporary, `[\n${lines.join(',\n')}\n]\n`);
      await rename(temporary, path);
    },
  };
}
