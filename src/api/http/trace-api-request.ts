import {
  context,
  isSpanContextValid,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { ApiMiddleware } from './context.ts';

const tracer = trace.getTracer('trunkline');

/**
 * Traces a request as a span that continues the trace of the request's `traceparent` and is active during the response.
 * Without trace collection there is no span. The raw path is omitted, because it may contain anything.
 */
export const traceApiRequest: ApiMiddleware = (ctx, next) => {
  const parent = propagation.extract(context.active(), ctx.headers);
  const span = tracer.startSpan(ctx.method, { kind: SpanKind.SERVER }, parent);
  if (!span.isRecording() && !isSpanContextValid(span.spanContext())) return next();
  ctx.res.once('close', () => {
    const { statusCode } = ctx.res;
    const { route } = ctx.state;
    if (route !== undefined) span.updateName(`${ctx.method} ${route}`).setAttribute('http.route', route);
    span.setAttributes({ 'http.request.method': ctx.method, 'http.response.status_code': statusCode });
    if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
  return context.with(trace.setSpan(parent, span), () => next());
};
