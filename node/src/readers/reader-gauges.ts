import { Gauge } from 'prom-client';
import { metric } from '../platform/metric-table.ts';
import type { ReaderFigures } from './reader-messages.ts';
import type { ReaderStatus } from './reader-processes.ts';

type Readers = () => readonly ReaderStatus[];

/**
 * What readers say of themselves, for Prometheus: a gauge for each figure, by the number of the reader. `published` is the
 * size of the newest head of the publisher, where these are its own readers.
 */
export function readerGauges(readers: Readers, published?: () => number): readonly Gauge[] {
  const gauges = [
    gauge('assay_reader_up', readers, ({ listens }) => (listens ? 1 : 0)),
    gauge('assay_reader_restarts', readers, ({ restarts }) => restarts),
    gauge('assay_reader_memory_bytes', readers, ({ figures }) => figures?.bytes ?? 0),
    gauge('assay_reader_entries', readers, ({ figures }) => figures?.size ?? 0),
    // A reader that has said nothing yet has no figure, because none would be true.
    gauge('assay_reader_silent_seconds', readers, ({ figures }) => figures?.silentS),
    requests(readers),
  ];
  if (published === undefined) return gauges;
  const behind = (figures: ReaderFigures | undefined): number =>
    Math.max(0, published() - (figures?.size ?? 0));
  return [
    ...gauges,
    gauge('assay_reader_behind_entries', readers, ({ figures }) => behind(figures)),
  ];
}

function gauge(
  name: Parameters<typeof metric>[0],
  readers: Readers,
  figure: (reader: ReaderStatus) => number | undefined,
): Gauge {
  return new Gauge({
    ...metric(name),
    registers: [],
    collect(): void {
      this.reset();
      for (const reader of readers()) {
        const found = figure(reader);
        if (found !== undefined) this.set({ reader: reader.number }, found);
      }
    },
  });
}

function requests(readers: Readers): Gauge {
  return new Gauge({
    ...metric('assay_reader_requests'),
    registers: [],
    collect(): void {
      this.reset();
      for (const { number, figures } of readers()) {
        const failed = figures?.failures ?? 0;
        this.set({ reader: number, outcome: 'failed' }, failed);
        this.set({ reader: number, outcome: 'answered' }, (figures?.requests ?? 0) - failed);
      }
    },
  });
}
