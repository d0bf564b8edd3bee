/**
 * Calls and their turns as OpenTelemetry spans: request, call, turn, agent request, each under the one before. They go
 * to whoever registered a provider before the gateway started; without one, no span is made and nothing is kept. No
 * number, no words: a span says when, how long, and how it ended.
 */
import { context, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import type { StartReply } from '#src/agents/start-reply.ts';
import type { CallObserver } from '#src/calls/observer.ts';
import { once } from '#src/domain/once.ts';

export type Traces = {
  observer: CallObserver;
  /** Runs this as a part of the call. */
  inCall(callId: string, run: () => void): void;
  /** Each reply becomes a span, which is active while the reply is made. */
  traceReplies(startReply: StartReply): StartReply;
};

const tracer = trace.getTracer('trunkline');

export const createTraces = (): Traces => {
  const calls = new Map<string, { span: Span; inCall: Context }>();
  return {
    observer: {
      began({ callId, direction }) {
        const span = tracer.startSpan('call');
        if (!span.isRecording()) return;
        span.setAttributes({ 'trunkline.call_id': callId, 'trunkline.direction': direction });
        calls.set(callId, { span, inCall: trace.setSpan(context.active(), span) });
      },
      ended({ callId, status, reason }) {
        const call = calls.get(callId);
        if (call === undefined) return;
        calls.delete(callId);
        call.span.setAttributes({ 'trunkline.status': status, 'trunkline.end_reason': reason });
        if (status === 'failed') call.span.setStatus({ code: SpanStatusCode.ERROR, message: reason });
        call.span.end();
      },
    },
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
