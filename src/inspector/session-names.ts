/**
 * Names the actors of a call that moves between gateways: each process numbers its own actors, so names are made
 * unique.
 */

/** A message of Stately's inspection protocol. */
export type ShownMessage = {
  type: string;
  rootId: string;
  sessionId: string;
  parentId?: unknown;
  sourceId?: unknown;
};

export const createSessionNames = (): ((message: ShownMessage) => ShownMessage) => {
  let gateways = 0;
  const nameOf = <T>(id: T): T | string =>
    typeof id === 'string' && gateways > 1 ? `${gateways}/${id}` : id;
  return (message) => {
    const { type, rootId, sessionId, parentId, sourceId } = message;
    // Each gateway begins with the call's root actor.
    if (type === '@xstate.actor' && sessionId === rootId) gateways += 1;
    return {
      ...message,
      rootId: nameOf(rootId),
      sessionId: nameOf(sessionId),
      ...(parentId === undefined ? {} : { parentId: nameOf(parentId) }),
      ...(sourceId === undefined ? {} : { sourceId: nameOf(sourceId) }),
    };
  };
};
