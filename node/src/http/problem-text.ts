import type { ProblemCode } from './problem.ts';

/** What a code means, and what a client does about it. Both are whole sentences. */
export interface ProblemText {
  readonly meaning: string;
  readonly remedy: string;
}

/** By code. `GET /problems/{code}` serves them, and the meaning is the `detail` of a problem that has no better one. */
export const PROBLEM_TEXTS: Readonly<Record<ProblemCode, ProblemText>> = {
  bad_request: {
    meaning:
      'A query parameter is wrong, missing or unknown, or the path has broken percent-encoding.',
    remedy: 'Read `errors`, which names each parameter, and correct the request.',
  },
  invalid_json: {
    meaning: 'The body is not JSON in UTF-8.',
    remedy: 'Send one JSON value in UTF-8.',
  },
  invalid_answer: {
    meaning: 'The body is JSON, and not an answer to a question.',
    remedy: 'Send `answer` and `nonce`, and no other member.',
  },
  invalid_forecast: {
    meaning: 'The body is JSON, and not a forecast that can be taken.',
    remedy: 'Correct the member that `detail` names.',
  },
  invalid_email: {
    meaning: 'The member `email` is not an e-mail address.',
    remedy: 'Send one address, without a name around it.',
  },
  invalid_url: {
    meaning: 'The address is not one that messages are sent to.',
    remedy: 'Use an https address with a public host name and the usual port.',
  },
  invalid_filter: {
    meaning: 'The chosen types, tickers or symbols are not a choice that can be made.',
    remedy: 'Choose among the types that the document lists.',
  },
  challenge_failed: {
    meaning: 'The address did not answer the challenge with its text.',
    remedy:
      'Let the address answer GET with status 200 and the value of `challenge` as the body, and try again with `confirm_token`.',
  },
  unauthorized: {
    meaning: 'The request carries no secret of a subscription, or a wrong one.',
    remedy: 'Send the signing secret as a bearer token.',
  },
  cross_site: {
    meaning: 'A browser sent the request from the page of another site.',
    remedy: 'Send it from a page of this service, or from a program.',
  },
  not_a_reader: {
    meaning:
      'The address is the one at which the readers of a publisher ask it, and the request does not carry their token.',
    remedy: 'Ask the public address of the service.',
  },
  unknown_cosigner: {
    meaning: 'The key is in no set of co-signers of this log.',
    remedy: 'Ask the publisher to add the key. Sending it again changes nothing.',
  },
  bad_signature: {
    meaning: 'A signature does not fit the key and the bytes that it is for.',
    remedy: 'Sign again with the right key. Where `at` is given, it names the signature.',
  },
  bad_secret: {
    meaning: 'The secret is not that of the handle.',
    remedy: 'Send the secret that was issued with the first forecast of the handle.',
  },
  not_found: {
    meaning: 'Nothing here has that name.',
    remedy: 'Look at the path: /docs lists all of them, and /v1/indices the indexes.',
  },
  not_listed: {
    meaning: 'No asset that is shown here has that symbol.',
    remedy: 'Take a symbol of /v1/board.',
  },
  no_report: {
    meaning: 'No number is signed for that index and period, or the period is void.',
    remedy:
      'Where `void` is given, the period has no number for good. Otherwise ask again after the release.',
  },
  no_kit: {
    meaning: 'The index offers no listing kit at this moment.',
    remedy: 'Read `detail`: some indexes never have one, others only until their print is due.',
  },
  method_not_allowed: {
    meaning: 'The path does not take that method.',
    remedy: 'Use a method of the header `Allow`.',
  },
  request_timeout: {
    meaning: 'The body did not arrive within 10 seconds.',
    remedy: 'Send the request again.',
  },
  refused: {
    meaning: 'The log must not hold what the body says.',
    remedy: 'Compare `expected` with `found` at the place `at`. The same bytes are refused again.',
  },
  address_cap: {
    meaning: 'This address has given as many answers to the question as it may.',
    remedy: 'Nothing: the limit holds for the question.',
  },
  other_history: {
    meaning: 'The place to resume from is not in this log: it is that of another history.',
    remedy:
      'Verify both histories before you go on. Two histories of one log are evidence against its publisher.',
  },
  handle_taken: {
    meaning: 'Somebody else has the handle.',
    remedy: 'Send its secret, sign with its key, or choose another handle.',
  },
  counter_used: {
    meaning: 'The counter is not above that of the forecast before.',
    remedy: 'Sign again with a higher counter.',
  },
  closed: {
    meaning: 'The time in which this could be sent is over.',
    remedy: 'Look for one that is open.',
  },
  content_too_large: {
    meaning: 'The body is larger than the service reads.',
    remedy: 'Send a body of at most 64 KiB.',
  },
  unsupported_media_type: {
    meaning: 'The body has a media type that is not taken here.',
    remedy: 'Use the media type that the document lists for the path.',
  },
  not_json: {
    meaning: 'The header Content-Type is not application/json.',
    remedy: 'Send JSON with the header `Content-Type: application/json`.',
  },
  malformed: {
    meaning: 'The body is JSON of another shape than is taken here.',
    remedy: 'Compare `expected` with `found` at the place `at`.',
  },
  idempotency_reused: {
    meaning: 'Another body was sent with this Idempotency-Key before.',
    remedy: 'Use a new random key for each new body.',
  },
  rate_limited: {
    meaning: 'More requests came than the quota allows.',
    remedy: 'Wait for the seconds of `Retry-After`. `RateLimit-Policy` says what the quota is.',
  },
  internal: {
    meaning: 'The service failed. It is not the fault of the request.',
    remedy: 'Try again later, and quote `X-Request-Id` to the operator if it goes on.',
  },
  damaged: {
    meaning: 'The bytes that are kept no longer have their hash, and are not served.',
    remedy: 'Take them from a mirror. The operator is warned by /status.',
  },
  save_failed: {
    meaning: 'The subscription could not be stored.',
    remedy: 'Try again later.',
  },
  confirm_failed: {
    meaning: 'The confirmed subscription could not be stored.',
    remedy: 'Try again later with the same token.',
  },
  busy: {
    meaning: 'The service has as many of these as it has room for.',
    remedy: 'Wait for the seconds of `Retry-After`, and try again.',
  },
  unavailable: {
    meaning: 'No subscriptions are taken now.',
    remedy: 'Try again later. Reads are not affected.',
  },
  invalid_payment: {
    meaning:
      'The header PAYMENT-SIGNATURE holds no payment that could be checked. Nothing was charged.',
    remedy: 'Correct what `detail` names, and send the same request again.',
  },
  payment_conflict: {
    meaning:
      'The payment or its identifier was used before, with another request, another payment or by another payer. Nothing was charged for this request.',
    remedy: 'Ask for what the payment bought, or buy this with an identifier of its own.',
  },
  answer_gone: {
    meaning: 'The payment was made, and its answer was kept as long as it had to be.',
    remedy: 'Buy it again with a new identifier. The old payment is never charged again.',
  },
  facilitator_unavailable: {
    meaning:
      'Whoever checks payments, or the chain, did not answer, or the payment could not be stored. Nobody was asked to settle it, and whether it was made all the same is looked up when it is sent again.',
    remedy:
      'Send the same request with the same payment again, after the seconds of `Retry-After`.',
  },
  settlement_unknown: {
    meaning:
      'The payment was handed over to be settled, and nobody can say yet whether it was. It may have been charged.',
    remedy:
      'Send the same request with the same payment again, after the seconds of `Retry-After`. It is never charged twice. Do not pay under another identifier.',
  },
  tier_closed: {
    meaning: 'The path belongs to the machine tier, which is not open yet.',
    remedy: 'Use the free reads. Nothing is charged, and no key opens the tier.',
  },
  writer_away: {
    meaning:
      'This process serves a copy of the log, and what was asked for only the publisher can answer, which it cannot reach now.',
    remedy:
      'Wait for the seconds of `Retry-After`, and try again. Whatever follows from the log is answered meanwhile.',
  },
  halted: {
    meaning: 'The record cannot be read or written now, or it is too old to be shown.',
    remedy: 'Read /status, which says why, and ask again after `Retry-After`.',
  },
};
