import { randomUUID } from 'node:crypto';
import { isSpanContextValid, SpanKind, SpanStatusCode, trace, type SpanContext } from '@opentelemetry/api';

const tracer = trace.getTracer('trunkline');

/** Formats the header `traceparent` (W3C Trace Context, version 00). */
const headerOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

/** Returns the last 64 bits of a UUID, because Node generates random UUIDs in batches. A variant bit is always set. */
const newSpanId = (): string => randomUUID().slice(19).replace('-', '');

/**
 * Returns the W3C Trace Context header of one request (version 00, section 3.2) if no traces are collected. All
 * requests of a call share a trace whose id is the call's id without hyphens, so that either side can find the trace by
 * the call. Each request is a new span.
 */
export const traceparent = (callId: string): string =>
  `00-${callId.replaceAll('-', '').toLowerCase()}-${newSpanId()}-01`;

/**
 * Traces one request to an agent endpoint as a child of the active span, which ends with the response headers. `send`
 * receives the `traceparent` of the request. Without trace collection, that is the call's own (see `traceparent`).
 */
export const traceAgentRequest = async <Response extends { status: number }>(
  callId: string,
  url: string,
  send: (traceparent: string) => Promise<Response>,
): Promise<Response> => {
  const span = tracer.startSpan('agent request', { kind: SpanKind.CLIENT });
  const spanContext = span.spanContext();
  if (!isSpanContextValid(spanContext)) return send(traceparent(callId));
  span.setAttributes({ 'http.request.method': 'POST', 'server.address': URL.parse(url)?.hostname ?? '' });
  try {
    const response = await send(headerOf(spanContext));
    span.setAttribute('http.response.status_code', response.status);
    if (response.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
    return response;
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
};
