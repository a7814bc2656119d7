// The checks of the conformance suite that this server does not pass with the fixtures mounted, and why.
import type { REVISIONS } from '../src/node/mcp/mcp-client.ts';

interface NotMet {
  readonly why: string;
  /** By scenario, the ids of its checks. */
  readonly checks: Readonly<Record<string, readonly string[]>>;
}

/** A scenario stops at its first check that cannot be made, so that later checks of it are not here. */
export const NOT_MET: Readonly<Record<(typeof REVISIONS)[number], readonly NotMet[]>> = {
  '2025-11-25': [
    {
      why: 'The server calls its client in the middle of a call. The answer comes in a request of its own, and without sessions nothing connects the two, so that no such fixture is mounted.',
      checks: {
        'tools-call-sampling': ['tools-call-sampling'],
        'tools-call-elicitation': ['tools-call-elicitation'],
        'elicitation-sep1034-defaults': ['elicitation-sep1034-general'],
        'elicitation-sep1330-enums': ['elicitation-sep1330-general'],
      },
    },
    {
      why: 'A subscription needs a session, and the capability is not announced.',
      checks: {
        'resources-subscribe': ['resources-subscribe'],
        'resources-unsubscribe': ['resources-unsubscribe'],
      },
    },
    {
      why: 'The suite recommends a session, and a stream that can be taken up again. Here an answer that was lost is asked for again.',
      checks: {
        'server-sse-multiple-streams': ['server-sse-multiple-streams-session'],
        'server-sse-polling': [
          'server-sse-polling-session',
          'server-sse-priming-event',
          'server-sse-retry-field',
        ],
      },
    },
  ],
  '2026-07-28': [
    {
      why: 'No tool has an argument that a client repeats in a header (x-mcp-header), so that there is nothing to compare. The revision does not score this scenario.',
      checks: {
        'http-custom-header-server-validation': [
          'sep-2243-server-decode-base64',
          'sep-2243-server-no-xmcp-tool',
          'sep-2243-server-reject-invalid-param-chars',
          'sep-2243-server-reject-param-mismatch',
          'sep-2243-server-validate-param-match',
        ],
      },
    },
    {
      why: 'The lists of tools and prompts change with a release alone, and a server that announces no changes is not asked for them: skipped.',
      checks: {
        'server-stateless': [
          'sep-2575-server-sends-prompts-list-changed-on-subscription',
          'sep-2575-server-sends-tools-list-changed-on-subscription',
        ],
      },
    },
    {
      why: 'Tasks are an extension (io.modelcontextprotocol/tasks), which this server does not announce: every tool answers at once. The revision does not score it.',
      checks: {
        'tasks-capability-negotiation': [
          'sep-2663-server-rejects-undeclared-client',
          'sep-2663-tasks-methods-non-declaring',
          'tasks-extension-advertised',
          'tasks-per-request-meta-opt-in',
        ],
        'tasks-dispatch-and-envelope': [
          'sep-2663-durable-create-strong-consistency',
          'sep-2663-legacy-task-param-ignored',
          'sep-2663-tasks-get-invalid-task-id-32602',
          'tasks-immediate-result-shortcut',
          'tasks-result-type-complete-on-non-task-responses',
          'tasks-server-directed-creation-no-hint',
        ],
        'tasks-lifecycle': [
          'sep-2663-cancel-ack-empty-result',
          'sep-2663-result-type-task-on-create',
          'sep-2663-tasks-get-status-completed',
          'sep-2663-tasks-get-status-failed',
          'sep-2663-tasks-get-status-working',
          'sep-2663-tool-error-uses-completed-status',
          'tasks-cancel-terminal-idempotent-ack',
          'tasks-sync-tool-call',
        ],
        'tasks-mrtr-composition': ['sep-2663-mrtr-synchronous-before-task-creation'],
        'tasks-mrtr-input': [
          'sep-2663-tasks-get-status-input-required',
          'tasks-mrtr-partial-fulfillment',
          'tasks-mrtr-tasks-update-resumes',
        ],
        'tasks-request-headers': [
          'sep-2663-routing-headers-accepted-on-tasks-get',
          'sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get',
          'tasks-headers-tolerate-mcp-method-on-tools-call',
        ],
        'tasks-request-state-removal': ['tasks-request-state-removal-setup'],
        'tasks-required-task-error': ['sep-2663-server-returns-missing-capability-when-required'],
        'tasks-status-notifications': ['tasks-status-notifications'],
        'tasks-wire-fields': [
          'tasks-no-early-ttl-expiry',
          'tasks-no-related-task-meta-on-inlined-result',
          'tasks-wire-field-renames',
        ],
      },
    },
  ],
};
