import { randomBytes } from 'node:crypto';

/**
 * The W3C Trace Context header of one request (version 00, section 3.2) where nobody collects traces. All requests of a call share a trace: its id is
 * the call's id without hyphens, so whoever knows the call finds the trace, on either side. Each request is a new span.
 */
export const traceparent = (callId: string): string =>
  `00-${callId.replaceAll('-', '').toLowerCase()}-${randomBytes(8).toString('hex')}-01`;
