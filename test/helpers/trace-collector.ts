/** Collects OpenTelemetry spans in memory, using only the interfaces of the API, like an operator's SDK. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  context,
  INVALID_SPANID,
  propagation,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type ContextManager,
  type Span,
  type SpanContext,
  type SpanStatus,
  type TextMapPropagator,
  type Tracer,
} from '@opentelemetry/api';

export type CollectedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  /** Parent span; null at the root of a trace. */
  parentId: string | null;
  attributes: Attributes;
  events: string[];
  status: SpanStatus | null;
  isOver: boolean;
};

const collectedSpan = (
  name: string,
  attributes: Attributes,
  parent: SpanContext | undefined,
): { span: Span; collected: CollectedSpan } => {
  const spanContext: SpanContext = {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    traceFlags: TraceFlags.SAMPLED,
  };
  const collected: CollectedSpan = {
    name,
    traceId: spanContext.traceId,
    spanId: spanContext.spanId,
    parentId: parent?.spanId ?? null,
    attributes: { ...attributes },
    events: [],
    status: null,
    isOver: false,
  };
  const span: Span = {
    spanContext: () => spanContext,
    setAttribute: (key, value) => span.setAttributes({ [key]: value }),
    setAttributes(more) {
      Object.assign(collected.attributes, more);
      return span;
    },
    addEvent(event) {
      collected.events.push(event);
      return span;
    },
    addLink: () => span,
    addLinks: () => span,
    setStatus(status) {
      collected.status = status;
      return span;
    },
    updateName(other) {
      collected.name = other;
      return span;
    },
    end() {
      if (collected.isOver) throw new Error(`The span "${collected.name}" was ended twice`);
      collected.isOver = true;
    },
    isRecording: () => !collected.isOver,
    recordException() {},
  };
  return { span, collected };
};

const createContexts = (): ContextManager => {
  const storage = new AsyncLocalStorage<Context>();
  const contexts: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...given) => storage.run(active, () => run.call(self, ...given)),
    bind: (_, target) => target,
    enable: () => contexts,
    disable: () => contexts,
  };
  return contexts;
};

/** Reads `traceparent` (W3C Trace Context, version 00) and writes nothing. */
const traceparentReader: TextMapPropagator = {
  inject() {},
  extract(into, carrier, getter) {
    const [, traceId, spanId, flags] =
      /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(String(getter.get(carrier, 'traceparent'))) ??
      [];
    if (traceId === undefined || spanId === undefined || spanId === INVALID_SPANID) return into;
    const traceFlags = Number.parseInt(flags ?? '0', 16);
    return trace.setSpanContext(into, { traceId, spanId, traceFlags, isRemote: true });
  },
  fields: () => ['traceparent'],
};

/** Starts the collector; process-wide, so only one per test file. */
export const collectTraces = (): CollectedSpan[] => {
  const spans: CollectedSpan[] = [];
  const startSpan: Tracer['startSpan'] = (name, options = {}, within = context.active()) => {
    const parent = options.root === true ? undefined : trace.getSpanContext(within);
    const { span, collected } = collectedSpan(name, options.attributes ?? {}, parent);
    spans.push(collected);
    return span;
  };
  const startActiveSpan = (): never => {
    throw new Error('The gateway passes contexts on by itself');
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan }) });
  context.setGlobalContextManager(createContexts());
  propagation.setGlobalPropagator(traceparentReader);
  return spans;
};
