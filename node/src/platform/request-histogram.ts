import { metric } from './metric-table.ts';

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5] as const;

const { name: NAME, help: HELP } = metric('assay_http_request_seconds');

interface Cell {
  readonly method: string;
  readonly status: number;
  /** Requests by bucket, and after the last bound all slower ones. */
  readonly counts: number[];
  sum: number;
}

/**
 * Seconds from a request to its answer, by method, route and status, in Prometheus' text format. It counts for
 * every answer, where a general histogram took a tenth of the time.
 */
export class RequestHistogram {
  readonly #cells = new Map<string, Cell[]>();

  observe(method: string, route: string, status: number, seconds: number): void {
    const cell = this.#cellOf(method, route, status);
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket += 1;
    cell.counts[bucket] = (cell.counts[bucket] as number) + 1;
    cell.sum += seconds;
  }

  #cellOf(method: string, route: string, status: number): Cell {
    let cells = this.#cells.get(route);
    if (cells === undefined) {
      cells = [];
      this.#cells.set(route, cells);
    }
    for (const cell of cells) {
      if (cell.status === status && cell.method === method) return cell;
    }
    const counts = Array.from({ length: BOUNDS.length + 1 }, () => 0);
    const cell = { method, status, counts, sum: 0 };
    cells.push(cell);
    return cell;
  }

  text(): string {
    const lines = [`# HELP ${NAME} ${HELP}`, `# TYPE ${NAME} histogram`];
    for (const [route, cells] of this.#cells) {
      for (const { method, status, counts, sum } of cells) {
        // Methods, patterns and statuses contain nothing that the format would escape.
        const labels = `method="${method}",route="${route}",status="${status}"`;
        let total = 0;
        for (const [i, count] of counts.entries()) {
          total += count;
          lines.push(`${NAME}_bucket{le="${BOUNDS[i] ?? '+Inf'}",${labels}} ${total}`);
        }
        lines.push(`${NAME}_sum{${labels}} ${sum}`, `${NAME}_count{${labels}} ${total}`);
      }
    }
    return `${lines.join('\n')}\n`;
  }
}
