import type { RequestLine } from '../http/pipeline.ts';
import type { ReaderFigures } from '../readers/reader-messages.ts';

/** Counts what a reader answers, for its figures. */
export class ReaderCount {
  #requests = 0;
  #failures = 0;

  readonly request = ({ status }: Pick<RequestLine, 'status'>): void => {
    this.#requests += 1;
    if (status >= 500) this.#failures += 1;
  };

  /** The figures of a reader of this process. */
  of(reader: { readonly size: () => number; readonly silentS: () => number }): ReaderFigures {
    return {
      size: reader.size(),
      silentS: reader.silentS(),
      requests: this.#requests,
      failures: this.#failures,
      bytes: process.memoryUsage().rss,
    };
  }
}
