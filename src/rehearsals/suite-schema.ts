/** Schema of a suite: simulated callers and callees, their steps, and expectations. */
import { z } from 'zod';
import { agentTypes, controlModes } from '#src/domain/agent-binding.ts';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import { mostPersonaTurns } from '#src/domain/persona.ts';
import { isStorable } from '#src/domain/storable-text.ts';
import { answerers } from '#src/domain/voicemail.ts';

const words = z
  .string()
  .min(1)
  .max(2_000)
  .refine(isStorable, { error: 'must not contain NUL or half of a surrogate pair' });
const seconds = z.number().min(0).max(600);
const telephone = z.string().regex(/^\d{3,16}$/, 'must be a number in domestic format, in quotes');
const pattern = words.describe(
  'A text that must occur, or a regular expression between slashes: /monday|tuesday/i',
);
const keys = z.string().regex(/^[0-9*#A-D]{1,64}$/, 'must be 1 to 64 of the keys 0–9, *, #, A–D, in quotes');
const yes = z.literal(true);

export const usualPersonaTurns = 10;

/** Actions; a step has exactly one. */
const acts = {
  says: words.describe("Waits for the person's turn, then says this."),
  hears: pattern.describe(
    'Waits until the agent has said it: a text that must occur, or a regular expression between slashes.',
  ),
  interrupts: words.describe("Says this over the agent's voice."),
  presses: keys.describe('Presses these keys.'),
  awaits_keys: keys.describe('Waits until the agent has pressed these keys.'),
  stays_silent_sec: seconds.describe('Says nothing for so long.'),
  noise_sec: seconds.describe('Makes noise without words for so long.'),
  holds_sec: seconds.describe('Puts the call on hold for so long.'),
  backchannels: words.describe('A murmur such as "uh-huh" over the agent\'s voice, which takes no floor.'),
  hangs_up: yes.describe('Hangs up at once.'),
  voicemail: words.describe('An answering machine that says this, beeps, and records.'),
  screening: words.describe(
    'An assistant of the telephone that says this to ask who calls and why, and hears the answer.',
  ),
  persona: words.describe(
    'Last step: a person whom the language model of the gateway plays, described in a few words. Needs `goal`. Hangs up when the goal is reached or given up.',
  ),
  answers_after_sec: seconds.describe('First step of a callee: picks up after so long.'),
  does_not_answer: yes.describe('Only step of a callee: lets it ring.'),
  is_busy: yes.describe('Only step of a callee.'),
  declines: yes.describe('Only step of a callee.'),
  line_fails: yes.describe('Only step of a callee: the line to it breaks.'),
};

type Act = keyof typeof acts;

const isAct = (name: string): name is Act => Object.hasOwn(acts, name);

const step = z
  .strictObject({
    ...acts,
    after_ms: z
      .number()
      .min(0)
      .max(60_000)
      .describe('Of `interrupts`: so long after the agent has begun to talk.'),
    goal: words.describe('Of `persona`: what the person wants from the call.'),
    max_turns: z
      .int()
      .min(1)
      .max(mostPersonaTurns)
      .describe(
        `Of \`persona\`: the person speaks at most so often; ${usualPersonaTurns} when it is not said.`,
      ),
  })
  .partial()
  .superRefine((value, context) => {
    const done = Object.keys(value).filter(isAct);
    if (done.length !== 1)
      context.addIssue({
        code: 'custom',
        message: `A step does one thing: ${Object.keys(acts).join(', ')}`,
      });
    if (value.after_ms !== undefined && value.interrupts === undefined)
      context.addIssue({ code: 'custom', path: ['after_ms'], message: 'after_ms belongs to interrupts' });
    if ((value.goal === undefined) !== (value.persona === undefined))
      context.addIssue({ code: 'custom', message: 'A persona has a goal' });
    if (value.max_turns !== undefined && value.persona === undefined)
      context.addIssue({ code: 'custom', path: ['max_turns'], message: 'max_turns belongs to persona' });
  });

const steps = z
  .array(step)
  .min(1)
  .max(100)
  .superRefine((all, context) => {
    for (const [index, { persona }] of all.slice(0, -1).entries())
      if (persona !== undefined)
        context.addIssue({
          code: 'custom',
          path: [index, 'persona'],
          message: 'A persona is the last step, because it ends the call',
        });
  });

const patterns = z.union([pattern.transform((one) => [one]), z.array(pattern).min(1)]);

const expectations = z
  .strictObject({
    says: patterns.describe('The agent was heard to say each of them.'),
    never_says: patterns.describe('The agent was not heard to say any of them.'),
    end_reason: z.enum(endReasons).describe('Why the call ended.'),
    status: z.enum(callStatuses).describe('How the call ended.'),
    visits: z
      .array(z.string())
      .min(1)
      .describe('States of the charts `call` and `conversation` that the call must have been in.'),
    answered_by: z
      .enum(answerers)
      .describe('By whom the call was judged to be answered, at any time: first a screening, then a human.'),
    facts: z.array(z.string()).min(1).describe('Types of events that the call must have had until its end.'),
    turn_latency_p95_ms: z
      .number()
      .min(0)
      .describe("The other party's wait for the agent: 95 of 100 replies came within it."),
    duration_sec: z
      .union([z.number().min(0), z.strictObject({ at_least: seconds, at_most: seconds }).partial()])
      .describe('The longest duration from the answer, or `{at_least, at_most}`.'),
    calls_transfer: z
      .union([z.boolean(), telephone])
      .describe('Whether the call was transferred, connected or not; or to whom.'),
    goal: z
      .enum(['reached', 'given_up'])
      .describe(
        'Of a case with a persona: whether the person reached the goal, as the person or the language model judges it.',
      ),
    rubric: z
      .union([words.transform((one) => [one]), z.array(words).min(1).max(10)])
      .describe(
        'Statements about the call that must hold by the verdict of the language model of the gateway, such as "The agent confirmed the new date".',
      ),
  })
  .partial();

const rehearsedCase = z
  .strictObject({
    name: words,
    direction: z.enum(['inbound', 'outbound']).optional().describe('inbound where there is a caller.'),
    caller: steps.optional().describe('Of an inbound call: what the caller does.'),
    callee: steps.optional().describe('Of an outbound call: what who is called does.'),
    from: telephone.optional().describe('Who calls.'),
    instruction: z.string().min(1).optional().describe('The task of an outbound call.'),
    people: z
      .record(telephone, z.enum(['accepts', 'declines', 'is_busy', 'does_not_answer']))
      .optional()
      .describe('What those do to whom the call may be transferred, by their numbers.'),
    timeout_sec: z
      .number()
      .min(1)
      .max(600)
      .optional()
      .describe('A step that does not come about within it fails the case. 30 when it is not said.'),
    expect: expectations.optional(),
  })
  .superRefine(({ direction, caller, callee, instruction, expect }, context) => {
    const problem = (path: string[], message: string): void =>
      context.addIssue({ code: 'custom', path, message });
    if ((caller === undefined) === (callee === undefined))
      problem([], 'A case has either a caller (inbound) or a callee (outbound)');
    if (direction === 'inbound' && callee !== undefined) problem(['callee'], 'An inbound call has a caller');
    if (direction === 'outbound' && caller !== undefined)
      problem(['caller'], 'An outbound call has a callee');
    if (caller !== undefined && instruction !== undefined)
      problem(['instruction'], 'An inbound call has no instruction');
    if (expect?.goal !== undefined && (caller ?? callee ?? []).at(-1)?.persona === undefined)
      problem(['expect', 'goal'], 'Only a persona has a goal');
  });

const agent = z.union([
  z.literal('builtin'),
  z.strictObject({
    agent_type: z.enum(agentTypes),
    chat_url: z.url(),
    assistant_id: z.string().optional(),
    agent_id: z.string().optional(),
    controls: z.enum(controlModes).optional(),
  }),
]);

export const suiteSchema = z
  .strictObject({
    number: telephone.optional().describe("The agent's number; without it, the first one of the gateway."),
    agent: agent.optional().describe('Speaks in the calls of the suite, in both directions.'),
    cases: z.array(rehearsedCase).min(1).max(500),
  })
  .superRefine(({ cases }, context) => {
    for (const [index, { name }] of cases.entries())
      if (cases.findIndex((other) => other.name === name) !== index)
        context.addIssue({
          code: 'custom',
          path: ['cases', index, 'name'],
          message: 'Another case has this name',
        });
  });

export type Suite = z.output<typeof suiteSchema>;
export type SuiteCase = Suite['cases'][number];
export type SuiteStep = z.output<typeof step>;
export type Expectations = NonNullable<SuiteCase['expect']>;

/** JSON Schema for completion and validation in editors. */
export const suiteJsonSchema = (): object => ({
  ...z.toJSONSchema(suiteSchema, { io: 'input' }),
  title: 'A suite of rehearsals of Trunkline',
});
