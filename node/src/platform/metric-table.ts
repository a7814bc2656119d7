/** What a metric is, as Prometheus has it. */
export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Without a full stop, as exporters write it. */
  readonly help: string;
  readonly labels: readonly string[];
}

/** Every metric of a node by its name. `docs/reference/metrics.md` is made of it. */
export const METRICS: Readonly<Record<string, MetricRow>> = {
  assay_http_request_seconds: {
    type: 'histogram',
    help: 'Seconds from a request to its answer',
    labels: ['method', 'route', 'status'],
  },
  assay_reader_up: {
    type: 'gauge',
    help: '1 if a reader of this machine answers, else 0, by its number',
    labels: ['reader'],
  },
  assay_reader_behind_entries: {
    type: 'gauge',
    help: 'Published entries that a reader of this machine does not show yet',
    labels: ['reader'],
  },
  assay_reader_memory_bytes: {
    type: 'gauge',
    help: 'Resident memory of a reader of this machine',
    labels: ['reader'],
  },
  assay_reader_restarts: {
    type: 'gauge',
    help: 'How often a reader of this machine was started again since the start of the process that started it',
    labels: ['reader'],
  },
  assay_reader_entries: {
    type: 'gauge',
    help: 'Entries that a reader of this machine shows',
    labels: ['reader'],
  },
  assay_reader_silent_seconds: {
    type: 'gauge',
    help: 'Seconds since a reader of this machine heard of its publisher; none until it answers',
    labels: ['reader'],
  },
  assay_reader_requests: {
    type: 'gauge',
    help: 'Requests that a reader of this machine has answered since its own start; failed are those with a status of 500 or more',
    labels: ['reader', 'outcome'],
  },
  assay_event_loop_active_seconds_total: {
    type: 'counter',
    help: 'Seconds since the start in which the event loop worked and did not wait; its rate is the share of a core',
    labels: [],
  },
  assay_heap_limit_bytes: {
    type: 'gauge',
    help: 'What the heap may grow to before the process ends for want of memory',
    labels: [],
  },
  assay_append_seconds: {
    type: 'histogram',
    help: 'Seconds of a commit of the log, by step: commit is all of it, store the database and guard the head guard, which run side by side, and sign the signature on the head',
    labels: ['step'],
  },
  assay_append_waiting_seconds: {
    type: 'gauge',
    help: 'Seconds for which the commit under way has not ended, 0 if there is none',
    labels: [],
  },
  assay_rounds_total: {
    type: 'counter',
    help: 'Rounds by index and outcome',
    labels: ['ticker', 'outcome'],
  },
  assay_stamps_total: { type: 'counter', help: 'Batches of stamps recorded', labels: [] },
  assay_stamp_upgrades_total: {
    type: 'counter',
    help: 'Further issues of batches recorded',
    labels: [],
  },
  assay_calendar_failures_total: {
    type: 'counter',
    help: 'Answers of calendars that did not come or could not be used, by host',
    labels: ['calendar'],
  },
  assay_chain_posted_total: {
    type: 'counter',
    help: 'Prints and Closes that the log has recorded as being on chain, since the start',
    labels: ['of'],
  },
  assay_chain_lamports_total: {
    type: 'counter',
    help: 'Lamports paid on chain since the start, by purpose (feed, rule, set, print, dissent, close) and by fee or rent',
    labels: ['on', 'of'],
  },
  assay_day_end_failures_total: {
    type: 'counter',
    help: 'Failed attempts to make the Close or the index entry of a day',
    labels: ['of'],
  },
  assay_arena_steps_total: {
    type: 'counter',
    help: 'Entries of rounds of the Arena that were written: opened, frozen, unsealed, void, graded',
    labels: ['step'],
  },
  assay_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts to deliver a message to a receiver, by the class of its answer or why there was none',
    labels: ['outcome'],
  },
  assay_cosigner_words_total: {
    type: 'counter',
    help: 'Statements of co-signers on reports, by name; refused if the log must not hold it; for a recounter its own, failed if it could make none',
    labels: ['cosigner', 'word'],
  },
  assay_webhook_subscriptions: {
    type: 'gauge',
    help: 'Subscriptions to webhooks, by state',
    labels: ['state'],
  },
  assay_webhook_behind_entries: {
    type: 'gauge',
    help: 'Published entries that the last active receiver of webhooks is behind',
    labels: [],
  },
  assay_payments_open: {
    type: 'gauge',
    help: 'Payments of which something may still be learnt, by state: settling, settled, confirmed, lost',
    labels: ['state'],
  },
  assay_payments_total: {
    type: 'counter',
    help: 'Payments that came to a state since the start: settling when they began, settled, confirmed, final, failed, lost',
    labels: ['state'],
  },
  assay_payment_received_units_total: {
    type: 'counter',
    help: 'What final payments have brought since the start, in the smallest unit of the asset',
    labels: [],
  },
  assay_payment_unknown_answers_total: {
    type: 'counter',
    help: 'Answers since the start that said settlement_unknown',
    labels: [],
  },
  assay_event_streams: { type: 'gauge', help: 'Open streams of /events', labels: [] },
  assay_log_entries: { type: 'gauge', help: 'Published entries of the log', labels: [] },
  assay_log_writable: { type: 'gauge', help: '1 while the log takes entries', labels: [] },
  assay_log_stamped_entries: {
    type: 'gauge',
    help: 'Entries of the log that batches of stamps hold',
    labels: [],
  },
  assay_anchor_height: {
    type: 'gauge',
    help: 'Height of the Bitcoin block that holds the newest attested batch; 0 before the first',
    labels: [],
  },
  assay_beacon_height: {
    type: 'gauge',
    help: 'Height of the newest Bitcoin block that the log names; 0 before the first',
    labels: [],
  },
  assay_disk_free_bytes: {
    type: 'gauge',
    help: 'Bytes left on the disk of the data, as last measured; -1 while that is not known',
    labels: [],
  },
  assay_disk_free_files: {
    type: 'gauge',
    help: 'Files for which the disk of the data has room, as last measured; -1 if the file system counts none',
    labels: [],
  },
  assay_storage_damaged: {
    type: 'gauge',
    help: 'Things at rest that are damaged or missing now, by what they are',
    labels: ['part'],
  },
  assay_storage_repaired: {
    type: 'gauge',
    help: 'How often a thing at rest was repaired since the start, by what it is',
    labels: ['part'],
  },
  assay_scrub_share: {
    type: 'gauge',
    help: 'How much of the round the scrub has done, from 0 to 1; 1 between two rounds',
    labels: [],
  },
  assay_scrub_rounds: { type: 'gauge', help: 'Rounds of the scrub since the start', labels: [] },
  assay_scrub_bytes: {
    type: 'gauge',
    help: 'Bytes that the scrub has read since the start',
    labels: [],
  },
  assay_scrub_last_round_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last round that went over everything ended, unix time; 0 before the first',
    labels: [],
  },
  assay_stamps_pending: {
    type: 'gauge',
    help: 'Batches of stamps with a calendar that is still to answer',
    labels: [],
  },
  assay_stamps_attested_height: {
    type: 'gauge',
    help: 'Highest Bitcoin block that holds a batch of stamps, 0 before there is one',
    labels: [],
  },
  assay_header_age_seconds: {
    type: 'gauge',
    help: 'Seconds since the time of the newest Bitcoin header that is known, NaN without one',
    labels: [],
  },
  assay_reports_awaiting_cosigners: {
    type: 'gauge',
    help: 'Reports on which not every co-signer has made a statement, and finals without their quorum',
    labels: [],
  },
  assay_chain_waiting: {
    type: 'gauge',
    help: 'Prints and Closes that belong on chain and are not yet recorded as being there',
    labels: [],
  },
  assay_chain_waiting_seconds: {
    type: 'gauge',
    help: 'Seconds since the oldest print or Close that waits could be on chain, 0 while none could',
    labels: [],
  },
  assay_chain_slot: {
    type: 'gauge',
    help: 'The newest finalized slot that was seen, 0 before the first',
    labels: [],
  },
  assay_chain_payer_lamports: {
    type: 'gauge',
    help: 'What the payer has, NaN before it was asked',
    labels: [],
  },
  assay_chain_spent_today_lamports: {
    type: 'gauge',
    help: 'Lamports of this UTC day, fees and rent',
    labels: [],
  },
  assay_chain_differences: {
    type: 'gauge',
    help: 'Differences between the chain and the log, and items that the chain refuses',
    labels: [],
  },
  assay_objects_size_entries: {
    type: 'gauge',
    help: 'Entries that the checkpoint in the bucket covers, NaN before it was read',
    labels: [],
  },
  assay_objects_behind_entries: {
    type: 'gauge',
    help: 'Published entries that the checkpoint in the bucket does not cover',
    labels: [],
  },
  assay_objects_behind_seconds: {
    type: 'gauge',
    help: 'Seconds for which the bucket has lacked something that is published, 0 while it lacks nothing',
    labels: [],
  },
  assay_objects_stopped: {
    type: 'gauge',
    help: '1 where nothing more is written to the bucket until somebody has looked',
    labels: [],
  },
  assay_objects_written_total: {
    type: 'counter',
    help: 'Objects that were written to the bucket',
    labels: [],
  },
  assay_objects_errors_total: {
    type: 'counter',
    help: 'Copies to the bucket that failed, by code',
    labels: ['code'],
  },
  assay_arena_rounds: {
    type: 'gauge',
    help: 'Rounds of the Arena that are not graded, by how far they are: open, frozen, unsealed',
    labels: ['state'],
  },
  assay_arena_forecasts: {
    type: 'gauge',
    help: 'Handles with a forecast in a round of the Arena that is not graded',
    labels: [],
  },
  assay_guard_follower_behind_entries: {
    type: 'gauge',
    help: 'Entries of the log that a standby has not confirmed to the head guard',
    labels: ['follower'],
  },
  assay_guard_follower_silent_seconds: {
    type: 'gauge',
    help: 'Seconds since a standby said to the head guard how far it is',
    labels: ['follower'],
  },
  assay_standby_entries: {
    type: 'gauge',
    help: 'Entries that are durable on this standby',
    labels: [],
  },
  assay_standby_behind_entries: {
    type: 'gauge',
    help: 'Entries of the newest head of the publisher that this standby did not have after its last poll',
    labels: [],
  },
  assay_standby_confirmed_entries: {
    type: 'gauge',
    help: 'Entries that this standby has confirmed to the head guard',
    labels: [],
  },
  assay_standby_missing_blobs: {
    type: 'gauge',
    help: 'Blobs that entries name and that this standby does not have',
    labels: [],
  },
  assay_standby_polled_seconds: {
    type: 'gauge',
    help: 'Seconds since the publisher last answered this standby',
    labels: [],
  },
};

/** The part of a metric's configuration that the table fixes. */
export function metric(name: string): {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
} {
  const row = METRICS[name];
  if (row === undefined) throw new TypeError(`${name} is not in the table of metrics`);
  return { name, help: row.help, labelNames: row.labels };
}
