/**
 * Names of the actors of one call that is shown by several gateways, one after the other: each process numbers its
 * actors itself, so that those of the next one get names of their own.
 */

/** A message of the inspection protocol of Stately. */
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
    // Each gateway begins with the call itself.
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
