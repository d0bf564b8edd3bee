import { mask } from '#src/outgoing/observed-client.ts';
import type { TriedTurn } from '#src/domain/agent-trial.ts';

/** Wherever the endpoint repeats the token, it is masked as well; the gateway's own words stay as they are. */
export const withoutToken = (turn: TriedTurn, token: string | null): TriedTurn => {
  if (token === null || token === '') return turn;
  const hide = (text: string): string => text.replaceAll(token, mask);
  return {
    ...turn,
    exchanges: turn.exchanges.map(({ received, ...others }) => ({
      ...others,
      received: received && {
        ...received,
        headers: Object.fromEntries(
          Object.entries(received.headers).map(([name, value]) => [name, hide(value)]),
        ),
        body: hide(received.body),
      },
    })),
    spoken: turn.spoken.map(({ text, atMs }) => ({ text: hide(text), atMs })),
    failure: turn.failure && {
      ...turn.failure,
      serverSays: turn.failure.serverSays && hide(turn.failure.serverSays),
    },
  };
};
