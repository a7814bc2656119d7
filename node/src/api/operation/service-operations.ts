import { z } from 'zod';
import type { Operation } from '../../http/operation.ts';
import { about } from '../schema/field.ts';
import { haltedStatus, statusAnswer } from '../schema/status.ts';

const tag = 'service';

/** For readers of pages: an address with something behind `?` is the same page. */
const page = { tag, basis: 'live', query: 'ignored', problems: [] } as const;

export const getStatus: Operation = {
  tag,
  id: 'getStatus',
  summary: 'How the service does',
  description:
    '`ok`, `degraded` or `halted`, with the reasons as text. 200 when ok or degraded; 503 when halted, with the status beside the problem: the record cannot be read, every index is late by the limit of the operator, no class of the Terminal has a good tick of now, or its receipts are no longer made. `state` says which of the three in both; `status` of a 503 is the number of the HTTP status, and of a 200 a deprecated alias of `state`.',
  basis: 'live',
  freshness: 'none',
  success: 'The service is ok or degraded.',
  content: { type: 'application/json', schema: statusAnswer },
  problems: ['halted'],
  problemSchemas: { 503: haltedStatus },
};

export const getHealth: Operation = {
  ...page,
  id: 'getHealth',
  summary: 'Whether the process answers',
  description:
    'For a supervisor: 200 while the service answers at all. No request limit counts it.',
  freshness: 'none',
  success: 'It answers.',
  content: { type: 'text/plain', schema: about(z.string(), 'The text `ok`.'), example: 'ok\n' },
};

export const getReadiness: Operation = {
  ...page,
  id: 'getReadiness',
  summary: 'Whether there is a record to read',
  description:
    'For a load balancer: 200 while the log can be read here, whether or not anything is written; 503 while it cannot. No request limit counts it.',
  freshness: 'none',
  success: 'The record can be read.',
  content: {
    type: 'text/plain',
    schema: about(z.string(), 'The text `ready`.'),
    example: 'ready\n',
  },
  problems: ['halted'],
};

export const getMetrics: Operation = {
  ...page,
  id: 'getMetrics',
  summary: 'Metrics for Prometheus',
  description: "What the service counts, in Prometheus' text format. A node may be run without it.",
  freshness: 'none',
  success: 'The metrics.',
  content: {
    type: 'text/plain',
    schema: about(z.string(), "Prometheus' text format."),
    example: '# HELP assay_log_entries Published entries of the log\nassay_log_entries 165\n',
  },
};

export const getOpenApi: Operation = {
  ...page,
  id: 'getOpenApi',
  summary: 'This document',
  description: 'The OpenAPI 3.1 document of the service.',
  freshness: 'etag',
  success: 'The document.',
  content: {
    type: 'application/json',
    schema: about(z.record(z.string(), z.unknown()), 'An OpenAPI 3.1 document.'),
    example: { openapi: '3.1.0', info: { title: 'Assay' }, paths: {} },
  },
};

export const getAsyncApi: Operation = {
  ...page,
  id: 'getAsyncApi',
  summary: 'The document of the event stream',
  description: 'The AsyncAPI 3 document of the events that `/events` sends.',
  freshness: 'etag',
  success: 'The document.',
  content: {
    type: 'application/json',
    schema: about(z.record(z.string(), z.unknown()), 'An AsyncAPI 3 document.'),
    example: { asyncapi: '3.0.0', info: { title: 'Assay events' }, channels: {} },
  },
};

export const getDocs: Operation = {
  ...page,
  id: 'getDocs',
  summary: 'The documents page',
  description:
    'What every route takes and answers, with the indexes that there are. It needs no script and loads nothing else.',
  freshness: 'etag',
  success: 'The page.',
  content: { type: 'text/html', schema: about(z.string(), 'HTML.'), example: '<!doctype html>' },
  headers: [
    {
      name: 'Content-Security-Policy',
      description: 'Its own style alone.',
      example: "default-src 'none'; style-src 'sha256-...'",
      always: true,
    },
  ],
};

export const getLlms: Operation = {
  ...page,
  id: 'getLlms',
  summary: 'The service in short, for language models',
  description: 'What the service is, its routes, and how to verify a number (llmstxt.org).',
  freshness: 'etag',
  success: 'The text.',
  content: { type: 'text/plain', schema: about(z.string(), 'Markdown.'), example: '# Assay\n' },
};
