/** Spans of calls, collected without a gateway. */
import { ROOT_CONTEXT, context } from '@opentelemetry/api';
import test from 'ava';
import pino from 'pino';
import { createCallBus } from '#src/calls/call-bus.ts';
import { createTraces } from '#src/telemetry/traces.ts';
import { collectTraces } from '#test/helpers/trace-collector.ts';

const spans = collectTraces();

test('ends the span of a call that another gateway has taken over, and forgets the call', (t) => {
  const bus = createCallBus({ logger: pino({ level: 'silent' }) });
  const traces = createTraces(bus);
  const spanIn = (callId: string): boolean => {
    let isWithin = false;
    traces.inCall(callId, () => (isWithin = context.active() !== ROOT_CONTEXT));
    return isWithin;
  };
  bus.publish('began', { callId: 'a', direction: 'outbound' });
  t.true(spanIn('a'));
  bus.publish('taken', { callId: 'a' });
  bus.publish('released', { callId: 'a' });
  t.is(spans.length, 1);
  t.like(spans[0], { name: 'call', isOver: true, attributes: { 'trunkline.status': 'left' } });
  t.false(spanIn('a'));
});

test('leaves the status of an ended call when the call is released', (t) => {
  const bus = createCallBus({ logger: pino({ level: 'silent' }) });
  createTraces(bus);
  bus.publish('began', { callId: 'b', direction: 'inbound' });
  bus.publish('ended', { callId: 'b', direction: 'inbound', status: 'completed', reason: 'agent_hangup' });
  bus.publish('released', { callId: 'b' });
  t.is(spans.at(-1)?.attributes['trunkline.status'], 'completed');
});
