/** Kickoff: the first user turn of an outbound call (guides/design/agents.md, "Kickoff"). */

const connected = '[outbound call connected] You speak first. The other party has not said anything yet.';

/**
 * Returns the kickoff: a fixed first line, and the instruction as the second line, with spaces in place of line breaks.
 * Without an instruction there is only the first line.
 */
export const kickoffFor = (instruction: string | null): string => {
  const task = (instruction ?? '').replaceAll(/(?<!\s)\s*[\r\n\u2028\u2029]+\s*/g, ' ').trim();
  return task === '' ? connected : `${connected}\n[task] ${task}`;
};
