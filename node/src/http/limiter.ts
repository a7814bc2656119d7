import type { HeadBuffer } from './head-buffer.ts';
import { type HeaderBlock, headerBlock, type HeaderList } from './header.ts';
import type { Admission, PipelineOptions } from './pipeline.ts';
import { problem } from './problem.ts';
import type { Incoming, WholeReply } from './request.ts';
import type { BudgetName } from './route.ts';
import { WindowTable } from './window-table.ts';

/** The requests per minute that one client has, by budget. */
export type Quotas = Readonly<Record<Exclude<BudgetName, 'monitor'>, number>>;

/**
 * The requests per minute that one client has for `/status`. It is not configured: a monitor that asks every second
 * from an address with other readers has its answer, and one more often than twice a second has enough of them.
 */
export const MONITOR_QUOTA = 120;

const WINDOW_S = 60;

/** RateLimit-Policy and RateLimit of one answer, formatted only for the transport that sends it. */
class LimitStatus implements HeaderBlock {
  readonly #budget: Budget;
  readonly #left: number;
  readonly #resetS: number;

  constructor(budget: Budget, left: number, resetS: number) {
    this.#budget = budget;
    this.#left = left;
    this.#resetS = resetS;
  }

  get list(): HeaderList {
    const { name, policy } = this.#budget;
    return [...policy.list, ['ratelimit', `"${name}";r=${this.#left};t=${this.#resetS}`]];
  }

  get flat(): readonly string[] {
    return this.list.flat();
  }

  addTo(head: HeadBuffer): void {
    head.addBytes(this.#budget.bytes);
    head.addNumber(this.#left);
    head.addText(';t=');
    head.addNumber(this.#resetS);
  }
}

class Budget {
  readonly name: BudgetName;
  readonly policy: HeaderBlock;
  readonly windows: WindowTable;
  /** Both headers up to the numbers of what is left. */
  readonly bytes: Uint8Array;

  constructor(name: BudgetName, quota: number, random: (size: number) => Uint8Array) {
    this.name = name;
    this.policy = headerBlock([['ratelimit-policy', `"${name}";q=${quota};w=${WINDOW_S}`]]);
    this.windows = new WindowTable(quota, WINDOW_S, random);
    const [policy = ''] = this.policy.list.map((pair) => pair.join(': '));
    this.bytes = Buffer.from(`\r\n${policy}\r\nratelimit: "${name}";r=`);
  }
}

/** What counts the requests of clients. */
export interface Limiter {
  /**
   * Counts every request against its client's budget, whatever its method and whether or not its path exists, except for
   * paths that have no budget. The headers are those of draft-ietf-httpapi-ratelimit-headers.
   */
  readonly admit: NonNullable<PipelineOptions['admit']>;
  /**
   * Counts so many further requests against the default budget, for one that does the work of many. The seconds until the
   * client may ask again where it had none left; undefined where it had.
   */
  readonly charge: (client: string, requests: number, now: number) => number | undefined;
}

/** A limiter with these budgets. `random` returns that many unpredictable bytes. */
export function limiter(quotas: Quotas, random: (size: number) => Uint8Array): Limiter {
  const budgets = {
    default: new Budget('default', quotas.default, random),
    log: new Budget('log', quotas.log, random),
    monitor: new Budget('monitor', Math.max(MONITOR_QUOTA, quotas.default), random),
  };
  const admit: Limiter['admit'] = (request, endpoint, now): Admission | undefined => {
    const name = endpoint?.budget ?? 'default';
    if (name === 'none') return undefined;
    const budget = budgets[name];
    const left = budget.windows.take(request.client, now);
    const { resetS } = budget.windows;
    const { policy } = budget;
    if (left >= 0) return { policy, status: new LimitStatus(budget, left, resetS) };
    const status = new LimitStatus(budget, 0, resetS);
    return { policy, status, reply: refusal(request, budget.name, resetS) };
  };
  const charge: Limiter['charge'] = (client, requests, now) => {
    const { windows } = budgets.default;
    return windows.take(client, now, requests) >= 0 ? undefined : windows.resetS;
  };
  return { admit, charge };
}

function refusal(request: Incoming, name: BudgetName, resetS: number): WholeReply {
  return problem(request, 'rate_limited', {
    detail: `The budget "${name}" of this address is spent for ${resetS} s.`,
    members: { 'violated-policies': [name] },
    headers: [['retry-after', String(resetS)]],
  });
}
