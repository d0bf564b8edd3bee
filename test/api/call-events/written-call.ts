/** A call whose facts are written one by one. */
import { recordFact, type RecordedFact } from '#src/persistence/calls/call-facts.ts';
import type { FakeGateway } from '../fake-gateway.ts';
import { storeCall } from '../stored-calls.ts';

export const answeredAt = Date.parse('2026-11-21T03:00:05.000Z');

export const story: readonly RecordedFact[] = [
  { type: 'call.answered', at: answeredAt },
  {
    type: 'turn.spoken',
    at: answeredAt + 1_250,
    endedAt: answeredAt + 3_000,
    role: 'assistant',
    text: 'Good morning.',
    whole: true,
  },
  {
    type: 'turn.spoken',
    at: answeredAt + 4_000,
    endedAt: answeredAt + 4_500,
    role: 'user',
    text: 'Who is this?',
    whole: true,
  },
  { type: 'reply.failed', at: answeredAt + 5_000, turn: 2, failure: 'http_error', detail: 'HTTP 500' },
  {
    type: 'call.ended',
    at: answeredAt + 9_000,
    reason: 'agent_hangup',
    status: 'completed',
    sip: { status: 200, reason: 'OK', callId: 'abc' },
  },
  {
    type: 'recording.completed',
    at: answeredAt + 9_500,
    contentType: 'audio/ogg',
    durationSec: 9,
    bytes: 100,
    file: 'secret/place.ogg',
    truncated: false,
  },
  { type: 'call.summarized', at: answeredAt + 9_600, summary: 'They said hello.' },
];

const ringing = { status: 'ringing', answeredAt: null, endedAt: null, endReason: null } as const;

/** A call with this many written facts. */
export const callWith = async (gateway: FakeGateway, count = story.length) => {
  const { id } = await storeCall(gateway, ringing);
  const write = async (from: number, to: number): Promise<void> => {
    for (const [index, fact] of story.slice(from, to).entries()) {
      await recordFact(gateway.database, id, from + index + 1, fact);
    }
  };
  await write(0, count);
  return { id, path: `/api/v1/calls/${id}/events`, write };
};

export const streaming = { accept: 'text/event-stream' };
