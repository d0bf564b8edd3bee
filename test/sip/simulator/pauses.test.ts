/** Sounds over the agent's voice on a line that pauses. */
import test from 'ava';
import type { LineEvent } from '#machines/line.ts';
import { sayingTime } from '#sip/speaking-time.ts';
import { pausing } from '#test/helpers/usual-barge-in.ts';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import { createNetwork, scriptedNumber } from './network.ts';
import type { Script } from '#sip/simulator/script.ts';
import { done, recorded, recordingNetwork, stretches } from './recording-network.ts';

const reply = 'Of course, I will look that up for you right away, one moment please.';
const { onsetMs, resumeMs } = pausing;

const asCallsDo = ({ type }: LineEvent, line: WatchedLine): void => {
  if (type === 'line.answered') line.say(reply);
  if (type === 'line.onset') line.tell({ type: 'pauseTalking' });
  if (type === 'line.no_speech') line.tell({ type: 'resumeTalking' });
  if (type === 'line.speech') line.tell({ type: 'stopTalking' });
};

const reach = (script: Script): { line: WatchedLine; network: ReturnType<typeof createNetwork> } => {
  const network = createNetwork();
  network.lines.defineCallee(scriptedNumber, script);
  return { line: network.reach({ bargeIn: pausing }, asCallsDo), network };
};

test('noise over the agent is an onset, and nothing when it has been silent for a while', (t) => {
  const { line, network } = reach([{ wait_sec: 1 }, { noise_sec: 0.5 }]);
  network.until(() => line.saw('line.played'));
  const [answer] = line.all('line.answered');
  const [onset] = line.all('line.onset');
  const [nothing] = line.all('line.no_speech');
  const [played] = line.all('line.played');
  t.is((onset?.at ?? 0) - (answer?.at ?? 0), 1_000 + onsetMs);
  t.is((nothing?.at ?? 0) - (answer?.at ?? 0), 1_500 + resumeMs);
  t.true(played?.whole);
  const pausedMs = (nothing?.at ?? 0) - (onset?.at ?? 0);
  t.is((played?.at ?? 0) - (played?.startedAt ?? 0), Math.round(sayingTime(reply)) + pausedMs);
});

test('noise that goes on and on holds the agent up for two seconds', (t) => {
  const { line, network } = reach([{ wait_sec: 1 }, { noise_sec: 30 }]);
  network.until(() => line.saw('line.played'));
  t.is((line.all('line.no_speech')[0]?.at ?? 0) - (line.all('line.onset')[0]?.at ?? 0), 2_000);
  t.true(line.all('line.played')[0]?.whole);
});

test('noise while the agent is silent is no onset, nor is a click', (t) => {
  const { line, network } = reach([{ wait_sec: 1 }, { noise_sec: 0.05 }, { wait_sec: 10 }, { noise_sec: 1 }]);
  network.until(() => line.saw('line.played'));
  network.clock.advance(10_000);
  t.false(line.saw('line.onset'));
});

test('a recording holds both halves of a sentence, and the pause between them', async (t) => {
  const network = await recordingNetwork();
  network.lines.defineCallee(scriptedNumber, [
    { wait_sec: 1 },
    { noise_sec: 0.5 },
    { wait_sec: 9 },
    { hang_up: true },
  ]);
  const line = network.reach({ ...recorded, bargeIn: pausing, to: scriptedNumber }, asCallsDo);
  network.until(() => line.isOver());
  const [answer] = line.all('line.answered');
  const tape = await done(network.tapes.get(recorded.callId));
  const told = stretches(tape.agent);
  t.is(told.length, 2);
  const pausedAt = (line.all('line.onset')[0]?.at ?? 0) - (answer?.at ?? 0);
  const wentOnAt = (line.all('line.no_speech')[0]?.at ?? 0) - (answer?.at ?? 0);
  t.true(Math.abs((told[0]?.[1] ?? 0) - pausedAt) < 10, JSON.stringify(told));
  t.true(Math.abs((told[1]?.[0] ?? 0) - wentOnAt) < 10, JSON.stringify(told));
});
