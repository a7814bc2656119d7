// Loaded into a process before its program: tells at its end what it cost, as a line of JSON in the file that
// ASSAY_BENCH_METER names.
import { writeFileSync } from 'node:fs';

/** What a process cost over its life. */
export interface Metered {
  /** Of all threads. */
  readonly processorSeconds: number;
  /** The most that was resident. */
  readonly mebibytes: number;
}

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const metered: Metered = {
    processorSeconds: (user + system) / 1e6,
    mebibytes: process.resourceUsage().maxRSS / 1024,
  };
  writeFileSync(process.env['ASSAY_BENCH_METER'] ?? '/dev/null', JSON.stringify(metered));
});
