import * as z from 'zod';
import { invalidField, Refusal } from '#src/domain/refusal.ts';
import type { Script } from '#src/domain/simulated-callee.ts';
import type { ApiServices, Simulator } from '../api-services.ts';

const steps = {
  say: "Waits for the person's turn, then says this.",
  interrupt:
    'Waits until the agent is speaking, then says this over its voice. `{text, after_ms}`: this long after it began to talk.',
  backchannel: 'The same for a murmur such as "네" that does not take the turn.',
  listen: 'Waits for one whole reply of the agent (`true`).',
  hear: 'Waits until the agent has said this since the person last spoke or heard something: a text that must occur, or a regular expression between slashes.',
  wait_sec: 'Does nothing for this many seconds.',
  noise_sec: 'Makes noise without words for this many seconds.',
  hold_sec: 'Puts the call on hold for this many seconds.',
  digits: 'Presses these keys: 0–9, *, #, A–D.',
  await_digits: 'Waits until the agent has sent these DTMF digits.',
  announce: 'Says this at once, even over other speech, as an answering machine does.',
  beep: 'Beeps like an answering machine that takes a message (`true`).',
  hang_up: 'Hangs up at once (`true`).',
  persona:
    'Only as the last step: the language model of the gateway plays a person, `{description, goal, max_turns}`, who speaks at most `max_turns` times and hangs up when the goal is reached or given up.',
  answer_after_sec: 'First step of a callee: answers after this many seconds.',
  no_answer: 'Only step of a callee: does not answer (`true`).',
  busy: 'Only step of a callee: is busy (`true`).',
  decline: 'Only step of a callee: declines (`true`).',
  trunk_error: 'Only step of a callee: the trunk fails (`true`).',
};

/** Documents the steps of a script, each an object with one member. The simulated line itself validates the steps. */
export const script = z
  .array(z.unknown())
  .max(200)
  .meta({
    id: 'Script',
    description: 'Behaviour of a simulated person, step by step; each step is an object with one member.',
    example: [{ say: 'Good morning.' }, { listen: true }, { hang_up: true }],
    override: {
      items: {
        type: 'object',
        minProperties: 1,
        maxProperties: 1,
        properties: Object.fromEntries(
          Object.entries(steps).map(([name, description]) => [name, { description }]),
        ),
      },
    },
  });

/** Returns the simulator; 404 if the simulated line is not running. */
export const requireSimulator = ({ calls: { simulator } }: ApiServices): Simulator => {
  if (simulator !== null) return simulator;
  throw new Refusal('not_found', 'The simulated line does not run on this gateway.');
};

export const requirePlayable = async (
  simulator: Simulator,
  steps: Script,
  role: 'caller' | 'callee',
): Promise<void> => {
  const errors = await simulator.checkScript(steps, role);
  if (errors.length > 0)
    throw invalidField(...errors.map(({ step, message }) => ({ path: `script.${step}`, message })));
};
