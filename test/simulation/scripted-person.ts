/** A simulated person with a script, who stays in the call when its gateway dies. */
import { scripted, type Plan } from './plan.ts';
import type { World } from './world.ts';

const sentences = ['먼저 이 말씀부터 드립니다.', '이어서 이 말씀을 드립니다.', '끝으로 이 말씀을 드립니다.'];

export const personScript = [
  ...sentences.flatMap((say) => [{ say }, { listen: true }]),
  { digits: '42' },
  { hang_up: true },
];

const isCalm = ({ statements, cutOffs, databaseBreaks, freezes }: Plan): boolean =>
  cutOffs.length + databaseBreaks.length + freezes.length === 0 &&
  statements.lostBefore + statements.lostAfter + statements.refused + statements.slow === 0;

/** Whether a gateway asked for words again that may have been lost with its predecessor. */
const wasAskedToRepeat = (world: World, callId: string): boolean =>
  world.postgres.rows(
    `select 1 from call_transition where call_id = '${callId}' and state_after = 'listening.catching-up.waiting'`,
  ).length > 0;

/**
 * Checks that a person who hung up had said everything, and that no process repeated a completed step. While the database
 * cannot store the progress of a call, later processes know an earlier step. The last words before a death are lost if
 * the gateway dies before they are recognized; the next one then asks for them, but the person goes on.
 */
export const checkScripts = (world: World, plan: Plan): void => {
  const calls = world.postgres.rows(
    `select id::text, end_reason from call where counterparty = '${scripted}' order by 1`,
  );
  for (const { id, end_reason: reason } of calls) {
    const said = (world.farEnds.heard.get(String(id)) ?? []).map((text) => sentences.indexOf(text));
    const isRepeated = said.some((step, place) => place > 0 && step < (said[place - 1] ?? 0));
    if (isRepeated && isCalm(plan))
      world.violate(`a person with a script repeated a completed step: ${said.join(', ')} in ${String(id)}`);
    const isComplete = said.at(-1) === sentences.length - 1;
    if (reason === 'counterparty_hangup' && !isComplete && !wasAskedToRepeat(world, String(id)))
      world.violate(`a person with a script hung up too early: after ${said.join(', ')} in ${String(id)}`);
  }
};
