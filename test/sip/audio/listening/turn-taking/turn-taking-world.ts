/** A voice and the words that an engine recognizes in it, on a clock that the test controls. */
import { listening } from '#config/policy.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { judgeByPauses } from '#sip/audio/listening/turn-end/pauses.ts';
import { createTurnTaking } from '#sip/audio/listening/turn-taking.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

export const numbers = listening.turns;

export const createWorld = (language = 'en') => {
  const clock = createOrderedClock();
  const begunAt = clock.now();
  const story: unknown[] = [];
  let isAudible = false;
  const turns = createTurnTaking({
    numbers,
    language: () => language,
    time: createLineTime(clock, 1),
    openJudge: () => judgeByPauses({ numbers, turnEnd: byPauses, language: () => language }),
    isAgentAudible: () => isAudible,
    hearsSpeech: false,
    on: {
      speech: () => story.push('speech'),
      heard: ({ text, startedAt, backchannel }) =>
        story.push([backchannel ? 'backchannel' : 'heard', text, startedAt - begunAt]),
      noWords: () => story.push('no words'),
      pause: () => story.push('pause'),
      over: () => undefined,
    },
  });
  return {
    clock,
    story,
    turns,
    agent(audible: boolean) {
      isAudible = audible;
    },
    now: () => clock.now() - begunAt,
    pass: (milliseconds: number) => clock.advance(milliseconds),
    voice: (isOn: boolean) => (isOn ? turns.voiceBegan : turns.voiceEnded)(clock.now()),
    partial: (text: string) => turns.recognized({ type: 'partial', text }),
    final: (text: string) => turns.recognized({ type: 'final', text }),
    complete: () => turns.recognized({ type: 'turn-complete' }),
  };
};

/** A streaming engine has identified itself by its first interim result. */
export const streamed = (language = 'en') => {
  const world = createWorld(language);
  world.voice(true);
  world.partial('well');
  world.voice(false);
  world.final('Well.');
  world.pass(2_000);
  world.story.splice(0);
  return world;
};
