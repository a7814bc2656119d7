import type { Rule } from '@assay/core/rule/rule';
import { layoffsRule } from '../fixture/fixture.ts';
import type { ArenaLog } from './arena-log.ts';

/** Appends a version of the log's rule that releases every number from 2026-08-02 on at `local` UTC. */
export function movedDaily(log: ArenaLog, local: string, at: string): Rule {
  const rule = layoffsRule({
    ...log.rule,
    version: log.rule.version + 1,
    applies_from: '2026-08-02',
    release: { ...log.rule.release, local },
  });
  log.append('rule/1', { rule }, at);
  return rule;
}
