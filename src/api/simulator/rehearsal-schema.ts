import * as z from 'zod';
import { simulatedPeople } from '#src/domain/simulated-callee.ts';

/** Progress of a traced script. */
export const rehearsal = z
  .strictObject({
    step_timeout_sec: z.number().min(1).max(600).meta({
      description:
        'A step that does not complete within this many seconds on the line ends the script: the person hangs up. So does a person whose script is over, if the call has not ended after the same time.',
      example: 30,
    }),
    people: z
      .record(z.string().regex(/^\d{3,16}$/), z.enum(simulatedPeople))
      .optional()
      .meta({
        description:
          'The behaviour of persons to whom this call may be transferred, by their numbers in domestic format; beside `01000000011` to `01000000014`.',
        example: { '0212345678': 'accepts' },
      }),
  })
  .meta({
    id: 'ScriptRehearsal',
    description: 'The script is watched: `GET …/simulator/calls/{call_id}` reports its progress.',
  });
