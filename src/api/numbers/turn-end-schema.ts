import * as z from 'zod';
import { turnEndBounds, turnEndModes, usualTurnEnd } from '#src/domain/turn-end.ts';

const milliseconds = (name: keyof typeof turnEndBounds, description: string) => {
  const [lowest, highest] = turnEndBounds[name];
  const usual = usualTurnEnd[name];
  return z.int().min(lowest).max(highest).default(usual).meta({ description, example: usual });
};

/** Settings of end-of-turn detection. */
export const turnEnd = z
  .strictObject({
    mode: z.enum(turnEndModes).meta({
      description:
        '`pause`: the silence behind the words, short when they sound finished and long when they want to go on. `recognizer`: the recognizer, where it tells the end of a turn itself (`deepgram`, `deepgram-flux`). `model`: a model of speech, which the operator brings (`GW_TURN_MODEL`). What cannot be on this gateway is refused; where it fails later, pauses decide.',
      example: 'pause',
    }),
    min_silence_ms: milliseconds('minSilenceMs', 'Before so much silence no turn is over. Milliseconds.'),
    max_silence_ms: milliseconds(
      'maxSilenceMs',
      'After so much silence one that has words is over, whoever decides. Milliseconds.',
    ),
  })
  .meta({ id: 'TurnEnd' });
