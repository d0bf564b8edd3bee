/** A person in a simulated call who is played by a language model, and a language model's verdict on a call. */

/** A persona as a step of a script. `max_turns` limits the number of times that the person speaks. */
export type PersonaStep = { description: string; goal: string; max_turns: number };

export const mostPersonaTurns = 50;

/** The conversation from the person's point of view. Empty text: the agent has said nothing. */
export type PersonaLine = { role: 'agent' | 'persona'; text: string };

/**
 * How a persona ended. `turn_limit`: the person has spoken `max_turns` times without an end. `model_failed`: the
 * language model did not answer.
 */
export const personaOutcomes = ['reached', 'given_up', 'turn_limit', 'model_failed'] as const;

export type PersonaResult = { outcome: (typeof personaOutcomes)[number]; reason: string };

/** The person's next turn. `ends`: the person hangs up after it. */
export type PersonaTurn = {
  says: string;
  /** DTMF digits; empty for none. */
  presses: string;
  ends: { outcome: 'reached' | 'given_up'; reason: string } | null;
};

/** Resolves to the person's next turn. Rejects if the language model fails. */
export type PlayPersona = (
  request: Pick<PersonaStep, 'description' | 'goal'> & {
    /** Language of the call (BCP 47). */
    language: string;
    lines: readonly PersonaLine[];
  },
  signal: AbortSignal,
) => Promise<PersonaTurn>;

export type Verdict = { holds: boolean; reason: string };

/** Resolves to whether a statement about an ended call holds. Rejects if the language model fails. */
export type JudgeCall = (
  request: {
    statement: string;
    turns: readonly { role: 'assistant' | 'user'; text: string }[];
  },
  signal: AbortSignal,
) => Promise<Verdict>;

/** The operator's language model in rehearsals. */
export type RehearsalModel = { playPersona: PlayPersona; judge: JudgeCall };

export const withoutModel = 'This gateway has no language model (GW_LLM_BASE_URL).';
