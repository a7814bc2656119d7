// What a worker of the fault suite tells its parent, and the places at which it ends as a power cut would.
import { writeSync } from 'node:fs';

/** In one piece, and given to the system before anything else happens. */
export function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Work with a place to die before and after it. */
export type Around = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Ends the process at `place`, the `count`th time that it comes there. */
export function dyingAt(place: string, count: number): Around {
  let left = count;
  const pass = (here: string): void => {
    if (here !== place) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  return async (name, work) => {
    pass(`before-${name}`);
    const done = await work();
    pass(`after-${name}`);
    return done;
  };
}
