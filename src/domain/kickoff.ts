/** The first user turn of an outbound call (guides/design/agents.md, "Kickoff"). */

const connected = '[outbound call connected] You speak first. The other party has not said anything yet.';

/**
 * Returns the kickoff: two lines, in which line breaks of the instruction become spaces; only line 1 without an
 * instruction.
 */
export const kickoffFor = (instruction: string | null): string => {
  const task = (instruction ?? '').replaceAll(/(?<!\s)\s*[\r\n\u2028\u2029]+\s*/g, ' ').trim();
  return task === '' ? connected : `${connected}\n[task] ${task}`;
};
