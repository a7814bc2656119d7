import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDemo } from '@assay/node/demo/demo';
import { makeLogger } from '@assay/node/log';
import type { RunningNode } from '@assay/node/node';

/** A demo on a free port with a folder of its own; `environment` as the process would have it. */
export async function withDemo(
  environment: Readonly<Record<string, string>>,
  use: (base: string, node: RunningNode, data: string) => Promise<void>,
  weekSeconds = 3600,
  indices: readonly string[] = ['LAYOFFS'],
): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'assay-test-'));
  try {
    const node = await startDemo({
      data: join(data, 'log'),
      environment: { ASSAY_PORT: '0', ...environment },
      log: makeLogger('silent'),
      weekSeconds,
      indices,
    });
    try {
      await use(`http://127.0.0.1:${node.port}`, node, join(data, 'log'));
    } finally {
      await node.close();
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

/** Resolves when the demo has written its first Close, soon after its start, and the index entry behind it. */
export async function firstClose(base: string): Promise<void> {
  const dayOf = async (path: string): Promise<string | undefined> => {
    const answer = await fetch(`${base}${path}`);
    const { day } = (await answer.json()) as { day?: string };
    return answer.status === 200 ? day : undefined;
  };
  for (let i = 0; i < 200; i += 1) {
    const close = await dayOf('/indices/close');
    if (close !== undefined && ((await dayOf('/index')) ?? '') >= close) return;
    await sleep(50);
  }
  throw new Error('no Close within ten seconds');
}
