/**
 * Calls and turns as OpenTelemetry spans: request, call, turn and agent request, each a child of the one before. The
 * spans go to the provider that was registered before the gateway started; without a provider, no span is created.
 * Spans hold times and outcomes, never numbers or words. The latencies of turns are events of the call's span, because a
 * turn's span ends with its reply, before the reply is heard.
 */
import { context, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import type { StartReply } from '#src/agents/start-reply.ts';
import type { CallBus } from '#src/calls/call-bus.ts';
import { once } from '#src/domain/once.ts';

export type Traces = {
  /** Runs a function within the span of the call. */
  inCall(callId: string, run: () => void): void;
  /** Creates a span for each reply, active while the reply is produced. */
  traceReplies(startReply: StartReply): StartReply;
};

const tracer = trace.getTracer('trunkline');

export const createTraces = (bus: CallBus): Traces => {
  const calls = new Map<string, { span: Span; inCall: Context }>();
  bus.subscribe('began', ({ callId, direction }) => {
    const span = tracer.startSpan('call');
    if (!span.isRecording()) return;
    span.setAttributes({ 'trunkline.call_id': callId, 'trunkline.direction': direction });
    calls.set(callId, { span, inCall: trace.setSpan(context.active(), span) });
  });
  bus.subscribe('ended', ({ callId, status, reason }) => {
    const call = calls.get(callId);
    if (call === undefined) return;
    calls.delete(callId);
    call.span.setAttributes({ 'trunkline.status': status, 'trunkline.end_reason': reason });
    if (status === 'failed') call.span.setStatus({ code: SpanStatusCode.ERROR, message: reason });
    call.span.end();
  });
  // The call continues at another gateway, and has no end here.
  bus.subscribe('released', ({ callId }) => {
    calls.get(callId)?.span.setAttribute('trunkline.status', 'left').end();
    calls.delete(callId);
  });
  bus.subscribe('measured', ({ callId, stage, milliseconds }) =>
    calls.get(callId)?.span.addEvent(`turn.${stage}`, { 'trunkline.milliseconds': milliseconds }),
  );
  return {
    inCall(callId, run) {
      context.with(calls.get(callId)?.inCall ?? context.active(), run);
    },
    traceReplies: (startReply) => (input, emit) => {
      const call = calls.get(input.callId);
      if (call === undefined) return startReply(input, emit);
      const span = tracer.startSpan('turn', { attributes: { 'trunkline.turn': input.turn } }, call.inCall);
      const end = once((outcome: string) => span.setAttribute('trunkline.outcome', outcome).end());
      const letGo = context.with(trace.setSpan(call.inCall, span), () =>
        startReply(input, (event) => {
          if (event.type === 'reply.sentence') span.addEvent('sentence');
          if (event.type === 'reply.finished') end('finished');
          if (event.type === 'reply.failed') {
            span.setStatus({ code: SpanStatusCode.ERROR, message: event.failure });
            end('failed');
          }
          emit(event);
        }),
      );
      return () => {
        end('abandoned');
        letGo();
      };
    },
  };
};
