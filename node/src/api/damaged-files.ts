import type { Concern } from './concern.ts';

/** What is wrong with a file: it is not there, or has other bytes than its name or the log says. */
export type FileFault = 'missing' | 'damaged';

/** Files that one sentence of /status names. */
const MAX_TOLD = 5;

/** Settlement files that were asked for and were not what their Close names, until one is sound again. */
export class DamagedFiles {
  readonly #files = new Map<string, FileFault>();

  add(path: string, fault: FileFault): void {
    this.#files.set(path, fault);
  }

  /** It was read, and is as it should be. */
  delete(path: string): void {
    this.#files.delete(path);
  }

  /** What is wrong, for readers, with the way forward for the operator. */
  readonly concerns = (): readonly Concern[] =>
    (['damaged', 'missing'] as const).flatMap((fault) => {
      const paths = [...this.#files].flatMap(([path, each]) => (each === fault ? [path] : []));
      if (paths.length === 0) return [];
      const more = paths.length - MAX_TOLD;
      const named = `${paths.slice(0, MAX_TOLD).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
      const [verb, them] = paths.length === 1 ? ['file is', 'it'] : ['files are', 'them'];
      const reason = `Settlement ${verb} ${fault}: ${named}. Copy ${them} back from another mirror.`;
      return [{ level: 'degraded', reason }];
    });
}
