/**
 * What a subscriber may choose to be told. All but `status` follow from entries of the log. `status` is about the service itself,
 * for which there is no entry, so it is sent at best once and never again.
 */
export const MESSAGE_TYPES = [
  'score_event',
  'heat_event',
  'print',
  'close',
  'revision',
  'receipt',
  'question',
  'round',
  'status',
] as const;

export type MessageType = (typeof MESSAGE_TYPES)[number];

/** The types that follow from entries. */
export type EntryMessageType = Exclude<MessageType, 'status'>;
