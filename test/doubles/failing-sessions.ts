import type { FromMediaThread } from '#sip/media-thread/media-thread-messages.ts';
import type { StartThread } from '#sip/media-thread/media-thread.ts';

/** Makes sessions in the media thread of a `startSipEdge` fail. */
export const createFailingSessions = () => {
  /** Ids of the sessions, in the order of their opening. */
  const opened: number[] = [];
  let report: (message: FromMediaThread) => void = () => {};
  const wrapMediaThread =
    (start: StartThread): StartThread =>
    (ports, on) => {
      const thread = start(ports, on);
      report = on.message;
      return {
        ...thread,
        tell(message) {
          if (message.type === 'open' || message.type === 'open unicast') opened.push(message.id);
          thread.tell(message);
        },
      };
    };
  return {
    wrapMediaThread,
    opened,
    fail: (id = 0) => report({ type: 'failed', id, error: { message: 'on purpose', stack: undefined } }),
  };
};
