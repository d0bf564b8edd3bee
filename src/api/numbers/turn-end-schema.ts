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
        '`pause`: the silence after the words, short when they sound complete and long when they do not. `recognizer`: the end-of-turn event of the recognizer, if it has one (`deepgram`, `deepgram-flux`). `model`: a speech model provided by the operator (`GW_TURN_MODEL`). A mode that this gateway lacks is refused; if it fails later, `pause` applies.',
      example: 'pause',
    }),
    min_silence_ms: milliseconds('minSilenceMs', 'A turn does not end before this silence. Milliseconds.'),
    max_silence_ms: milliseconds(
      'maxSilenceMs',
      'A turn with words ends after this silence in every mode. Milliseconds.',
    ),
  })
  .meta({ id: 'TurnEnd' });
